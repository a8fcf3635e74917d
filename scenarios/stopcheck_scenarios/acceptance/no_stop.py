"""Case 18. An operation without a stop of its own: the remote job runs on, and nothing downstream follows.

A report needs an export that nobody can call back. When the report is stopped the export goes on, and that is what is
shown, until it has ended; its result enters no plan, and its end starts no turn. Two small pages are about the same: an
effect that cannot be called back, and a draft that is simply thrown away.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    CancellationClass,
    Capability,
    ClaimGranted,
    CommitEffect,
    Done,
    Execution,
    ExistingEffect,
    OwnedKind,
    Quarantined,
    Refused,
    ResultPlace,
    Right,
    Scope,
    Snapshot,
    Stage,
    Status,
    Stopped,
    Taken,
    TaskRef,
    Trigger,
)
from stopcheck.world import (
    Child,
    Client,
    Effect,
    Event,
    FaultBudget,
    Holder,
    Returned,
    Scenario,
    Witness,
    World,
    wait_until,
)
from stopcheck_scenarios._seen import Match, answer, call, in_order, saw

STOP = answer("request_cancel", Accepted)


def shown(*statuses: Status) -> Match:
    """A reading shows one of these."""

    def match(event: Event) -> bool:
        return isinstance(event, Returned) and isinstance(event.reply, Snapshot) and event.reply.status in statuses

    return match


async def obey(world: World, holder: Holder, task: TaskRef) -> None:
    """Stop when the task is stopped."""
    await wait_until("stop", lambda: task in world.records, ("stop",))
    record = world.records[task]
    world.hear(record)
    await holder.client.acknowledge(task, holder.epoch, AckStrength.HANDLER_STOPPED, record.revision)


async def start(holder: Holder, child: Child) -> None:
    """Register and start it, before the first choice."""
    await holder.client.register_child(child, holder.epoch)
    await holder.client.start_child(child)


# -- a job without a stop ---------------------------------------------------------------------------------


def build(world: World) -> None:
    """A report whose worker waits for an export, the export, and a person at Stop."""
    report = world.task("report")
    export = world.child(report, "export", OwnedKind.REMOTE_JOB, cancellation_class=CancellationClass.IRREVERSIBLE)
    world.opens(report)
    holder = world.under_way(report)
    world.prepare(start(holder, export))
    world.actor("worker", obey(world, holder, report))
    world.actor("export", run_on(world.client("export", Right.WORK, Right.INSPECT), holder, export))
    world.person("person", report, Scope.SUBTREE)


async def run_on(client: Client, holder: Holder, export: Child) -> None:
    """Finish, deliver, and wake whoever waited for it."""
    report = export.parent
    await client.finish_child(export, Stage.COMPLETED)
    await client.offer_result(report, "export", ResultPlace.PLAN, holder.epoch, "the exported file")
    await client.begin_work(report, "second worker", "export is ready", Trigger.TOOL_RESULT)
    await client.recall(report, ResultPlace.PLAN)


SCENARIO = Scenario(
    id="no-stop-operation",
    title="A remote job cannot be stopped",
    sentence="The remote job runs on; nothing downstream follows.",
    case=18,
    build=build,
    needs=frozenset((Capability.CHILDREN, Capability.RESULTS)),
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness("the job was shown to have no stop", in_order(STOP, shown(Status.CANCELLATION_UNSUPPORTED))),
        Witness(
            "the job ended after the stop, and nothing followed",
            in_order(
                STOP,
                answer("finish_child", Done, actor="export"),
                answer("offer_result", Quarantined),
                answer("begin_work", Stopped, Refused),
            ),
        ),
        Witness("the job ended in time, and its result was used", in_order(answer("offer_result", Taken), STOP)),
        Witness(
            "the job ended in time, and its result came too late",
            in_order(answer("finish_child", Done), STOP, call("offer_result"), answer("offer_result", Quarantined)),
        ),
    ),
    clauses=("RES-3", "RPT-3", "RES-1", "ADM-9"),
    points=("between model completion and validation", "before final reporting"),
)

# -- an effect without a stop -----------------------------------------------------------------------------


def build_declared(world: World) -> None:
    """A mail that was admitted as irreversible, a dispatcher, a worker that changes its mind, a person at Stop."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    holder = world.under_way(task, effects=(refund_mail,))
    world.dispatcher()
    world.actor("worker", declare_again(holder, refund_mail))
    world.person("person", task)


async def declare_again(holder: Holder, mail: Effect) -> None:
    """Say of the same mail that the provider can call it back; the first declaration stands."""
    await holder.client.insist(
        CommitEffect,
        mail.task,
        epoch=holder.epoch,
        effect_id=mail.effect_id,
        payload_digest=mail.payload_digest,
        receiver=mail.receiver.name,
        cancellation_class=CancellationClass.PROVIDER_CANCELLABLE,
        kind=mail.kind,
    )


def on_its_way(event: Event) -> bool:
    """A reading shows a mail that was claimed and not resolved, under a stop."""
    reply = getattr(event, "reply", None)
    return isinstance(reply, Snapshot) and any(
        entry.claimed and not entry.disposition.definitive and reply.record is not None for entry in reply.effects
    )


DECLARED = Scenario(
    id="declared-stop",
    title="A mail that cannot be called back is declared again",
    sentence="What stop an effect supports is declared before its admission, and the status never claims more.",
    build=build_declared,
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness("the account was read while the mail was on its way", in_order(STOP, on_its_way)),
        Witness(
            "it was declared again before it was sent",
            in_order(answer("commit_effect", ExistingEffect, actor="worker"), answer("claim_dispatch", ClaimGranted)),
        ),
        Witness(
            "it was declared again after the stop",
            in_order(STOP, answer("commit_effect", ExistingEffect, Stopped, actor="worker")),
        ),
    ),
    clauses=("EFF-13", "RPT-3"),
    points=("between commitment and send", "while the answer is in flight"),
)

# -- a result that nobody wants ---------------------------------------------------------------------------


def build_discarded(world: World) -> None:
    """A report whose draft is being written by a model that cannot be interrupted; it goes on for ever."""
    report = world.task("report")
    draft = world.child(report, "draft", OwnedKind.MODEL_REQUEST, cancellation_class=CancellationClass.DISCARDABLE)
    world.opens(report)
    holder = world.under_way(report)
    world.prepare(start(holder, draft))
    world.actor("worker", obey(world, holder, report))
    world.actor("model", deliver(world.client("model", Right.WORK), holder, draft))
    world.person("editor", draft.ref, then_inspects=False)
    world.person("person", report, Scope.SUBTREE)


async def deliver(client: Client, holder: Holder, draft: Child) -> None:
    """Half a draft for the plan; the model never says that it has ended."""
    await client.offer_result(draft.parent, "draft", ResultPlace.PLAN, holder.epoch, "half a draft")
    await client.recall(draft.parent, ResultPlace.PLAN)


def settled(event: Event) -> bool:
    """A reading shows a task that has settled."""
    reply = getattr(event, "reply", None)
    return isinstance(reply, Snapshot) and reply.execution is Execution.CANCELLED_SETTLED


EDITED = answer("request_cancel", Accepted, actor="editor")
DISCARDED = Scenario(
    id="discarded-result",
    title="A model that cannot be interrupted writes a draft that nobody wants",
    sentence="What is discardable counts as stopped once its result is fenced out.",
    build=build_discarded,
    needs=frozenset((Capability.CHILDREN, Capability.RESULTS)),
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness("the report settled although the model never said that it had ended", saw(settled)),
        Witness("half a draft came in time", in_order(answer("offer_result", Taken), STOP)),
        Witness(
            "the draft was stopped by itself, and what came of it was fenced out",
            in_order(EDITED, answer("offer_result", Quarantined), answer("request_cancel", Accepted, actor="person")),
        ),
    ),
    clauses=("RPT-3", "RES-1"),
    points=("between model completion and validation",),
)

SCENARIOS = (DECLARED, DISCARDED)

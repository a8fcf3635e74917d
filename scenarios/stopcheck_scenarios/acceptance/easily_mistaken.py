"""What is easily taken for something else: another life, another run, the first of two causes, a nearer lifetime.

Each page is one person's walk through a case that a gate decides by a detail. In the first a worker that was found
gone has begun again under its old name. In the second the next run of a stopped subscriber has an interest of its own.
In the third one person stops a task for two reasons, and a settled one for a second. In the fourth a grandchild asks
for more time than its owner has left. In the fifth two effects of a stopped task are open, one in doubt and one on its
way. In the sixth a job that had no stop delivers to every place that there is.
"""

from __future__ import annotations

from stopcheck.gate import (
    SECOND_NS,
    Accepted,
    AckStrength,
    CancellationClass,
    Capability,
    Cause,
    ClaimGranted,
    Disposition,
    Done,
    Execution,
    ExistingRecord,
    Forced,
    Live,
    NoEvidence,
    NoTime,
    OwnedKind,
    ProbeResult,
    Quarantined,
    ResultPlace,
    Right,
    Scope,
    Snapshot,
    Stage,
    Status,
    TaskRef,
    Trigger,
)
from stopcheck.world import Child, Effect, Event, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import Match, answer, call, in_order, saw

WORKER = "worker"
NOTHING = FaultBudget(crashes=0, provider=0)
STOP = answer("request_cancel", Accepted)


def shown(*, status: Status | None = None, state: Execution | None = None) -> Match:
    """A reading shows this status, or this execution state."""

    def match(event: Event) -> bool:
        account = getattr(event, "reply", None)
        return isinstance(account, Snapshot) and status in (None, account.status) and state in (None, account.execution)

    return match


async def stop_and_obey(world: World, holder: Holder, task: TaskRef, scope: Scope = Scope.TASK) -> None:
    """Somebody stops the task, and its worker says that it has stopped."""
    reply = await world.client("person", Right.STOP, handle=0).request_cancel(task, scope, "stop")
    if isinstance(reply, Accepted):
        await holder.client.acknowledge(task, holder.epoch, AckStrength.HANDLER_STOPPED, reply.record.revision)


# -- another life of a worker -----------------------------------------------------------------------------


def another_life(world: World) -> None:
    """A worker that was found gone and has begun again, its namesake in another task that is gone for good, and a
    supervisor who stops what the first does."""
    task, other = world.task("refund"), world.task("report")
    for each in (task, other):
        world.opens(each)
        world.under_way(each, WORKER)
        world.prepare(find(world, each, ProbeResult.GONE))
        world.under_way(each, WORKER, trigger=Trigger.REPLACEMENT)
    world.prepare(find(world, other, ProbeResult.GONE))
    world.actor("supervisor", end_this_life(world, task))


async def find(world: World, task: TaskRef, result: ProbeResult) -> None:
    """Enter what a probe found of the worker."""
    await world.client("supervisor", Right.SUPERVISE, handle=0).record_probe(task, WORKER, result)


async def end_this_life(world: World, task: TaskRef) -> None:
    """Stop the task, use force when it is time, look in vain, look again; read the account after each."""
    client = world.client("supervisor", Right.STOP, Right.SUPERVISE, Right.INSPECT)
    await client.request_cancel(task, Scope.TASK, "stop")
    await client.inspect(task)
    await sleep_until("grace", world.now_ns() + world.port.contract.grace_ns, "grace")
    await client.escalate(task, WORKER)
    for result in (ProbeResult.UNREACHABLE, ProbeResult.ALIVE, ProbeResult.GONE):
        await client.inspect(task)
        await find(world, task, result)
    await client.inspect(task)


# -- another run of a subscriber --------------------------------------------------------------------------


def another_run(world: World) -> None:
    """An export for which an order waits, and the next run of one that was stopped; and somebody else's order."""
    stopped, following = (world.task("nightly-order", incarnation=number) for number in (1, 2))
    waiting, other, export = world.task("order"), world.task("other-order"), world.task("export", shared=True)
    for task in (export, waiting, other, stopped):
        world.opens(task)
    world.under_way(export, "exporter")
    owner = world.client("owner", Right.WORK, handle=0)
    world.prepare(owner.subscribe(export, "of another", waiting))
    world.prepare(owner.subscribe(export, "of the stopped", stopped))
    world.prepare(stop_and_obey(world, world.under_way(stopped, WORKER), stopped))
    world.opens(following)
    world.prepare(owner.subscribe(export, "of the following", following))
    world.actor("person", stop_another(world, other, export))


async def stop_another(world: World, other: TaskRef, export: TaskRef) -> None:
    """Stop an order that has nothing to do with the export, and look at the export."""
    client = world.client("person", Right.STOP, Right.INSPECT)
    await client.inspect(export)
    await client.request_cancel(other, Scope.TASK, "stop")
    await client.inspect(export)


# -- a second reason --------------------------------------------------------------------------------------


def second_reason(world: World) -> None:
    """Two tasks, and one person who has two reasons to stop each of them."""
    draining, settled = world.task("refund"), world.task("report")
    for task in (draining, settled):
        world.opens(task)
    world.under_way(draining, WORKER)
    world.prepare(stop_and_obey(world, world.under_way(settled, WORKER), settled))
    world.actor("person", say_why(world, draining, settled))


async def say_why(world: World, draining: TaskRef, settled: TaskRef) -> None:
    """Stop at a user's wish and for a reason of policy, one task while it drains and one that has settled."""
    client = world.client("person", Right.STOP, Right.INSPECT)
    await client.request_cancel(draining, Scope.TASK, "stop")
    for task in (draining, settled):
        await client.request_cancel(task, Scope.TASK, "by the rules", Cause.POLICY, "the rules say so")
        await client.inspect(task)


# -- the nearest lifetime ---------------------------------------------------------------------------------


def nearest_lifetime(world: World) -> None:
    """A claim with eight seconds, its letter with three, and translations that need two and five."""
    claim = world.task("claim")
    letter = world.child(claim, "letter", cap_ns=3 * SECOND_NS)
    long_one = world.child(letter.ref, "long-translation", minimum_ns=5 * SECOND_NS)
    short_one = world.child(letter.ref, "short-translation", cap_ns=7 * SECOND_NS, minimum_ns=2 * SECOND_NS)
    world.opens(claim, 8 * SECOND_NS)
    world.under_way(claim, "owner", children=(letter,))
    writer = world.under_way(letter.ref, "writer")
    world.actor("writer", ask_for_time(world, writer, long_one, short_one))


async def ask_for_time(world: World, writer: Holder, long_one: Child, short_one: Child) -> None:
    """Ask for more than the letter has, though not more than the claim; then for less."""
    await writer.client.register_child(long_one, writer.epoch)
    await writer.client.register_child(short_one, writer.epoch)
    await world.client("auditor", Right.INSPECT, handle=0).inspect(short_one.ref)


# -- in doubt, and on its way -----------------------------------------------------------------------------


def two_open(world: World) -> None:
    """A mail of which nobody knows, one that was claimed and cannot be called back, and a person at Stop."""
    task = world.task("refund")
    mail = world.receiver("mail")
    in_doubt = world.effect(task, "refund-mail", mail)
    on_its_way = world.effect(task, "statement-mail", mail, cancellation_class=CancellationClass.IRREVERSIBLE)
    world.opens(task)
    holder = world.under_way(task, effects=(in_doubt, on_its_way))
    world.prepare(send_both(world, in_doubt, on_its_way))
    world.actor("person", stop_and_look(world, holder, task))


async def send_both(world: World, in_doubt: Effect, on_its_way: Effect) -> None:
    """Claim both; the sender of one hears nothing, and the other is still at it."""
    dispatcher = world.client("dispatcher", Right.DISPATCH, handle=0)
    for effect in (in_doubt, on_its_way):
        claim = await dispatcher.claim_dispatch(effect)
        if isinstance(claim, ClaimGranted) and effect is in_doubt:
            await dispatcher.record_outcome(effect, NoEvidence("timeout"), claim.attempt)


async def stop_and_look(world: World, holder: Holder, task: TaskRef) -> None:
    """Nobody works any more, and the account is read."""
    await stop_and_obey(world, holder, task)
    await world.client("auditor", Right.INSPECT, handle=0).inspect(task)


def doubtful_and_sent(event: Event) -> bool:
    """A reading of a stopped task shows an effect in doubt and another that is on its way."""
    account = getattr(event, "reply", None)
    if not isinstance(account, Snapshot) or account.record is None:
        return False
    found = {entry.disposition for entry in account.effects if entry.claimed}
    return {Disposition.UNKNOWN, Disposition.PENDING} <= found or found == {Disposition.UNKNOWN}


# -- every place ------------------------------------------------------------------------------------------


def every_place(world: World) -> None:
    """A report with an export that nobody can call back."""
    report = world.task("report")
    export = world.child(report, "export", OwnedKind.REMOTE_JOB, cancellation_class=CancellationClass.IRREVERSIBLE)
    world.opens(report)
    holder = world.under_way(report)
    world.prepare(begin(holder, export))
    world.actor("export", deliver_everywhere(world, holder, export))


async def begin(holder: Holder, child: Child) -> None:
    """Register and start it."""
    await holder.client.register_child(child, holder.epoch)
    await holder.client.start_child(child)


async def deliver_everywhere(world: World, holder: Holder, export: Child) -> None:
    """The report is stopped; the export ends, and offers its file to every place. Then each place is read."""
    report = export.parent
    await stop_and_obey(world, holder, report, Scope.SUBTREE)
    await holder.client.finish_child(export, Stage.COMPLETED)
    for place in ResultPlace:
        await holder.client.offer_result(report, "export", place, holder.epoch, f"a file for the {place}")
    for place in ResultPlace:
        await holder.client.recall(report, place)


SCENARIOS = (
    Scenario(
        id="another-life",
        ledger=False,
        title="A worker that was found gone has begun again",
        sentence="What a probe found of an earlier life says nothing of this one, and no answer is not gone.",
        build=another_life,
        needs=frozenset((Capability.ESCALATION,)),
        budget=NOTHING,
        witnesses=(
            Witness(
                "a worker that had been found gone was stopped, forced, and out of reach",
                in_order(
                    call("record_probe", result=ProbeResult.GONE),
                    STOP,
                    answer("escalate", Forced),
                    call("record_probe", result=ProbeResult.UNREACHABLE),
                    answer("inspect", Snapshot),
                ),
            ),
        ),
        clauses=("ESC-8", "RPT-1", "ACK-3"),
        points=("while a worker is disconnected",),
    ),
    Scenario(
        id="another-run",
        ledger=False,
        title="The next run of a stopped subscriber has an interest of its own",
        sentence="A stop releases the interest of the run that it names, whatever the next run is called.",
        build=another_run,
        needs=frozenset((Capability.SHARED,)),
        budget=NOTHING,
        witnesses=(
            Witness(
                "the next run subscribed, and somebody else was stopped",
                in_order(answer("subscribe", Live), STOP, answer("subscribe", Live), STOP, answer("inspect", Snapshot)),
            ),
        ),
        clauses=("SHR-1", "SCOPE-2", "DLV-7"),
        points=("after it ended",),
    ),
    Scenario(
        id="second-reason",
        ledger=False,
        title="One person stops a task for two reasons",
        sentence="A later cause is appended, whoever had the first one, and also when the task has settled.",
        build=second_reason,
        budget=NOTHING,
        witnesses=(
            Witness(
                "the same person gave a second reason",
                in_order(STOP, call("request_cancel", cause=Cause.POLICY), answer("request_cancel", ExistingRecord)),
            ),
            Witness("one of the tasks had settled", saw(shown(state=Execution.CANCELLED_SETTLED))),
        ),
        clauses=("REC-8", "REC-3", "SCOPE-4"),
        points=("concurrently with another stop", "after it ended"),
    ),
    Scenario(
        id="nearest-lifetime",
        title="A grandchild asks for more time than its owner has",
        sentence="The nearest lifetime counts: what does not fit before its own owner's end is rejected.",
        build=nearest_lifetime,
        needs=frozenset((Capability.DEADLINES, Capability.CHILDREN)),
        budget=NOTHING,
        witnesses=(
            Witness(
                "the long one was rejected and the short one taken",
                in_order(answer("register_child", NoTime), answer("register_child", Done)),
            ),
        ),
        clauses=("DDL-2", "DDL-1"),
        points=("before a child is dispatched",),
    ),
    Scenario(
        id="doubt-comes-first",
        title="One effect is in doubt while another is on its way",
        sentence="Where an effect is in doubt and nobody works any more, that is shown, whatever else goes on.",
        build=two_open,
        budget=NOTHING,
        witnesses=(
            Witness("an effect in doubt was read beside one on its way", saw(doubtful_and_sent)),
            Witness("doubt was shown", saw(shown(status=Status.OUTCOME_UNKNOWN))),
        ),
        clauses=("RPT-5", "RPT-3", "RPT-1"),
        points=("between commitment and send", "before final reporting"),
    ),
    Scenario(
        id="every-place",
        title="A job that had no stop delivers to every place",
        sentence="Nothing follows from the result of a job that could not be stopped: it enters no place at all.",
        build=every_place,
        needs=frozenset((Capability.CHILDREN, Capability.RESULTS)),
        budget=NOTHING,
        witnesses=(
            Witness(
                "it ended after the stop, and delivered",
                in_order(STOP, answer("finish_child", Done), answer("offer_result", Quarantined)),
            ),
            Witness("every place was read", saw(call("recall", place=ResultPlace.PLAN))),
        ),
        clauses=("RES-3", "RES-1"),
        points=("between model completion and validation", "after it ended"),
    ),
)

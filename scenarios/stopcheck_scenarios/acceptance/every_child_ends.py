"""Case 10. Every child ends in a known terminal or an explicit unknown state.

A parent owns one operation of each kind while somebody stops all of it. The child's worker obeys, the parent reports
what it knows of the others, and of the remote job nobody ever hears again.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    Capability,
    Done,
    OwnedKind,
    Scope,
    Snapshot,
    Stage,
    Stopped,
    TaskRef,
    Trigger,
)
from stopcheck.world import Child, Event, FaultBudget, FinalAccount, Holder, Scenario, Witness, World, wait_until
from stopcheck_scenarios._seen import answer, died_under, in_order, saw


def build(world: World) -> None:
    """A parent with one owned operation of each kind, all under way, and a person who stops the subtree."""
    parent = world.task("claim")
    letter = world.child(parent, "letter")
    lookup = world.child(parent, "policy-lookup", OwnedKind.TOOL_CALL)
    others = (
        world.child(parent, "draft", OwnedKind.MODEL_REQUEST),
        world.child(parent, "converter", OwnedKind.SUBPROCESS),
        world.child(parent, "archiving", OwnedKind.REMOTE_JOB),
    )
    world.opens(parent)
    holder = world.under_way(parent, "parent worker", children=(letter, lookup, *others))
    child_holder = world.under_way(letter.ref, "child worker")
    world.prepare(start(holder, (lookup, *others)))
    world.actor("parent worker", report(world, holder, parent, lookup, others[:2]))
    world.actor("child worker", obey(world, child_holder, parent, letter))
    world.person("person", parent, Scope.SUBTREE, then_inspects=False)


async def start(holder: Holder, children: tuple[Child, ...]) -> None:
    """They run before the run's first choice."""
    for child in children:
        await holder.client.start_child(child)


async def report(world: World, holder: Holder, parent: TaskRef, lookup: Child, others: tuple[Child, ...]) -> None:
    """The tool call ends in its own time; the model request and the subprocess are ended because of the stop."""
    await holder.client.finish_child(lookup, Stage.COMPLETED)
    await wait_until("stop", lambda: parent in world.records, ("stop",))
    draft, converter = others
    await holder.client.finish_child(draft, Stage.CONFIRMED_CANCELLED)
    await holder.client.finish_child(converter, Stage.FORCE_STOPPED)


async def obey(world: World, holder: Holder, parent: TaskRef, letter: Child) -> None:
    """The child's worker hears of the stop when the others have done what they do."""
    await world.others_at_rest()
    reply = await holder.client.begin_work(letter.ref, "child worker", "again", Trigger.REDELIVERY)
    record = reply.record if isinstance(reply, Stopped) else world.records.get(parent)
    if record is not None:
        await holder.client.acknowledge(letter.ref, holder.epoch, AckStrength.HANDLER_STOPPED, record.revision)


def ends(stage: Stage) -> Witness:
    """At rest the parent showed a child so."""

    def shown(event: Event) -> bool:
        account = event.reply if isinstance(event, FinalAccount) else None
        return isinstance(account, Snapshot) and any(entry.stage is stage for entry in account.children)

    return Witness(f"at rest a child was {stage.value}", saw(shown))


STOP = answer("request_cancel", Accepted)

SCENARIO = Scenario(
    id="every-child-ends",
    ledger=False,
    title="One owned operation of each kind, and a stop of them all",
    sentence="Every child ends in a known terminal or an explicit unknown state.",
    case=10,
    build=build,
    needs=frozenset((Capability.CHILDREN,)),
    budget=FaultBudget(crashes=1, lost_answers=("request_cancel",), provider=0),
    witnesses=(
        Witness("the tool call ended before the stop", in_order(answer("finish_child", Done), STOP)),
        Witness(
            "the tool call ended after the stop", in_order(STOP, *(answer("finish_child", Done) for _ in range(3)))
        ),
        *(
            ends(stage)
            for stage in (
                Stage.COMPLETED,
                Stage.CONFIRMED_CANCELLED,
                Stage.FORCE_STOPPED,
                Stage.UNKNOWN,
            )
        ),
        Witness("the gate died under the stop", died_under("request_cancel"), durable=True),
    ),
    clauses=("CHILD-5", "CHILD-7", "CHILD-8", "ESC-4", "RPT-1", "LIVE-4"),
    points=("concurrently with completion", "while a worker is disconnected"),
)

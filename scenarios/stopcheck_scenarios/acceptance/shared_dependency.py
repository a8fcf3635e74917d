"""Case 6. Cancelling one subscriber leaves the other's work alone.

Two orders wait for one export. Somebody stops the first order with everything below it, and its owner gives up the
interest as well, twice. The export goes on for the second order.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, AlreadyReleased, Capability, Live, Right, Scope, TaskRef, Won
from stopcheck.world import EXPORT, Client, FaultBudget, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, both, died_under, in_order, never, saw


def build(world: World) -> None:
    """Two orders that subscribe to one export; its worker and dispatcher; a person who stops the first order."""
    first, second = world.task("first-order"), world.task("second-order")
    export = world.task("export", shared=True)
    file = world.effect(export, "export-file", world.receiver("files", EXPORT))
    for task in (first, second, export):
        world.opens(task)
    owner = world.client("owner", Right.WORK, Right.STOP)
    world.prepare(owner.subscribe(export, "first", first))
    world.prepare(owner.subscribe(export, "second", second))
    world.worker("export worker", Plan(task=export, effects=(file,), then_inspects=True))
    world.dispatcher()
    world.actor("owner", give_up(owner, export))
    world.person("person", first, Scope.SUBTREE)


async def give_up(owner: Client, export: TaskRef) -> None:
    """The first order's owner releases its interest, and does so again."""
    await owner.release(export, "first")
    await owner.release(export, "first")


SCENARIO = Scenario(
    id="shared-dependency",
    title="Two subscribers share one piece of work",
    sentence="Cancelling one subscriber leaves the other's work alone.",
    case=6,
    races=True,
    build=build,
    needs=frozenset((Capability.SHARED,)),
    budget=FaultBudget(crashes=1, lost_answers=("release",), provider=0),
    witnesses=(
        Witness(
            "a subscriber was stopped, and the shared work was completed",
            in_order(answer("request_cancel", Accepted), answer("complete", Won)),
        ),
        Witness(
            "the stop released the interest before its owner did",
            both(saw(answer("request_cancel", Accepted)), never(answer("release", Live))),
        ),
        Witness(
            "the owner released the interest before the stop",
            in_order(answer("release", Live), answer("request_cancel", Accepted)),
        ),
        Witness("an interest was released twice", saw(answer("release", AlreadyReleased))),
        Witness("the gate died under a release", died_under("release"), durable=True),
    ),
    clauses=("SHR-1", "SHR-3", "SCOPE-5", "SCOPE-7", "LIVE-1"),
    points=("immediately before a commitment", "between commitment and send", "concurrently with completion"),
)

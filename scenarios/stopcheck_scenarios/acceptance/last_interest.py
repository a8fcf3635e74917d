"""Nobody wants the shared work any more: it is stopped, or reported as running with no owner.

The first order is stopped by a person while the owner of the second gives up its interest.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Capability, LastReleased, Live, Right, TaskRef
from stopcheck.world import Client, FaultBudget, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, died_under, in_order, saw


def build(world: World) -> None:
    """Two orders that subscribe to one export with one file; one is stopped, the other gives up."""
    first, second = world.task("first-order"), world.task("second-order")
    export = world.task("export", shared=True)
    file = world.effect(export, "export-file", world.receiver("files"))
    for task in (first, second, export):
        world.opens(task)
    owner = world.client("owner", Right.WORK, Right.STOP, Right.INSPECT)
    world.prepare(owner.subscribe(export, "first", first))
    world.prepare(owner.subscribe(export, "second", second))
    world.worker("export worker", Plan(task=export, effects=(file,), completes=False))
    world.dispatcher()
    world.actor("owner", give_up(owner, export))
    world.person("person", first, then_inspects=False)


async def give_up(owner: Client, export: TaskRef) -> None:
    """The second order's owner releases its interest, and looks at the export."""
    await owner.release(export, "second")
    await owner.inspect(export)


SCENARIO = Scenario(
    id="last-interest",
    title="The last interest in shared work is released",
    sentence="When the last interest is released, the work is stopped or reported as running with no owner.",
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("release",), provider=0),
    needs=frozenset((Capability.SHARED,)),
    witnesses=(
        Witness("the release was the last one", saw(answer("release", LastReleased))),
        Witness(
            "the stop released the last one", in_order(answer("release", Live), answer("request_cancel", Accepted))
        ),
        Witness("the gate died under the release", died_under("release"), durable=True),
    ),
    clauses=("SHR-1", "SHR-2", "SHR-3"),
    points=("immediately before a commitment", "between commitment and send"),
)

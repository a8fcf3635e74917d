"""Two people ask for the whole subtree after one asked for the task: the record is widened once.

Whoever is second is told of the record as it is.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Capability, ExistingRecord, Scope, Widened
from stopcheck.world import FaultBudget, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, both, in_order, saw


def build(world: World) -> None:
    """A parent with a registered child; one person stops the parent, two others everything below it too."""
    parent = world.task("claim")
    child = world.child(parent, "letter")
    world.opens(parent)
    world.under_way(parent, "parent worker", children=(child,))
    world.person("person", parent, then_inspects=False)
    world.person("colleague", parent, Scope.SUBTREE)
    world.person("manager", parent, Scope.SUBTREE)


SCENARIO = Scenario(
    id="widened-twice",
    ledger=False,
    title="Two people widen one stop",
    sentence="A wider scope widens the same record, once.",
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("request_cancel",), provider=0),
    needs=frozenset((Capability.CHILDREN,)),
    witnesses=(
        Witness(
            "the second to widen was told of the wider record",
            in_order(
                answer("request_cancel", Accepted, actor="person"),
                answer("request_cancel", Widened),
                answer("request_cancel", ExistingRecord),
            ),
        ),
        Witness(
            "the whole subtree was stopped from the start",
            both(
                saw(answer("request_cancel", Accepted, actor="colleague")),
                saw(answer("request_cancel", ExistingRecord, actor="manager")),
            ),
        ),
    ),
    clauses=("SCOPE-4", "SCOPE-5", "REC-1", "REC-3", "REC-8"),
    points=("concurrently with another stop",),
)

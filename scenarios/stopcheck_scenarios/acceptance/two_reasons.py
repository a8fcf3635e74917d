"""Two people stop one task for different reasons: the second is appended to the record, and each stays what it was.

A person presses Stop. A colleague stops the task for a reason of policy, says it twice, and looks at the record.
Nothing but the core of a gate is needed.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Cause, ExistingRecord
from stopcheck.world import FaultBudget, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order


def build(world: World) -> None:
    """A task under way, a person at Stop, and a colleague who minds the rules."""
    task = world.task("refund")
    world.opens(task)
    world.under_way(task)
    world.person("person", task)
    world.person("colleague", task, cause=Cause.POLICY, presses=2)


SCENARIO = Scenario(
    id="two-reasons",
    ledger=False,
    title="Two people stop a task for different reasons",
    sentence="The later of two causes is appended to the record, and neither is taken for the other.",
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("request_cancel",), provider=0),
    witnesses=(
        Witness(
            "policy came after the user",
            in_order(
                answer("request_cancel", Accepted, actor="person"),
                answer("request_cancel", ExistingRecord, actor="colleague"),
            ),
        ),
        Witness(
            "the user came after policy",
            in_order(
                answer("request_cancel", Accepted, actor="colleague"),
                answer("request_cancel", ExistingRecord, actor="person"),
            ),
        ),
    ),
    clauses=("REC-8", "SCOPE-4", "REC-1", "REC-3", "REC-5"),
    points=("concurrently with another stop",),
)

"""Concurrently with another stop: one record, whoever pressed first, and a wider scope widens it.

One person stops the parent alone while a colleague, for a reason of policy, stops everything below it too. The child
may go on after the first, and no longer after the second.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Admitted, Capability, Cause, ExistingRecord, Scope, Stopped, Widened
from stopcheck.world import FaultBudget, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, died_under, in_order, saw


def build(world: World) -> None:
    """A parent with a registered child that has one mail to commit, and two people who stop the parent."""
    parent = world.task("claim")
    child = world.child(parent, "letter")
    letter = world.effect(child.ref, "letter-mail", world.receiver("mail"))
    world.opens(parent)
    world.under_way(parent, "parent worker", children=(child,))
    world.worker("child worker", Plan(task=child.ref, as_child=child, effects=(letter,), completes=False))
    world.dispatcher()
    world.person("person", parent, presses=2)
    world.person("colleague", parent, Scope.SUBTREE, cause=Cause.POLICY)


SCENARIO = Scenario(
    id="two-people",
    title="Two people stop the same task",
    sentence="Concurrent stops make one record; a wider scope widens it, and cuts the descendants off from then on.",
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("request_cancel",), provider=0),
    needs=frozenset((Capability.CHILDREN,)),
    witnesses=(
        Witness(
            "the record was widened",
            in_order(answer("request_cancel", Accepted), answer("request_cancel", Widened)),
        ),
        Witness(
            "a narrower stop came after the wider one",
            in_order(
                answer("request_cancel", Accepted, actor="colleague"),
                answer("request_cancel", ExistingRecord, actor="person"),
            ),
        ),
        Witness(
            "the child went on between the two",
            in_order(
                answer("request_cancel", Accepted, actor="person"),
                answer("commit_effect", Admitted),
                answer("request_cancel", Widened),
            ),
        ),
        Witness(
            "the child was cut off by the second",
            in_order(answer("request_cancel", Widened), answer("commit_effect", Stopped)),
        ),
        Witness("the same person pressed again", saw(answer("request_cancel", ExistingRecord, actor="person"))),
        Witness("the gate died under a stop", died_under("request_cancel"), durable=True),
    ),
    clauses=("SCOPE-4", "SCOPE-5", "REC-1", "REC-3", "REC-5", "REC-8", "CHILD-3", "CHILD-8"),
    points=("concurrently with another stop", "immediately before a commitment"),
)

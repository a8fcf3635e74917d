"""Case 4. A child whose registration races with the stop is rejected or inventoried; never neither.

The parent registers a child while somebody stops the whole subtree. A child that made it may start, or be refused;
whatever it does, it admits nothing after its ancestor's cutoff. The parent tries another child when it knows better.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Admitted, Capability, Done, Scope, Stopped
from stopcheck.world import FaultBudget, Plan, Scenario, Temper, Witness, World
from stopcheck_scenarios._seen import answer, death, died_under, in_order


def build(world: World) -> None:
    """A stubborn parent, its child with one mail, and a person who stops the subtree."""
    parent = world.task("claim")
    child = world.child(parent, "letter")
    letter = world.effect(child.ref, "letter-mail", world.receiver("mail"))
    world.opens(parent)
    world.worker(
        "parent worker",
        Plan(
            task=parent,
            children=(child,),
            late_child=world.child(parent, "second-letter"),
            temper=Temper.UNCOOPERATIVE,
            then_inspects=True,
        ),
    )
    world.worker("child worker", Plan(task=child.ref, as_child=child, effects=(letter,)))
    world.dispatcher()
    world.person("person", parent, Scope.SUBTREE)


SCENARIO = Scenario(
    id="child-creation-race",
    title="A child is created while the stop arrives",
    sentence="A child's registration races with the stop: it is rejected or inventoried.",
    case=4,
    races=True,
    build=build,
    needs=frozenset((Capability.CHILDREN,)),
    budget=FaultBudget(crashes=1, lost_answers=("register_child",), provider=0),
    witnesses=(
        Witness(
            "the registration was rejected",
            in_order(answer("request_cancel", Accepted), answer("register_child", Stopped)),
        ),
        Witness(
            "the registration won, and the child never started",
            in_order(
                answer("register_child", Done), answer("request_cancel", Accepted), answer("start_child", Stopped)
            ),
        ),
        Witness(
            "the child ran, and its mail was refused",
            in_order(
                answer("begin_work", object, actor="child worker"),
                answer("request_cancel", Accepted),
                answer("commit_effect", Stopped),
            ),
        ),
        Witness(
            "the child's mail was admitted before the stop",
            in_order(answer("commit_effect", Admitted), answer("request_cancel", Accepted)),
        ),
        Witness(
            "a parent with a child was refused a second one",
            in_order(answer("register_child", Done), answer("register_child", Stopped)),
        ),
        Witness("the gate died under the registration", died_under("register_child"), durable=True),
        Witness(
            "the gate died, and the stop that reaches down came",
            in_order(death(), answer("request_cancel", Accepted)),
            durable=True,
        ),
    ),
    clauses=("CHILD-1", "CHILD-2", "CHILD-3", "CHILD-4", "CHILD-5", "CHILD-7", "CHILD-8", "SCOPE-5", "ADM-3"),
    points=("before a child is dispatched", "immediately before a commitment", "immediately after a commitment"),
)

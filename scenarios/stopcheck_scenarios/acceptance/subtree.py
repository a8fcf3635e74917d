"""What a stop reaches: scope ``task`` leaves descendants alone, ``subtree`` covers every depth, and nothing outside.

A grandchild and an unrelated task each want to send a mail while somebody stops the grandparent.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Admitted, Capability, Scope, Stopped
from stopcheck.world import FaultBudget, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order


def family(world: World, scope: Scope) -> None:
    """Parent, child and grandchild under way; another task of the same tenant; a person who stops the parent."""
    parent, neighbour = world.task("claim"), world.task("invoice")
    child = world.child(parent, "letter")
    grandchild = world.child(child.ref, "translation")
    mail = world.receiver("mail")
    world.opens(parent)
    world.opens(neighbour)
    world.under_way(parent, "parent worker", children=(child,))
    world.under_way(child.ref, "child worker", children=(grandchild,))
    grandchilds = world.effect(grandchild.ref, "translation-mail", mail)
    neighbours = world.effect(neighbour, "invoice-mail", mail)
    world.worker("grandchild worker", Plan(task=grandchild.ref, as_child=grandchild, effects=(grandchilds,)))
    world.worker("neighbour", Plan(task=neighbour, effects=(neighbours,), completes=False))
    world.dispatcher()
    world.person("person", parent, scope, then_inspects=False)


def whole(world: World) -> None:
    """The person stops the subtree."""
    family(world, Scope.SUBTREE)


def alone(world: World) -> None:
    """The person stops the parent alone."""
    family(world, Scope.TASK)


STOPPED = answer("request_cancel", Accepted)

SCENARIOS = (
    Scenario(
        id="subtree-stop",
        title="A stop covers the whole subtree and nothing else",
        sentence="Scope subtree covers all owned work at every depth, and nothing outside.",
        build=whole,
        budget=FaultBudget(crashes=1, lost_answers=("request_cancel",), provider=0),
        needs=frozenset((Capability.CHILDREN,)),
        witnesses=(
            Witness(
                "the grandchild's mail was refused",
                in_order(STOPPED, answer("commit_effect", Stopped, actor="grandchild worker")),
            ),
            Witness(
                "the grandchild's mail was admitted before the stop",
                in_order(answer("commit_effect", Admitted, actor="grandchild worker"), STOPPED),
            ),
            Witness(
                "the neighbour went on after the stop",
                in_order(STOPPED, answer("commit_effect", Admitted, actor="neighbour")),
            ),
        ),
        clauses=("SCOPE-5", "SCOPE-7", "CHILD-3", "CHILD-5", "CHILD-7", "CHILD-8"),
        points=("before a child is dispatched", "immediately before a commitment"),
    ),
    Scenario(
        id="task-stop",
        title="A stop of the task alone leaves its descendants",
        sentence="Scope task leaves descendants alone, and they do not hold up settling.",
        build=alone,
        budget=FaultBudget(crashes=1, lost_answers=("request_cancel",), provider=0),
        needs=frozenset((Capability.CHILDREN,)),
        witnesses=(
            Witness(
                "the grandchild went on after the stop",
                in_order(STOPPED, answer("commit_effect", Admitted, actor="grandchild worker")),
            ),
        ),
        clauses=("SCOPE-5", "SCOPE-7", "CHILD-6"),
        points=("before a child is dispatched", "immediately before a commitment"),
    ),
)

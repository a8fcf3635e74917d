"""The hash of what happened: equal for orders that differ in independent steps only, and for no others."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from stopcheck.kernel import HappensBefore

#: An actor, what it did, and what that touches; nothing stands for everything.
Step = tuple[str, str, tuple[str, ...]]

STEPS = st.tuples(
    st.sampled_from(["ann", "bob"]),
    st.sampled_from(["reads", "writes"]),
    st.sampled_from([(), ("x",), ("y",), ("x", "y")]),
)


def digest(steps: Sequence[Step]) -> bytes:
    history = HappensBefore()
    for actor, what, touches in steps:
        history.happened(actor, f"{actor} {what} {touches}".encode(), touches)
    return history.digest()


def depend(one: Step, other: Step) -> bool:
    return one[0] == other[0] or not one[2] or not other[2] or not set(one[2]).isdisjoint(other[2])


def orders(steps: tuple[Step, ...]) -> set[tuple[Step, ...]]:
    """By brute force: all that come of swapping neighbours that do not depend on each other."""
    found, new = {steps}, [steps]
    while new:
        order = new.pop()
        for at in range(len(order) - 1):
            if not depend(order[at], order[at + 1]):
                swapped = (*order[:at], order[at + 1], order[at], *order[at + 2 :])
                if swapped not in found:
                    found.add(swapped)
                    new.append(swapped)
    return found


@given(st.lists(STEPS, max_size=6).map(tuple))
def test_orders_of_independent_steps_are_one_state(steps: tuple[Step, ...]) -> None:
    assert {digest(order) for order in orders(steps)} == {digest(steps)}


@given(st.lists(STEPS, min_size=1, max_size=6).map(tuple), st.data())
def test_whatever_else_is_another(steps: tuple[Step, ...], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(steps) - 1))
    to = data.draw(st.integers(0, len(steps) - 1))
    rest = (*steps[:at], *steps[at + 1 :])
    others = [rest, (*rest[:to], steps[at], *rest[to:]), (*rest[:to], data.draw(STEPS), *rest[to:])]
    same = orders(steps)
    for other in others:
        assert (digest(other) == digest(steps)) == (other in same)


def test_what_was_before_a_step_that_touches_everything_is_not_forgotten() -> None:
    everything: Step = ("bob", "writes", ())
    for after in ((), (("bob", "reads", ("y",)),), (("ann", "reads", ("x",)), ("bob", "reads", ("y",)))):
        assert digest((("ann", "reads", ("x",)), everything, *after)) != digest(
            (("ann", "writes", ("x",)), everything, *after)
        )

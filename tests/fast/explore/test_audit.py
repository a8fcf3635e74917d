"""The audit of fingerprints sees each way in which two runs from one state can differ, be the end the same or not.

One idea: here the digest leaves out who wrote last, and only one thing depends on that: what can happen, or whether
something is asked at the end. The outcome is the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from stopcheck.explore import Budget
from stopcheck.explore._audit import Audit
from stopcheck.explore._exploration import Book, CacheRefuted
from stopcheck.kernel import Cut, Kernel, Point, branch, wait_until
from tests.fast.explore.toys import Body, Build, Toy, ToyTrial

#: The two steps of which only the order is left out of the digest.
WRITE = ("first@write", "second@write")


def writers() -> dict[str, Body]:
    """Who writes last decides. By default that is the second."""

    def writer(value: int) -> Body:
        async def body(toy: Toy) -> None:
            await branch("write")
            toy.put("x", value)
            await branch("idle")

        return body

    return {"first": writer(1), "second": writer(2)}


def asks_at_the_end(last: int) -> Build:
    """A question more where ``last`` was written last."""

    async def reader(toy: Toy) -> None:
        await branch("rest")
        await branch("look")
        if toy.shared.get("x") == last:
            toy.kernel.fault("late", ("none", "lost"))

    return lambda _toy: {**writers(), "reader": reader}


def lets_go(toy: Toy) -> dict[str, Body]:
    """Somebody more can move where the first wrote last."""

    async def waiting(toy: Toy) -> None:
        await wait_until("go", lambda: toy.shared.get("x") == 1)

    return {**writers(), "waiting": waiting}


class Script:
    """Takes these options, and then ends the run."""

    def __init__(self, options: Sequence[str]) -> None:
        self._options = list(options)

    def choose(self, point: Point) -> int:
        if not self._options:
            raise Cut
        return point.options.index(self._options.pop(0))


def audited(build: Build) -> CacheRefuted | None:
    """Two ways to one digest: the second actor wrote last, and the first did."""
    trial = ToyTrial(build, blind=True, at_end=lambda toy: toy.shared.clear())
    begun = [f"{name}@start" for name in build(Toy(Kernel(lambda _: 0)))]
    ways = [trial(Script([*begun, *last])).choices for last in (WRITE, WRITE[::-1])]
    audit = Audit()
    audit.remember(b"the state", ways[0])
    return audit.check(trial, b"the state", ways[1], Book("audit", Budget(10)))


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (asks_at_the_end(1), "the second run goes on with lost, none where the first had ended"),
        (asks_at_the_end(2), "the second run ended where the first went on with none"),
        (lets_go, "0 choices later the first run was asked"),
    ],
    ids=["longer", "shorter", "other options"],
)
def test_what_differs_after_one_state_is_found(build: Build, words: str) -> None:
    refuted = audited(build)
    assert refuted is not None
    assert words in refuted.what


def test_what_differs_in_nothing_passes() -> None:
    assert audited(lambda _toy: writers()) is None

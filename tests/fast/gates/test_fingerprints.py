"""Gates with equal fingerprints answer alike from then on, in whatever order they were told what they were told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stopcheck.gate import Gate, HandOver, Request
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_fixtures.reference.sqlite import SqliteGate
from tests.fast.gates.plain_environment import PlainEnvironment
from tests.fast.gates.random_requests import Requests


def ask(gate: Gate, request: Request) -> Any:
    """One call."""
    return getattr(gate, request.operation)(request)


def requests_of(seed: int, length: int, storage: Path) -> list[Request]:
    """Requests that make sense one after the other."""
    stream, gate = Requests(seed), MemoryGate(PlainEnvironment(storage))
    asked: list[Request] = []
    for request in stream.opening():
        asked.append(request)
        stream.learn(request, ask(gate, request))
    while len(asked) < length:
        asked.append(stream.next())
        stream.learn(asked[-1], ask(gate, asked[-1]))
    return asked


class Fresh:
    """Makes gates that were asked this, each on a storage of its own."""

    def __init__(self, factory: type[MemoryGate | SqliteGate], storage: Path) -> None:
        self._factory = factory
        self._storage = storage
        self._made = 0

    def after(self, asked: list[Request]) -> tuple[Gate, list[Any]]:
        """The gate, and its last two answers."""
        self._made += 1
        storage = self._storage / f"{self._made}"
        storage.mkdir()
        gate = self._factory(PlainEnvironment(storage))
        return gate, [ask(gate, request) for request in asked][-2:]


@pytest.mark.parametrize(
    ("factory", "seeds", "length"),
    [pytest.param(MemoryGate, 24, 60, id="memory"), pytest.param(SqliteGate, 1, 24, id="sqlite")],
)
def test_two_calls_in_either_order_lead_to_one_state_only_if_nobody_can_tell(
    factory: type[MemoryGate | SqliteGate], seeds: int, length: int, tmp_path: Path
) -> None:
    fresh, same = Fresh(factory, tmp_path), 0
    for seed in range(seeds):
        asked = requests_of(seed, length, tmp_path)
        for at in range(2, length - 1, 2):
            one, two = asked[at : at + 2]
            if one.now_ns != two.now_ns:
                continue
            first, told = fresh.after([*asked[:at], one, two])
            second, told_otherwise = fresh.after([*asked[:at], two, one])
            if told == told_otherwise[::-1] and first.fingerprint() == second.fingerprint():
                same += 1
                for later in asked[at + 2 :]:
                    assert ask(first, later) == ask(second, later), (one, two, later)
            first.close()
            second.close()
    assert same > seeds


@pytest.mark.parametrize("factory", [MemoryGate, SqliteGate], ids=["memory", "sqlite"])
def test_which_of_two_items_is_older_is_part_of_it(factory: type[MemoryGate | SqliteGate], tmp_path: Path) -> None:
    """The older one is taken first; nothing but the order of the two calls tells which that is."""
    fresh = Fresh(factory, tmp_path)
    begin = requests_of(0, 0, tmp_path)[:2]
    one, other = (
        HandOver(call_id="c", caller=begin[0].caller, now_ns=0, task=begin[0].task, incarnation=1, item_id=item)
        for item in ("one", "other")
    )
    first, _ = fresh.after([*begin, one, other])
    second, _ = fresh.after([*begin, other, one])
    assert first.fingerprint() != second.fingerprint()

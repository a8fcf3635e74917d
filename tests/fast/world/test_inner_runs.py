"""Runs of the SQLite gate at statement granularity: pure functions of their choices, whoever looks on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from stopcheck.kernel import Point, ThreadHost
from stopcheck.world import Granularity, Record, SubstitutedInterior, Variant, Workspace, gate_modules, run, substituted
from stopcheck_fixtures.reference.sqlite import SqliteGate
from stopcheck_scenarios.acceptance import SCENARIOS


class RandomWalk:
    """A random walk that perhaps also looks at the state at each choice, as a state cache does."""

    def __init__(self, seed: int, *, looks: bool) -> None:
        self._random = random.Random(seed)
        self._looks = looks
        self.seen: list[bytes] = []

    def choose(self, point: Point) -> int:
        if self._looks and point.state is not None:
            self.seen.append(point.state() or b"")
        return self._random.randrange(len(point.options))


@pytest.fixture(scope="module")
def interior(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SubstitutedInterior]:
    area = Workspace(tmp_path_factory.mktemp("runs"))
    with substituted(gate_modules(SqliteGate)) as substitutes:
        yield SubstitutedInterior(area, substitutes)
    area.close()


@pytest.fixture(scope="module")
def host() -> Iterator[ThreadHost]:
    made = ThreadHost()
    yield made
    made.close()


@pytest.mark.parametrize("handles", [1, 2])
@pytest.mark.parametrize("scenario", SCENARIOS[:4], ids=lambda scenario: scenario.id)
def test_the_same_choices_give_the_same_log(
    scenario: object, handles: int, interior: SubstitutedInterior, host: ThreadHost
) -> None:
    def play(walk: RandomWalk) -> Record:
        return run(
            scenario,  # type: ignore[arg-type]
            SqliteGate,
            walk.choose,
            variant=Variant(handles, Granularity.INNER),
            interior=interior,
            thread_host=host,
        )

    for seed in range(1):
        looking, blind, again = (RandomWalk(seed, looks=looks) for looks in (True, False, True))
        record = play(looking)
        assert record.fault is None
        assert record.rested
        assert record.inner
        assert play(blind).rendered() == play(again).rendered() == record.rendered()
        assert looking.seen == again.seen


def test_storage_of_runs_is_gone(interior: SubstitutedInterior, tmp_path: Path) -> None:
    area = interior._area
    assert isinstance(area, Workspace)
    assert list(area._root.iterdir()) == []

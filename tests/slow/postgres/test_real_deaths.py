"""Real deaths of a process whose state is in PostgreSQL."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from stopcheck.campaign import load_gate
from stopcheck.campaign._databases import Database
from stopcheck.campaign._sigkill import sigkill_pass
from stopcheck.campaign._sigkill_zygote import Promise, _Area, _forked, _missing, _Pass, _Witness
from stopcheck.gate import Snapshot, TaskRef
from stopcheck.kernel import Point, ThreadHost
from stopcheck.world import Granularity, PlainInterior, SubstitutedInterior, Variant, gate_modules, run, substituted
from stopcheck.world._psycopg_said import Said
from tests.fast.world.lost_response import SCENARIO, Dying, scenario

pytestmark = pytest.mark.usefixtures("server")


def test_sigkill_after_each_answer_loses_nothing() -> None:
    outcome = sigkill_pass(load_gate("postgres"), (SCENARIO,))
    assert (outcome.trouble, outcome.findings) == ("", ())
    assert outcome.promises > 0
    assert all(planned == killed > 0 for planned, killed in outcome.points.values())


def dying_at(number: int) -> Callable[..., Any]:
    """In place of ``Connection.wait``: SIGKILL when that COMMIT has been sent, and its answer has not come."""
    numbers, original = itertools.count(), psycopg.Connection.wait

    def wait(connection: Any, generator: Any, *args: Any, **keywords: Any) -> Any:
        if Said(generator, connection).verb == "COMMIT" and next(numbers) == number:
            next(generator, None)
            os.kill(os.getpid(), signal.SIGKILL)
        return original(connection, generator, *args, **keywords)

    return wait


class Killed(Dying):
    """Its death is that of the process which makes the run."""

    def dies(self, point: Point) -> int:
        """There is nothing after it."""
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class Deaths(_Pass):
    """Lives of one gate in the run in which the answer is lost, each in a process of its own."""

    def __init__(self, root: Path, database: Database) -> None:
        super().__init__(load_gate("postgres"), root, database)
        self._told = root / "told.json"
        self._found = root / "found.json"

    def kept(self, live: Callable[[Path], None]) -> int | None:
        """How many promises were kept after the death of a process that lives; none if it was over before it died."""
        storage = self._fresh()
        self._told.write_bytes(b"[[], []]")
        status = _forked(lambda: live(storage))
        if not os.WIFSIGNALED(status):
            assert status == 0
            return None
        assert os.WTERMSIG(status) == signal.SIGKILL
        assert self._database is not None
        self._database.end_sessions()
        tasks, promises = msgspec.json.decode(self._told.read_bytes(), type=tuple[list[TaskRef], list[Promise]])
        if promises:
            assert _forked(lambda: self._inspect(storage, tasks, promises, self._found)) == 0
            snapshots = msgspec.json.decode(self._found.read_bytes(), type=dict[str, Snapshot])
            assert [_missing(promise, snapshots) for promise in promises] == [None] * len(promises)
        return len(promises)

    def until_point(self, storage: Path, at: int | None) -> None:
        """Live until that branch point; say which ones came, when none was the last."""
        with substituted(gate_modules(self._loaded.factory)) as substitutes, closing(ThreadHost(60)) as threads:
            dying = Killed(at)
            interior = SubstitutedInterior(_Area(storage), substitutes)
            variant = Variant(1, Granularity.INNER)
            self._told_by(dying.choose, interior=interior, variant=variant, thread_host=threads)
            assert dying.closed == []
            self._found.write_bytes(msgspec.json.encode(dying.points))

    def until_commit(self, storage: Path, number: int) -> None:
        """Live until that COMMIT is in flight."""
        pytest.MonkeyPatch().setattr(psycopg.Connection, "wait", dying_at(number))
        self._told_by(Dying().choose, interior=PlainInterior(_Area(storage)), variant=Variant())

    def branch_points(self) -> list[str]:
        """The branch points of a run in which nobody dies."""
        assert self.kept(partial(self.until_point, at=None)) is None
        return msgspec.json.decode(self._found.read_bytes(), type=list[str])

    def _told_by(self, choose: Callable[[Point], int], **how: Any) -> None:
        """A run; what was promised in it is told after each answer."""

        def note(_answers: int, _where: str) -> None:
            self._told.write_bytes(msgspec.json.encode([witness.tasks, witness.promises]))

        witness = _Witness(None, note, self._told)
        run(scenario(), self._loaded.factory, choose, observers=(witness,), **how)


@pytest.fixture(scope="module")
def deaths(server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deaths]:
    with closing(Database()) as database:
        yield Deaths(tmp_path_factory.mktemp("deaths"), database)


def test_sigkill_at_every_branch_point_of_a_lost_response_loses_nothing(deaths: Deaths) -> None:
    points = deaths.branch_points()
    kept = [deaths.kept(partial(deaths.until_point, at=at)) for at in range(len(points) + 1)]
    assert kept[-1] is None  # there was no further one
    assert None not in kept[:-1]
    assert {"dispatcher@sql:UPDATE effect", "dispatcher@sql:COMMIT", "reconciler@doubt"} <= set(points)
    assert (kept[0], kept[-2]) == (1, 2)  # the effect that was admitted, and in the end the stop that was accepted


def test_sigkill_with_any_commit_in_flight_loses_nothing(deaths: Deaths) -> None:
    lives = (deaths.kept(partial(deaths.until_commit, number=at)) for at in itertools.count())
    kept = list(itertools.takewhile(lambda n: n is not None, lives))
    assert len(kept) > 10
    assert kept[-1] == 2

"""Who waits in the server longest is served first, or it is seen that somebody else was."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from stopcheck.campaign._databases import Database
from stopcheck.kernel import Ending, Point, ThreadHost
from stopcheck.world._substitutes import Substitutes, substituted
from tests.fast.postgres import small_gates
from tests.fast.postgres.small_gates import SCHEMA, Queue
from tests.fast.world.test_substitutes import Run


@pytest.fixture(scope="module")
def filled(database: Database) -> Database:
    with psycopg.connect(database.conninfo) as connection:
        connection.execute(SCHEMA)
    database.keep_template()
    return database


@pytest.fixture
def substitutes(filled: Database) -> Iterator[Substitutes]:
    with substituted((sys.modules[small_gates.__name__],)) as made:
        yield made


class HolderLast(Run):
    """While the holder has not committed, whoever else can move does."""

    def _choose(self, point: Point) -> int:
        super()._choose(point)
        return int(point.options[0] == "holder@sql:COMMIT" and len(point.options) > 1)


def waiting_for_the_holder(
    substitutes: Substitutes, gate: Queue, first: Callable[[], str], second: Callable[[], str]
) -> tuple[dict[str, Any], bool]:
    """The holder changes both rows; before it commits, two come for them. Returns what they got, and whether somebody
    was served out of turn."""
    host = ThreadHost(real_time_s=20)
    run = HolderLast(substitutes, host, [])
    for name, call in (("holder", gate.change_both), ("first", first), ("second", second)):
        run.actor(name, call)
    assert run.kernel.run() is Ending.REST
    unfair = substitutes.out_of_turn
    run.close()
    host.close()
    return run.answers, unfair


def test_whoever_has_waited_longest_is_served_first(substitutes: Substitutes, filled: Database) -> None:
    filled.put_back()
    gate = Queue(filled.conninfo)
    answers, unfair = waiting_for_the_holder(substitutes, gate, gate.take_second, gate.take_both)
    assert not unfair
    assert answers["first"] == "runningx"


def test_who_was_overtaken_is_seen(substitutes: Substitutes, filled: Database) -> None:
    """The first to wait takes a row, and is busy; meanwhile the second, which came later, gets the other row."""
    filled.put_back()
    gate = Queue(filled.conninfo)
    answers, unfair = waiting_for_the_holder(substitutes, gate, gate.take_both, gate.take_second)
    assert unfair
    assert answers["first"] == "runningx,runningx"
    assert answers["second"] == "runningx"

"""What the loss of power leaves: what was synced, and nothing else; of gates that claim to survive it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stopcheck.world import SyncedFiles, Workspace, watched


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    synced = SyncedFiles()
    with watched(synced) as synced.restart:
        made = Workspace(tmp_path, synced)
        yield made
        made.close()


def filled(workspace: Workspace, journal: str, synchronous: str, rows: int = 3) -> tuple[Path, sqlite3.Connection]:
    """A directory with a database in which so many rows were committed one by one, and the connection, still open."""
    path = workspace.fresh()
    db = sqlite3.connect(path / "gate.db", isolation_level=None)
    db.execute(f"PRAGMA journal_mode = {journal}")
    db.execute("PRAGMA synchronous = EXTRA")
    db.execute("CREATE TABLE fact (number INTEGER)")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute(f"PRAGMA synchronous = {synchronous}")
    for number in range(rows):
        db.execute("INSERT INTO fact VALUES (?)", (number,))
    return path, db


def left(path: Path) -> int:
    """How many rows a new process finds."""
    with closing(sqlite3.connect(path / "gate.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(db.execute("SELECT COUNT(*) FROM fact").fetchone()[0])


@pytest.mark.parametrize(
    ("journal", "synchronous", "kept"),
    [
        ("WAL", "OFF", 0),
        ("WAL", "NORMAL", 0),  # synced when the log is folded into the database, and then only
        ("WAL", "FULL", 3),
        ("DELETE", "OFF", 0),
        ("DELETE", "FULL", 2),  # the journal of the last commit was deleted, and its directory was not synced
        ("DELETE", "EXTRA", 3),
        ("TRUNCATE", "FULL", 3),
        ("PERSIST", "FULL", 3),
    ],
)
def test_what_sqlite_documents_of_each_mode_is_what_is_left(
    workspace: Workspace, journal: str, synchronous: str, kept: int
) -> None:
    path, db = filled(workspace, journal, synchronous)
    assert left(workspace.power_copy(path)) == kept
    assert left(workspace.crash_copy(path)) == 3
    assert bool(workspace.unsynced(path)) is (kept < 3)
    db.close()


def test_folding_the_log_into_the_database_makes_it_safe(workspace: Workspace) -> None:
    path, db = filled(workspace, "WAL", "NORMAL")
    db.execute("PRAGMA wal_checkpoint(PASSIVE)")
    assert left(workspace.power_copy(path)) == 3
    assert workspace.unsynced(path) == b""
    db.execute("INSERT INTO fact VALUES (9)")
    assert left(workspace.power_copy(path)) == 3
    assert left(workspace.crash_copy(path)) == 4
    db.close()


def test_what_a_dead_process_had_not_synced_can_still_be_lost(workspace: Workspace) -> None:
    path, db = filled(workspace, "WAL", "NORMAL")
    copy = workspace.crash_copy(path)
    assert workspace.unsynced(copy) == workspace.unsynced(path)
    assert left(workspace.power_copy(copy)) == 0
    db.close()


def test_what_is_left_is_safe_from_then_on(workspace: Workspace) -> None:
    path, db = filled(workspace, "WAL", "FULL")
    dark = workspace.power_copy(path)
    assert workspace.unsynced(dark) == b""
    assert left(workspace.power_copy(dark)) == 3
    db.close()


def test_equal_runs_leave_equal_files(workspace: Workspace) -> None:
    digests: set[bytes] = set()
    for _ in range(2):
        path, db = filled(workspace, "WAL", "FULL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("INSERT INTO fact VALUES (9)")
        digests.add(workspace.unsynced(path))
        db.close()
        workspace.discard(path)
    assert len(digests) == 1
    assert digests != {b""}


def test_what_is_written_past_sqlite_is_named_since_nothing_is_known_of_it(workspace: Workspace) -> None:
    path, db = filled(workspace, "WAL", "FULL")
    assert workspace.power_doubt == ""
    (path / "audit.log").write_text("stopped")
    dark = workspace.power_copy(path)
    assert not (dark / "audit.log").exists()
    assert "audit.log" in workspace.power_doubt
    db.close()


def test_the_locks_of_a_connection_stay_when_its_files_are_looked_at(workspace: Workspace) -> None:
    path, db = filled(workspace, "DELETE", "FULL")
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO fact VALUES (9)")
    workspace.power_copy(path)
    with closing(sqlite3.connect(path / "gate.db", timeout=0)) as other, pytest.raises(sqlite3.OperationalError):
        other.execute("BEGIN IMMEDIATE")
    db.close()


def test_only_one_may_watch_at_a_time_and_afterwards_nobody_does(tmp_path: Path) -> None:
    synced = SyncedFiles()
    with watched(synced), pytest.raises(RuntimeError, match="already"), watched(SyncedFiles()):
        pass
    synced.begin(tmp_path)
    with closing(sqlite3.connect(tmp_path / "gate.db")) as db:
        db.execute("CREATE TABLE fact (number INTEGER)")
    assert synced.digest(tmp_path) == b""

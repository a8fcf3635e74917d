"""Directories for runs, and copies at a crash."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stopcheck.world._storage import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(tmp_path)
    yield made
    made.close()


def test_names_come_from_a_counter(workspace: Workspace) -> None:
    first = workspace.fresh()
    assert [first.name, workspace.crash_copy(first).name, workspace.fresh().name] == ["run-1", "crash-2", "run-3"]


def test_a_fresh_directory_is_empty_or_a_copy_of_the_template(workspace: Workspace, tmp_path: Path) -> None:
    assert list(workspace.fresh().iterdir()) == []
    template = tmp_path / "template"
    (template / "deep").mkdir(parents=True)
    (template / "deep" / "file").write_bytes(b"content")
    workspace.use_template(template)
    fresh = workspace.fresh()
    assert (fresh / "deep" / "file").read_bytes() == b"content"
    (fresh / "deep" / "file").write_bytes(b"changed")
    assert (workspace.fresh() / "deep" / "file").read_bytes() == b"content"


def test_a_crash_copy_holds_what_was_committed_and_not_what_was_open(workspace: Workspace) -> None:
    path = workspace.fresh()
    connection = sqlite3.connect(path / "gate.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE fact (name TEXT)")
    connection.execute("INSERT INTO fact VALUES ('committed')")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO fact VALUES ('open')")
    copy = workspace.crash_copy(path)
    assert sorted(file.name for file in copy.iterdir()) == ["gate.db", "gate.db-wal"]
    with closing(sqlite3.connect(copy / "gate.db")) as reopened:
        assert reopened.execute("SELECT name FROM fact").fetchall() == [("committed",)]
    # The lock of the open transaction is still held: no descriptor of the file was closed.
    with closing(sqlite3.connect(path / "gate.db", timeout=0)) as other, pytest.raises(sqlite3.OperationalError):
        other.execute("BEGIN IMMEDIATE")
    connection.close()


def test_copies_of_copies_and_many_of_them(workspace: Workspace) -> None:
    path = workspace.fresh()
    (path / "file").write_text("text", encoding="utf-8")
    for _ in range(5):
        path = workspace.crash_copy(path)
    assert (path / "file").read_text(encoding="utf-8") == "text"


def test_a_copy_of_what_is_not_there_is_an_error_that_says_so(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="could not be copied"):
        workspace.crash_copy(tmp_path / "nowhere")
    assert workspace.crash_copy(workspace.fresh()).is_dir()


@pytest.mark.parametrize("end", ["discard", "close"])
def test_descriptors_are_held_until_the_end_and_no_longer(workspace: Workspace, end: str) -> None:
    path = workspace.fresh()
    (path / "deep").mkdir()
    (path / "deep" / "file").write_bytes(b"x" * 300_000)
    free = _free_descriptor()
    copy = workspace.crash_copy(path)
    assert (copy / "deep" / "file").read_bytes() == b"x" * 300_000
    assert _free_descriptor() != free
    if end == "discard":
        workspace.discard(path)
    else:
        workspace.close()
    assert _free_descriptor() == free


def _free_descriptor() -> int:
    """The lowest that is free."""
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.close(descriptor)
    return descriptor


def test_discard_and_close(workspace: Workspace) -> None:
    path = workspace.fresh()
    workspace.discard(path)
    assert not path.exists()
    workspace.discard(path)
    workspace.close()
    workspace.close()

"""What the kit reads from a statement's text."""

from __future__ import annotations

import pytest

from stopcheck.world._sql_text import statement_of, statements_of


@pytest.mark.parametrize(
    ("sql", "label"),
    [
        ("select * from task where x = 'from other'", "sql:SELECT task"),
        ("  -- note\n SELECT 1", "sql:SELECT"),
        ('INSERT OR IGNORE INTO main."effect" VALUES (1)', "sql:INSERT effect"),
        ("update or fail task set a = (select 1 from other)", "sql:UPDATE task"),
        ("DELETE FROM parked WHERE id = ?", "sql:DELETE parked"),
        ("begin immediate transaction", "sql:BEGIN IMMEDIATE"),
        ("BEGIN;", "sql:BEGIN"),
        ("BEGIN TRANSACTION", "sql:BEGIN"),
        ("end", "sql:COMMIT"),
        ("ROLLBACK TO point", "sql:ROLLBACK TO"),
        ("PRAGMA main.journal_mode = wal", "sql:PRAGMA journal_mode"),
        ("CREATE UNIQUE INDEX IF NOT EXISTS by_name ON task (name)", "sql:CREATE by_name"),
        ("/* all */ ;", "sql:EMPTY"),
        ("WITH RECURSIVE up (id) AS (SELECT id FROM task UNION ALL SELECT 2) SELECT * FROM up", "sql:SELECT task"),
        ("WITH a AS (SELECT ')(' FROM b) INSERT INTO c SELECT * FROM a", "sql:INSERT c"),
    ],
)
def test_label(sql: str, label: str) -> None:
    assert statement_of(sql).label == label


def test_what_reads_writes_locks_and_concerns_one_connection_only() -> None:
    assert statement_of("WITH a AS (SELECT 1) SELECT * FROM a").reads
    inserting = statement_of("WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a")
    assert inserting.writes
    assert not inserting.changes_rows  # sqlite3 does not begin a transaction for it
    assert statement_of("replace into a values (1)").changes_rows
    assert statement_of("BEGIN EXCLUSIVE").locks
    assert statement_of("PRAGMA synchronous = OFF").local
    assert not statement_of("PRAGMA data_version").local
    assert statement_of("PRAGMA read_uncommitted = 1").breaks_isolation
    assert statement_of("PRAGMA busy_timeout = 5").sets_timeout
    assert not statement_of("PRAGMA busy_timeout").sets_timeout


def test_a_script_is_split_where_sqlite_ends_its_statements() -> None:
    script = """
        CREATE TABLE a (b TEXT); -- one; two
        INSERT INTO a VALUES ('x;y');
        CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; SELECT 1; END;
        ;
        SELECT 1
    """
    assert [statement_of(sql).label for sql in statements_of(script)] == [
        "sql:CREATE a",
        "sql:INSERT a",
        "sql:CREATE t",
        "sql:SELECT",
    ]

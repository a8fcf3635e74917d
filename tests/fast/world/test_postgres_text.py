"""Which statements say by themselves what they write."""

from __future__ import annotations

import pytest

from stopcheck.world._postgres_text import says_what_it_writes
from stopcheck.world._sql_text import statement_of


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO effect VALUES (%s, %s) ON CONFLICT DO NOTHING",
        "UPDATE task SET revision = revision + 1 WHERE id = %s AND tenant = 'a' RETURNING revision",
        'delete from "task" where task.id = %(id)s;',
        "SELECT document FROM task WHERE id = 1 FOR UPDATE",
        "SELECT id FROM task FOR NO KEY UPDATE SKIP LOCKED",
        "SELECT count(*), max(id) FROM task",
        "SET LOCAL lock_timeout = 1",
        "COMMIT",
    ],
)
def test_these_do(sql: str) -> None:
    assert says_what_it_writes(sql, statement_of(sql).verb)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO effect SELECT id FROM task",
        "UPDATE task SET status = 'x'",
        "UPDATE task SET status = 'x' WHERE id > %s",
        "UPDATE task SET status = 'x' WHERE id = %s OR id = %s",
        "UPDATE task SET status = other.status FROM other WHERE other.id = 1",
        "UPDATE task SET status = (SELECT status FROM other) WHERE id = 1",
        "DELETE FROM task USING other WHERE task.id = 1",
        "WITH done AS (UPDATE task SET status = 'x' RETURNING id) SELECT id FROM done",
        "SELECT claim(1)",
        "CALL claim(1)",
        "DO $$ BEGIN DELETE FROM task; END $$",
    ],
)
def test_these_do_not(sql: str) -> None:
    assert not says_what_it_writes(sql, statement_of(sql).verb)

"""The kit's own database: a run starts from the template, and nobody's session is left."""

from __future__ import annotations

import psycopg
import pytest

from stopcheck.campaign import UsageFault, load_gate
from stopcheck.campaign._databases import VARIABLE, Database


def test_a_run_starts_from_the_template(database: Database) -> None:
    with psycopg.connect(database.conninfo) as connection:
        connection.execute("CREATE TABLE kept (id serial PRIMARY KEY, name text); INSERT INTO kept (name) VALUES ('a')")
        connection.execute("CREATE TABLE owned (kept int REFERENCES kept)")
    database.keep_template()
    left = psycopg.connect(database.conninfo)
    left.execute("INSERT INTO kept (name) VALUES ('b')")
    left.execute("INSERT INTO owned VALUES (2)")
    left.execute("CREATE TABLE made (id int)")
    left.commit()
    left.execute("LOCK TABLE kept")
    database.put_back()
    with pytest.raises(psycopg.OperationalError):
        left.execute("SELECT 1")
    left.close()
    with psycopg.connect(database.conninfo) as connection:
        assert connection.execute("SELECT * FROM kept").fetchall() == [(1, "a")]
        assert connection.execute("SELECT * FROM owned").fetchall() == []
        assert connection.execute("SELECT to_regclass('made')").fetchone() == (None,)
        assert connection.execute("INSERT INTO kept (name) VALUES ('c') RETURNING id").fetchone() == (2,)


def test_a_server_that_is_not_named_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(UsageFault, match=f"{VARIABLE} does not say which server") as raised:
        load_gate("postgres")
    assert VARIABLE in raised.value.hint


def test_a_server_that_cannot_be_reached_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "host=127.0.0.1 port=1 user=postgres")
    with pytest.raises(UsageFault, match="cannot be reached"):
        load_gate("postgres")

"""The kit's own database: a run starts from the template, and nobody's session is left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from stopcheck.campaign import UsageFault, load_gate
from stopcheck.campaign._databases import VARIABLE, Database
from stopcheck.campaign._loading import BrokenAdapter, _import_failed

PLAIN = sql.Identifier(f"stopcheck_plain_{os.getpid()}")  # two processes may run these tests


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


@pytest.fixture
def plain_user(server: None) -> Iterator[str]:
    """Somebody who may create databases, and nothing else."""
    with psycopg.connect(os.environ[VARIABLE], autocommit=True) as connection:
        connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(PLAIN))
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB").format(PLAIN))
        yield make_conninfo(os.environ[VARIABLE], user=PLAIN.as_string(None).strip('"'))
        connection.execute(sql.SQL("DROP ROLE {}").format(PLAIN))


def test_whoever_may_create_databases_needs_no_further_rights(plain_user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, plain_user)
    with closing(Database()) as database:
        with psycopg.connect(database.conninfo) as connection:
            connection.execute("CREATE TABLE kept (name text PRIMARY KEY); INSERT INTO kept VALUES ('a')")
            connection.execute("CREATE TABLE owned (kept text REFERENCES kept)")
        database.keep_template()
        left = psycopg.connect(database.conninfo, autocommit=True)
        left.execute("INSERT INTO kept VALUES ('b'); INSERT INTO owned VALUES ('b')")
        database.put_back()
        left.close()
        with psycopg.connect(database.conninfo) as connection:
            assert connection.execute("SELECT * FROM kept").fetchall() == [("a",)]
            assert connection.execute("SELECT * FROM owned").fetchall() == []


def test_whoever_may_not_is_told(plain_user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with psycopg.connect(os.environ[VARIABLE], autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER ROLE {} NOCREATEDB").format(PLAIN))
    monkeypatch.setenv(VARIABLE, plain_user)
    with pytest.raises(UsageFault, match="a database cannot be made"):
        Database()


def test_what_killed_processes_left_is_deleted_and_what_somebody_uses_is_not(server: None) -> None:
    with psycopg.connect(os.environ[VARIABLE], autocommit=True) as connection:
        connection.execute('CREATE DATABASE "stopcheck_0_left"')
        with closing(Database()) as used, closing(Database()):
            names = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE 'stopcheck%'").fetchall()
    assert ("stopcheck_0_left",) not in names
    assert (used.name,) in names


def test_without_the_driver_one_is_told_how_to_install_it() -> None:
    with pytest.raises(BrokenAdapter) as raised:
        raise _import_failed("postgres", ModuleNotFoundError("No module named 'psycopg'", name="psycopg"))
    assert raised.value.hint == "pip install 'stopcheck[postgres]'"

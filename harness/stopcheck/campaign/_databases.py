"""A PostgreSQL database of the kit's own, for the runs of a gate that keeps its state there.

One idea: making a database costs far more than emptying one, so there is one for each ground and it is put
back, before each run, to what the opening of an empty gate left in it. Nothing of it is seen by other processes: each
has its own, named after the process, and deletes it at the end; those of processes that were killed are deleted by
whoever comes next (a lock in the server says which are in use).

Putting back is a DELETE, since TRUNCATE and DROP SCHEMA wait for the disk; ``tests/bench/figures/stores.txt`` says what
it costs.

What commits need not survive here is the loss of power, so the disk is not waited for (``synchronous_commit``); nor
does the server look for deadlocks by itself, where it lets us say so: the kit sees them at once.
"""

from __future__ import annotations

import itertools
import os
import select
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from stopcheck.campaign._errors import UsageFault
from stopcheck.world import MONITOR, StorageArea, Workspace

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

#: Names the server, as a connection string of libpq. An address changes no verdict, and processes hand it on.
VARIABLE = "STOPCHECK_POSTGRES"
#: In the storage of such a gate: how it connects.
CONNINFO = "postgres.conninfo"
_PREFIX = "stopcheck_"
_VACUUM_EVERY = 200
_PATIENCE = 10_000
_numbers = itertools.count(1)

_OTHERS = f"""
    SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        AND application_name <> '{MONITOR}'
"""
_LEFT = """
    SELECT datname FROM pg_database
    WHERE datname LIKE 'stopcheck\\_%' AND pg_get_userbyid(datdba) = current_user
        AND NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pg_stat_activity.datname = pg_database.datname)
    ORDER BY 1
"""
_TABLES = """
    SELECT format('%I.%I', nspname, relname) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname NOT LIKE 'pg_toast%'
        AND relpersistence <> 't'
    ORDER BY 1
"""
_SEQUENCES = """
    SELECT format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value IS NOT NULL
    FROM pg_sequences ORDER BY 1
"""


def _psycopg() -> Any:
    try:
        import psycopg as module  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise UsageFault(
            f"the gate keeps its state in PostgreSQL, and psycopg cannot be imported: {error}",
            hint="pip install 'stopcheck[postgres]'",
        ) from error
    return module


def connect_to_server() -> Connection:
    """A connection to the server that the variable names. Raises :class:`UsageFault` where there is none."""
    psycopg = _psycopg()
    server = os.environ.get(VARIABLE)
    if server is None:
        raise UsageFault(
            f"the gate keeps its state in PostgreSQL, and {VARIABLE} does not say which server to use",
            hint=f"{VARIABLE}='host=127.0.0.1 user=postgres dbname=postgres' (databases are made in it, and deleted)",
        )
    try:
        return cast("Connection", psycopg.connect(server, autocommit=True, connect_timeout=5))
    except psycopg.Error as error:
        what = " ".join(str(error).split())
        raise UsageFault(
            f"the PostgreSQL server that {VARIABLE} names cannot be reached: {what}",
            hint=f"is it running, and is {VARIABLE} a connection string such as 'host=127.0.0.1 user=postgres'?",
        ) from error


class Database:
    """One database. ``conninfo`` is how a gate connects to it."""

    def __init__(self) -> None:
        psycopg = _psycopg()
        self._server = connect_to_server()
        self._rows: list[tuple[str, bytes]] = []
        self._tables: list[str] = []
        self._sequences: list[tuple[str, int, bool]] = []
        self._runs = 0
        try:
            self._delete_left_ones()
            self.name = self._made()
            self._set("synchronous_commit", "off")
            self._set("deadlock_timeout", "10min")
            self.conninfo: str = psycopg.conninfo.make_conninfo(os.environ[VARIABLE], dbname=self.name)
            self._own = cast("Connection", psycopg.connect(self.conninfo, autocommit=True))
        except psycopg.errors.InsufficientPrivilege as error:
            self._server.close()
            raise UsageFault(
                f"a database cannot be made in the server that {VARIABLE} names: {error}",
                hint="name a user with the right to create databases",
            ) from error
        except BaseException:
            self._server.close()
            raise
        self._is_superuser = self._own.info.parameter_status("is_superuser") == "on"

    def _made(self) -> str:
        """A new database under a name that nobody has, in whichever process, on whichever machine."""
        while True:
            name = f"{_PREFIX}{os.getpid()}_{next(_numbers)}"
            known = self._server.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone()
            if known is None and not self._in_use(name):
                _do(self._server, f'CREATE DATABASE "{name}"')
                return name

    def _set(self, name: str, value: str) -> None:
        try:
            _do(self._server, f"ALTER DATABASE \"{self.name}\" SET {name} = '{value}'")
        except _psycopg().errors.InsufficientPrivilege:
            return  # some settings are for superusers; then the server's own stays

    def _in_use(self, name: str) -> bool:
        """Whether another process has it. If not, this one has from now on."""
        found = self._server.execute("SELECT pg_try_advisory_lock(hashtext(%s))", (name,)).fetchone()
        return found is None or not found[0]

    def _delete_left_ones(self) -> None:
        """Those of processes that are gone: nobody has them, and nobody is connected to them."""
        for (name,) in self._server.execute(_LEFT).fetchall():
            if not self._in_use(name):
                _do(self._server, f'DROP DATABASE IF EXISTS "{name}"')
                self._server.execute("SELECT pg_advisory_unlock(hashtext(%s))", (name,))

    # -- between runs -------------------------------------------------------------------------------------

    def keep_template(self) -> None:
        """What is in it now is what each run starts from."""
        self.end_sessions()
        self._tables = self._list(_TABLES)
        self._sequences = [tuple(row) for row in self._own.execute(_SEQUENCES).fetchall()]
        self._rows = []
        for table in self._tables:
            _do(self._own, f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
            with self._own.cursor().copy(f"COPY {table} TO STDOUT".encode()) as copy:
                rows = b"".join(bytes(piece) for piece in copy)
            if rows:
                self._rows.append((table, rows))

    def put_back(self) -> None:
        """To what the template was. No session of a gate is left in it."""
        self.end_sessions()
        made = [table for table in self._list(_TABLES) if table not in self._tables]
        steps = [f"DROP TABLE {table} CASCADE" for table in made]
        if self._is_superuser:
            steps += ["SET LOCAL session_replication_role = replica", *(f"DELETE FROM {t}" for t in self._tables)]
        elif self._tables:
            steps.append(f"TRUNCATE {', '.join(self._tables)} CASCADE")
        with self._own.transaction():
            _do(self._own, *steps)
            for table, rows in self._rows:
                with self._own.cursor().copy(f"COPY {table} FROM STDIN".encode()) as copy:
                    copy.write(rows)
            for name, value, called in self._sequences:
                self._own.execute("SELECT setval(%s, %s, %s)", (name, value, called))
        self._runs += 1
        if self._runs % _VACUUM_EVERY == 0 and self._tables:
            _do(self._own, f"VACUUM {', '.join(self._tables)}")

    def end_sessions(self) -> None:
        """The process of the gate died: end its sessions, and wait until the server has let go of what they held."""
        if not self._list(_OTHERS):
            return
        _do(self._own, f"SELECT pg_terminate_backend(pid) FROM ({_OTHERS}) AS other")
        for _ in range(_PATIENCE):
            if not self._list(_OTHERS):
                return
            select.poll().poll(1)
        raise OSError(f"sessions in the database {self.name} did not end within {_PATIENCE / 1000:g} s")

    def _list(self, query: str) -> list[Any]:
        return [row[0] for row in self._own.execute(query.encode()).fetchall()]

    def close(self) -> None:
        """Delete it."""
        self._own.close()
        _do(self._server, f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')
        self._server.close()


def _do(connection: Connection, *statements: str) -> None:
    """Statements whose names are ours, or were quoted by the server."""
    if statements:
        connection.execute("; ".join(statements).encode())


class DatabaseArea(StorageArea):
    """Storage of runs whose gate keeps its state in a database. Implements ``StorageArea``: the directory of a run is
    as any other, and says how to connect; the database is the same in all runs, put back before each."""

    def __init__(self, area: Workspace, database: Database) -> None:
        self._area = area
        self._database = database

    def fresh(self) -> Path:
        """A directory, and a database as it was after an empty gate was opened."""
        self._database.put_back()
        return self._area.fresh()

    def crash_copy(self, path: Path) -> Path:
        """The directory is copied; the database stays, without the dead process' sessions."""
        self._database.end_sessions()
        return self._area.crash_copy(path)

    @property
    def power_doubt(self) -> str:
        """What the server syncs is not seen."""
        return self._area.power_doubt

    def take_torn_doubt(self) -> str:
        """Of files that lie beside the database."""
        return self._area.take_torn_doubt()

    def discard(self, path: Path) -> None:
        """Done with the directory."""
        self._area.discard(path)


def name_database(folder: Path, database: Database) -> None:
    """Tell a gate that is opened on ``folder`` how to connect."""
    (folder / CONNINFO).write_text(database.conninfo, encoding="utf-8")


__all__: Sequence[str] = ["CONNINFO", "VARIABLE", "Database", "DatabaseArea", "connect_to_server", "name_database"]

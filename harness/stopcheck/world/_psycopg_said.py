"""What psycopg is about to say to a server, and what came of it, as far as a run depends on it.

One idea: whatever a psycopg connection says is a *generator* that talks, of its blocking side and of its asynchronous
side alike. Its name and its arguments tell what it says before it is driven.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, cast

from stopcheck.world._postgres_session import Spoken
from stopcheck.world._postgres_text import UNSEEN
from stopcheck.world._sql_text import statement_of

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any] | psycopg.AsyncConnection[Any]


class Said(Spoken):
    """A statement, as the generator that makes it tells."""

    def __init__(self, generator: Generator[Any, Any, Any], connection: Connection) -> None:
        given = inspect.getgeneratorlocals(generator) if inspect.isgenerator(generator) else {}
        name = getattr(generator, "__name__", "")
        self.speaker: Any = given.get("self")
        parameters: object = given.get("params", given.get("params_seq"))
        # An iterator of rows is read only once, and not here.
        lasts = issubclass(type(parameters), (list, tuple, dict))
        self.parameters = repr(parameters) if lasts else type(parameters).__name__
        self.ends = name in {"_commit_gen", "_rollback_gen", "_exit_gen"}
        self.listens = name == "notifies"
        query = given.get("query", given.get("statement"))
        if query is not None:
            self.sql = _text(query, connection)
            text = statement_of(self.sql)
            self.verb, self.label = text.verb, text.label
        elif self.ends:
            well = name == "_commit_gen" or (name == "_exit_gen" and given.get("exc_val") is None)
            inner = bool(getattr(self.speaker, "savepoint_name", None))
            self.sql = self.verb = ("RELEASE" if well else "ROLLBACK TO") if inner else "COMMIT" if well else "ROLLBACK"
            self.label = f"sql:{self.verb}"
        else:
            self.sql, self.verb, self.label = "", "", f"psycopg:{name.strip('_')}"
        self.parks = self.ends or self.listens or self.verb not in UNSEEN


def _text(query: Any, connection: Connection) -> str:
    if isinstance(query, bytes):
        return query.decode("utf-8", "replace")
    return query if isinstance(query, str) else str(query.as_string(connection))


def told(error: Exception) -> object:
    """What is the same of an error in each replay: its details may name rows by where they lie, or processes."""
    diagnosis = getattr(error, "diag", None)
    return type(error).__name__, getattr(error, "sqlstate", None), getattr(diagnosis, "message_primary", None)


def learned(speaker: Any, answer: object) -> object:
    """What came of a statement, as something that does not change any more."""
    result = getattr(speaker, "pgresult", None)
    if result is None:
        return repr(cast(object, answer)) if isinstance(answer, bytes | list | tuple) else None
    rows, columns = range(result.ntuples), range(result.nfields)
    return result.command_status, tuple(result.get_value(row, column) for row in rows for column in columns)

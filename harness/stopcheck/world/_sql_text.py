"""What a statement's text says: its verb, the table, and what of it matters to the kit.

One idea: a label in a schedule must be short and the same in each replay, so it is the verb with the first table:
``sql:SELECT task``, ``sql:BEGIN IMMEDIATE``, ``sql:COMMIT``. It is a name and nothing is decided by the table in it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import cast

_LEADING = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/|;)*", re.DOTALL)
_NAME = r"[\"'`\[]?(\w+)[\"'`\]]?"
_TABLES = (
    re.compile(rf"\b(?:INSERT|REPLACE)\b(?:\s+OR\s+\w+)?\s+INTO\s+(?:\w+\.)?{_NAME}", re.IGNORECASE),
    re.compile(rf"^UPDATE\b(?:\s+OR\s+\w+)?\s+(?:\w+\.)?{_NAME}", re.IGNORECASE),
    re.compile(
        rf"^(?:CREATE|DROP|ALTER)\b.*?\b(?:TABLE|INDEX|TRIGGER|VIEW)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?{_NAME}", re.I
    ),
    re.compile(rf"^PRAGMA\s+(?:\w+\.)?{_NAME}", re.IGNORECASE),
    re.compile(rf"\bFROM\s+(?:\w+\.)?{_NAME}", re.IGNORECASE),
)
#: Pragmas that touch the connection only.
_LOCAL_PRAGMAS = frozenset(
    (
        "synchronous",
        "foreign_keys",
        "busy_timeout",
        "cache_size",
        "temp_store",
        "mmap_size",
        "query_only",
        "recursive_triggers",
        "wal_autocheckpoint",
        "case_sensitive_like",
        "defer_foreign_keys",
    )
)
_WRITING = frozenset(("INSERT", "UPDATE", "DELETE", "REPLACE"))
_STRING = re.compile(r"'[^']*'")
_BRACKETS = re.compile(r"\([^()]*\)")
_MAIN_VERB = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|REPLACE)\b", re.IGNORECASE)
_BUSY_TIMEOUT = re.compile(r"^PRAGMA\s+busy_timeout\s*[=(]", re.IGNORECASE)


class Statement:
    """What the kit needs to know of a statement's text."""

    __slots__ = (
        "breaks_isolation",
        "changes_rows",
        "ends",
        "is_busy_timeout",
        "label",
        "local",
        "locks",
        "reads",
        "sets_timeout",
        "starts",
        "verb",
        "writes",
    )

    def __init__(self, sql: str) -> None:
        bare = sql[cast("re.Match[str]", _LEADING.match(sql)).end() :]
        words = re.split(r"[\s(;]+", bare.strip(), maxsplit=2)
        first = words[0].upper() or "EMPTY"
        self.verb = _after_with(bare) if first == "WITH" else first
        self.label = f"sql:{self._named(bare, [word.upper() for word in words])}"
        pragma = self.label.rsplit(" ", 1)[-1].lower()
        self.local = self.verb == "EMPTY" or (self.verb == "PRAGMA" and pragma in _LOCAL_PRAGMAS)
        self.is_busy_timeout = self.label == "sql:PRAGMA busy_timeout"
        self.sets_timeout = _BUSY_TIMEOUT.match(bare) is not None
        self.starts = self.verb in {"BEGIN", "SAVEPOINT"}
        self.ends = self.label in {"sql:COMMIT", "sql:ROLLBACK"}
        self.locks = self.label in {"sql:BEGIN IMMEDIATE", "sql:BEGIN EXCLUSIVE"}
        self.breaks_isolation = self.verb in {"ATTACH", "DETACH"} or pragma == "read_uncommitted"
        self.reads = self.verb == "SELECT"
        self.writes = self.verb in _WRITING
        # ``sqlite3`` looks at the first word only when it decides whether to begin a transaction by itself.
        self.changes_rows = first in _WRITING

    def _named(self, bare: str, words: list[str]) -> str:
        if self.verb == "BEGIN":
            kind = words[1] if len(words) > 1 else ""
            return f"BEGIN {kind}" if kind in {"IMMEDIATE", "EXCLUSIVE"} else "BEGIN"
        if self.verb in {"COMMIT", "END"}:
            return "COMMIT"
        if self.verb == "ROLLBACK" and "TO" in words:
            return "ROLLBACK TO"
        if self.verb in {"ROLLBACK", "SAVEPOINT", "RELEASE", "EMPTY"}:
            return self.verb
        for pattern in _TABLES:
            found = pattern.search(bare)
            if found is not None:
                return f"{self.verb} {found[1]}"
        return self.verb


def _after_with(bare: str) -> str:
    """What a statement with common table expressions does in the end: its first verb outside strings and brackets."""
    rest, flat = "", _STRING.sub("''", bare)
    while rest != flat:
        rest, flat = flat, _BRACKETS.sub("", flat)
    found = _MAIN_VERB.search(flat)
    return found[0].upper() if found is not None else "WITH"


statement_of: Callable[[str], Statement] = lru_cache(maxsize=2048)(Statement)


def statements_of(script: str) -> Sequence[str]:
    """A script's statements. A semicolon may stand in a string or a trigger: SQLite's own check decides."""
    found: list[str] = []
    pending = ""
    for piece in script.split(";"):
        pending += piece + ";"
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    rest = pending[:-1]
    if statement_of(rest).verb != "EMPTY":
        found.append(rest)
    return [sql for sql in found if statement_of(sql).verb not in {"EMPTY", ";"}]

"""What the text of a PostgreSQL statement tells of what it does.

One idea: two open transactions that made the same statements and were told the same have written the same, if each
statement says by itself what it writes: an ``INSERT`` of given values, a change of rows that are named by equality with
given values, a query that changes nothing. Of others the text does not tell, and that is the answer wherever it is not
certain: it costs a search some states that it visits twice, while a wrong "it tells" would lose outcomes.
"""

from __future__ import annotations

import re

#: What other sessions cannot tell the time of.
UNSEEN = frozenset(("BEGIN", "START", "SAVEPOINT", "RELEASE", "SET", "SHOW", "RESET", "EMPTY", "DEALLOCATE", ""))
_ENDS = frozenset(("COMMIT", "ROLLBACK", "ROLLBACK TO"))
_QUERIES = frozenset(("SELECT", "VALUES", "TABLE"))
_GIVEN = r"[\w.\"]+\s*=\s*(?:%s|%\(\w+\)s|\$\d+|\d+|'[^']*')"
_BY_EQUALITY = re.compile(
    rf"(?:UPDATE|DELETE)\b(?:(?!\bSELECT\b|\bUSING\b).)*?\bWHERE\s+{_GIVEN}(?:\s+AND\s+{_GIVEN})*(?:\s+RETURNING\b.*)?\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)
_JOINS = re.compile(r"\bSET\b.*\bFROM\b", re.IGNORECASE | re.DOTALL)
_SELECT = re.compile(r"\bSELECT\b", re.IGNORECASE)
_CHANGE = re.compile(r"\b(?:INSERT\s+INTO|DELETE\s+FROM|MERGE\s+INTO|(?<!FOR\s)(?<!KEY\s)UPDATE\s)", re.IGNORECASE)
_UNLOCKS = re.compile(r"\bpg_advisory_unlock", re.IGNORECASE)
_CALLED = re.compile(r"(\w+)\s*\(")
_HARMLESS = re.compile(
    r"select|from|where|and|or|not|in|any|all|exists|values|as|on|using|over|count|sum|min|max|coalesce|nullif|lower|upper"
    r"|greatest|least|length|hashtext|to_regclass|current_setting|\w+_agg|pg_(?:try_)?advisory_\w+",
    re.IGNORECASE,
)


def says_what_it_writes(sql: str, verb: str) -> bool:
    """Whether text and parameters say what the statement writes, whatever was committed before it. What it reads its
    rows tell."""
    if verb in UNSEEN or verb in _ENDS:
        return True
    if verb == "INSERT":
        return _SELECT.search(sql) is None
    if verb in _QUERIES:
        return _CHANGE.search(sql) is None and all(_HARMLESS.fullmatch(name) for name in _CALLED.findall(sql))
    names_its_rows = _BY_EQUALITY.fullmatch(sql.strip()) is not None
    return names_its_rows and _SELECT.search(sql) is None and _JOINS.search(sql) is None


def holds_on(sql: str, verb: str) -> bool:
    """Whether a statement that succeeded, and left its transaction open, has let go of no lock for certain."""
    one = ";" not in sql.strip().removesuffix(";")
    return one and bool(verb) and verb not in _ENDS and says_what_it_writes(sql, verb) and _UNLOCKS.search(sql) is None

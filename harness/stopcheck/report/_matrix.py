"""The kill matrix: wrong gates against the clauses that each was failed for.

One idea: a hundred clauses are no columns that anybody can read, but those of one family are. So on a terminal each
family is a table of its own, with the gates that must die for one of its clauses; in a log each clause is one line.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from stopcheck.campaign import Row
from stopcheck.judge.requirements import FAMILIES, REQUIREMENTS
from stopcheck.report._console import ReportConsole

#: In a cell: died for it, as it must; broke it too; was not failed for it, as it had to be.
_KILLED, _TOO, _SURVIVED = "#", "+", "!"
LEGEND = f"{_KILLED} killed for it, as it must be; {_TOO} failed for it too; {_SURVIVED} had to, and was not"


def print_matrix(console: ReportConsole, rows: Sequence[Row]) -> None:
    """The wrong gates among the rows, against clauses."""
    wrong = [row for row in rows if row.named]
    if not wrong:
        return
    if not console.is_terminal:
        for line in matrix_lines(wrong):
            console.say(line)
        return
    for family, heading in FAMILIES.items():
        gates = [row for row in wrong if REQUIREMENTS[row.named].family == family]
        if gates:
            console.say(f"{family}: {heading}", "bold")
            console.print(_family(family, gates))
    console.say(LEGEND, "dim")


def matrix_lines(rows: Sequence[Row]) -> list[str]:
    """A line for each clause: who died for it, who survived, and who broke it too."""
    lines: list[str] = []
    for clause in REQUIREMENTS:
        marks = {row.gate: _mark(row, clause) for row in rows}
        parts = [
            f"{words} {', '.join(gate for gate, mark in marks.items() if mark == sign)}"
            for sign, words in ((_KILLED, "killed"), (_SURVIVED, "SURVIVED BY"), (_TOO, "also broken by"))
            if sign in marks.values()
        ]
        lines.append(f"{clause}: {'; '.join(parts) or 'no wrong gate'}")
    return lines


def _family(family: str, rows: Sequence[Row]) -> Table:
    clauses = [clause for clause, requirement in REQUIREMENTS.items() if requirement.family == family]
    table = Table("gate", *(clause.partition("-")[2] for clause in clauses), "elsewhere", box=None, pad_edge=False)
    for row in rows:
        elsewhere = [clause for clause in row.failed if clause not in clauses]
        table.add_row(row.gate, *(_mark(row, clause) for clause in clauses), ", ".join(elsewhere))
    return table


def _mark(row: Row, clause: str) -> str:
    broken = clause in row.failed
    if clause == row.named:
        return _KILLED if broken else _SURVIVED
    return _TOO if broken else ""

"""``stopcheck selftest``."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stopcheck.campaign import ExitCode, Row, selftest
from stopcheck.judge import checked_clauses


@click.command("selftest", short_help="Try the kit on known wrong and right gates.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this gate (may be repeated).")
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1, 64), help="Child processes.")
def selftest_command(only: tuple[str, ...], jobs: int) -> int:
    """Check the kit itself: every known wrong gate must be failed for the clause that it names, and every installed right gate must
    fail none. Prints the matrix of gates and clauses; exits 1 when something is not as it must be."""
    console = Console(highlight=False)

    def show(row: Row) -> None:
        style = "green" if row.good else "bold red"
        mark = "ok  " if row.good else "BAD "
        what = f"killed for {row.named}" if row.named else "right gate"
        console.print(
            Text(f"{mark}{row.gate}: {what}, {row.executions} executions {row.trouble}", style=style), soft_wrap=True
        )

    rows = selftest(show, children=jobs, only=only)
    console.print(matrix(rows))
    bad = [row for row in rows if not row.good]
    killed = {row.named for row in rows if row.named and row.good}
    unproved = sorted(checked_clauses() - killed) if not only else []
    for row in bad:
        console.print(Text(_complaint(row), style="bold red"), soft_wrap=True)
    if unproved:
        console.print(
            Text(f"checked, but no wrong gate dies for it: {', '.join(unproved)}", style="bold red"), soft_wrap=True
        )
    wrong = sum(1 for row in rows if row.named)
    console.print(f"{wrong} wrong gates, {len(rows) - wrong} right gates, {len(bad)} not as they must be")
    return ExitCode.VIOLATIONS if bad or unproved else ExitCode.CERTIFIED


def matrix(rows: list[Row]) -> Table:
    """Gates and the clauses that each failed; the named one is in capitals before the others."""
    table = Table("gate", "must fail for", "failed for", "in", "executions")
    for row in rows:
        others = [clause for clause in row.failed if clause != row.named]
        named = [f"*{row.named}*"] if row.named in row.failed and row.named else []
        table.add_row(
            row.gate, row.named or "nothing", ", ".join([*named, *others]) or "-", row.scenario, str(row.executions)
        )
    return table


def _complaint(row: Row) -> str:
    if row.trouble:
        return f"{row.gate}: {row.trouble}"
    if row.named:
        got = ", ".join(row.failed) or "nothing"
        return f"{row.gate} must fail for {row.named} but failed for {got} in {row.executions} executions ({row.about})"
    return f"the right gate {row.gate} failed: {row.about}"

"""``stopcheck selftest``."""

from __future__ import annotations

import click
from rich.table import Table

from stopcheck.campaign import (
    ExitCode,
    Row,
    UsageFault,
    did_you_mean,
    installed_gates,
    load_faults,
    selftest,
)
from stopcheck.judge import checked_clauses
from stopcheck.report import make_console


@click.command("selftest", short_help="Try the kit on known wrong and right gates.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this gate (may be repeated).")
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1, 64), help="Child processes.")
def selftest_command(only: tuple[str, ...], jobs: int) -> int:
    """Check the kit itself.

    Every known wrong gate must be failed for the clause that it names, and every installed right gate must fail none.
    Prints the matrix of gates and clauses; exits 1 when something is not as it must be.
    """
    console = make_console()
    known = [*(name for name, _ in installed_gates()), *(fault.name for fault in load_faults())]
    for name in only:
        if name not in known:
            hint = did_you_mean(name, known, "see: stopcheck list gates")
            raise UsageFault(f"no bundled gate is named {name!r}", hint=hint)

    def show(row: Row) -> None:
        style = "green" if row.good else "bold red"
        mark = "ok  " if row.good else "BAD "
        what = f"killed for {row.named}" if row.named else "right gate"
        console.say(f"{mark}{row.gate}: {what}, {row.executions} executions {row.trouble}".rstrip(), style)

    rows = selftest(show, children=jobs, only=only)
    console.print(matrix(rows))
    bad = [row for row in rows if not row.good]
    killed = {row.named for row in rows if row.named and row.good}
    unproved = sorted(checked_clauses() - killed) if not only else []
    for row in bad:
        console.say(_complaint(row), "bold red")
    if unproved:
        console.say(f"checked, but no wrong gate dies for it: {', '.join(unproved)}", "bold red")
    wrong = sum(1 for row in rows if row.named)
    console.print(f"{wrong} wrong gates, {len(rows) - wrong} right gates, {len(bad)} not as they must be")
    return ExitCode.VIOLATIONS if bad or unproved else ExitCode.CERTIFIED


def matrix(rows: list[Row]) -> Table:
    """Gates and the clauses that each failed; the named one stands first, between asterisks."""
    table = Table("gate", "must fail for", "failed for", "in", "executions", box=None, pad_edge=False)
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

"""``stopcheck selftest``."""

from __future__ import annotations

import click

from stopcheck.campaign import (
    ExitCode,
    Row,
    UsageFault,
    did_you_mean,
    gates_with_a_server,
    installed_gates,
    load_faults,
    load_right,
    selftest,
    unproved,
)
from stopcheck.kernel import many
from stopcheck.report import make_console, print_matrix


@click.command("selftest", short_help="Try the kit on known wrong and right gates.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this gate (may be repeated).")
@click.option("--all", "everything", is_flag=True, help="Also all right gates, and a killer for each MUST clause.")
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1, 64), help="Child processes.")
def selftest_command(only: tuple[str, ...], jobs: int, *, everything: bool) -> int:
    """Check the kit itself.

    Every known wrong gate must be failed for the clause that it names, and every installed right gate must fail none.
    With --all, so must every right gate that differs from them, and each MUST clause must have a wrong gate that dies
    for it. Prints the matrix of wrong gates and clauses; exits 1 when something is not as it must be.
    """
    console = make_console()
    if only and everything:
        raise UsageFault("--only and --all contradict each other", hint="give one of them")
    known = [name for name, _ in installed_gates()]
    known += [fault.name for fault in load_faults()] + [right.name for right in load_right()]
    for name in only:
        if name not in known:
            hint = did_you_mean(name, known, "see: stopcheck list gates")
            raise UsageFault(f"no bundled gate is named {name!r}", hint=hint)

    def show(row: Row) -> None:
        style = "green" if row.good else "bold red"
        mark = "ok  " if row.good else "BAD "
        what = f"killed for {row.named}" if row.named else "right gate"
        console.say(f"{mark}{row.gate}: {what}, {many(row.executions, 'execution')} {row.trouble}".rstrip(), style)

    for name in gates_with_a_server() if not only else ():
        console.say(f"left out: {name}, which needs a server; try it with --only {name}")
    rows = selftest(show, children=jobs, only=only, everything=everything)
    print_matrix(console, rows)
    bad = [row for row in rows if not row.good]
    missing = unproved(rows, everything=everything) if not only else []
    for row in bad:
        console.say(_complaint(row), "bold red")
    if missing:
        console.say(f"no wrong gate dies for it: {', '.join(missing)}", "bold red")
    wrong = sum(1 for row in rows if row.named)
    console.print(
        f"{many(wrong, 'wrong gate')}, {many(len(rows) - wrong, 'right gate')}, {len(bad)} not as they must be"
    )
    return ExitCode.VIOLATIONS if bad or missing else ExitCode.CERTIFIED


def _complaint(row: Row) -> str:
    if row.trouble:
        return f"{row.gate}: {row.trouble}"
    if row.named:
        got = ", ".join(row.failed) or "nothing"
        made = many(row.executions, "execution")
        return f"{row.gate} must fail for {row.named} but failed for {got} in {made} ({row.about})"
    return f"the right gate {row.gate} failed: {row.about}"

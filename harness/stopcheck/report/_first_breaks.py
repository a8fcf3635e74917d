"""What one run broke, each clause with the call that shows it.

One idea: of a run that nobody has seen yet a reader needs the one step, not the story; the story is a command away.
"""

from __future__ import annotations

from stopcheck.campaign import ReplayedRun
from stopcheck.judge import first_breaks
from stopcheck.report._console import ReportConsole
from stopcheck.report._timeline import timeline


def print_first_breaks(console: ReportConsole, replayed: ReplayedRun) -> None:
    """Each clause that broke, the earliest first: what happened, and what was asked and answered in that step."""
    lines = list(timeline(replayed))
    shown = 0
    for clause, step in first_breaks(replayed.violations).items():
        broke = next(each for each in replayed.violations if (each.clause, each.step) == (clause, step))
        console.say(f"{clause} is broken at step {step}: {broke.message}", "bold red")
        if step != shown:
            for line in lines:
                if line.step == step and line.what and not line.what.startswith("!!!"):
                    console.say(f"  step {step}: {line.what}")
        shown = step

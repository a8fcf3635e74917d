"""A replay that left its schedule, in words.

One idea: whoever reads this has edited something, or was given somebody else's; so it says at which step, what the
schedule says, what the run does there instead, what comes nearest, and how to find the failure anew.
"""

from __future__ import annotations

import shlex

from stopcheck.kernel import Divergence
from stopcheck.report._console import ReportConsole


def print_divergence(
    console: ReportConsole, divergence: Divergence, scenario: str, gate: str, unlike: str = ""
) -> None:
    """Print it; on the console for errors. ``unlike``: in what the gate is another one than that of the schedule."""
    where = f"choice {divergence.position}, after step {divergence.step}"
    console.say(f"error: the run left the schedule at {where}", "bold red")
    console.say(f"  expected: {divergence.expected}")
    console.say(f"  found: {divergence.found}")
    if divergence.nearest:
        console.say(f"  nearest: {divergence.nearest!r}")
    console.say(f"  cause: {_cause(divergence, unlike)}")
    again = f"stopcheck certify {shlex.quote(gate)} --scenario {shlex.quote(scenario)}"
    console.say("  next: use the gate, scenarios and kit that made the token; or find the failure anew with")
    console.say(f"  {again}")


def _cause(divergence: Divergence, unlike: str) -> str:
    """What most likely happened."""
    if unlike:
        return f"it was made with another gate: {unlike}"
    if not divergence.found_point:
        what = "the scenario or the gate makes fewer steps now"
    elif divergence.expected_point and divergence.expected_point != divergence.found_point:
        what = "a fault point was added, moved or taken away"
    elif divergence.expected_option.partition("@")[0] == divergence.nearest.partition("@")[0] != "":
        what = "this actor's steps were renamed, or some were added or taken away"
    else:
        what = "actors were renamed, added, taken away or put into another order"
    made = "it was made with another gate, or the gate or the scenario has changed since"
    return f"{made}: {what}; if nothing was changed, the gate is not deterministic"

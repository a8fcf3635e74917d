"""What a verdict does not prove, in words: said beside the verdict, not in a manual.

One idea: each sentence follows from what the campaign did and did not do, so a wider campaign says less here.
"""

from __future__ import annotations

from stopcheck.campaign import ClauseVerdict, Report, Verdict
from stopcheck.kernel import many


def not_proved(report: Report, clause: ClauseVerdict) -> list[str]:
    """What must not be concluded from the clause's verdict."""
    if clause.verdict is Verdict.PASS:
        return _of_a_pass(report, clause)
    return {
        Verdict.FAIL: [
            "that this is the only flaw: a search ends at what it finds first, and other clauses may be hidden by it",
        ],
        Verdict.WAIVED: ["that the gate does it right: it fails, and somebody has decided to live with that for now"],
        Verdict.UNKNOWN: ["anything: it is neither a pass nor a failure"],
        Verdict.UNSUPPORTED: ["that the gate would do it right: it does not claim to do it"],
        Verdict.UNCHECKED: ["anything: the kit has no check for it yet"],
    }[clause.verdict]


def _of_a_pass(report: Report, clause: ClauseVerdict) -> list[str]:
    ground = clause.ground
    lines: list[str] = []
    bounds = [part.bound for one in ground.searched for part in one.bounded]
    if bounds:
        most = max(bounds)
        disruptions = f"{many(most, 'disruption')}"
        lines.append(f"that no run of more than {disruptions} breaks it, where a search was not exhausted")
    if all(one.granularity == "calls" for one in ground.searched):
        lines.append("anything about what lies inside of a call: only whole calls were interleaved")
    if clause.assumption:
        lines.append(f"that its assumption holds ({clause.assumption})")
    if not (ground.deaths or ground.kills):
        lines.append("what becomes of it when the gate's process dies: no run of it had a death")
    if report.gate is not None and report.gate.durability == "power_loss":
        some = "what becomes of it when the power fails and part of what was not synced arrives: all of it was lost"
        none = "what becomes of it when the power fails: only deaths of the process were tried"
        lines.append(some if ground.power_losses else none)
    faults = ", ".join(f"{most} {kind}" for kind, most in ground.faults.items()) or "none"
    lines.append(f"anything about more faults in one run than were admitted ({faults})")
    lines.append("that the adapter behaves as the system in production does: what was tried is the adapter")
    return lines


def not_proved_by_any(report: Report) -> list[str]:
    """What no verdict of this report proves."""
    scenarios = len({job.spec.scenario for job in report.jobs})
    played = f"Only the {scenarios} scenarios" if scenarios > 1 else "Only one scenario" if scenarios else "No scenario"
    return [
        f"{played} of this campaign {'were' if scenarios > 1 else 'was'} played, with the faults that it admits.",
        "What was tried is the adapter; that the system in production does the same is for you to see to.",
        "Durations are of virtual time: they say how a gate behaves, not how fast it is.",
    ]

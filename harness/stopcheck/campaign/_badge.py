"""A badge, as the endpoint format of shields.io (version 1) wants it."""

from __future__ import annotations

from stopcheck.campaign._results import ExitCode, Report, Verdict

_COLOURS = {
    ExitCode.CERTIFIED: "brightgreen",
    ExitCode.VIOLATIONS: "red",
    ExitCode.INCONCLUSIVE: "yellow",
    ExitCode.WAIVER_DRIFT: "orange",
}


def badge(report: Report) -> dict[str, object]:
    """What the badge of a gate says: the profile that was asked for, or those that are met; and never more than the
    exit code does."""
    colour = _COLOURS.get(report.exit_code, "lightgrey")
    waived = report.counts()[Verdict.WAIVED]
    if waived and report.exit_code == ExitCode.CERTIFIED:
        colour = "yellowgreen"
    return {"schemaVersion": 1, "label": "Stop means stop", "message": _message(report, waived), "color": colour}


def _message(report: Report, waived: int) -> str:
    if report.exit_code == ExitCode.VIOLATIONS:
        broken = report.counts()[Verdict.FAIL]
        return f"{broken} clauses broken" if broken != 1 else "1 clause broken"
    if report.exit_code == ExitCode.INCONCLUSIVE:
        return "inconclusive"
    if report.exit_code != ExitCode.CERTIFIED:
        return "no verdict" if report.exit_code != ExitCode.WAIVER_DRIFT else "a waiver no longer holds"
    if waived:
        return f"{waived} waived"
    met = [profile.name for profile in report.profiles if profile.met]
    return f"{', '.join(met)} ({report.requirement_set})" if met else f"certified ({report.requirement_set})"

"""Waivers: a failure becomes WAIVED, never a pass; one that no longer holds ends the campaign with exit 5."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import msgspec
import pytest

from stopcheck.campaign import (
    ExitCode,
    JobResult,
    Options,
    Report,
    UsageFault,
    Verdict,
    Waiver,
    Waivers,
    WaiverState,
    load_gate,
    read_waivers,
    stanza,
)
from stopcheck.campaign._audit import Differs
from stopcheck.campaign._certify import conclude
from stopcheck.cli._outputs import _how_to_waive
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.report import junit_report, markdown_report
from tests.fast.campaign.small import job
from tests.fast.report.samples import FINDING, REPORT

TODAY = date(2026, 11, 30)
LINK = "https://example.org/issues/7"
HERE = Waiver("ADM-3", "before-admission", "known", LINK, TODAY)
ALL = dict.fromkeys(REQUIREMENTS, 3)


def failing(*scenarios: str) -> list[JobResult]:
    """A job in which ADM-3 is broken, and for each further scenario one more."""
    return [
        job(name, exercised=ALL, exhausted=True, findings=(msgspec.structs.replace(FINDING, scenario=name),))
        for name in scenarios
    ]


def judged(jobs: list[JobResult], *given: Waiver, profile: str | None = None) -> Report:
    """The report on the jobs, with these waivers."""
    gate = load_gate("memory")
    options = Options(scenarios=tuple({j.spec.scenario for j in jobs}), profile=profile, waivers=Waivers(given, TODAY))
    return conclude(gate.contract, gate.identity(), options, jobs, ())


def verdict(report: Report) -> Verdict:
    """Of ADM-3."""
    return next(clause.verdict for clause in report.clauses if clause.clause == "ADM-3")


def test_without_a_waiver_it_fails() -> None:
    report = judged(failing("before-admission"))
    assert (verdict(report), report.exit_code) == (Verdict.FAIL, ExitCode.VIOLATIONS)


def test_a_failure_that_is_waived_is_no_pass_and_no_violation() -> None:
    report = judged(failing("before-admission"), HERE)
    assert (verdict(report), report.exit_code) == (Verdict.WAIVED, ExitCode.CERTIFIED)
    assert [waived.state for waived in report.waivers] == [WaiverState.APPLIED]
    assert not next(profile for profile in report.profiles if profile.name == "core").met
    assert "1 WAIVED" in report.summary
    asked = judged(failing("before-admission"), HERE, profile="core")
    assert asked.exit_code == ExitCode.CERTIFIED
    assert asked.summary.startswith("memory does not meet the profile core, and that is waived for now: ADM-3")


def test_each_scenario_needs_a_waiver_of_its_own() -> None:
    both = failing("before-admission", "late-completion")
    report = judged(both, HERE)
    assert (verdict(report), report.exit_code) == (Verdict.FAIL, ExitCode.VIOLATIONS)
    row = next(clause for clause in report.clauses if clause.clause == "ADM-3")
    assert row.findings[0].scenario == "late-completion"
    there = msgspec.structs.replace(HERE, scenario="late-completion")
    assert verdict(judged(both, HERE, there)) is Verdict.WAIVED


DRIFT = {
    "no such clause": (msgspec.structs.replace(HERE, clause="ADM-99"), WaiverState.UNMATCHED, "'ADM-99'"),
    "no such scenario": (msgspec.structs.replace(HERE, scenario="nowhere"), WaiverState.UNMATCHED, "'nowhere'"),
    "expired": (msgspec.structs.replace(HERE, expires=date(2026, 11, 29)), WaiverState.EXPIRED, "2026-11-29"),
    "stale": (msgspec.structs.replace(HERE, clause="ADM-1"), WaiverState.STALE, "no run breaks the clause"),
}


@pytest.mark.parametrize("name", DRIFT)
def test_a_waiver_that_no_longer_holds_is_exit_5(name: str) -> None:
    given, state, words = DRIFT[name]
    jobs = failing("before-admission")
    others = () if state is WaiverState.EXPIRED else (HERE,)
    report = judged(jobs, given, *others)
    assert (report.waivers[0].state, report.exit_code) == (state, ExitCode.WAIVER_DRIFT)
    assert words in report.waivers[0].why
    assert verdict(report) is Verdict.WAIVED
    assert "a waiver no longer holds" in report.summary


def test_a_violation_goes_before_drift_and_drift_before_what_is_unknown() -> None:
    stale = msgspec.structs.replace(HERE, clause="ADM-1")
    assert judged(failing("before-admission"), stale).exit_code == ExitCode.VIOLATIONS
    cut_short = [job(exercised=ALL, complete=False, left="the budget")]
    assert judged(cut_short).exit_code == ExitCode.INCONCLUSIVE
    assert judged(cut_short, stale).exit_code == ExitCode.WAIVER_DRIFT


def test_a_scenario_that_was_not_tried_says_nothing_about_its_waiver() -> None:
    elsewhere = msgspec.structs.replace(HERE, scenario="late-completion")
    report = judged([job(exercised=ALL, exhausted=True)], elsewhere)
    assert [waived.state for waived in report.waivers] == [WaiverState.UNTRIED]
    assert report.exit_code == ExitCode.CERTIFIED


def test_a_gate_that_is_not_deterministic_is_offered_none() -> None:
    differs = Differs("event 3", "two runs in one process", "sc1.x")
    jobs = tuple(msgspec.structs.replace(one, findings=(FINDING,), differs=None) for one in REPORT.jobs)
    report = msgspec.structs.replace(REPORT, jobs=jobs)
    assert any("[[waiver]]" in line for line in _how_to_waive(report))
    unlike = (msgspec.structs.replace(jobs[0], differs=differs), *jobs[1:])
    assert _how_to_waive(msgspec.structs.replace(report, jobs=unlike)) == []


def test_the_stanza_that_a_failure_prints_is_one_once_reason_and_link_are_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "waivers.toml"
    printed = stanza("ADM-3", "before-admission", TODAY)
    path.write_text(printed)
    with pytest.raises(UsageFault, match="has no reason"):
        read_waivers(path)
    path.write_text(printed.replace('reason = ""', 'reason = "known"'))
    with pytest.raises(UsageFault, match="has no link but 'https://'"):
        read_waivers(path)
    path.write_text(printed.replace('reason = ""', 'reason = "known"').replace("https://", LINK))
    assert read_waivers(path) == (HERE,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[waiver]]\nclause = 'ADM-3'", "missing required field `scenario`"),
        ("[[waivers]]", "unknown field `waivers`"),
        ("[[waiver", "cannot be read"),
        (2 * stanza("ADM-3", "a", TODAY).replace('""', '"known"').replace("https://", LINK), "waives ADM-3 in a twice"),
        (stanza("ADM-3", "a", TODAY).replace("2026-11-30", "'soon'"), "expires"),
        (
            stanza("ADM-3", "a", TODAY).replace('""', '"known"').replace("https://", "http://[x"),
            "no link but 'http://[x'",
        ),
        ("x = " + "[" * 100_000, "cannot be read"),
    ],
)
def test_a_file_of_waivers_that_is_wrong_says_where(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "waivers.toml"
    path.write_text(text)
    with pytest.raises(UsageFault) as raised:
        read_waivers(path)
    assert words in raised.value.what
    assert raised.value.hint


def test_a_file_of_waivers_is_utf_8_whoever_wrote_it(tmp_path: Path) -> None:
    path = tmp_path / "waivers.toml"
    text = stanza("ADM-3", "before-admission", TODAY).replace('""', '"wegen Übergang"').replace("https://", LINK)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())  # as editors on Windows do
    assert read_waivers(path)[0].reason == "wegen Übergang"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageFault, match="cannot be read: 'utf-8'"):
        read_waivers(path)


def test_drift_is_red_in_what_a_ci_shows() -> None:
    report = judged(failing("before-admission"), HERE, msgspec.structs.replace(HERE, clause="ADM-1"))
    junit = junit_report(report).decode()
    assert 'name="ADM-1 in before-admission"' in junit
    assert 'errors="1"' in junit
    summary = markdown_report(report).decode()
    assert "- **STALE** ADM-1 in before-admission, until 2026-11-30: known" in summary
    assert "- **APPLIED** ADM-3 in before-admission" in summary

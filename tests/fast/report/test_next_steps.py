"""Whoever reads UNKNOWN is told what to do, and failures of one flaw stand together."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from stopcheck.campaign import ClauseVerdict, JobResult, Report, Verdict
from stopcheck.campaign._audit import Differs
from stopcheck.campaign._outcome import AT_FIRST
from stopcheck.report import print_report
from stopcheck.report._causes import causes
from stopcheck.report._limits import not_proved
from stopcheck.report._next_steps import next_step, unknowns
from tests.fast.report.samples import CLAUSES, CUT_SHORT, FINDING, GROUND, JOBS, REPORT, SEARCH, pipe

CERTIFY = "stopcheck certify 'my dir/gate.py:Gate'"


def unknown(clause: str = "ADM-3", **fields: object) -> ClauseVerdict:
    verdict = ClauseVerdict(clause, Verdict.UNKNOWN, "why", exercised=3, scenarios=("before-admission",))
    return replace(verdict, **fields)


def with_jobs(*jobs: JobResult) -> Report:
    return replace(REPORT, jobs=jobs)


def done() -> JobResult:
    return replace(JOBS[0], complete=True, left="")


def test_what_no_run_put_to_the_test_is_tried_in_a_scenario_that_is_about_it() -> None:
    step = next_step(with_jobs(done()), unknown("EFF-11", exercised=0, scenarios=()))
    assert step.startswith(f"{CERTIFY} --scenario ")


def test_a_search_that_was_cut_short_gets_a_larger_budget() -> None:
    step = next_step(with_jobs(JOBS[0]), unknown())
    assert step.startswith(f"{CERTIFY} --scenario before-admission --budget ")
    assert int(step.rpartition(" ")[2]) > SEARCH.budget


def test_what_was_left_out_is_run_and_no_budget_is_a_remedy() -> None:
    left_out = replace(JOBS[0], executions=0, left=f"not run: {AT_FIRST}")
    assert next_step(with_jobs(left_out), unknown()) == f"{CERTIFY} --scenario before-admission"
    assert "run without it" in AT_FIRST
    step = next_step(with_jobs(left_out), unknown("ADM-3", exercised=0))
    assert step == f"{CERTIFY} --scenario before-admission"


def test_a_witness_that_was_missed_is_explained() -> None:
    job = replace(done(), witnesses_wanted=("both winners were seen",))
    assert next_step(with_jobs(job), unknown()) == "stopcheck explain before-admission"


def test_what_was_only_sampled_is_searched() -> None:
    sampled = replace(with_jobs(done()), strategy="pct")
    assert next_step(sampled, unknown()) == f"{CERTIFY} --scenario before-admission"


def test_a_gate_that_is_not_deterministic_is_replayed_with_its_log() -> None:
    job = replace(done(), differs=Differs(*("x",) * len(Differs.__struct_fields__)))
    assert "--log run.jsonl" in next_step(with_jobs(job), unknown())


def test_whole_calls_only_is_explained() -> None:
    assert next_step(with_jobs(done()), unknown()) == "stopcheck explain ADM-3"


def test_a_gate_in_another_process_is_named_as_it_was() -> None:
    assert REPORT.gate is not None
    remote = replace(with_jobs(JOBS[0]), gate=replace(REPORT.gate, reference="command:node gate.js"))
    step = next_step(remote, unknown())
    assert step.startswith("stopcheck certify --command 'node gate.js' --scenario") or "command:" not in step


def test_every_unknown_clause_has_a_command_and_the_terminal_shows_it() -> None:
    groups = unknowns(REPORT)
    assert {c for group in groups for c in group.clauses} == {c.clause for c in CLAUSES if c.verdict is Verdict.UNKNOWN}
    assert all(group.command for group in groups)
    console, out = pipe()
    print_report(console, REPORT, everything=True)
    assert all(f"\n  {group.command}\n" in out.getvalue() for group in groups)


def test_failures_of_one_run_or_one_place_are_one_cause() -> None:
    def failing(clause: str, token: str, where: str) -> ClauseVerdict:
        finding = replace(FINDING, clause=clause, token=token, where=where)
        return ClauseVerdict(clause, Verdict.FAIL, "why", findings=(finding,))

    clauses = (
        failing("ADM-1", "a", "gate.py:1 f"),
        failing("ADM-2", "b", "gate.py:2 g"),
        failing("ADM-3", "b", "gate.py:1 f"),
        failing("ADM-4", "c", ""),
        failing("ADM-5", "d", ""),
    )
    found = [{c.clause for c in cause.clauses} for cause in causes(replace(REPORT, clauses=clauses))]
    assert sorted(map(sorted, found)) == [["ADM-1", "ADM-2", "ADM-3"], ["ADM-4"], ["ADM-5"]]


def test_the_terminal_tells_failures_of_one_cause_together_and_says_so() -> None:
    clauses = tuple(
        ClauseVerdict(name, Verdict.FAIL, "why", findings=(replace(FINDING, clause=name, token=token, where=""),))
        for name, token in (("ADM-1", "a"), ("ADM-2", "b"), ("ADM-4", "a"))
    )
    console, out = pipe()
    print_report(console, replace(REPORT, clauses=clauses))
    lines = out.getvalue().splitlines()
    first = lines.index(f"FAIL ADM-1: {FINDING.message}")
    also = lines.index("  the same cause, it seems; mend ADM-1 first (--all shows each with its run):")
    assert lines[also + 1] == "    ADM-4: why"
    assert first < also < lines.index(f"FAIL ADM-2: {FINDING.message}")
    console, out = pipe()
    print_report(console, replace(REPORT, clauses=clauses), everything=True)
    text = out.getvalue()
    assert [text.index(f"FAIL {name}:") for name in ("ADM-1", "ADM-4", "ADM-2")] == sorted(
        text.index(f"FAIL {name}:") for name in ("ADM-1", "ADM-4", "ADM-2")
    )
    assert text.count("cause: that of ADM-1, it seems") == 1


@pytest.mark.parametrize("verdict", list(Verdict))
def test_each_verdict_says_what_it_does_not_prove(verdict: Verdict) -> None:
    assert not_proved(REPORT, ClauseVerdict("ADM-1", verdict, "why"))


def test_a_pass_admits_its_bound_its_deaths_its_faults_and_its_assumption() -> None:
    bounded = " ".join(not_proved(REPORT, ClauseVerdict("ADM-4", Verdict.PASS, "", "that x", ground=CUT_SHORT)))
    assert "more than 1 disruption breaks it" in bounded
    assert "no run of it had a death" in bounded
    assert "that x" in bounded
    wide = " ".join(not_proved(REPORT, ClauseVerdict("ADM-1", Verdict.PASS, "", ground=GROUND)))
    assert "no run of it had a death" not in wide
    assert "1 crash, 2 provider" in wide

"""Reports made by hand, with every kind of verdict in them."""

from __future__ import annotations

import io

import msgspec

from stopcheck.campaign import (
    ClauseVerdict,
    FaultReport,
    Finding,
    GateIdentity,
    Ground,
    JobResult,
    JobSpec,
    NearestPass,
    Report,
    Searched,
    UpTo,
    Verdict,
    ledger_of,
    totals,
)
from stopcheck.explore import SweepCoverage, Tally
from stopcheck.report import ReportConsole
from stopcheck.world import FaultKind

TOKEN = "sc1.before-admission." + "A" * 180 + ".4feb89ca"
ASSUMPTION = "assumes that the gate's calls are serialised, as it declares; no run refuted it"

FINDING = Finding(
    clause="ADM-3",
    check="linearisability",
    message="no order of the calls explains that worker#2 (commit_effect) was answered Admitted",
    scenario="before-admission",
    handles=1,
    granularity="inner",
    strategy="bounded",
    token=TOKEN,
    deviations=1,
    choices=9,
    step=11,
    executions_to_find=40,
    shrunk=True,
    where="gate.py:138 Gate.commit_effect",
    nearest=NearestPass(TOKEN, 1, 2, 7, "run", "person@request_cancel", "worker@await"),
)
GATE = GateIdentity("my dir/gate.py:Gate", "mine", "1", "process_death", "inline", ("delivery",), True)
SEARCH = JobSpec("before-admission", 1, "inner", "bounded", 100, 0, 1)
SWEEP = JobSpec("late-completion", 1, "calls", "stop-sweep", 100, 0)
JOBS = (
    JobResult(SEARCH, "every run", complete=False, ground="", left="the budget of 100 runs", executions=1000, states=9),
    JobResult(
        SWEEP,
        "every branch point",
        complete=True,
        ground="",
        left="",
        executions=234,
        states=0,
        witnesses=("seen",),
        witnesses_wanted=("seen", "both winners were seen"),
        sweep=SweepCoverage(
            stops=("person",),
            planned=(*(f"worker@point-{n}#1" for n in range(19)), "worker@commit_effect#1"),
            missed=("worker@commit_effect#1",),
            closed=("opener@open_task#1",),
            base_runs=4,
        ),
        deaths=3,
        exhausted=True,
        cache_full=True,
        ledger=(
            Tally(FaultKind.CRASH, "worker@complete", "death after it", 9, 4),
            Tally(FaultKind.CRASH, "worker@complete", "SIGKILL after its answer", 3, 3),
            Tally(FaultKind.PROVIDER, "dispatcher@mail.receive", "drop", 7, 0),
            Tally(FaultKind.PROVIDER, "mail.answer", "answer_late", 0, 0),
            Tally(FaultKind.TIME, "the lease", "before", 5, 1),
        ),
    ),
)
GROUND = Ground(
    searched=(
        Searched("calls", 1, 12, (), 18_900, 7_001),
        Searched("inner", 1, 0, (UpTo(1, 3), UpTo(2, 1)), 1_100, 600),
    ),
    sampled=60,
    deaths=1_234,
    kills=3,
    faults={"crash": 1, "provider": 2},
)
CUT_SHORT = Ground(searched=(Searched("inner", 1, 0, (UpTo(1, 3),), 900, 80),), cut_short=(SEARCH.name,))
CLAUSES = (
    ClauseVerdict("ADM-1", Verdict.PASS, "exhausted in 12 scenarios", ASSUMPTION, exercised=5, ground=GROUND),
    ClauseVerdict("ADM-3", Verdict.FAIL, FINDING.message, findings=(FINDING, FINDING), exercised=5),
    ClauseVerdict("ADM-4", Verdict.PASS, "up to 1 disruption", ASSUMPTION, exercised=5, ground=CUT_SHORT),
    ClauseVerdict("ADM-5", Verdict.UNKNOWN, "no run put it to the test"),
    ClauseVerdict("ADM-6", Verdict.UNKNOWN, "no run put it to the test"),
    ClauseVerdict("ADM-7", Verdict.UNKNOWN, "it was only sampled", exercised=2),
    ClauseVerdict("SUP-1", Verdict.UNSUPPORTED, "the gate does not declare [suppression]"),
    ClauseVerdict("SUP-2", Verdict.UNSUPPORTED, "the gate does not declare [suppression]"),
    ClauseVerdict("RPT-3", Verdict.UNCHECKED, "the kit has no check for it yet"),
)
FAULT = FaultReport(
    "GateRaised", "claim (call a#1) raised X: \x00\x1b[31mred", "raised at gate.py:9", "return", "s", TOKEN
)
REPORT = Report(
    kit_version="0.1.0",
    requirement_set="2026-11",
    gate=GATE,
    seed=7,
    clauses=CLAUSES,
    jobs=JOBS,
    faults=(FAULT, msgspec.structs.replace(FAULT, what="claim (call b#1) raised X", scenario="t")),
    exit_code=1,
    summary="mine is NOT certified: it violates clauses: 2 PASS, 1 FAIL",
    ledger=ledger_of(JOBS),
    totals=totals(ledger_of(JOBS)),
)


def pipe() -> tuple[ReportConsole, io.StringIO]:
    """A console that writes into a pipe of 80 columns, and what it wrote."""
    out = io.StringIO()
    return ReportConsole(file=out, width=80, highlight=False), out


def terminal() -> tuple[ReportConsole, io.StringIO]:
    """A console that takes itself for a terminal."""
    out = io.StringIO()
    return ReportConsole(file=out, width=80, force_terminal=True, highlight=False), out

"""How much faster a campaign is with two processes than with one, and that it comes to the same.

One idea: what counts is what somebody waits for, so here the time is that of the clock, start and end of the processes
included; on a machine that does something else at the same time the figure is too low, and is worth nothing.
"""

from __future__ import annotations

import os
import time

import pytest

from stopcheck.campaign import Options, certify
from stopcheck.report import json_report
from tests.bench.conftest import Figures

#: Executions a second of two processes, by those of one.
BAR = 1.7
GATE = "memory"
BUDGET = 1_500


def test_two_processes_make_more_executions_a_second_than_one(figures: Figures) -> None:
    if (os.cpu_count() or 1) < 2:
        pytest.skip("one core only: two processes cannot be faster")
    rates: list[float] = []
    reports: list[bytes] = []
    for children in (1, 2):
        begin = time.monotonic()
        report = certify(GATE, Options(children=children, budget=BUDGET), lambda _: None)
        seconds = time.monotonic() - begin
        executions = sum(job.executions for job in report.jobs)
        rates.append(executions / seconds)
        reports.append(json_report(report))
        figures.print(
            f"  gate {GATE}, budget {BUDGET}, --jobs {children}: {executions:,} executions in {seconds:.1f} s of the "
            f"clock, {rates[-1]:,.0f} a second"
        )
    figures.print(f"  --jobs 2 is {rates[1] / rates[0]:.2f} times as fast; the bar is {BAR}")
    assert reports[0] == reports[1]
    assert rates[1] / rates[0] >= BAR

"""Every number in the terminal can be had from the JSON report, by whoever knows nothing but JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from stopcheck.campaign import Report
from stopcheck.report import json_report, print_report
from tests.fast.campaign.small import campaign
from tests.fast.report.samples import REPORT, pipe

Data = dict[str, Any]

SUBJECTS = {
    "stops": "stop points?",
    "faults": "faults?",
    "crashes": "crash points?",
    "kills": "states? with SIGKILL",
    "timers": "races? of (a timer|timers)",
    "witnesses": "witness(es)?",
}


def by_hand() -> Report:
    return REPORT


def small() -> Report:
    return campaign("memory", ("lost-response",), 400)


def cut_short() -> Report:
    return campaign("memory", ("lost-response",), 5)


def shown(report: Report) -> tuple[list[str], Data]:
    console, out = pipe()
    print_report(console, report, coverage=True)
    return out.getvalue().splitlines(), json.loads(json_report(report))


def line_of(lines: list[str], start: str) -> str:
    return next(line for line in lines if line.startswith(start))


def numbers(text: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(r"[0-9][0-9,]*", text)]


pytestmark = pytest.mark.parametrize("make", [by_hand, small, cut_short])


def test_what_was_tried(make: Callable[[], Report]) -> None:
    lines, data = shown(make())
    jobs = data["jobs"]
    scenarios = {job["spec"]["scenario"] for job in jobs}
    assert numbers(line_of(lines, "tried: ")) == [len(scenarios), len(jobs), sum(job["executions"] for job in jobs)]


def test_the_totals_of_the_coverage_and_that_they_are_the_sums_of_the_ledger(make: Callable[[], Report]) -> None:
    lines, data = shown(make())
    parts = line_of(lines, "coverage: ").removeprefix("coverage: ").split(", ")
    assert len(parts) == len(data["totals"])
    for part, total in zip(parts, data["totals"], strict=True):
        impossible = [total["impossible"]] if total["impossible"] else []
        assert numbers(part) == [total["hit"], total["planned"], *impossible]
        assert re.search(SUBJECTS[total["subject"]], part)
        if total["subject"] != "witnesses":
            of_it = [c for one in data["ledger"] for c in one["covers"] if c["subject"] == total["subject"]]
            assert all(
                sum(c[name] for c in of_it) == total[name] for name in ("planned", "hit", "impossible", "missed")
            )


def test_the_ledger_itself_from_what_the_jobs_were_offered_and_took(make: Callable[[], Report]) -> None:
    _, data = shown(make())
    for one in data["ledger"]:
        where = (one["scenario"], one["granularity"], one["handles"])
        jobs = [j for j in data["jobs"] if tuple(j["spec"][k] for k in ("scenario", "granularity", "handles")) == where]
        taken = {
            (line["where"], line["what"])
            for job in jobs
            for line in job["ledger"]
            if line["kind"] not in {"crash", "time"} and line["taken"]
        }
        faults = [cover for cover in one["covers"] if cover["subject"] == "faults"]
        assert sum(cover["hit"] for cover in faults) == len(taken)
        for cover in one["covers"]:
            gaps = [gap for gap in one["gaps"] if gap["subject"] == cover["subject"]]
            assert sum(gap["impossible"] for gap in gaps) == cover["impossible"]
            assert sum(not gap["impossible"] for gap in gaps) == cover["missed"]
            assert cover["hit"] + cover["impossible"] + cover["missed"] == cover["planned"]


def test_the_rows_of_the_ledger(make: Callable[[], Report]) -> None:
    lines, data = shown(make())
    head = next(i for i, line in enumerate(lines) if line.startswith("scenario "))
    for row, one in zip(lines[head + 1 :], data["ledger"], strict=False):
        assert row.split()[:2] == [one["scenario"], f"{one['granularity']}/{one['handles']}"]
        cells = [f"{c['hit']}/{c['planned']}" + (f"-{c['impossible']}" * bool(c["impossible"])) for c in one["covers"]]
        assert [cell for cell in row.split()[2:] if "/" in cell] == cells


def test_the_ground_of_each_pass(make: Callable[[], Report]) -> None:
    lines, data = shown(make())
    deaths = any("deaths" in line for line in lines if line.startswith("clause "))
    for clause in data["clauses"]:
        if clause["verdict"] != "PASS":
            continue
        ground = clause["ground"]
        row = next(line for line in lines if re.match(rf"{clause['clause']} +PASS", line)).split(maxsplit=2)[2]
        searched = sorted(ground["searched"], key=lambda one: (one["granularity"], one["handles"]))
        far: list[int] = []
        for one in searched:
            far += [one["exhausted"]] if one["exhausted"] else []
            far += [part[name] for part in one["bounded"] for name in ("scenarios", "bound")]
        totals = [sum(one[name] for one in searched) for name in ("executions", "states")]
        died = [ground["deaths"], ground["kills"]] if deaths else []
        more = [most for most in ground["faults"].values() if most > 1]
        assert numbers(row) == [*far, *totals, *died, *more]


def test_gaps_and_deaths(make: Callable[[], Report]) -> None:
    lines, data = shown(make())
    missed = [one for one in data["ledger"] for gap in one["gaps"] if gap["subject"] != "witnesses"]
    counted = [numbers(line.split("): ", 1)[1])[0] for line in lines if line.startswith("not hit: ")]
    assert sum(counted) == len(missed)
    if data["gate"]["durability"] != "volatile":
        assert numbers(line_of(lines, "crashes: ")) == [sum(job["deaths"] for job in data["jobs"])]
    unfinished = [job for job in data["jobs"] if not job["complete"]]
    assert bool(unfinished) == any(line.startswith("not explored: ") for line in lines)


def test_the_verdict_line(make: Callable[[], Report]) -> None:
    lines, data = shown(make())
    assert lines[-1] == data["summary"]
    counts = {name: sum(1 for c in data["clauses"] if c["verdict"] == name) for name in ("PASS", "FAIL", "UNKNOWN")}
    if make is not by_hand:
        assert all(f"{count} {name}" in lines[-1] for name, count in counts.items())
    assert numbers(lines[-2])[-2:] == [data["seed"], data["exit_code"]]

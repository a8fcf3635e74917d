"""Ten thousand results: each format stays valid, and within the limits of those who read it."""

from __future__ import annotations

import gzip
import io
import json
from collections import Counter
from typing import Any

import jsonschema
import pytest
import xmlschema
from msgspec.structs import replace

from stopcheck.report import ctrf_report, junit_report, markdown_report, sarif_report
from tests.fast.report.large import large, worst
from tests.fast.report.stories import story
from tests.fast.report.test_formats import SCHEMAS, schema

#: What GitHub takes of a SARIF file: its size when compressed, and the locations of a thread flow. Of more results than
#: these it shows none.
COMPRESSED, FLOW_LOCATIONS, SHOWN = 10_000_000, 10_000, 5_000
#: A job's summary.
SUMMARY = 1 << 20
#: What GitLab takes of a JUnit report.
JUNIT = 30_000_000

both = pytest.mark.parametrize("make", [large, worst])


def _flows(run: dict[str, Any]) -> list[int]:
    flows = [flow for result in run["results"] for flow in result.get("codeFlows", [])]
    return [len(thread["locations"]) for flow in flows for thread in flow["threadFlows"]]


@both
def test_sarif(make: Any) -> None:
    content = sarif_report(make())
    document = json.loads(content)
    (run,) = document["runs"]
    assert len(gzip.compress(content, mtime=0)) < COMPRESSED
    assert len(run["results"]) <= SHOWN
    assert 0 < max(_flows(run)) <= FLOW_LOCATIONS
    run["results"] = run["results"][::50]  # they are alike
    jsonschema.validate(document, schema("sarif-schema-2.1.0.json"))


def test_each_broken_clause_is_among_what_sarif_shows_and_what_is_left_out_is_counted() -> None:
    report = worst()
    (run,) = json.loads(sarif_report(report))["runs"]
    assert Counter(result["ruleId"] for result in run["results"]) == {c.clause: 50 for c in report.clauses}
    assert all("codeFlows" in result for result in run["results"][::50]), "the first of each clause is told"
    notes = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert any(note.startswith("5,000 further results left out") for note in notes)
    (few,) = json.loads(sarif_report(large()))["runs"]
    assert "left out" not in json.dumps(few["invocations"])


def test_a_run_of_ten_thousand_steps_is_cut_for_sarif() -> None:
    moves = story().moves * (10_000 // len(story().moves) + 1)
    stories = tuple(replace(one, moves=moves) for one in large().interleavings[:1])
    (run,) = json.loads(sarif_report(replace(large(), interleavings=stories)))["runs"]
    assert max(_flows(run)) <= FLOW_LOCATIONS


@both
def test_markdown(make: Any) -> None:
    assert len(markdown_report(make())) <= SUMMARY


def test_markdown_of_long_runs() -> None:
    stories = tuple(replace(one, moves=one.moves * 400) for one in large().interleavings)
    assert len(markdown_report(replace(large(), interleavings=stories))) <= SUMMARY


@both
def test_junit(make: Any) -> None:
    content = junit_report(make())
    assert len(content) < JUNIT
    xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd")).validate(io.BytesIO(content))


@both
def test_ctrf(make: Any) -> None:
    document = json.loads(ctrf_report(make()))
    jsonschema.validate(document, schema("ctrf.schema.json"))
    assert len(document["results"]["tests"]) == len(make().clauses) + len(make().faults)

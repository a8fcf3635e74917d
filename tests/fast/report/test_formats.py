"""Report files for other tools: valid by the schemas that others published, within the limits of those who read them,
and with what a person needs in them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
import xmlschema
from msgspec.structs import replace

from stopcheck.campaign import Finding, Kind
from stopcheck.report import (
    ctrf_report,
    json_report,
    junit_report,
    markdown_report,
    report_schema,
    sarif_report,
    trace_of,
)
from stopcheck.report._markdown import LIMIT
from stopcheck.report._places import code_place
from tests.fast.report.samples import FINDING, REPORT, TOKEN
from tests.fast.report.stories import empty, failed, story

SCHEMAS = Path(__file__).parent / "schemas"
ROOT = Path(__file__).parents[3]
PUBLISHED = ROOT / "docs" / "report.schema.json"
REMAKE = "run: .venv/bin/stopcheck list report > docs/report.schema.json"


def adm3() -> Finding:
    return next(c.findings[0] for c in failed().clauses if c.clause == "ADM-3")


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / name).read_bytes())


every_report = pytest.mark.parametrize("make", [failed, lambda: REPORT, empty], ids=["told", "untold", "empty"])


@every_report
def test_the_json_report_is_valid_by_the_published_schema(make: Any) -> None:
    published = json.loads(PUBLISHED.read_bytes())
    assert published == json.loads(msgspec.json.encode(report_schema())), REMAKE
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.validate(json.loads(json_report(make())), published, cls=jsonschema.Draft202012Validator)


def test_the_schema_refuses_another_document() -> None:
    document = json.loads(json_report(failed()))
    for wrong in ({**document, "format_version": 2}, {**document, "clauses": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, report_schema(), cls=jsonschema.Draft202012Validator)


@every_report
def test_sarif_is_valid(make: Any) -> None:
    jsonschema.validate(json.loads(sarif_report(make())), schema("sarif-schema-2.1.0.json"))


@every_report
def test_ctrf_is_valid(make: Any) -> None:
    document = json.loads(ctrf_report(make()))
    jsonschema.validate(document, schema("ctrf.schema.json"))
    summary = document["results"]["summary"]
    counted = ("passed", "failed", "skipped", "pending", "other")
    assert summary["tests"] == sum(summary[name] for name in counted) == len(document["results"]["tests"])


@every_report
def test_junit_is_valid_and_its_names_are_unique(make: Any) -> None:
    xsd = xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))
    xsd.validate(io.BytesIO(junit_report(make())))
    cases = xmlschema.XMLResource(io.BytesIO(junit_report(make()))).root.findall("testsuite/testcase")
    names = [(case.attrib["classname"], case.attrib["name"]) for case in cases]
    assert len(set(names)) == len(names)


def test_a_sarif_result_is_a_place_a_message_and_the_interleaving() -> None:
    (run,) = json.loads(sarif_report(failed()))["runs"]
    (result,) = run["results"]
    assert result["ruleId"] == "ADM-3" == run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "stopcheck_fixtures/vendor/flag_gate.py"
    assert place["region"]["startLine"] == 138
    assert f"stopcheck replay {TOKEN}" in result["message"]["text"]
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["executionOrder"] for step in flow] == list(range(1, len(flow) + 1))
    essential = [s["location"]["message"]["text"] for s in flow if s["importance"] == "essential"]
    assert any("request_cancel" in text and "not the default" in text for text in essential)
    assert any(text.startswith("ADM-3 broken at step") for text in essential)


def test_a_sarif_fingerprint_outlives_the_line_and_the_token() -> None:
    def prints(finding: Finding) -> str:
        clauses = tuple(replace(c, findings=(finding,)) if c.clause == "ADM-3" else c for c in REPORT.clauses)
        found = json.loads(sarif_report(replace(REPORT, clauses=clauses)))["runs"][0]["results"]
        return str(found[0]["partialFingerprints"])

    moved = replace(FINDING, where="gate.py:999 Gate.commit_effect", token="sc1.x", step=40)
    assert prints(moved) == prints(FINDING) != prints(replace(FINDING, scenario="late-completion"))


def test_sarif_keeps_githubs_limits() -> None:
    long = replace(story(), moves=story().moves * 200)
    finding = replace(adm3(), message="m" * 20_000)
    clauses = tuple(replace(c, findings=(finding,)) if c.clause == "ADM-3" else c for c in failed().clauses)
    (run,) = json.loads(sarif_report(replace(failed(), clauses=clauses, interleavings=(long,))))["runs"]
    assert len(run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]) == 1_000
    assert len(run["results"][0]["message"]["text"]) <= 4_000


@pytest.mark.parametrize(
    ("where", "reference", "expected"),
    [
        ("gate.py:7 Gate.f", "my/gate.py:Gate", ("my/gate.py", 7, "Gate.f")),
        ("gate.py:7 Gate.f | SELECT 1: 2", "my/gate.py:Gate", ("my/gate.py", 7, "Gate.f")),
        ("pkg/store.py:9 Store.put", "pkg.gate:Gate", ("pkg/store.py", 9, "Store.put")),
        ("", "pkg.gate:Gate", ("pkg/gate.py", 1, "")),
        ("", "node src/gate.js", ("src/gate.js", 1, "")),
        ("", "sqlite", ("pyproject.toml", 1, "")),
    ],
)
def test_a_place_is_a_file_that_the_repository_has(where: str, reference: str, expected: tuple[str, int, str]) -> None:
    assert code_place(where, reference) == expected


def test_a_junit_failure_tells_the_story() -> None:
    text = junit_report(failed()).decode()
    assert "expected: A gate MUST make commitment" in text
    assert "request_cancel(refund/1" in text
    assert "cutoff: from here on nothing new may be admitted" in text
    assert "ADM-3 broken at step" in text


def test_the_summary_says_what_failed_how_to_replay_it_and_what_is_not_proved() -> None:
    text = markdown_report(failed()).decode()
    assert text.startswith("## ❌ mine is NOT certified")
    assert f"stopcheck replay {TOKEN}" in text
    assert "What this does not prove" in text
    assert "ADM-5, ADM-6: no run put it to the test" in text


def test_the_summary_of_a_gate_that_could_not_be_opened_is_its_fault() -> None:
    text = markdown_report(empty()).decode()
    assert "Adapter fault: GateRaised" in text
    assert "|" not in text
    assert "No scenario of this campaign was played" in text


def test_the_summary_stays_within_its_limit_and_says_what_it_left_out() -> None:
    assert len(markdown_report(failed())) < LIMIT
    for limit in (600, 1_500, 3_000):
        short = markdown_report(failed(), limit=limit)
        assert len(short) <= limit
        assert "further sections were left out" in short.decode()


def test_what_an_adapter_says_is_no_markup() -> None:
    fault = replace(REPORT.faults[0], what="<script>alert(1)</script> **x** `y`")
    text = markdown_report(replace(REPORT, faults=(fault,))).decode()
    assert "<script>" not in text
    assert "**x**" not in text


def test_a_trace_has_a_lane_for_each_and_every_move_in_order() -> None:
    events = json.loads(trace_of(story()))["traceEvents"]
    lanes = {e["args"]["name"]: e["tid"] for e in events if e["name"] == "thread_name"}
    assert list(lanes) == [lane.name for lane in story().lanes]
    parked = next(e for e in events if e["ph"] == "X" and e["name"].startswith("commit_effect(") and "dur" in e)
    stop = next(e for e in events if e["ph"] == "X" and e["name"].startswith("request_cancel("))
    assert parked["ts"] < stop["ts"] < parked["ts"] + parked["dur"], "the stop lies inside of the call"
    assert [e["ts"] for e in events if e["ph"] == "i" and e["name"] == "ADM-3 broken"]
    assert len([e for e in events if e["ph"] == "s"]) == len([e for e in events if e["ph"] == "f"]) > 0


def test_a_story_knows_the_cutoff_the_deviation_and_what_was_held_before_and_after_the_step() -> None:
    cutoff = next(move for move in story().moves if move.cutoff)
    assert "request_cancel" in cutoff.what
    assert cutoff.instead_of == "worker@await"
    assert cutoff.step < story().step
    before, after = (
        next(h for h in held if h.subject == "refund-mail at mail") for held in (story().before, story().after)
    )
    assert (before.gate, before.truth) == ("not admitted", "not done")
    assert after.gate.startswith("admitted at revision")
    nearest = story().nearest
    assert nearest is not None
    assert nearest.broken == ()
    assert {move.kind for move in story().moves} >= {Kind.CALL, Kind.POINT, Kind.RETURN, Kind.EXCHANGE, Kind.COMMIT}

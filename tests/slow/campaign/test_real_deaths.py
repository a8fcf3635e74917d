"""Real deaths in the ledger: each durable state is planned once, and a process is killed in each."""

from __future__ import annotations

from pathlib import Path

import pytest

from stopcheck.campaign import (
    ClauseVerdict,
    Cover,
    JobSpec,
    Kind,
    Report,
    Subject,
    Verdict,
    ledger_of,
    load_gate,
    replay_any,
)
from stopcheck.campaign._sigkill import SigkillOutcome, sigkill_job, sigkill_pass
from stopcheck.report import html_report, interleaving

SCENARIO = "stop-in-peace"
OPAQUE = f"{Path(__file__).parent / 'opaque_gate.py'}:Gate"


def planned(outcome: SigkillOutcome) -> int:
    assert outcome.trouble == ""
    assert outcome.findings == ()
    assert all(states == killed > 0 for states, killed in outcome.points.values())
    assert sum(killed for _, killed in outcome.points.values()) == outcome.kills
    return outcome.kills


def test_each_state_of_a_gate_with_a_fingerprint_is_tried_once_and_all_of_one_without() -> None:
    known = sigkill_pass(load_gate("sqlite"), (SCENARIO,))
    unknown = sigkill_pass(load_gate(OPAQUE), (SCENARIO,))
    assert 0 < planned(known) < planned(unknown)
    assert not any(where.endswith("@inspect") for where in known.points)  # it leaves nothing behind
    assert any(where.endswith("@request_cancel") for where in known.points)


def test_they_are_counted_by_state() -> None:
    job = sigkill_job(load_gate("sqlite"), JobSpec(SCENARIO, 1, "calls", "sigkill", 1, 0), lambda: None)
    (ledger,) = ledger_of([job])
    assert ledger.covers == (Cover(Subject.KILLS, job.deaths, job.deaths, 0, 0),)


def test_a_module_that_goes_elsewhere_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goes.py").write_text(
        "import os\nos.chdir('/')\nfrom stopcheck_fixtures.reference.sqlite import SqliteGate\n"
    )
    outcome = sigkill_pass(load_gate("goes.py:SqliteGate"), (SCENARIO,), only=(0, 2))
    assert (outcome.kills, outcome.trouble) == (1, "")


FORGETFUL = f"{Path(__file__).parent / 'forgetful_gate.py'}:Gate"


def test_of_one_that_loses_something_the_run_up_to_the_death_is_told() -> None:
    loaded = load_gate(FORGETFUL)
    job = sigkill_job(loaded, JobSpec(SCENARIO, 1, "calls", "sigkill", 1, 0), lambda: None)
    finding = next(finding for finding in job.findings if finding.clause == "REC-2")
    replayed = replay_any(loaded, finding, alive=lambda: None)
    story = interleaving(replayed, loaded.contract, finding.token, finding.clause)
    assert story.moves[-1].kind is Kind.DEATH
    assert story.moves[-1].what == "the gate's process DIES (SIGKILL); a new one opens on what it left"
    assert (story.moves[-1].step, story.step) == (finding.step, finding.step)
    assert any(move.cutoff for move in story.moves)
    verdict = ClauseVerdict("REC-2", Verdict.FAIL, finding.message, findings=(finding,))
    page = html_report(
        Report("0", "2026-11", loaded.identity(), 0, (verdict,), (job,), (), 1, "", interleavings=(story,))
    ).decode()
    assert "At its end the process was killed for real." in page
    assert "was asked by a fresh process after the death" in page
    assert "and a fresh one shows no record" in page

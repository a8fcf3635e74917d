"""Real deaths in the ledger: each durable state is planned once, and a process is killed in each."""

from __future__ import annotations

from pathlib import Path

from stopcheck.campaign import Cover, JobSpec, Subject, ledger_of, load_gate
from stopcheck.campaign._sigkill import SigkillOutcome, sigkill_job, sigkill_pass

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

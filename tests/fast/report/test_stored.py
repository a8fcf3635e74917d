"""What a gate's storage says before the step that breaks and after it."""

from __future__ import annotations

from contextlib import closing

from msgspec.structs import replace

from stopcheck.campaign import Finding, Interleaving, load_gate, replay_finding
from stopcheck.report import interleaving
from stopcheck.world import Granularity
from tests.fast.corpus.cases import Case, make
from tests.fast.corpus.entries import FOLDER, token_of
from tests.fast.report.samples import FINDING
from tests.fast.report.test_timeline import lost_race

GATE = "stopcheck_fixtures.vendor.two_connections:Gate"
PINNED = "two-connections-check-then-act"


def broken() -> tuple[Finding, Interleaving]:
    """The pinned run of a durable gate that is wrong."""
    loaded = load_gate(GATE)
    finding = replace(FINDING, token=token_of((FOLDER / f"{PINNED}.txt").read_text()), nearest=None)
    step = next(v.step for v in replay_finding(loaded, finding).violations if v.clause == "ADM-3")
    finding = replace(finding, step=step)
    return finding, interleaving(replay_finding(loaded, finding), loaded.contract, finding.token, "ADM-3")


def test_the_storage_holds_the_effect_only_after_the_step_that_admits_it() -> None:
    finding, story = broken()
    assert story.step == finding.step
    before, after = ({held.subject: held for held in rows} for rows in (story.before, story.after))
    assert "a stop (revision" in before["refund/1"].stored
    assert (before["refund-mail at mail"].gate, before["refund-mail at mail"].stored) == ("not admitted", "nothing")
    assert after["refund-mail at mail"].gate.startswith("admitted")
    assert after["refund-mail at mail"].stored == "pending"
    assert after["refund-mail at mail"].truth == "not done"


def test_looking_changes_nothing_of_the_run() -> None:
    finding, _ = broken()
    loaded = load_gate(GATE)
    early = replay_finding(loaded, replace(finding, step=1)).record.rendered()
    assert replay_finding(loaded, finding).record.rendered() == early


def test_a_volatile_gate_has_no_storage() -> None:
    assert lost_race().stored is None


def stored_at_the_end(gate: str) -> dict[str, str]:
    """The effects that its storage holds when the plain run is over."""
    token = make(Case("", "", gate, "before-admission", Granularity.CALLS)).token()
    loaded = load_gate(gate)
    with closing(loaded):
        stored = replay_finding(loaded, replace(FINDING, token=token, nearest=None, step=10_000)).stored
    assert stored is not None
    return {e.effect_id: e.disposition.value for snapshot in stored.before.values() for e in snapshot.effects}


def test_a_gate_that_has_to_be_awaited_is_asked_in_a_loop_of_its_own() -> None:
    assert stored_at_the_end("tests.fast.world.aiosqlite_gates:InOneTransaction") == {"refund-mail": "completed"}

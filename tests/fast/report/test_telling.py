"""From pinned runs to stories: who takes part, what is told of deaths, time and plumbing."""

from __future__ import annotations

from msgspec.structs import replace

from stopcheck.campaign import Interleaving, Kind, Part, load_gate
from stopcheck.report import interleaving
from stopcheck.report.page._diagram import diagram
from tests.fast.corpus.cases import CASES
from tests.fast.corpus.entries import FOLDER, replayed_of, token_of
from tests.fast.report.test_timeline import GATE, lost_race


def told(name: str) -> Interleaving:
    case = next(case for case in CASES if case.name == name)
    token = token_of((FOLDER / f"{name}.txt").read_text())
    return interleaving(replayed_of(case, token), load_gate(case.gate).contract, token)


def test_each_handle_is_a_lane_and_a_death_is_told() -> None:
    story = told("sqlite-two-handles")
    assert [lane.name for lane in story.lanes if lane.part is Part.GATE] == ["gate handle 0", "gate handle 1"]
    death = next(move for move in story.moves if move.kind is Kind.DEATH)
    assert death.instead_of
    assert {move.to for move in story.moves if "request_cancel" in move.what} == {"gate handle 1"}


def test_time_that_passes_out_of_turn_is_told_and_is_no_lane() -> None:
    story = told("memory-deadline")
    time = next(move for move in story.moves if move.lane == "time")
    assert time.what == "passes to just after the deadline strikes"
    assert time.instead_of
    assert "time" not in [lane.name for lane in story.lanes]
    row = next(row for row in diagram(story).rows if row.who == "time")
    assert row.time == "8.001500001s"


def test_queues_stand_between_actors_and_the_gate_and_receivers_come_last() -> None:
    parts = [lane.part for lane in told("memory-duplicate").lanes]
    assert parts == sorted(parts, key=[Part.ACTOR, Part.QUEUE, Part.GATE, Part.RECEIVER].index)
    assert Part.QUEUE in parts


def test_what_the_gate_printed_stands_at_its_step() -> None:
    step = next(v.step for v in lost_race().violations)
    printing = replace(lost_race(), printed={step: ["admitting refund-mail"]})
    moves = interleaving(printing, load_gate(GATE).contract, "token").moves
    at = next(number for number, move in enumerate(moves) if move.what == "prints: admitting refund-mail")
    assert (moves[at].lane, moves[at].step) == ("gate", step)
    assert moves[at - 1].kind is Kind.RETURN


def test_ticks_that_change_nothing_are_plumbing_and_those_that_do_are_told() -> None:
    story = told("sqlite-two-handles")
    ticks = [move for move in story.moves if "tick" in move.what]
    assert ticks
    assert all(move.kind is Kind.EXCHANGE and "transitions" in move.what for move in ticks)
    assert not any("open_task" in move.what for move in story.moves)

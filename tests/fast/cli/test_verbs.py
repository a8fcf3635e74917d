"""The verbs, where nothing goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from stopcheck.campaign import ExitCode, load_scenarios
from stopcheck.explore import STRATEGIES
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.kernel import Schedule
from tests.fast.cli.support import run

TOKEN = Schedule.of("before-admission", {"handles": "1", "granularity": "calls"}, []).token()


def test_lists_hold_everything_and_fit_the_width(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "list", "scenarios") == 0
    out = capsys.readouterr().out
    assert all(name in out for name in load_scenarios())
    assert all(len(line) <= 80 for line in out.splitlines())
    assert run(monkeypatch, "list", "requirements") == 0
    out = capsys.readouterr().out
    assert all(any(line.startswith(f"{name} ") for line in out.splitlines()) for name in REQUIREMENTS)
    assert run(monkeypatch, "list", "gates") == 0
    assert "sqlite" in capsys.readouterr().out


def test_strategies_are_listed_with_what_they_complete(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "list", "strategies") == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.splitlines())
    for strategy in STRATEGIES.values():
        line = next(line for line in out.splitlines() if line.startswith(f"{strategy.name} "))
        assert line.split()[1] == strategy.completes.value


def test_uncovered_requirements_are_those_without_a_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "list", "requirements", "--uncovered") == 0
    out = capsys.readouterr().out
    rows = [line for line in out.splitlines() if line.split()[:1] and line.split()[0] in REQUIREMENTS]
    assert all("none yet" in row for row in rows)
    assert f"{len(rows)} not covered" in out.replace("\n", " ")


def test_explaining_a_clause_and_a_scenario(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "explain", "adm-3") == 0
    out = capsys.readouterr().out
    assert REQUIREMENTS["ADM-3"].wording in out
    for words in ("atomic: needs branch points inside", "check ", "scenarios: before-admission", "wrong gate "):
        assert words in out
    assert run(monkeypatch, "explain", "before-admission") == 0
    out = capsys.readouterr().out
    assert "witness: " in out
    assert "fault budget: " in out


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("core", "a profile; all of them, and what they want a gate to declare: stopcheck list profiles"),
        ("commit_effect", "an operation of the gate protocol, for every gate; the reference: stopcheck list protocol"),
        ("LIVE", "a family of clauses; all of them: stopcheck list requirements"),
        ("pct", "a strategy; all of them: stopcheck list strategies"),
        ("deadlines", "adds the clauses: DDL-1, DDL-2, DDL-3"),
        ("lost-response", "its default order with a gate: stopcheck replay lost-response --gate GATE"),
    ],
)
def test_whatever_has_a_name_is_explained_with_where_it_is_listed(
    name: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "explain", name) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{name}: ")
    assert says in lines


def test_a_replay_in_which_nothing_breaks(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "replay", TOKEN, "--gate", "memory") == ExitCode.CERTIFIED
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "clauses broken: none"
    assert "0 deviations from the default order" in lines[-2]


def test_a_scenarios_name_shows_its_default_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    trace = tmp_path / "trace.json"
    assert run(monkeypatch, "replay", "before-admission", "--gate", "memory", "--trace", str(trace)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "before-admission (handles 1, granularity calls), memory"
    assert any("request_cancel(refund/1, task, user) = Ended" in line for line in lines)
    assert "0 deviations from the default order" in lines[-2]
    assert trace.stat().st_size


def test_help_names_no_hidden_option(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "certify", "--help") == 0
    out = capsys.readouterr().out
    assert "--junit" in out
    assert "--execution-seconds" not in out

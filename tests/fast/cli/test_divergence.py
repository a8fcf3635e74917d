"""A token or a failure file of a scenario that was edited since: at which step, what was expected, what is found, what
comes nearest, and what to do next; exit 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from stopcheck.campaign import (
    ExitCode,
    FailureFile,
    Finding,
    NamedChoice,
    load_gate,
    load_scenarios,
    seen_from,
)
from stopcheck.campaign import _replaying as replaying
from stopcheck.explore import make_trial, replay
from stopcheck.judge import CHECKS
from stopcheck.kernel import Schedule
from stopcheck.world import PlainInterior, Scenario, Variant, World, branch
from tests.fast.cli.support import run
from tests.fast.kernel.support import Script
from tests.fast.scenarios.driver import NoStorage

GATE = "stopcheck_fixtures.vendor.flag_gate:Gate"
Build = Callable[[World], None]


async def _walks(labels: Sequence[str]) -> None:
    for label in labels:
        await branch(label)


def cast(*people: str, label: str = "stroll", walks: Sequence[str] = ()) -> Build:
    """A task, people who press Stop, and a passer-by."""

    def build(world: World) -> None:
        task = world.task("task")
        world.opens(task)
        for name in people:
            world.person(name, task, then_inspects=False)
        world.actor("passer-by", _walks(walks or (label, "home")))

    return build


def small(build: Build) -> Scenario:
    return msgspec.structs.replace(load_scenarios()["before-admission"], id="small", build=build, witnesses=())


def recorded(build: Build, *wanted: str) -> tuple[Schedule, tuple[NamedChoice, ...]]:
    """A run's schedule, and its choices by name."""
    trial = make_trial(small(build), load_gate(GATE).factory, Variant(1), PlainInterior(NoStorage()), CHECKS)
    schedule = trial(Script(*wanted)).schedule()
    seen = replay(trial, schedule).seen
    return schedule, tuple(NamedChoice(s.point, s.option, s.options[0] if s.index else "") for s in seen)


BEFORE = cast("ann", "bob")
WANTED = ("passer-by@stroll", "bob@request_cancel")


class Edit(NamedTuple):
    """An edit, and what a replay says of it: from a token, and from a file that names what a token only digests."""

    build: Build
    choice: int
    expected: str
    found: str
    nearest: str
    cause: str
    token_expected: str = ""


EDITS = {
    "a label was renamed": Edit(
        cast("ann", "bob", label="walk"),
        0,
        "'passer-by@stroll'",
        "the run asks at 'run' and offers ann@request_cancel, bob@request_cancel, passer-by@walk",
        "'passer-by@walk'",
        "this actor's steps were renamed, or some were added or taken away",
    ),
    "an actor was renamed": Edit(
        cast("anna", "bob"),
        2,
        "'ann@request_cancel'",
        "anna@request_cancel, passer-by@home",
        "'anna@request_cancel'",
        "actors were renamed",
        token_expected="the default",
    ),
    "an actor was taken away": Edit(
        cast("ann"),
        1,
        "'bob@request_cancel'",
        "offers passer-by@home, ann@request_cancel",
        "'ann@request_cancel'",
        "actors were renamed, added, taken away",
    ),
    "a step was taken away": Edit(
        cast("ann", "bob", walks=("stroll",)),
        2,  # with nobody else to move nothing is asked
        "'ann@request_cancel'",
        "the run had ended",
        "",
        "makes fewer steps now",
        token_expected="the default",
    ),
}


def edited(monkeypatch: pytest.MonkeyPatch, build: Build) -> None:
    """From now on the scenario is this one."""
    monkeypatch.setattr(replaying, "load_scenarios", lambda: {"small": small(build)})


def failure_file(path: Path, schedule: Schedule, named: tuple[NamedChoice, ...]) -> str:
    finding = Finding(
        clause="ADM-3",
        check="linearisability",
        message="made by hand",
        scenario="small",
        handles=1,
        granularity="calls",
        strategy="by hand",
        token=schedule.token(),
        deviations=schedule.deviations,
        choices=len(named),
        step=1,
        executions_to_find=1,
        shrunk=True,
        named=named,
    )
    identity = load_gate(GATE).identity()
    file = FailureFile("stopcheck-failure", 1, "0.1.0", "2026-11", identity, finding)
    path.write_bytes(msgspec.json.encode(file))
    return str(path)


def told(err: str) -> dict[str, str]:
    """The lines of a report, by what they begin with."""
    return dict(line.strip().partition(": ")[::2] for line in err.splitlines())


@pytest.mark.parametrize("by_file", [False, True], ids=["token", "failure file"])
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_the_scenario_is_told_clearly(
    name: str,
    by_file: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    edit = EDITS[name]
    schedule, named = recorded(BEFORE, *WANTED)
    edited(monkeypatch, edit.build)
    given = (failure_file(tmp_path / "f.json", schedule, named),) if by_file else (schedule.token(), "--gate", GATE)
    assert run(monkeypatch, "replay", *given) == ExitCode.INCONCLUSIVE
    out, err = capsys.readouterr()
    assert out == ""
    lines = told(err)
    assert lines["error"].startswith(f"the run left the schedule at choice {edit.choice}, after step ")
    digested = not by_file and edit.token_expected
    assert lines["expected"] == (edit.token_expected if digested else edit.expected)
    assert edit.found.removeprefix("the run ") in lines["found"]
    assert lines.get("nearest", "") == ("" if digested else edit.nearest)
    assert edit.cause in lines["cause"]
    assert f"stopcheck certify {GATE} --scenario small" in err


def test_of_another_gate_it_is_said_that_it_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A token does not name its gate, a file does."""
    schedule, named = recorded(BEFORE, *WANTED)
    path = failure_file(tmp_path / "f.json", schedule, named)
    edited(monkeypatch, cast("anna", "bob"))
    assert run(monkeypatch, "replay", schedule.token(), "--gate", "memory") == ExitCode.INCONCLUSIVE
    assert "made with another gate, or the gate or the scenario has changed" in told(capsys.readouterr().err)["cause"]
    assert run(monkeypatch, "replay", path, "--gate", "memory") == ExitCode.INCONCLUSIVE
    cause = told(capsys.readouterr().err)["cause"]
    assert "it was made with another gate: name was flag and is memory; other capabilities" in cause


def test_a_clause_that_holds_now_is_said_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    edited(monkeypatch, BEFORE)
    path = failure_file(tmp_path / "f.json", *recorded(BEFORE, *WANTED))
    assert run(monkeypatch, "replay", path) == ExitCode.CERTIFIED
    assert "ADM-3 held in this run, where the file has it broken: the gate has changed since" in capsys.readouterr().out


def test_a_gate_is_looked_for_above_the_file_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "reports" / "failures").mkdir(parents=True)
    (tmp_path / "own" / "gate.py").touch()
    file = tmp_path / "reports" / "failures" / "ADM-3.json"
    assert seen_from("own/gate.py:Gate", file) == f"{tmp_path / 'own' / 'gate.py'}:Gate"
    monkeypatch.chdir(tmp_path)
    for reference in ("own/gate.py:Gate", "own.gate:Gate", "nowhere.py:Gate", "command:python own/gate.py", "memory"):
        assert seen_from(reference, file) == reference


def test_where_only_the_order_was_edited_a_file_is_followed_by_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A token knows its defaults by a digest: it says which option they are now."""
    schedule, named = recorded(BEFORE, *WANTED)
    edited(monkeypatch, cast("bob", "ann"))
    path = failure_file(tmp_path / "f.json", schedule, named)
    assert run(monkeypatch, "replay", path) == ExitCode.CERTIFIED
    assert "clauses broken: none" in capsys.readouterr().out
    first = recorded(BEFORE)[0]
    assert run(monkeypatch, "replay", first.token(), "--gate", GATE) == ExitCode.INCONCLUSIVE
    assert told(capsys.readouterr().err)["nearest"] == "'ann@request_cancel'"


def test_without_an_edit_a_file_and_its_token_make_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule, named = recorded(BEFORE, *WANTED)
    edited(monkeypatch, BEFORE)
    logs = [tmp_path / "file.jsonl", tmp_path / "token.jsonl"]
    path = failure_file(tmp_path / "f.json", schedule, named)
    for given, log in zip(((path,), (schedule.token(), "--gate", GATE)), logs, strict=True):
        assert run(monkeypatch, "replay", *given, "--log", str(log)) == ExitCode.CERTIFIED
    assert logs[0].read_bytes() == logs[1].read_bytes() != b""


def test_a_file_that_was_edited_by_hand_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.json"
    failure_file(path, *recorded(BEFORE, *WANTED))
    good = path.read_text()
    for edit, words in (
        (('"handles":1', '"handles":"one"'), "Expected `int`"),
        (('"granularity":"calls"', '"granularity":"atoms"'), "atoms"),
        (('"version":1', '"version":2'), "version 2; this kit reads version 1"),
        (('"scenario":"small"', '"scenario":"small one"'), "'small one'"),
    ):
        path.write_text(good.replace(*edit))
        assert run(monkeypatch, "replay", str(path)) == ExitCode.USAGE
        err = capsys.readouterr().err
        assert words in err
        assert "  next: " in err
    path.write_text(good)
    assert run(monkeypatch, "replay", str(path), "--clause", "rec-1") == ExitCode.USAGE
    assert "clauses with findings there: ADM-3" in capsys.readouterr().err

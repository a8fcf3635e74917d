"""The timeline of a replayed run, and the nearest run that passes: a race that a vendor's gate loses, found here."""

from __future__ import annotations

from functools import cache

import msgspec

from stopcheck.campaign import ReplayedRun, load_gate, load_scenarios, replay_schedule
from stopcheck.campaign._ground import ground
from stopcheck.explore import Budget, depth_first, make_trial
from stopcheck.judge import CHECKS
from stopcheck.report import print_parting, print_timeline
from stopcheck.report._parting import parting
from stopcheck.report._timeline import timeline
from stopcheck.world import Entry, Event, Granularity, PhaseBegan, Variant
from tests.fast.report.samples import pipe

GATE = "stopcheck_fixtures.vendor.flag_gate:Gate"


@cache
def lost_race() -> ReplayedRun:
    """A run in which the stop comes between the gate's check and its act."""
    loaded = load_gate(GATE)
    scenario = load_scenarios()["before-admission"]
    with ground(loaded, Granularity.INNER) as interior:
        trial = make_trial(scenario, loaded.factory, Variant(1, Granularity.INNER), interior, CHECKS)
        found = depth_first(trial, Budget(400), bound=1)
    return replay_schedule(loaded, found.failures["ADM-3"].schedule)


def told(*, full: bool = False) -> list[str]:
    return [line.text for line in timeline(lost_race(), full=full)]


def test_who_what_when_and_where_in_the_gates_code() -> None:
    line = next(line for line in told() if "request_cancel" in line)
    assert line.split()[:3] == ["*", line.split()[1], "0s"]
    assert " person " in line
    assert "= Accepted (record record-1" in line
    assert "[stopcheck_fixtures/vendor/flag_gate.py:" in line


def test_a_call_that_parks_shows_where_it_stands() -> None:
    stands = next(line for line in told() if "stands at await" in line)
    assert "Gate.commit_effect]" in stands
    asks = [line for line in told() if "commit_effect(" in line]
    assert "begins" in asks[0]


def test_a_deviation_is_marked_and_says_what_the_default_was() -> None:
    deviations = lost_race().deviations
    marked = [line for line in told() if line.startswith(" *")]
    assert len(marked) == len(deviations) > 0
    assert all("<- not the default, which was worker: await" in line for line in marked)


def test_a_broken_clause_stands_right_after_its_step_and_is_told_once_in_full() -> None:
    lines = told()
    step = next(v.step for v in lost_race().violations if v.clause == "ADM-3")
    at = next(i for i, line in enumerate(lines) if line.startswith(f"!!! ADM-3 broken at step {step}: "))
    before = next(line for line in reversed(lines[:at]) if not line.startswith("!!!"))
    assert before.split()[0] == str(step)
    assert sum(line.startswith("!!! ADM-4 broken at") for line in lines) == 1
    again = [line for line in lines if line.startswith("!!! ADM-4 broken again at")]
    assert len(again) >= 1
    assert len(set(again)) == len(again)


def test_what_broke_in_the_last_step_before_a_header_stands_before_that_header() -> None:
    replayed = lost_race()
    last = next(line.step for line in replayed.record.log if isinstance(line, Entry) and _is_end(line.event))
    twice = [msgspec.structs.replace(v, step=last) for v in replayed.violations[:1]] * 2
    lines = [line.text for line in timeline(msgspec.structs.replace(replayed, violations=twice))]
    broken = [at for at, line in enumerate(lines) if line.startswith("!!! ")]
    assert len(broken) == 1
    assert lines[broken[0] + 1].startswith("--- final")


def _is_end(event: Event) -> bool:
    return isinstance(event, PhaseBegan) and event.phase == "final"


def test_plumbing_is_left_out_unless_it_is_asked_for() -> None:
    assert not any("open_task" in line for line in told())
    assert any("open_task" in line for line in told(full=True))
    assert any("quiet steps (--full shows them)" in line for line in told())
    assert not any("--full shows them" in line for line in told(full=True))
    steps = [line.split()[0] for line in told(full=True) if line[3:7].strip().isdigit()]
    assert len(steps) > len([line for line in told() if line[3:7].strip().isdigit()])


def test_the_truth_is_told_at_the_end() -> None:
    tail = told()[told().index(next(line for line in told() if line.startswith("--- account"))) :]
    assert any("truth: refund-mail was committed once" in line for line in tail)
    assert any("refund/1: cancelled_settled, shown as cancelled" in line for line in tail)


def test_lines_are_not_broken_in_a_pipe() -> None:
    console, out = pipe()
    print_timeline(console, lost_race())
    assert [line.rstrip() for line in out.getvalue().splitlines()[1:]] == [line.rstrip() for line in told()]
    assert max(len(line) for line in told()) > 80


def fork() -> list[str]:
    return [line.text for line in parting(lost_race())]


def test_what_decides_is_the_choice_at_which_the_nearest_passing_run_parts() -> None:
    replayed = lost_race()
    assert replayed.nearest is not None
    nearest, other = replayed.nearest
    assert not other.violations
    assert nearest.changed == 1
    assert nearest.step == replayed.deviations[-1].step - 1
    assert fork()[0] == (
        f"--- what decides: 'person@request_cancel' after step {nearest.step} (choice {nearest.position}); "
        "with 'worker@await' there nothing broke"
    )


def test_the_fork_begins_where_both_part_and_names_what_broke_in_one_of_them_only() -> None:
    replayed = lost_race()
    assert replayed.nearest is not None
    ours = [line for line in fork() if line.startswith(" - ")]
    theirs = [line for line in fork() if line.startswith(" + ")]
    first = replayed.nearest[0].step + 1
    assert ours[0].split()[:4] == ["-", str(first), "person", "request_cancel(refund/1,"]
    assert theirs[0].split()[:4] == ["+", str(first), "worker", "commit_effect"]
    assert any("!!! ADM-3 broken" in line for line in ours)
    assert not any("!!!" in line for line in theirs)
    assert not any("broken again" in line for line in ours)
    assert any("committed once" in line for line in told())
    assert not any("committed once" in line for line in fork())  # both tell that


def test_a_long_fork_is_cut_unless_all_is_asked_for() -> None:
    replayed = lost_race()
    assert replayed.nearest is not None
    nearest, other = replayed.nearest
    longest = msgspec.structs.replace(other.record, log=other.record.log * 4)
    longer = msgspec.structs.replace(replayed, nearest=(nearest, msgspec.structs.replace(other, record=longest)))
    short, whole = (list(parting(longer, full=full)) for full in (False, True))
    assert "more line(s) (--full shows them)" in short[-1].text
    assert len(whole) > len(short)


def test_without_a_passing_run_there_is_no_fork() -> None:
    console, out = pipe()
    print_parting(console, msgspec.structs.replace(lost_race(), nearest=None))
    assert out.getvalue() == ""

"""An adapter whose process is lost again and again is given up at one place in the plan, whatever was done at the same
time, in which shards, and however often it was interrupted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
import trio

from stopcheck.campaign import ExitCode, FaultReport, JobResult, Options, Shard, Verdict, merge
from stopcheck.campaign._audit import ELSEWHERE, Differs, Sampled
from stopcheck.campaign._certify import report_on
from stopcheck.campaign._executor import _Crew
from stopcheck.campaign._job import failed
from stopcheck.campaign._journal import End, Entry, Journal, Shortened
from stopcheck.campaign._messages import Compare, Compared, Finished, Open, Run
from stopcheck.campaign._outcome import (
    AT_FIRST,
    GIVEN_UP,
    Manner,
    Outcome,
    give_up_rest,
    is_lost,
    last_that_counts,
    settle,
    wants_audit,
)
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.report import json_report
from tests.fast.campaign.small import job
from tests.fast.campaign.test_merge import OPTIONS, head
from tests.fast.report.samples import FINDING

DONE = job(exercised=dict.fromkeys(REQUIREMENTS, 3))
HUNG = failed(DONE.spec, FaultReport("GateHung", "it did not answer", "it loops", "look"))
DIED = failed(DONE.spec, FaultReport("GateDied", "it ended", "os._exit", "look"))
WRONG = failed(DONE.spec, FaultReport("NotAReply", "it answered 7", "a number", "look"))
BROKEN = msgspec.structs.replace(DONE, findings=(msgspec.structs.replace(FINDING, shrunk=False),))
SAMPLE = (Sampled("sc1.x", b"log"),)


def numbered(*results: JobResult) -> list[JobResult]:
    """Of different jobs, so that a plan can hold them all."""
    return [
        msgspec.structs.replace(one, spec=msgspec.structs.replace(one.spec, seed=at)) for at, one in enumerate(results)
    ]


#: The fourth job is the third that is lost.
RESULTS = numbered(HUNG, WRONG, DIED, HUNG, DONE, HUNG, BROKEN)
OPENED = msgspec.structs.replace(head().opened, jobs=tuple(one.spec for one in RESULTS))


def told(outcome: Outcome) -> bytes:
    return json_report(report_on(OPTIONS, outcome))


def crew_of(outcome: Outcome, folder: Path) -> _Crew:
    return _Crew(Open("memory", (), 0, None, None), outcome, folder, lambda _: None, Manner())


async def outcome_of(order: Sequence[int], folder: Path) -> Outcome:
    """What is known when these jobs came to their end in this order."""
    outcome = Outcome(OPENED)
    crew = crew_of(outcome, folder)
    running = {index: trio.CancelScope() for index in range(len(RESULTS))}
    crew._running.update(running)
    for index in order:
        crew._running.pop(index)
        crew._enter(Finished(index, RESULTS[index], SAMPLE))
    assert all(running[index].cancel_called for index in range(4, len(RESULTS)) if index not in order)
    assert not any(running[index].cancel_called for index in range(4))
    assert crew._gave_up(Run(4, RESULTS[4].spec))
    assert not crew._gave_up(Run(3, RESULTS[3].spec))
    assert not give_up_rest(outcome)
    settle(outcome)
    return outcome


ORDERS = [order for order in itertools.permutations(range(5)) if order[0] % 2] + [(6, 5, 4, 3, 2, 1, 0)]


@pytest.mark.parametrize("order", ORDERS[::7])
def test_the_third_of_the_plan_counts_whatever_ends_first(order: tuple[int, ...], tmp_path: Path) -> None:
    outcome = trio.run(outcome_of, order, tmp_path)
    assert sorted(outcome.results) == [0, 1, 2, 3]
    assert told(outcome) == told(trio.run(outcome_of, range(4), tmp_path))


def test_what_was_given_up_is_unknown_and_says_why(tmp_path: Path) -> None:
    report = report_on(OPTIONS, trio.run(outcome_of, range(4), tmp_path))
    assert report.exit_code == ExitCode.ADAPTER_FAULT
    assert [one.left for one in report.jobs[4:]] == [f"not run: {GIVEN_UP}"] * 3
    assert "in 3 jobs" in GIVEN_UP
    assert report.counts()[Verdict.PASS] == report.counts()[Verdict.FAIL] == 0
    assert GIVEN_UP in report.summary
    assert {clause.why for clause in report.clauses if clause.verdict is Verdict.UNKNOWN} >= {
        f"no run put it to the test (not run: {GIVEN_UP})"
    }


def test_two_losses_are_two_faults_and_no_more() -> None:
    results = dict(enumerate(RESULTS[1:4]))
    assert [is_lost(one) for one in results.values()] == [False, True, True]
    assert last_that_counts(results) is None
    outcome = Outcome(OPENED, dict(results))
    assert give_up_rest(outcome)
    assert (outcome.results, outcome.cut) == (results, "")


def test_of_a_finding_and_the_third_loss_what_the_plan_has_first_ends_it() -> None:
    results = dict(enumerate(numbered(HUNG, BROKEN, HUNG, HUNG, BROKEN)))
    assert last_that_counts(results, fail_fast=True) == (1, AT_FIRST)
    assert last_that_counts(results) == (3, GIVEN_UP)
    late = dict(enumerate(numbered(HUNG, HUNG, HUNG, BROKEN)))
    assert last_that_counts(late, fail_fast=True) == (2, GIVEN_UP)


def shard_of(folder: Path, shard: Shard) -> Path:
    """What one machine writes down: its own jobs up to its own third loss, or all, and then what follows from them."""
    mine = {at: one for at, one in enumerate(RESULTS) if shard.has(at)}
    journal = Journal(folder / f"{shard.number}", msgspec.structs.replace(head(shard), opened=OPENED))
    end = last_that_counts(mine)
    kept = {at: one for at, one in mine.items() if end is None or at <= end[0]}
    entries: list[Entry] = [Finished(at, one, SAMPLE) for at, one in kept.items()]
    if end is None:
        due = [one for one in entries if isinstance(one, Finished) and wants_audit(one)]
        entries += [Compared(one.index, Differs("event 3", ELSEWHERE, "sc1.x")) for one in due]
        found = [finding for one in kept.values() for finding in one.findings]
        entries += [Shortened(one, msgspec.structs.replace(one, deviations=0, shrunk=True)) for one in found]
    for entry in [*entries, End()]:
        journal.note(entry)
    journal.close()
    return journal.path


@pytest.mark.parametrize("of", [1, 2, 3, 7])
def test_shards_of_it_merged_are_the_whole_byte_for_byte(of: int, tmp_path: Path) -> None:
    paths = [shard_of(tmp_path, Shard(number, of)) for number in range(1, of + 1)]
    report = merge(paths, Options()).report
    assert json_report(report) == told(trio.run(outcome_of, range(4), tmp_path))


LOST = Differs("one run came to its end, in the other the process died", ELSEWHERE, "sc1.x")


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (3, 0, 4, 1)])
def test_a_process_that_is_lost_when_runs_are_made_again_is_given_up_as_well(
    order: tuple[int, ...], tmp_path: Path
) -> None:
    results = numbered(DONE, DONE, DONE, DONE, DONE)
    opened = msgspec.structs.replace(OPENED, jobs=tuple(one.spec for one in results))
    outcome = Outcome(opened)
    crew = crew_of(outcome, tmp_path)
    for at, one in enumerate(results):
        crew._enter(Finished(at, one, SAMPLE))
    for at in order:
        crew._enter(Compared(at, None) if at == 2 else Compared(at, LOST, lost=True))
    assert crew._gave_up(Compare(4, results[4].spec, SAMPLE))
    settle(outcome)
    lost = [outcome.results[at].differs is not None for at in range(5)]
    assert lost == [True, True, False, True, False]
    assert outcome.audited == ({0, 1, 2, 3} if 2 in order else {0, 1, 3})
    assert report_on(OPTIONS, outcome).jobs[4].left.startswith("not made again elsewhere")

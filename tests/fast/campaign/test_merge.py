"""Journals and shards: what is not there, or belongs elsewhere, is refused; a part is never certified."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from stopcheck.campaign import ExitCode, Options, Shard, UsageFault, Verdict, load_gate, merge
from stopcheck.campaign._certify import report_on
from stopcheck.campaign._journal import (
    FORMAT,
    VERSION,
    WHOLE,
    End,
    Entry,
    Head,
    Journal,
    Shortened,
    copy_journal,
    read_journal,
)
from stopcheck.campaign._messages import Finished, Open, Opened
from stopcheck.campaign._outcome import Outcome
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.report import json_report
from tests.fast.campaign.small import job
from tests.fast.report.samples import FINDING

ALL = dict.fromkeys(REQUIREMENTS, 3)
RESULTS = (
    job(strategy="bounded", exercised=ALL),
    job(strategy="stop-sweep", exercised=ALL),
    job(strategy="mixed", exercised=ALL, bound=None),
)
OPTIONS = Options(scenarios=("before-admission",))


def head(shard: Shard = WHOLE, *, seed: int = 0, content: str = "sha256:1") -> Head:
    """Of a campaign of these jobs."""
    gate = load_gate("memory")
    opened = Opened(gate.identity(), gate.contract, tuple(each.spec for each in RESULTS), content)
    return Head(FORMAT, VERSION, "0.1.0", "2026-11", Open("memory", OPTIONS.scenarios, seed, None, None), opened, shard)


OPENED = msgspec.structs.replace(head().opened, jobs=head().opened.jobs[:2])


def written(path: Path, its_head: Head, *, ended: bool = True) -> Path:
    """The journal of a shard that did its jobs."""
    journal = Journal(path, its_head)
    for index, result in enumerate(RESULTS):
        if its_head.shard.has(index):
            journal.note(Finished(index, result))
    if ended:
        journal.note(End())
    journal.close()
    return path


def shards(folder: Path, of: int) -> list[Path]:
    """All of them."""
    return [written(folder / f"{number}.jsonl", head(Shard(number, of))) for number in range(1, of + 1)]


def test_of_the_findings_that_shards_shrank_the_best_of_the_whole_count(tmp_path: Path) -> None:
    worse = msgspec.structs.replace(FINDING, shrunk=False, granularity="calls", deviations=7)
    better = msgspec.structs.replace(worse, deviations=6)
    results = [msgspec.structs.replace(RESULTS[at], findings=(one,)) for at, one in enumerate((worse, better))]
    pairs = [Shortened(one, msgspec.structs.replace(one, deviations=1, shrunk=True)) for one in (worse, better)]
    paths: list[Path] = []
    for at in (0, 1):
        journal = Journal(tmp_path / f"{at}", msgspec.structs.replace(head(Shard(at + 1, 2)), opened=OPENED))
        for entry in (Finished(at, results[at]), pairs[at], End()):
            journal.note(entry)
        journal.close()
        paths.append(journal.path)
    outcome = Outcome(OPENED, dict(enumerate(results)), shortened=[pairs[1]], audited={0, 1})
    assert json_report(merge(paths, Options()).report) == json_report(report_on(OPTIONS, outcome))


def whole() -> Outcome:
    """What the executor hands back of all jobs."""
    return Outcome(head().opened, dict(enumerate(RESULTS)), audited={0, 1, 2})


@pytest.mark.parametrize("of", [1, 2, 3, 5])
def test_a_merge_is_the_whole_whatever_the_number_of_shards_and_their_order(of: int, tmp_path: Path) -> None:
    merged = merge(shards(tmp_path, of)[::-1], Options()).report
    assert json_report(merged) == json_report(report_on(OPTIONS, whole()))
    assert not merged.cut


def test_a_shard_alone_passes_nothing_that_another_might_break() -> None:
    outcome = Outcome(head().opened, {1: RESULTS[1]}, audited={1})
    report = report_on(msgspec.structs.replace(OPTIONS, shard=Shard(2, 3)), outcome)
    assert report.exit_code == ExitCode.INCONCLUSIVE
    assert report.counts()[Verdict.PASS] == 0
    assert report.cut == "only shard 2/3 of the plan was done"


def test_what_was_cut_short_is_never_certified() -> None:
    outcome = whole()
    assert report_on(OPTIONS, outcome).exit_code == ExitCode.CERTIFIED
    outcome.cut = "interrupted by SIGTERM"
    assert report_on(OPTIONS, outcome).exit_code == ExitCode.INCONCLUSIVE


def test_a_job_whose_runs_were_not_made_again_elsewhere_passes_nothing() -> None:
    outcome = Outcome(head().opened, dict(enumerate(RESULTS)), audited={1, 2}, cut="interrupted by SIGINT")
    report = report_on(OPTIONS, outcome)
    assert report.counts()[Verdict.PASS] == 0
    assert "not made again elsewhere: interrupted by SIGINT" in report.jobs[0].left


def test_clauses_that_are_asked_for_certify_nothing() -> None:
    report = report_on(msgspec.structs.replace(OPTIONS, clauses=("ADM-3",)), whole())
    assert report.exit_code == ExitCode.INCONCLUSIVE
    assert report.cut == "only the scenarios about ADM-3 were tried"


def refused(paths: list[Path]) -> str:
    """Why they cannot be merged."""
    with pytest.raises(UsageFault) as raised:
        merge(paths, Options())
    assert raised.value.hint
    return raised.value.what


def test_what_does_not_make_a_whole_is_refused(tmp_path: Path) -> None:
    one, two, three = shards(tmp_path, 3)
    assert "these are missing: 2, 3" in refused([one])
    assert "both hold shard 1/3" in refused([one, two, one])
    assert "no journal" in refused([one, two, tmp_path / "nothing"])
    seed = written(tmp_path / "seed", head(Shard(3, 3), seed=1))
    assert "differ in: seed" in refused([one, two, seed])
    changed = written(tmp_path / "changed", head(Shard(3, 3), content="sha256:2"))
    assert "differ in: content of the gate's files" in refused([one, two, changed])
    halves = written(tmp_path / "half", head(Shard(1, 2)))
    assert "differ in: number of shards" in refused([one, two, halves])
    short = written(tmp_path / "short", head(Shard(3, 3)), ended=False)
    assert "did not come to its end" in refused([one, two, short])
    assert three.exists()


def test_what_another_kit_found_is_not_judged_by_this_one(tmp_path: Path) -> None:
    for field, other in (("kit_version", "0.0.9"), ("requirement_set", "2025-01")):
        path = written(tmp_path / field, msgspec.structs.replace(head(), **{field: other}))
        assert f"was written by stopcheck {'0.0.9' if field == 'kit_version' else '0.1.0'}" in refused([path])


def test_a_journal_of_another_campaign_is_not_gone_on_with(tmp_path: Path) -> None:
    path = written(tmp_path / "journal", head())
    before = path.read_bytes()
    with pytest.raises(UsageFault, match="differ in: seed"):
        Journal(path, head(seed=4))
    with pytest.raises(UsageFault, match=r"shard \(1/1 there, 1/2 here\)"):
        Journal(path, head(Shard(1, 2)))
    assert path.read_bytes() == before


def test_a_line_that_was_cut_off_counts_for_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "journal", head(), ended=False)
    with path.open("ab") as file:
        file.write(b'{"type":"End"}')
    found = read_journal(path)
    assert found is not None
    assert [type(entry) for entry in found[1]] == [Finished] * 3
    whole_lines, inode = path.read_bytes().rpartition(b"\n")[0], path.stat().st_ino
    journal = Journal(path, head())
    assert (path.read_bytes().rstrip(b"\n"), path.stat().st_ino) == (whole_lines, inode)  # never written anew
    journal.note(End())
    journal.close()
    again = read_journal(path)
    assert again is not None
    entries: list[Entry] = again[1]
    assert [type(entry) for entry in entries] == [Finished] * 3 + [End]


@pytest.mark.parametrize("content", [b"not json\n", b'{"type":"End"}\n', b"[1]\n"])
def test_a_file_that_is_no_journal_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(UsageFault, match="no journal of a campaign"):
        Journal(path, head())
    assert path.read_bytes() == content


def test_two_processes_do_not_write_to_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    first = Journal(path, head())
    first.note(Finished(0, RESULTS[0]))
    before = path.read_bytes()
    with pytest.raises(UsageFault, match="another process is writing to the journal") as raised:
        Journal(path, head())
    assert "a file of its own" in raised.value.hint
    assert not copy_journal(written(tmp_path / "other.jsonl", head()), path)
    assert path.read_bytes() == before
    first.close()
    again = Journal(path, head())
    assert again.entries == [Finished(0, RESULTS[0])]
    again.close()


def test_a_process_that_was_killed_leaves_no_lock(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", head(), ended=False)
    hold = "import sys, fcntl; f = open(sys.argv[1], 'ab'); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); input()"
    holder = subprocess.Popen([sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    with pytest.raises(UsageFault, match="another process"):
        Journal(path, head())
    holder.kill()
    holder.communicate()
    journal = Journal(path, head())
    assert len(journal.entries) == len(RESULTS)
    journal.close()

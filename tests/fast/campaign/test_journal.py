"""Journals that were put together by hand: what no campaign writes is refused, and what is missing passes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from stopcheck.campaign import ExitCode, Options, Shard, UsageFault, Verdict, merge
from stopcheck.campaign._audit import ELSEWHERE, Differs, Sampled
from stopcheck.campaign._journal import WHOLE, End, Entry, Head, Journal, Shortened, in_lines, read_journal
from stopcheck.campaign._messages import Compared, Finished
from tests.fast.campaign.test_merge import RESULTS, head, written
from tests.fast.report.samples import FINDING

SAMPLE = (Sampled("sc1.x", b"log"),)
FOUND = msgspec.structs.replace(FINDING, shrunk=False)
BROKEN = msgspec.structs.replace(RESULTS[0], findings=(FOUND,))
FIRST, SECOND, THIRD = (Finished(index, result, SAMPLE) for index, result in enumerate(RESULTS))
SAME = Compared(0, None)
ELSE = msgspec.structs.replace(FOUND, clause="EFF-1")


def journal(folder: Path, *records: Head | Entry, shard: Shard = WHOLE) -> Path:
    """A file with these records, whatever they are."""
    path = folder / "run.jsonl"
    path.write_bytes(in_lines([head(shard), *records]))
    return path


BY_HAND: dict[str, tuple[list[Head | Entry], str]] = {
    "two files in one": ([FIRST, head(), SECOND], "line 3 begins another journal"),
    "a job twice": ([FIRST, SECOND, FIRST], "line 4 is about job 0 once more"),
    "a job that the plan has not": ([Finished(3, RESULTS[0])], "line 2 is about job 3, and the plan has 3"),
    "a job before the plan": ([Finished(-1, RESULTS[0])], "line 2 is about job -1, and the plan has 3"),
    "another job's result": ([Finished(1, RESULTS[0])], "line 2 is about job 1, and not about the one"),
    "runs that nobody made": ([SAME, FIRST], "line 2 compares runs of job 0, which was not done by then"),
    "runs that were compared": ([FIRST, SAME, SAME], "line 4 compares runs of job 0 once more"),
    "a finding of nobody": ([FIRST, Shortened(FOUND, FINDING)], "line 3 shrinks a finding about ADM-3 that no job had"),
    "a finding twice": (
        [Finished(0, BROKEN), Shortened(FOUND, FINDING), Shortened(FOUND, FOUND)],
        "line 4 shrinks a finding about ADM-3 once more",
    ),
    "another clause": ([Finished(0, BROKEN), Shortened(FOUND, ELSE)], "line 3 makes of a finding about ADM-3 another"),
}


@pytest.mark.parametrize("what", BY_HAND)
def test_what_no_campaign_writes_down_is_refused(what: str, tmp_path: Path) -> None:
    records, why = BY_HAND[what]
    path = journal(tmp_path, *records, End())
    before = path.read_bytes()
    with pytest.raises(UsageFault) as merging:
        merge([path], Options())
    assert why in merging.value.what
    assert "stopcheck merge" in merging.value.hint
    with pytest.raises(UsageFault, match="is not as a campaign writes it"):
        Journal(path, head())
    assert path.read_bytes() == before


def test_a_job_of_another_shard_is_refused(tmp_path: Path) -> None:
    path = journal(tmp_path, SECOND, FIRST, End(), shard=Shard(2, 2))
    with pytest.raises(UsageFault, match="line 3 is about job 0, which is not of shard 2/2"):
        read_journal(path)


def test_what_a_campaign_writes_down_is_read_whatever_became_known_first(tmp_path: Path) -> None:
    shrunk = Shortened(FOUND, FINDING)
    entries: list[Head | Entry] = [
        THIRD,
        Finished(0, BROKEN, SAMPLE),
        Compared(2, None),
        SECOND,
        shrunk,
        SAME,
        Compared(1, None),
        End(),
    ]
    found = read_journal(journal(tmp_path, *entries))
    assert found is not None
    assert found[1] == entries


def test_a_job_whose_runs_nobody_made_again_concludes_nothing(tmp_path: Path) -> None:
    compared: list[Head | Entry] = [Compared(index, None) for index in range(3)]
    whole = merge([journal(tmp_path, FIRST, SECOND, THIRD, *compared, End())], Options())
    assert whole.report.exit_code == ExitCode.CERTIFIED
    for missing in range(3):
        rest = [one for at, one in enumerate(compared) if at != missing]
        report = merge([journal(tmp_path, FIRST, SECOND, THIRD, *rest, End())], Options()).report
        assert report.exit_code == ExitCode.INCONCLUSIVE
        assert report.counts()[Verdict.PASS] == 0
        assert report.jobs[missing].left.startswith("not made again elsewhere")


def test_a_job_without_samples_needs_no_comparison(tmp_path: Path) -> None:
    whole = merge([written(tmp_path / "run.jsonl", head())], Options())
    assert whole.report.exit_code == ExitCode.CERTIFIED


def test_a_job_that_is_not_there_is_not_passed_over(tmp_path: Path) -> None:
    report = merge([journal(tmp_path, Finished(0, RESULTS[0]), Finished(2, RESULTS[2]), End())], Options()).report
    assert report.exit_code == ExitCode.INCONCLUSIVE
    assert report.jobs[1].left == "not run: what would say so is not in its journal"


def test_a_difference_counts_in_whichever_line_it_stands(tmp_path: Path) -> None:
    unlike = Compared(1, Differs("event 3", ELSEWHERE, "sc1.x"))
    orders: list[list[Head | Entry]] = [
        [FIRST, SECOND, THIRD, SAME, unlike, Compared(2, None)],
        [SECOND, unlike, FIRST, SAME, THIRD],
    ]
    for entries in orders:
        report = merge([journal(tmp_path, *entries, End())], Options()).report
        assert report.exit_code == ExitCode.INCONCLUSIVE
        assert report.counts()[Verdict.PASS] == 0


@pytest.mark.parametrize(
    "content", [b"a note of mine", b'{"format": "a report"}', b'{"type":"Head","format":"another"', b'{"a":' * 200_000]
)
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_file_of_somebody_is_never_begun_anew(content: bytes, end: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_bytes(content + end)
    with pytest.raises(UsageFault, match="is no journal of a campaign"):
        Journal(path, head())
    assert path.read_bytes() == content + end


def test_a_journal_that_was_cut_off_in_its_first_line_is_begun_anew(tmp_path: Path) -> None:
    whole = journal(tmp_path).read_bytes()
    for length in (0, 5, 60, len(whole) - 1):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(whole[:length])
        assert read_journal(path) is None
        Journal(path, head()).close()
        assert path.read_bytes() == whole


def changed(lines: list[bytes]) -> dict[str, list[bytes]]:
    """The lines of a journal with a clause broken in the second, after somebody was at them."""
    broken = lines[1]
    without = msgspec.json.encode(msgspec.json.decode(broken) | {"result": msgspec.to_builtins(RESULTS[0])})
    return {
        "a finding is gone": [lines[0], without + b"\n", *lines[2:]],
        "as it was written without seals": [lines[0], in_lines([Finished(0, RESULTS[0])]), *lines[2:]],
        "a job did more": [lines[0], broken.replace(b'"executions":', b'"executions":9'), *lines[2:]],
        "a seal is another's": [lines[0], broken[:-36] + lines[2][-36:], *lines[2:]],
        "a line is gone": [lines[0], *lines[2:]],
        "lines are exchanged": [lines[0], lines[2], lines[1], *lines[3:]],
        "a line is there twice": [*lines[:2], *lines[1:]],
        "another seed": [lines[0].replace(b'"seed":0', b'"seed":1'), *lines[1:]],
        "spaces": [lines[0], broken.replace(b'":', b'": ', 1), *lines[2:]],
    }


_LINES = in_lines([head(), Finished(0, BROKEN), *(Finished(at, RESULTS[at]) for at in (1, 2)), End()])


@pytest.mark.parametrize("what", changed(_LINES.splitlines(keepends=True)))
def test_what_somebody_changed_is_refused(what: str, tmp_path: Path) -> None:
    lines = _LINES.splitlines(keepends=True)
    path = tmp_path / "run.jsonl"
    path.write_bytes(_LINES)
    assert merge([path], Options()).report.exit_code == ExitCode.VIOLATIONS
    path.write_bytes(b"".join(changed(lines)[what]))
    assert path.read_bytes() != _LINES
    with pytest.raises(UsageFault, match=r"line [123], or one before it, was changed"):
        merge([path], Options())


def test_a_journal_that_is_gone_on_with_is_sealed_as_one_that_was_not(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for records in ([Finished(0, BROKEN)], [Finished(1, RESULTS[1]), Finished(2, RESULTS[2])], [End()]):
        going_on = Journal(path, head())
        for record in records:
            going_on.note(record)
        going_on.close()
        with path.open("ab") as file:
            file.write(b'{"type":"Finished"')  # and death
    assert path.read_bytes().startswith(_LINES)


def test_what_is_no_file_is_not_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/null")):
        with pytest.raises(UsageFault, match="it is a directory, a pipe or a device"):
            Journal(path, head())


def test_a_disk_that_is_full_is_said_and_costs_no_record_before(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    written_to = Journal(path, head())
    written_to.note(FIRST)
    written_to._file.close()
    written_to._file = open("/dev/full", "ab")  # noqa: SIM115
    with pytest.raises(UsageFault, match=r"cannot write the journal .*: No space left on device") as raised:
        written_to.note(SECOND)
    assert "the same command again goes on" in raised.value.hint
    written_to.close()
    found = read_journal(path)
    assert found is not None
    assert found[1] == [FIRST]

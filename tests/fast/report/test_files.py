"""Reports as files: they parse, and they agree."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from stopcheck.campaign import ClauseVerdict, Report, UsageFault, Verdict
from stopcheck.cli._report_files import told_findings
from stopcheck.gate import Cause
from stopcheck.judge import Tally
from stopcheck.report import check_writable, json_report, junit_report, write_report
from stopcheck.report._causes import causes
from tests.fast.report.samples import ASSUMPTION, FINDING, REPORT, TOKEN


def test_json_comes_back_as_the_same_report() -> None:
    assert msgspec.json.decode(json_report(REPORT), type=Report) == REPORT


def test_json_holds_measures_whose_keys_are_reasons_and_durations() -> None:
    tally = Tally("task", Cause.USER, 2, {Cause.USER: 2, Cause.DEADLINE: 1}, {"stopped": 2}, {0: 1, 1_500: 1}, {20: 2})
    measured = msgspec.structs.replace(REPORT, measures=(tally,))
    assert msgspec.json.decode(json_report(measured), type=Report) == measured
    assert json_report(measured) == json_report(msgspec.json.decode(json_report(measured), type=Report))


def test_junit_and_json_agree_on_the_counts() -> None:
    counts = REPORT.counts()
    suite = ElementTree.fromstring(junit_report(REPORT)).find("testsuite")
    assert suite is not None
    figures = {name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
    assert figures == {
        "tests": len(REPORT.clauses) + len(REPORT.faults),
        "failures": counts["FAIL"],
        "errors": counts["UNKNOWN"] + len(REPORT.faults),
        "skipped": counts["UNSUPPORTED"] + counts["UNCHECKED"],
    }
    for kind, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert len(suite.findall(f"testcase/{kind}")) == figures[name]
    passed = [case for case in suite.findall("testcase") if case.find("system-out") is not None]
    assert len(passed) == counts["PASS"]


def test_junit_names_the_seed_and_the_strategy() -> None:
    def properties(report: Report) -> dict[str, str]:
        found = ElementTree.fromstring(junit_report(report)).findall("testsuite/properties/property")
        return {each.attrib["name"]: each.attrib["value"] for each in found}

    assert properties(REPORT)["seed"] == str(REPORT.seed)
    assert "strategy" not in properties(REPORT)
    assert properties(msgspec.structs.replace(REPORT, strategy="pct", seed=7)).items() >= {
        ("strategy", "pct"),
        ("seed", "7"),
    }


def test_a_junit_pass_says_what_it_rests_on_and_the_suite_what_was_covered() -> None:
    suites = ElementTree.fromstring(junit_report(REPORT))
    case = suites.find(".//testcase[@name='ADM-1']/system-out")
    assert case is not None
    assert case.text == f"exhausted in 12 scenarios; {ASSUMPTION}"
    properties = {p.attrib["name"]: p.attrib["value"] for p in suites.findall(".//property")}
    assert properties["coverage.stops"] == "19/21"
    assert properties["seed"] == "7"


def test_a_junit_failure_holds_the_replay_line() -> None:
    failure = ElementTree.fromstring(junit_report(REPORT)).find(".//failure")
    assert failure is not None
    assert TOKEN in (failure.text or "")


def test_whatever_an_adapter_says_is_xml() -> None:
    assert b"\x00" not in junit_report(REPORT)
    error = ElementTree.fromstring(junit_report(REPORT)).find(".//testcase[@classname='stopcheck.adapter']/error")
    assert error is not None
    assert error.attrib["message"].endswith("??[31mred")


def write_nothing(path: Path) -> None:
    write_report(path, b"")


@pytest.mark.parametrize("act", [check_writable, write_nothing])
def test_a_path_that_cannot_be_written_is_a_usage_error(act: object, tmp_path: Path) -> None:
    assert callable(act)
    for path in (tmp_path, tmp_path / "no" / "report.json"):
        with pytest.raises(UsageFault, match="cannot write the report to") as raised:
            act(path)
        assert str(path) in raised.value.what
        assert raised.value.hint


def test_looking_whether_a_path_can_be_written_leaves_it_as_it_was(tmp_path: Path) -> None:
    check_writable(tmp_path / "new.json")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "old.json").write_text("kept")
    check_writable(tmp_path / "old.json")
    assert (tmp_path / "old.json").read_text() == "kept"


def test_a_run_is_told_as_it_breaks_the_clause_under_which_the_page_shows_it() -> None:
    later = msgspec.structs.replace(FINDING, clause="RPT-6", step=36)
    rows = tuple(
        ClauseVerdict(finding.clause, Verdict.FAIL, "broken", findings=(finding,), exercised=1)
        for finding in (msgspec.structs.replace(later, clause="REC-3", step=28), FINDING, later)
    )
    (told,) = told_findings(msgspec.structs.replace(REPORT, clauses=rows))
    assert told == FINDING
    assert [cause.finding for cause in causes(msgspec.structs.replace(REPORT, clauses=rows))] == [told]


def test_a_report_that_was_not_wholly_written_leaves_the_one_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(b"of before")

    def half(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:4])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(UsageFault, match="No space left on device"):
        write_report(path, b"of today")
    assert path.read_bytes() == b"of before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_report_is_written_where_a_link_points_and_may_be_read_by_whom_it_could(tmp_path: Path) -> None:
    target, link = tmp_path / "reports" / "report.json", tmp_path / "latest.json"
    target.parent.mkdir()
    target.write_bytes(b"of before")
    target.chmod(0o640)
    link.symlink_to(target)
    write_report(link, b"of today")
    assert link.is_symlink()
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"of today", 0o640)


def test_a_new_report_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    write_report(tmp_path / "report.json", b"of today")
    (tmp_path / "any").touch()
    assert (tmp_path / "report.json").stat().st_mode == (tmp_path / "any").stat().st_mode


def test_a_report_may_go_into_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_report(tmp_path / "pipe", b"of today")
    assert os.read(reader, 100) == b"of today"
    os.close(reader)


def test_a_report_whose_file_cannot_be_replaced_is_written_into_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    path = tmp_path / "mounted.json"
    path.write_bytes(b"of before")
    monkeypatch.setattr(os, "replace", busy)
    write_report(path, b"of today")
    assert path.read_bytes() == b"of today"

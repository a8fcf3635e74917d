"""The page that says how to write a scenario: its files are run as they stand there, and print what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stopcheck.campaign import load_scenarios
from tests.fast.cli.support import run

pytest_plugins = ["pytester"]

PAGE = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text()
SCENARIO, GATE, TESTS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
DOUBT, BROKEN = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PERSON = '    world.person("person", task)\n'


@pytest.fixture
def pages(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with the files of the page."""
    pytester.makepyfile(two_mails=SCENARIO, asks_once=GATE, test_two_mails=TESTS)
    monkeypatch.syspath_prepend(pytester.path)
    return pytester


@pytest.mark.campaign
def test_the_right_gate_passes(pages: pytest.Pytester) -> None:
    pages.runpytest_inprocess("-q", "test_two_mails.py", "-k", "TestRight").assert_outcomes(passed=1)


def test_the_planted_fault_is_found(pages: pytest.Pytester) -> None:
    found = pages.runpytest_inprocess("-q", "test_two_mails.py", "-k", "TestAsksOnce")
    found.assert_outcomes(failed=1)
    said = found.stdout.str()
    assert "FAILED test_two_mails.py::TestAsksOnce" in said
    assert [line for line in BROKEN.splitlines() if line not in said] == []


def test_without_its_witness_nothing_may_be_concluded(pages: pytest.Pytester) -> None:
    assert PERSON in SCENARIO
    pages.makepyfile(two_mails=SCENARIO.replace(PERSON, ""))
    found = pages.runpytest_inprocess("-q", "test_two_mails.py", "-k", "TestRight")
    found.assert_outcomes(failed=1)
    assert DOUBT.strip() in found.stdout.str()


def test_it_is_found_by_its_entry_point(
    pages: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (points,) = re.findall(r'^    \[project\.entry-points\."(.*)"\]\n    (\w+) = "(.*)"$', PAGE, re.MULTILINE)
    assert "stop-between-two-mails" not in load_scenarios()
    info = pages.mkdir("two_mails-1.dist-info")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: two_mails\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[{}]\n{} = {}\n".format(*points))
    assert run(monkeypatch, "explain", "stop-between-two-mails") == 0
    assert "A stop after the first mail of a task keeps the second one in." in capsys.readouterr().out

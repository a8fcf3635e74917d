"""The pytest plugin: what it collects, what its items say, and that it costs nobody anything who does not ask."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

#: Instead of campaigns: in before-admission ADM-3 is broken, ADM-1 unknown, and what is not named passes.
CANNED = """
import stopcheck.pytest_plugin._items as items
from stopcheck.campaign import Campaign, ClauseVerdict, ExitCode, Finding, Report, Verdict, pick_scenarios

FINDING = Finding("{broken}", "linearisability", "no order explains it", "before-admission", 1, "calls", "bounded",
                  "sc1.x.y.00000000", 1, 9, 11, 40, True)

def run_campaign(gate, options, on_event):
    (scenario,) = pick_scenarios(options.scenarios)
    rows = [ClauseVerdict(clause, Verdict.PASS, "searched", exercised=3) for clause in scenario.clauses]
    rows = [row for row in rows if row.clause != "{broken}"]
    rows.append(ClauseVerdict("{broken}", Verdict.FAIL, "broken", findings=(FINDING,), exercised=1))
    rows.append(ClauseVerdict("{unknown}", Verdict.UNKNOWN, "the budget ended", exercised=1))
    rows = [row for row in rows if row.clause != "{untried}"]
    rows.append(ClauseVerdict("{untried}", Verdict.UNKNOWN, "no run put it to the test"))
    with open("campaigns.txt", "a") as file:
        file.write(scenario.id + "\\n")
    report = Report("0", "2026-11", None, 0, tuple(rows), (), (), ExitCode.VIOLATIONS, "")
    return Campaign(report, options, interrupted={interrupted})

items.run_campaign = run_campaign
"""
GATE = ("--stopcheck-gate", "memory", "--stopcheck-scenario", "before-admission")


@pytest.fixture
def canned(pytester: pytest.Pytester) -> pytest.Pytester:
    """A directory in which campaigns are canned."""
    pytester.makeconftest(CANNED.format(broken="ADM-3", unknown="SCOPE-1", untried="LIVE-2", interrupted=False))
    return pytester


def test_one_item_for_each_scenario_and_group_of_clauses(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_of_mine(): pass")
    found = pytester.runpytest_inprocess("--collect-only", "-q", *GATE)
    found.stdout.fnmatch_lines_random(
        [
            "*::test_of_mine",
            "stopcheck:memory::before-admission[[]ADM]",
            "stopcheck:memory::before-admission[[]others]",
        ]
    )


def test_an_item_fails_with_what_broke_and_how_to_replay_it(canned: pytest.Pytester) -> None:
    found = canned.runpytest_inprocess(*GATE, "-k", "ADM or others", "-rA")
    found.stdout.fnmatch_lines(
        [
            "*FAIL ADM-3: no order explains it*",
            "*stopcheck replay sc1.x.y.00000000 --gate memory*",
        ]
    )
    found.stdout.fnmatch_lines_random(
        [
            "FAILED stopcheck:memory::before-admission[[]ADM]*",
            "PASSED stopcheck:memory::before-admission[[]others]",
        ]
    )
    assert "Traceback" not in found.stdout.str()
    assert found.ret == pytest.ExitCode.TESTS_FAILED


def test_nothing_passes_that_was_not_concluded(canned: pytest.Pytester) -> None:
    found = canned.runpytest_inprocess(*GATE, "-rA")
    assert "SCOPE-1 UNKNOWN: the budget ended" in found.stdout.str()
    found.stdout.fnmatch_lines_random(
        [
            "FAILED stopcheck:memory::before-admission[[]SCOPE]*",
            "SKIPPED * LIVE-2 UNKNOWN: no run put it to the test",
        ]
    )


def test_k_finds_clauses_and_x_stops(canned: pytest.Pytester) -> None:
    found = canned.runpytest_inprocess(*GATE, "-k", "ADM-3", "-q")
    found.assert_outcomes(failed=1, deselected=_items(canned) - 1)
    stopped = canned.runpytest_inprocess(*GATE, "-x", "-q")
    stopped.assert_outcomes(failed=1)


def test_the_items_of_a_scenario_share_one_campaign_also_in_a_worker(canned: pytest.Pytester) -> None:
    found = canned.runpytest_inprocess(*GATE, "-n", "1", "--dist", "loadgroup")
    assert found.ret == pytest.ExitCode.TESTS_FAILED
    assert (canned.path / "campaigns.txt").read_text() == "before-admission\n"


def test_ctrl_c_in_a_campaign_ends_the_session(canned: pytest.Pytester) -> None:
    canned.makeconftest(CANNED.format(broken="ADM-3", unknown="SCOPE-1", untried="LIVE-2", interrupted=True))
    found = canned.runpytest_subprocess(*GATE, "-q")
    assert found.ret == pytest.ExitCode.INTERRUPTED
    assert (canned.path / "campaigns.txt").read_text() == "before-admission\n"


def _items(pytester: pytest.Pytester) -> int:
    collected = pytester.runpytest_inprocess("--collect-only", "-q", *GATE)
    return sum(1 for line in collected.outlines if line.startswith("stopcheck:"))


def test_a_gate_that_does_not_exist_is_a_usage_error(pytester: pytest.Pytester) -> None:
    found = pytester.runpytest_inprocess("--stopcheck-gate", "memroy")
    found.stderr.fnmatch_lines(["ERROR: --stopcheck-gate memroy: unknown gate 'memroy'*did you mean memory?*"])
    assert found.ret == pytest.ExitCode.USAGE_ERROR


def test_the_kit_is_not_imported_when_nobody_asks(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\n"
        "def test_it():\n"
        "    heavy = ('stopcheck.campaign', 'stopcheck.kernel', 'msgspec', 'trio', 'hypothesis.strategies', 'rich')\n"
        "    assert [name for name in heavy if name in sys.modules] == []\n"
        "    assert 'stopcheck.pytest_plugin' in sys.modules\n"
    )
    only = ("-p", "no:hypothesispytest", "-p", "no:pytest_trio", "-p", "no:trio")
    found = pytester.runpytest_subprocess(*only)
    found.assert_outcomes(passed=1)


OWN = """
import msgspec, pytest
from stopcheck.pytest_plugin import ScenarioCase
from stopcheck.campaign import load_scenarios

MINE = msgspec.structs.replace(load_scenarios()["before-admission"], id="of-mine")

class TestRight(ScenarioCase):
    gate = "memory"
    scenario = MINE
    granularity = "calls"

class TestWrong(ScenarioCase):
    gate = "stopcheck_fixtures.vendor.flag_gate:Gate"
    scenario = MINE
    granularity = "calls"
    budget = 40

def test_too_little(stopcheck_kit):
    with pytest.raises(pytest.fail.Exception, match="nothing may be concluded"):
        stopcheck_kit.holds("memory", MINE, budget=3, granularity="calls")
"""


def test_a_scenario_of_ones_own_that_is_not_installed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(OWN)
    found = pytester.runpytest_inprocess("-q")
    found.assert_outcomes(passed=2, failed=1)
    found.stdout.fnmatch_lines(
        [
            "*FAIL EFF-13:*",
            "*stopcheck replay sc1.of-mine.*",
            "*who *what*",
            "*!!! EFF-13 broken at step*",
        ]
    )


def test_a_failing_example_is_kept_where_a_ci_can_cache_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        OWN.split("class TestRight", maxsplit=1)[0]
        + "from hypothesis import Phase, settings\n"
        + "def test_machine(stopcheck_kit):\n"
        + "    quick = (Phase.reuse, Phase.generate)  # shrinking takes minutes\n"
        + "    settings.register_profile('quick', settings.get_profile('stopcheck'), max_examples=30, phases=quick)\n"
        + "    settings.load_profile('quick')\n"
        + "    stopcheck_kit.machine('stopcheck_fixtures.vendor.flag_gate:Gate', MINE)\n"
    )
    found = pytester.runpytest_subprocess("--hypothesis-profile", "stopcheck", "-q")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*ClauseBroken: *"])
    assert [path for path in (pytester.path / ".stopcheck" / "examples").rglob("*") if path.is_file()]


def test_items_are_counted_like_tests(canned: pytest.Pytester) -> None:
    items = _items(canned)
    found = canned.runpytest_inprocess("--collect-only", "-q", *GATE, *GATE)
    assert found.outlines[-1].startswith(f"{items} tests collected")
    found = canned.runpytest_inprocess(*GATE, "-k", "nothing_such")
    found.stdout.fnmatch_lines([f"collected {items} items / {items} deselected / 0 selected"])
    assert found.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_lf_runs_what_failed(canned: pytest.Pytester) -> None:
    canned.runpytest_inprocess(*GATE, "-q").assert_outcomes(failed=2, passed=_items(canned) - 3, skipped=1)
    found = canned.runpytest_inprocess(*GATE, "--lf", "-q")
    found.assert_outcomes(failed=2, deselected=_items(canned) - 2)
    first = canned.runpytest_inprocess(*GATE, "--ff", "-x", "-rf")
    first.assert_outcomes(failed=1)


@pytest.mark.parametrize(
    "flags",
    [
        (),
        pytest.param(("--dist", "loadgroup"), marks=pytest.mark.campaign),
        pytest.param(("-p", "no:cacheprovider"), marks=pytest.mark.campaign),
    ],
)
def test_two_workers_say_what_one_process_says(canned: pytest.Pytester, flags: tuple[str, ...]) -> None:
    found = canned.runpytest_inprocess(*GATE, "-n", "2", *flags)
    found.assert_outcomes(failed=2, passed=_items(canned) - 3, skipped=1)
    assert found.ret == pytest.ExitCode.TESTS_FAILED


def test_workers_stop_at_the_first_failure_and_find_nothing_where_nothing_is(canned: pytest.Pytester) -> None:
    stopped = canned.runpytest_inprocess(*GATE, "-n", "2", "-x", "-p", "no:cacheprovider", "-k", "ADM")
    assert stopped.parseoutcomes()["failed"] >= 1
    assert stopped.ret in {pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED}
    none = canned.runpytest_inprocess(*GATE, "-n", "2", "-k", "nothing_such")
    assert none.ret == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.parametrize("wrong", [("--stopcheck-gate", "memroy"), (*GATE, "--stopcheck-scenario", "befroe")])
def test_what_does_not_exist_is_an_error_of_the_workers_too(pytester: pytest.Pytester, wrong: tuple[str, ...]) -> None:
    found = pytester.runpytest_inprocess(*wrong, "-n", "2")
    found.stdout.fnmatch_lines(["*ERROR collecting stopcheck:*", "--stopcheck-gate *: unknown *; next: *"])
    assert found.ret == pytest.ExitCode.TESTS_FAILED
    assert "Traceback" not in found.stdout.str()
    assert "INTERNALERROR" not in found.stdout.str()

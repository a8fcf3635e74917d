"""The items of a gate: one for each scenario and group of clauses.

One idea: a scenario is tried once, as a campaign in processes of its own, when the first of its items runs; its items
then read the verdicts of their clauses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest

from stopcheck.campaign import (
    CampaignEvent,
    ClauseVerdict,
    Options,
    Report,
    UsageFault,
    Verdict,
    load_gate,
    pick_scenarios,
    run_campaign,
)
from stopcheck.gate import AdapterFault
from stopcheck.pytest_plugin._telling import told_faults, told_findings
from stopcheck.world import Scenario

#: The group of all clauses that a scenario is not about; its item fails when one of them is broken.
OTHERS = "others"


class NotPassed(Exception):
    """A clause broke, or nothing may be concluded; the text is all that there is to say."""


class Gate(pytest.Collector):
    """A gate, and the reports on scenarios in which it was tried by now. ``refused``: why there is nothing to try."""

    gate: str
    reports: dict[str, Report]
    refused: str

    @classmethod
    def of(cls, session: pytest.Session, gate: str) -> Gate:
        """The collector of a gate."""
        found: Gate = _node(cls, session, name=f"stopcheck:{gate}", nodeid=f"stopcheck:{gate}")
        found.gate, found.reports, found.refused = gate, {}, ""
        return found

    def collect(self) -> Iterator[pytest.Item]:
        """An item for each scenario that fits, and group of clauses that it is about."""
        wanted: list[str] = self.config.getoption("--stopcheck-scenario") or []
        try:
            scenarios = pick_scenarios(tuple(wanted))
            with closing(load_gate(self.gate)) as loaded:
                fitting = [scenario for scenario in scenarios if scenario.fits(loaded.contract)]
        except (UsageFault, AdapterFault) as error:
            self.refused = f"--stopcheck-gate {self.gate}: {error.what}; next: {error.hint}"
            raise self.CollectError(self.refused) from error
        for scenario in fitting:
            for group in (*dict.fromkeys(clause.split("-")[0] for clause in scenario.clauses), OTHERS):
                yield ClauseGroup.of(self, scenario, group)

    def report(self, scenario: str) -> Report:
        """The report on the scenario; made once."""
        if scenario not in self.reports:
            options = Options(scenarios=(scenario,), budget=self.config.getoption("--stopcheck-budget"))
            done = run_campaign(self.gate, options, _nobody_watches)
            if done.interrupted:  # the whole session is meant
                raise KeyboardInterrupt
            self.reports[scenario] = done.report
        return self.reports[scenario]


class ClauseGroup(pytest.Item):
    """The clauses of one family that a scenario is about, or all that it is not about."""

    scenario: Scenario
    group: str

    @classmethod
    def of(cls, gate: Gate, scenario: Scenario, group: str) -> ClauseGroup:
        """The item of a group."""
        name = f"{scenario.id}[{group}]"
        # As pytest reads it from its cache, with a parameter: a name alone would be another test to --lf.
        item: ClauseGroup = _node(cls, gate, name=name, nodeid=f"{gate.nodeid}::{name}")
        item.scenario, item.group = scenario, group
        item.extra_keyword_matches.update(clause for clause in scenario.clauses if item.has(clause))
        if gate.config.pluginmanager.hasplugin("xdist"):  # which alone knows the mark
            item.add_marker(pytest.mark.xdist_group(scenario.id))
        return item

    def has(self, clause: str) -> bool:
        """Whether the clause belongs to it."""
        if clause not in self.scenario.clauses:
            return self.group == OTHERS
        return clause.split("-", maxsplit=1)[0] == self.group

    def runtest(self) -> None:
        """Read the verdicts. Raises :class:`NotPassed`, or skips."""
        gate = self.getparent(Gate)
        assert gate is not None
        report = gate.report(self.scenario.id)
        if report.faults:
            raise NotPassed(told_faults(gate.gate, report.faults))
        mine = [clause for clause in report.clauses if self.has(clause.clause)]
        broken = [clause for clause in mine if clause.verdict is Verdict.FAIL]
        if broken:
            loaded = load_gate(gate.gate)
            raise NotPassed(told_findings(loaded, [clause.findings[0] for clause in broken]))
        if self.group != OTHERS:
            _concluded(mine)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Our own failures say it all themselves."""
        if isinstance(excinfo.value, NotPassed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where it stands: nowhere in the tests."""
        return self.path, None, f"{self.scenario.id} [{self.group}]"


def _nobody_watches(event: CampaignEvent) -> None:
    """pytest shows its own progress."""


def _concluded(clauses: Sequence[ClauseVerdict]) -> None:
    tested = [clause for clause in clauses if clause.exercised and clause.verdict is not Verdict.UNSUPPORTED]
    if not tested:
        pytest.skip("; ".join(f"{clause.clause} {clause.verdict}: {clause.why}" for clause in clauses))
    unknown = [clause for clause in tested if clause.verdict is not Verdict.PASS]
    if unknown:
        raise NotPassed("\n".join(f"{clause.clause} {clause.verdict}: {clause.why}" for clause in unknown))


def items_of(session: pytest.Session, gate: str) -> Iterator[pytest.Item]:
    """All items of a gate, collected as pytest collects, so that it counts them. Raises ``pytest.UsageError`` when
    there is no such gate or scenario; in a worker of xdist that is an error of the collection, which it hands on."""
    collector = Gate.of(session, gate)
    report: Any = _collected(collector)
    if collector.refused and not hasattr(session.config, "workerinput"):
        raise pytest.UsageError(collector.refused)
    collector.ihook.pytest_collectreport(report=report)
    yield from report.result or ()


def _collected(collector: pytest.Collector) -> Any:
    """The report of a collector, as pytest itself makes it: without the call, which cannot be handed on."""
    hook = collector.ihook
    hook.pytest_collectstart(collector=collector)
    report: Any = hook.pytest_make_collect_report(collector=collector)
    report.__dict__.pop("call", None)
    return report


def _node(kind: Any, parent: pytest.Collector, **given: str) -> Any:
    """pytest makes its nodes itself, by a method whose arguments have no types."""
    return kind.from_parent(parent, **given)

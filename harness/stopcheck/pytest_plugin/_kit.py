"""What the fixture gives: trying a scenario of one's own in this process."""

from __future__ import annotations

from typing import Any

import pytest

from stopcheck.campaign import Tried, gate_of, trial_of, try_scenario
from stopcheck.pytest_plugin._telling import told_faults, told_findings
from stopcheck.world import Scenario


class Kit:
    """Tries scenarios. Runs are made in the process of the tests."""

    def tries(
        self,
        gate: Any,
        scenario: Scenario,
        *,
        budget: int | None = None,
        seed: int = 0,
        granularity: str | None = None,
    ) -> Tried:
        """What came of the scenario's jobs, whatever it is."""
        return try_scenario(gate, scenario, budget=budget, seed=seed, granularity=granularity)

    def holds(
        self,
        gate: Any,
        scenario: Scenario,
        *,
        budget: int | None = None,
        seed: int = 0,
        granularity: str | None = None,
    ) -> Tried:
        """Fail unless no clause is broken and all was tried that was to be."""
        loaded = gate_of(gate)
        tried = self.tries(loaded, scenario, budget=budget, seed=seed, granularity=granularity)
        if tried.findings:
            pytest.fail(told_findings(loaded, tried.findings, scenario), pytrace=False)
        if tried.faults:
            pytest.fail(told_faults(loaded.reference, tried.faults), pytrace=False)
        if tried.doubts:
            pytest.fail("nothing may be concluded: " + "\n  ".join(tried.doubts), pytrace=False)
        return tried

    def machine(self, gate: Any, scenario: Scenario, *, granularity: str = "calls") -> None:
        """Drive the scenario by a Hypothesis state machine, with the settings of the profile that is loaded. What fails
        is kept in its database, and tried first the next time; Hypothesis shrinks it and says what it did."""
        from hypothesis.stateful import run_state_machine_as_test

        from stopcheck.explore.stateful import machine_for

        with trial_of(gate, scenario, granularity=granularity) as trial:
            run_state_machine_as_test(machine_for(trial))

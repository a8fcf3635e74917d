"""The base class of tests of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from stopcheck.pytest_plugin._kit import Kit


class ScenarioCase:
    """A test class for a scenario of one's own::

        class TestRefund(ScenarioCase):
            gate = "my_package.gate:Gate"
            scenario = REFUND

    ``gate`` is a name as for ``stopcheck certify``, or a factory (``staticmethod`` for a function); ``scenario`` a
    :class:`stopcheck.world.Scenario`, which need not be installed. ``budget`` counts executions per search.
    """

    gate: ClassVar[Any]
    scenario: ClassVar[Any]
    budget: ClassVar[int | None] = None
    granularity: ClassVar[str | None] = None

    def test_no_clause_is_broken(self, stopcheck_kit: Kit) -> None:
        """Fails when a clause is broken, or when nothing may be concluded."""
        stopcheck_kit.holds(self.gate, self.scenario, budget=self.budget, granularity=self.granularity)

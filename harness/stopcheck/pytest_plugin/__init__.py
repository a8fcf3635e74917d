"""Certifying in pytest: ``pytest --stopcheck-gate module:factory``, and help for scenarios of one's own.

One idea: who does not ask for it pays nothing. This module imports pytest alone; the kit comes when a gate is named or
a fixture is used.

With ``--stopcheck-gate`` one item is collected for each scenario and group of clauses (``before-admission[ADM]``);
``-k`` finds them by scenario, group and clause, ``-x`` and xdist work as ever (``--dist loadgroup`` keeps the items of
a scenario, which share its runs, in one worker). An item passes when each clause of its group that its scenario put to
the test passed, is skipped when it put none to the test, and fails when one broke or nothing may be concluded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stopcheck.pytest_plugin._cases import ScenarioCase

if TYPE_CHECKING:
    from stopcheck.pytest_plugin._kit import Kit

__all__ = ["ScenarioCase"]

_PROFILE = "stopcheck"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our options."""
    group = parser.getgroup("stopcheck", "certifying cancellation gates")
    group.addoption(
        "--stopcheck-gate",
        action="append",
        default=[],
        metavar="GATE",
        help="collect a test for each scenario and group of clauses of this gate (as for stopcheck certify)",
    )
    group.addoption(
        "--stopcheck-budget", type=int, default=None, metavar="N", help="executions per search (as for --budget)"
    )
    group.addoption(
        "--stopcheck-scenario", action="append", default=[], metavar="ID", help="only this scenario (may be repeated)"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the Hypothesis profile, if it is asked for: ``--hypothesis-profile stopcheck``."""
    if config.getoption("--hypothesis-profile", default=None) == _PROFILE:
        from stopcheck.pytest_plugin._profile import register_profile

        register_profile(config.rootpath)


@pytest.hookimpl(tryfirst=True)  # before -k and -m choose among the items
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the items of the gates that are named."""
    gates: list[str] = config.getoption("--stopcheck-gate") or []
    if gates:
        from stopcheck.pytest_plugin._items import items_of

        for gate in dict.fromkeys(gates):
            items.extend(items_of(session, gate))


@pytest.fixture
def stopcheck_kit() -> Kit:
    """Tries scenarios of one's own: see :class:`ScenarioCase`, which uses it."""
    from stopcheck.pytest_plugin._kit import Kit

    return Kit()

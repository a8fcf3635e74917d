"""How the published reports are made.

One idea: a report is a function of the gate, the scenarios, the budget and the seed; so these four are the recipe, and
whoever follows it gets the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from stopcheck.campaign import Options, Report, certify
from stopcheck.campaign._databases import connect_to_server
from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._loading import COMMAND
from stopcheck.cli._report_files import FORMATS, with_interleavings
from stopcheck.cli._stops import Stops
from tests.slow.remote import node

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "reports"
REMAKE = "after an intended change, make them again with `make reports`, and look at them"

_VENDOR = "fixtures/stopcheck_fixtures/vendor"
_NODE = "fixtures/stopcheck_fixtures/node"


def _no_server() -> str:
    try:
        connect_to_server().close()
    except UsageFault as fault:
        return str(fault)
    return ""


class Recipe(NamedTuple):
    """A report. No ``scenarios``: all of them; of such a report only what is small is kept. ``budget``: executions for
    each search, ``None`` for the usual. ``missing`` says what the gate needs and this machine has not."""

    gate: str
    scenarios: tuple[str, ...] = ()
    budget: int | None = None
    missing: Callable[[], str] = str

    @property
    def files(self) -> dict[str, str]:
        """The formats that are published, and their file names."""
        names = {"html": "report.html", "markdown": "summary.md", "json": "report.json"}
        return names if self.scenarios else {form: name for form, name in names.items() if form != "json"}

    def made(self, children: int = 2) -> Report:
        """Certify the gate."""
        options = Options(scenarios=self.scenarios, budget=self.budget, children=children)
        report = certify(self.gate, options, lambda _event: None)
        return with_interleavings(report, Stops(), execution_s=options.execution_s, silence_s=options.silence_s)


_ADMISSION = ("before-admission",)
_BOTH = ("before-admission", "lost-response")

RECIPES = {
    "flag-gate": Recipe(f"{_VENDOR}/flag_gate.py:Gate", _ADMISSION, 300),
    "two-connections": Recipe(f"{_VENDOR}/two_connections.py:Gate", _ADMISSION, 300),
    "simple-gate": Recipe(f"{_VENDOR}/simple_gate.py:Gate", _ADMISSION, 300),
    "claims-serialised": Recipe(f"{_VENDOR}/claims_serialised.py:Gate", _ADMISSION, 300),
    "node-flag": Recipe(f"{COMMAND}node {_NODE}/flag_gate.js", _ADMISSION, 300, node.missing),
    "node-sqlite": Recipe(f"{COMMAND}node {_NODE}/gate.js", _ADMISSION, missing=node.missing),
    "postgres": Recipe("postgres", _ADMISSION, missing=_no_server),
    "memory": Recipe("memory", _BOTH, 1000),
    "sqlite": Recipe("sqlite", _BOTH, 1000),
    "memory-whole": Recipe("memory"),
}


def rendered(report: Report, recipe: Recipe) -> dict[str, bytes]:
    """The files of a report."""
    return {name: FORMATS[form].render(report) for form, name in recipe.files.items()}

"""The report as one HTML page: no script is needed to read it, nothing is fetched, and it prints.

One idea: the page is for somebody who has never seen the kit: the verdict in words, then each failure as a story that
can be followed with a finger, then everything that the verdicts rest on. Templates arrange; what they show is worked
out here, from the report alone.
"""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from stopcheck.campaign import Report
from stopcheck.report.page._view import view

_TICKS = re.compile(r"`([^`]+)`")

__all__ = ["html_report"]


def html_report(report: Report) -> bytes:
    """The page; equal reports give equal bytes."""
    return (_template().render(view(report)._asdict()) + "\n").encode()


def _ticks(text: str) -> Markup:
    """What stands between backticks is code."""
    return Markup(_TICKS.sub(r"<code>\1</code>", str(escape(text))))


@cache
def _template() -> Template:
    loader = PackageLoader("stopcheck.report.page")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters["ticks"] = _ticks
    return environment.get_template("report.html.j2")

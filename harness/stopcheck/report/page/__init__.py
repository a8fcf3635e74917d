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
from stopcheck.kernel import many
from stopcheck.report.page._view import view

_TICKS = re.compile(r"`([^`]+)`")
#: Names with a hyphen, at which no line should be broken: ``ADM-3``, ``--fail-fast``.
_NAMES = re.compile(r"(?<!\S)[\w-]*-[\w-]{1,20}")

__all__ = ["html_report"]


def html_report(report: Report) -> bytes:
    """The page; equal reports give equal bytes."""
    return (_template().render(view(report)._asdict(), many=many) + "\n").encode()


def _ticks(text: str) -> Markup:
    """What stands between backticks is code."""
    return Markup(_TICKS.sub(r"<code>\1</code>", str(escape(text))))


def _whole(text: str) -> Markup:
    """Names of clauses and flags stay whole where a heading is broken into lines."""
    return Markup(_NAMES.sub(r'<span class="whole">\g<0></span>', str(escape(text))))


@cache
def _template() -> Template:
    loader = PackageLoader("stopcheck.report.page")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters["ticks"] = _ticks
    environment.filters["whole"] = _whole
    return environment.get_template("report.html.j2")

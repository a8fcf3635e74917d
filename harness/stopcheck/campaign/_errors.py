"""Errors of the entry layer: something was asked for that does not exist or cannot be done (exit 2)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageFault(Exception):
    """One clear line: what, with the offending value; ``hint`` says what to do next."""

    def __init__(self, what: str, *, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def did_you_mean(given: str, known: Iterable[str], otherwise: str) -> str:
    """The hint of a misspelt name: names like it, or where to look."""
    close = difflib.get_close_matches(given, sorted(known), 3)
    return f"did you mean {' or '.join(close)}?" if close else otherwise

"""Errors of the entry layer: something was asked for that does not exist or cannot be done (exit 2)."""

from __future__ import annotations


class UsageFault(Exception):
    """One clear line: what, with the offending value; ``hint`` says what to do next."""

    def __init__(self, what: str, *, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

"""All checks of the kit, by clause family.

One idea: every module here exports ``CHECKS``, and this tuple is the only place that knows all of them. The order is
that of the contract, and decides in which order violations of one step are told.
"""

from __future__ import annotations

from stopcheck.judge._checks import Check

CHECKS: tuple[type[Check], ...] = ()

__all__ = ["CHECKS"]

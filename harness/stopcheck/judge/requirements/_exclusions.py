"""Clauses that the kit does not check, each with the reason.

One idea: an unobservable clause never passes. Its verdict is ``UNCHECKED`` with this reason, and there are at most
eight.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EXCLUSIONS: Mapping[str, str] = MappingProxyType({})
"""Why a clause cannot be checked, by its id."""

MOST_EXCLUSIONS = 8
"""How many exclusions there may be."""

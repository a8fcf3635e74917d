"""Editions of the requirement catalogue, each dated and frozen.

One idea: a certificate is of one edition, and what that wants never changes. A clause that is added later belongs to
later editions; a gate that is held to an older one is tried for it all the same, and not scored. So an edition pins the
digest of all that decides its clauses: changed wording is another edition.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from stopcheck.judge.requirements._types import Requirement


class Edition(msgspec.Struct, frozen=True):
    """A dated set of clauses. ``later``: those of the catalogue that do not belong to it yet; ``digest``: over its
    clauses, as they were frozen."""

    name: str
    digest: str
    later: frozenset[str] = frozenset()

    def has(self, clause: str) -> bool:
        """Whether a gate is held to it."""
        return clause not in self.later


def digest_of(requirements: Iterable[Requirement]) -> str:
    """Over all that decides what the clauses want, in their order."""
    return hashlib.sha256(msgspec.json.encode(list(requirements), order="sorted")).hexdigest()


EDITIONS: Mapping[str, Edition] = MappingProxyType(
    {
        edition.name: edition
        for edition in (Edition("2026-11", "a7e0dbeb6c615baf25cbab46f14a30018fefd8474184fa065dac802ce4803530"),)
    }
)
"""By name, the oldest first."""

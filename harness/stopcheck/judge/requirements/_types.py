"""The shape of one entry of the requirement catalogue."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Level(StrEnum):
    """How binding a requirement is."""

    MUST = "MUST"
    """A failure fails the certification."""

    SHOULD = "SHOULD"
    """A failure warns."""


class Requirement(msgspec.Struct, frozen=True, kw_only=True):
    """One clause of the gate contract, as data.

    The catalogue holds one for each clause, and every finding and every verdict names one by its ``id``.
    """

    id: str
    """The clause's identifier, such as ``"ADM-3"``."""

    family: str
    """The part of ``id`` before its number, a key of ``FAMILIES``."""

    title: str
    """A name of three to seven words, for tables and headings."""

    wording: str
    """The normative text: one or two sentences that suffice to decide a case."""

    sources: tuple[str, ...]
    """Where it comes from: design guides ``"A"``, ``"B"``, ``"C"``, or ``"field"``: public bug reports."""

    level: Level = Level.MUST
    """Whether a failure fails the certification or only warns."""

    capability: str | None = None
    """The optional capability on which the clause hangs; a gate without it is ``UNSUPPORTED`` here."""

    atomic: bool = False
    """Whether the clause is ``UNKNOWN`` when the gate was only tried at the granularity of its calls."""

    operations: tuple[str, ...] = ()
    """For an atomic clause: the gate operations inside which a branch point must have lain; otherwise it was
    tried at the granularity of calls only. Empty for every other clause."""

"""The records of the coverage ledger.

One idea: counts for whoever scans, and each thing that was not hit by name, with the reason, for whoever asks.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Subject(StrEnum):
    """What a count is of: points at which a stop may land, and after it a second one; faults, deaths of the gate and
    races of named timers, each where it may strike; durable states in which a process is killed for real; witnesses."""

    STOPS = "stops"
    SECOND_STOPS = "second stops"
    FAULTS = "faults"
    CRASHES = "crashes"
    KILLS = "kills"
    TIMERS = "timers"
    WITNESSES = "witnesses"


class Cover(msgspec.Struct, frozen=True):
    """``planned`` = ``hit`` + ``impossible`` + ``missed``."""

    subject: Subject
    planned: int
    hit: int
    impossible: int
    missed: int


class Gap(msgspec.Struct, frozen=True):
    """Something planned that no run hit, and why; ``impossible`` or else missed."""

    subject: Subject
    what: str
    why: str
    impossible: bool


class Ledger(msgspec.Struct, frozen=True):
    """The ledger of a scenario in a variant. What was hit, and how often, stands in the jobs' own ledgers.

    ``exhausted``: a search made every run; ``bound``: every run of at most so many disruptions, if that was all that
    was completed. ``executions`` are of all jobs."""

    scenario: str
    granularity: str
    handles: int
    executions: int
    exhausted: bool
    bound: int | None
    covers: tuple[Cover, ...]
    gaps: tuple[Gap, ...]

"""A run as plain data, for whoever draws or tells it: who moved, what went to and fro, what broke, what was held.

One idea: a picture needs a run's story, not its log. So the story is told once, where the run was made again, and is
then a part of the report like any other: every renderer draws from the same words.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Part(StrEnum):
    """What stands on a lane."""

    ACTOR = "actor"
    GATE = "gate"
    RECEIVER = "receiver"
    QUEUE = "queue"


class Lane(msgspec.Struct, frozen=True):
    """One who takes part, in the order in which lanes are drawn."""

    name: str
    part: Part


class Kind(StrEnum):
    """What a move is."""

    CALL = "call"
    """A call that goes to the gate and stays there."""
    RETURN = "return"
    """The answer to a call that stayed."""
    EXCHANGE = "exchange"
    """A call that is answered at once."""
    POINT = "point"
    """A call stands at a branch point inside of the gate."""
    MESSAGE = "message"
    """Something goes from one lane to another: a request to a receiver, its answer, a delivery."""
    COMMIT = "commit"
    """A receiver really did it."""
    FAULT = "fault"
    """A fault was chosen."""
    DEATH = "death"
    """The gate's process died."""
    DEED = "deed"
    """Anything else that one lane does by itself."""


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that happened. ``at_ns`` is virtual time; ``lane`` did it, ``to`` is where it went (empty: nowhere);
    ``where`` is the place in the gate's own code. ``instead_of`` is what would have come by default; empty where this
    is the default. ``cutoff``: the answer that first told that a stop was accepted; ``phase``: begins here."""

    step: int
    at_ns: int
    lane: str
    kind: Kind
    what: str
    to: str = ""
    where: str = ""
    instead_of: str = ""
    cutoff: bool = False
    phase: str = ""


class Broken(msgspec.Struct, frozen=True):
    """A clause that broke at a step, for the first time in the run."""

    clause: str
    step: int
    message: str


class Held(msgspec.Struct, frozen=True):
    """What was certain of one task or effect: what the gate had answered by then (``gate``), what a new gate on its
    storage would show (``stored``; empty for one that keeps nothing), and what a receiver really holds (``truth``;
    empty for what no receiver can know)."""

    subject: str
    gate: str
    truth: str = ""
    stored: str = ""


class Interleaving(msgspec.Struct, frozen=True):
    """The run of a finding.

    ``step`` is where its clause broke; ``before`` and ``after`` are what was held before that step and after it, and
    ``at_rest`` at the end. ``nearest``: the nearest run that passes, whose ``step`` is where it parts from this one."""

    token: str
    scenario: str
    granularity: str
    handles: int
    step: int
    lanes: tuple[Lane, ...]
    moves: tuple[Move, ...]
    broken: tuple[Broken, ...]
    before: tuple[Held, ...]
    after: tuple[Held, ...]
    at_rest: tuple[Held, ...]
    ending: str
    steps: int
    nearest: Interleaving | None = None

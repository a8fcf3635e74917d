"""The scenario type: one page that says who acts, what may go wrong, and what must have been seen.

One idea: a scenario declares actors and bounds and nothing of what is right; what is right stands in the requirement
catalogue and is the same everywhere. Its *witnesses* say which situations a run must have reached before
anything may be concluded from the absence of a violation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec

import stopcheck.world  # named by annotations that are looked up late: it imports this module
from stopcheck.gate import Capability, GateContract
from stopcheck.kernel import many, plural
from stopcheck.world._events import Event


class Granularity(StrEnum):
    """How finely a gate is tried: whole calls, or also between its inner branch points."""

    CALLS = "calls"
    INNER = "inner"


class Variant(msgspec.Struct, frozen=True):
    """What of a run is fixed before its first choice: the number of gate handles and the granularity."""

    handles: int = 1
    granularity: Granularity = Granularity.CALLS

    def names(self) -> dict[str, str]:
        """As it stands in a schedule."""
        return {"handles": str(self.handles), "granularity": self.granularity.value}

    @classmethod
    def from_names(cls, names: dict[str, str]) -> Variant:
        """Read back from a schedule. Raises ``ValueError`` on anything else."""
        handles = int(names.get("handles", "1"))
        if handles not in (1, 2):
            raise ValueError(f"handles must be 1 or 2, not {handles}")
        return cls(handles, Granularity(names.get("granularity", "calls")))

    def __str__(self) -> str:
        return f"{self.granularity.value}, {many(self.handles, 'handle')}"


class FaultKind(StrEnum):
    """The kinds of a fault budget; ``crash`` is the death of the gate."""

    PROVIDER = "provider"
    QUEUE = "queue"
    WORKER = "worker"
    SIGNAL = "signal"
    CRASH = "crash"
    TIME = "time"
    #: A timer of the gate's own (a sleep, a time-out) fires while others could still move.
    GATE_TIMER = "gate_timer"
    #: Asked for by something else than the bundled world.
    OTHER = "other"


class FaultBudget(msgspec.Struct, frozen=True, kw_only=True):
    """How many faults of each kind one run may contain; "exhausted" always means within this budget.

    ``lost_answers`` names the operations whose answer a crash may swallow (empty: all): the gate dies after the
    transition and before its caller knows. ``provider_faults`` names which of them the scenario admits. ``timers`` are
    the names of timers that may fire while others could still move, each just before, at and just after its time.
    ``gate_timer``: how often one of the gate's own may that is due within a second; so a call that sleeps may be slower
    or faster than others. Only a gate with such timers has a place for it.
    """

    crashes: int = 1
    lost_answers: tuple[str, ...] = ()
    provider: int = 1
    provider_faults: tuple[str, ...] = ("reject", "drop", "drop_answer")
    queue: int = 0
    worker: int = 0
    signal: int = 0
    time: int = 0
    timers: tuple[str, ...] = ()
    gate_timer: int = 2

    def limits(self) -> dict[FaultKind, int]:
        """How many of each kind."""
        return {
            FaultKind.CRASH: self.crashes,
            FaultKind.PROVIDER: self.provider,
            FaultKind.QUEUE: self.queue,
            FaultKind.WORKER: self.worker,
            FaultKind.SIGNAL: self.signal,
            FaultKind.TIME: self.time,
            FaultKind.GATE_TIMER: self.gate_timer,
        }

    def describe(self) -> str:
        """One line for the verdict."""
        parts = [many(self.crashes, "crash")] if self.crashes else []
        if self.provider:
            parts.append(f"{many(self.provider, 'provider fault')} of {'/'.join(self.provider_faults)}")
        if self.queue:
            parts.append(f"{many(self.queue, 'duplicate')} or {plural(self.queue, 'redelivery')}")
        if self.worker:
            parts.append(many(self.worker, "worker death"))
        if self.signal:
            parts.append(many(self.signal, "lost signal"))
        if self.time and self.timers:
            parts.append(f"{many(self.time, 'early or late timer')} of {', '.join(self.timers)}")
        return "; ".join(parts) or "no faults"


class Witness(msgspec.Struct, frozen=True):
    """A situation that exploration must have reached at least once. ``seen`` reads one run's events, in order; let it
    be a :class:`~stopcheck.world.Sight`, lest a search cut off the way to it.
    ``capability``: asked for only of gates that have it. ``durable``: only of durable ones. ``given``: only of those
    that declare more that it takes."""

    name: str
    seen: Callable[[Sequence[Event]], bool]
    capability: Capability | None = None
    durable: bool = False
    given: Callable[[GateContract], bool] | None = None

    def asked_of(self, contract: GateContract) -> bool:
        """Whether a gate that declares this can reach it."""
        return (
            (self.capability is None or contract.has(self.capability))
            and (contract.durable or not self.durable)
            and (self.given is None or self.given(contract))
        )


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """One situation to certify a gate in.

    ``sentence`` is the contract's case in one sentence. ``build`` declares tasks, receivers and actors on a fresh
    :class:`World`. ``clauses`` are those that it was written to exercise (documentation, and what ``explain`` shows),
    ``points`` those of :data:`~stopcheck.world.INJECTION_POINTS`. ``ledger``: it is about effects. Where it is not,
    gates without a ledger are tried in it too, and whatever effects it declares nobody makes. ``races``: it is about
    calls that race, and so is tried inside of them too.
    """

    id: str
    title: str
    sentence: str
    build: Callable[[stopcheck.world.World], None]
    witnesses: tuple[Witness, ...]
    case: int | None = None
    budget: FaultBudget = FaultBudget()
    needs: frozenset[Capability] = frozenset()
    clauses: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    races: bool = False
    ledger: bool = True
    #: Preemptions, faults and deaths together that a bounded search must reach for every witness to be seen.
    disruptions: int = 1

    def fits(self, contract: GateContract) -> bool:
        """Whether a gate that declares this can be tried in it."""
        return self.needs <= contract.capabilities and (contract.ledger or not self.ledger)

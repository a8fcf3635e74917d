"""What a run's events show: the predicates from which witnesses are made.

One idea: a witness is a sentence about what happened ("the stop was answered before the commitment"), so it is put
together from a few words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stopcheck.gate import GateContract, Indefinite
from stopcheck.world import Called, Committed, Event, FaultChosen, GateDied, Returned, Sight, WorkerActed

#: Whether something was seen in a run.
Seen = Sight
#: Whether one event is the one that is meant.
Match = Callable[[Event], bool]


# -- single events ----------------------------------------------------------------------------------------


def answer(operation: str, *replies: type[Any], actor: str = "") -> Match:
    """A call of ``operation`` (by ``actor``, if given) was answered with one of ``replies``."""

    def match(event: Event) -> bool:
        return (
            isinstance(event, Returned)
            and event.operation == operation
            and isinstance(event.reply, replies)
            and actor in ("", event.actor)
        )

    return match


def call(operation: str, actor: str = "", **fields: Any) -> Match:
    """A call of ``operation`` went out, whose request has these fields."""

    def match(event: Event) -> bool:
        return (
            isinstance(event, Called)
            and event.operation == operation
            and actor in ("", event.actor)
            and all(getattr(event.request, name) == value for name, value in fields.items())
        )

    return match


def commit(effect_id: str) -> Match:
    """A receiver really did this."""
    return lambda event: isinstance(event, Committed) and event.effect_id == effect_id


def fault(name: str) -> Match:
    """This fault happened."""
    return lambda event: isinstance(event, FaultChosen) and event.fault == name


def act(what: str, worker: str = "") -> Match:
    """A worker did this."""
    return lambda event: isinstance(event, WorkerActed) and event.what == what and worker in ("", event.worker)


def death() -> Match:
    """The gate's process died."""
    return lambda event: isinstance(event, GateDied)


# -- whole runs -------------------------------------------------------------------------------------------


def _whole(sight: Seen, events: Sequence[Event]) -> bool:
    """Ask a whole run, step by step."""
    stage = sight.first()
    for event in events:
        stage = sight.after(stage, event)
    return sight.seen_at(stage)


class _InOrder:
    """The stage counts what has happened."""

    def __init__(self, matches: Sequence[Match]) -> None:
        self._matches = matches

    def __call__(self, events: Sequence[Event], /) -> bool:
        return _whole(self, events)

    def first(self) -> int:
        return 0

    def after(self, stage: int, event: Event, /) -> int:
        return stage + (stage < len(self._matches) and self._matches[stage](event))

    def seen_at(self, stage: int, /) -> bool:
        return stage == len(self._matches)


class _Together:
    """``holds`` is told which of the parts were seen."""

    def __init__(self, parts: Sequence[Seen], holds: Callable[[list[bool]], bool]) -> None:
        self._parts = parts
        self._holds = holds

    def __call__(self, events: Sequence[Event], /) -> bool:
        return _whole(self, events)

    def first(self) -> tuple[Any, ...]:
        return tuple(part.first() for part in self._parts)

    def after(self, stage: tuple[Any, ...], event: Event, /) -> tuple[Any, ...]:
        return tuple(part.after(at, event) for part, at in zip(self._parts, stage, strict=True))

    def seen_at(self, stage: tuple[Any, ...], /) -> bool:
        return self._holds([part.seen_at(at) for part, at in zip(self._parts, stage, strict=True)])


def saw(match: Match) -> Seen:
    """It happened."""
    return in_order(match)


def never(match: Match) -> Seen:
    """It did not happen."""
    return _Together([saw(match)], lambda seen: not seen[0])


def both(*parts: Seen) -> Seen:
    """All of these were so."""
    return _Together(parts, all)


def either(*parts: Seen) -> Seen:
    """At least one of these was so."""
    return _Together(parts, any)


def in_order(*matches: Match) -> Seen:
    """These happened, one after the other."""
    return _InOrder(matches)


def died_under(operation: str) -> Seen:
    """The gate died under a call of ``operation``: its caller does not know whether it took effect."""
    return saw(answer(operation, Indefinite))


def keeps_ledger(contract: GateContract) -> bool:
    """Of a job system that keeps no ledger, no commitment and no claim is ever seen."""
    return contract.ledger

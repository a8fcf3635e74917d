"""What a run's events show: the predicates from which witnesses are made.

One idea: a witness is a sentence about what happened ("the stop was answered before the commitment"), so it is put
together from a few words. Each word takes a run's events, in order, and says whether it was so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from stopcheck.gate import Indefinite
from stopcheck.world import Called, Committed, Event, FaultChosen, GateDied, Returned, WorkerActed

#: Whether something was seen in a run.
Seen = Callable[[Sequence[Event]], bool]
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


def saw(match: Match) -> Seen:
    """It happened."""
    return lambda events: any(match(event) for event in events)


def never(match: Match) -> Seen:
    """It did not happen."""
    return lambda events: not any(match(event) for event in events)


def both(*parts: Seen) -> Seen:
    """All of these were so."""
    return lambda events: all(part(events) for part in parts)


def either(*parts: Seen) -> Seen:
    """At least one of these was so."""
    return lambda events: any(part(events) for part in parts)


def in_order(*matches: Match) -> Seen:
    """These happened, one after the other."""

    def seen(events: Sequence[Event]) -> bool:
        waiting = list(matches)
        for event in events:
            if waiting and waiting[0](event):
                waiting.pop(0)
        return not waiting

    return seen


def died_under(operation: str) -> Seen:
    """The gate died under a call of ``operation``: its caller does not know whether it took effect."""
    return saw(answer(operation, Indefinite))

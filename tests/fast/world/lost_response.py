"""The run in which the receiver's answer is lost, with a death at one of its branch points.

One idea: the branch points are counted by the run itself, where it is asked who moves next. So none is left out, and a
death beyond the last one is a run without any.
"""

from __future__ import annotations

from collections.abc import Sequence

from stopcheck.campaign._loading import load_scenarios
from stopcheck.campaign._sigkill_zygote import Promise
from stopcheck.gate import Accepted, Admitted
from stopcheck.kernel import Point
from stopcheck.world import Called, Event, FinalAccount, GateDied, Returned, Scenario

SCENARIO = "lost-response"
_LOST, _DEATH = "drop_answer", "crash:gate"


def scenario() -> Scenario:
    """It."""
    return load_scenarios()[SCENARIO]


class Dying:
    """Answers as by default, but loses the answer, and dies at branch point ``at``, counted from 0. ``points`` are
    those that came before the death, by what would have come next; ``closed`` those of them at which there was no death
    to be had."""

    def __init__(self, at: int | None = None) -> None:
        self.points: list[str] = []
        self.closed: list[str] = []
        self._at = at
        self._dead = False

    def choose(self, point: Point) -> int:
        """A chooser's only method."""
        if point.name == "run" and not self._dead:
            if len(self.points) == self._at:
                self._dead = True
                return self.dies(point)
            self.points.append(point.options[0])
            if _DEATH not in point.options:
                self.closed.append(point.options[0])
        return point.options.index(_LOST) if _LOST in point.options else 0

    def dies(self, point: Point) -> int:
        """Die now, in whichever way."""
        return point.options.index(_DEATH)


def promised_before_death(events: Sequence[Event]) -> list[Promise]:
    """What had been answered as accepted or admitted when the gate died, or was over."""
    calls: dict[str, Called] = {}
    promises: list[Promise] = []
    for event in events:
        if isinstance(event, GateDied):
            break
        if isinstance(event, Called):
            calls[event.call_id] = event
        elif isinstance(event, Returned) and (ref := calls[event.call_id].request.ref) is not None:
            if isinstance(event.reply, Accepted):
                promises.append(Promise(ref, record_id=event.reply.record.record_id))
            elif isinstance(event.reply, Admitted):
                promises.append(Promise(ref, effect_id=getattr(calls[event.call_id].request, "effect_id", "")))
    return promises


def accounts(events: Sequence[Event]) -> list[FinalAccount]:
    """What was inspected in the end."""
    return [event for event in events if isinstance(event, FinalAccount)]

"""The stop as something that a strategy holds back and lets go.

One idea: whoever's first call is ``request_cancel`` is a *stop actor*, and its step into that call is the stop. A base
run in which stops are never chosen while anything else is possible shows every point at which one could have started.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from stopcheck.explore._sampling import is_step
from stopcheck.explore._trial import Result, Trial
from stopcheck.kernel import SCHEDULE, DefaultChooser, Point

STOP = "request_cancel"
_STEP = f"@{STOP}"


def stop_actors(result: Result) -> list[str]:
    """Who asks for a cancellation before anything else, in the order in which they did."""
    return [actor for actor, operation in result.first_calls().items() if operation == STOP]


def find_stops(trial: Trial) -> list[str]:
    """The stop actors of a trial, from its plain run."""
    return stop_actors(trial(DefaultChooser()))


def stops_made(result: Result) -> int:
    """How many times anybody asked for a cancellation, repeats included."""
    return sum(1 for _, name in result.turns() if is_stop(name))


def is_stop(option: str) -> bool:
    """Whether this step asks for a cancellation."""
    return option.endswith(_STEP) and is_step(option)


class Held:
    """Which options are stops that have not started. Stop actors get as far as their stop at once; what they then do is
    theirs. ``repeated``: a further stop of whoever has stopped already is one too, and so is everybody else's."""

    def __init__(self, stops: Collection[str], *, repeated: bool = False) -> None:
        self._stops = {f"{actor}{_STEP}": actor for actor in stops}
        self._actors = tuple(f"{actor}@" for actor in stops)
        self._repeated = repeated
        self.started: list[str] = []

    def waiting(self, point: Point) -> list[int]:
        """The options at this point that would start a stop."""
        started = self.started
        if self._repeated:
            return [index for index, option in enumerate(point.options) if is_stop(option)]
        return [
            index
            for index, option in enumerate(point.options)
            if option in self._stops and self._stops[option] not in started
        ]

    def on_its_way(self, point: Point) -> int | None:
        """An option that brings a stop actor nearer to its stop."""
        for index, option in enumerate(point.options):
            own = option.startswith(self._actors) and option not in self._stops
            if own and option.split("@", 1)[0] not in self.started:
                return index
        return None

    def start(self, option: str) -> None:
        """This stop starts now."""
        self.started.append(option.split("@", 1)[0])


Inner = Callable[[Point, list[int]], int]


def first_allowed(_: Point, allowed: list[int]) -> int:
    """The first of the options that are allowed: the default order without the others."""
    return allowed[0]


class HoldingBack:
    """Never starts a stop while any other actor can move. ``inner`` chooses among the other options. ``offers`` notes
    at which step which stops could have started, up to the first that did; ``started_at`` is that step, ``asked_first``
    the first at which anything was a choice."""

    def __init__(self, stops: Collection[str], inner: Inner = first_allowed, *, repeated: bool = False) -> None:
        self.held = Held(stops, repeated=repeated)
        self.offers: dict[int, list[str]] = {}
        self.started_at: int | None = None
        self.asked_first: int | None = None
        self._inner = inner

    def choose(self, point: Point) -> int:
        """Something else than a stop, if there is anything."""
        everything = list(range(len(point.options)))
        if point.kind != SCHEDULE:
            return self._inner(point, everything)
        if self.asked_first is None:
            self.asked_first = point.step
        held = self.held
        on_its_way = held.on_its_way(point)
        if on_its_way is not None:
            return on_its_way
        waiting = held.waiting(point)
        if waiting and self.started_at is None:
            self.offers[point.step] = [point.options[index] for index in waiting]
        allowed = [index for index in everything if index not in waiting]
        if waiting and not any(is_step(point.options[index]) for index in allowed):
            held.start(point.options[waiting[0]])
            if self.started_at is None:
                self.started_at = point.step
            return waiting[0]
        return self._inner(point, allowed)


def others_first(point: Point, actor: str) -> int:
    """The default, but this actor only when no other can move."""
    own = f"{actor}@"
    for index, option in enumerate(point.options):
        if is_step(option) and not option.startswith(own):
            return index
    return 0

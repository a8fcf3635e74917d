"""Bounded search: only so many disruptions in one run.

One idea: most faults of a gate need one or two disruptions, so a space that is too large to exhaust is completed up to
a *named* number of them. A disruption is a preemption (a switch away from an actor that could have gone on; Musuvathi
and Qadeer, PLDI 2007), a fault, a death, or a timer that fires while others could move. Switches that are forced (the
last actor is finished, asleep or blocked) are free.

What a pass does not prove: that nothing breaks with one disruption more. And no reduction by independence may be
combined with it: with a bound, two orders of independent steps do not cost the same. The state that a cache compares is
extended by the last actor and by what is left of the bound, since both decide what may follow.
"""

from __future__ import annotations

from collections.abc import Callable

from stopcheck.explore._trial import Result, Trial, Watch, unwatched
from stopcheck.kernel import CRASH_PREFIX, SCHEDULE, TIME_PREFIX, Chooser, Point


def is_disruption(point: Point, index: int) -> bool:
    """Whether this answer costs one of the bound."""
    if index == 0:
        return False
    option = point.options[index]
    if point.kind != SCHEDULE or option.startswith((TIME_PREFIX, CRASH_PREFIX)):
        return True
    return bool(point.actor) and point.options[0].startswith(point.actor + "@")


class DisruptionBound:
    """Shows the wrapped strategy only the options that the bound leaves. One for each run."""

    def __init__(self, inner: Chooser, bound: int) -> None:
        self._inner = inner
        self._left = bound
        self.limited = False

    def choose(self, point: Point) -> int:
        """The wrapped strategy's answer among what is left. Where that is one option it is not asked: to look up the
        state there costs more than the runs that it would cut short."""
        indices = range(len(point.options))
        allowed = [i for i in indices if self._left > 0 or not is_disruption(point, i)]
        if len(allowed) < len(point.options):
            self.limited = True
        if len(allowed) == 1:
            return allowed[0]
        index = allowed[self._inner.choose(self._narrowed(point, allowed))]
        if is_disruption(point, index):
            self._left -= 1
        return index

    def at_rest(self, state: Callable[[], bytes]) -> None:
        """Nothing is left to choose, so what is left of the bound does not matter."""
        told = getattr(self._inner, "at_rest", None)
        if told is not None:
            told(state)

    def _narrowed(self, point: Point, allowed: list[int]) -> Point:
        state = point.state
        left = self._left

        def bounded_state() -> bytes:
            digest = state() if state is not None else None
            return digest + f"|{point.actor}|{left}".encode() if digest else b""

        options = tuple(point.options[i] for i in allowed)
        return Point(point.kind, point.actor, point.label, options, point.step, bounded_state if state else None)


class BoundedTrial:
    """A trial whose runs have at most ``bound`` disruptions. ``limited``: the bound kept something back."""

    def __init__(self, trial: Trial, bound: int) -> None:
        self._trial = trial
        self.bound = bound
        self.limited = False
        self.scenario = trial.scenario
        self.variant = trial.variant

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        """Make the run."""
        bounded = DisruptionBound(chooser, self.bound)
        try:
            return self._trial(bounded, watch)
        finally:
            self.limited = self.limited or bounded.limited


__all__ = ["BoundedTrial", "DisruptionBound", "is_disruption"]

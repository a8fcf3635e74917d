"""The runs of a stop sweep: those that are recorded with the stop held back, and those that start it.

One idea: a recorded run with the stop held back shows at which steps one could have started; the same run followed up
to such a step, and a stop put there, is the run that the sweep wants. That run may be recorded in turn, with the next
stop held back, and shows where a second one could start.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence

import msgspec

from stopcheck.explore._sampling import is_step, mover
from stopcheck.explore._stops import HoldingBack, Inner, first_allowed, others_first
from stopcheck.explore._trial import Result
from stopcheck.kernel import SCHEDULE, Choice, DivergedError, Divergence, Point

_DEVIATION = 0.3
#: The point at which a stop can be held back no longer.
NOBODY_ELSE = "nobody else can move"


class Place(msgspec.Struct, frozen=True):
    """A step of a recorded run: before it, the stops ``offered`` could have started. ``point`` names it."""

    step: int
    name: str
    point: str
    offered: tuple[str, ...]


class Base:
    """A recorded run with stops held back. ``leave_out`` names the steps that are no points of it."""

    def __init__(self, result: Result, holding: HoldingBack, first: int, leave_out: Callable[[str], bool]) -> None:
        self.choices = result.choices
        self.places: list[Place] = []
        ordinals: dict[str, int] = {}
        for number, name in result.turns():
            step = number - 1
            offered = tuple(holding.offers.get(step, ()))
            if step == holding.started_at:
                self.places.append(Place(step, name, NOBODY_ELSE, offered))
                break
            if not is_step(name):
                continue
            ordinals[name] = ordinals.get(name, 0) + 1
            if step >= first and not leave_out(name):
                self.places.append(Place(step, name, f"{name}#{ordinals[name]}", offered))


class Target(msgspec.Struct, frozen=True):
    """A stop to start before step ``step + 1`` of a base run, instead of ``instead_of``. Then it goes on to its end,
    or, if it ``steps_aside``, everybody else goes first."""

    base: int
    step: int
    point: str
    instead_of: str
    stop: str
    steps_aside: bool


class Sweeping:
    """The chooser of one run: along the base run, then the stop, then the default order. ``hit``: it started there."""

    def __init__(self, base: Base, target: Target) -> None:
        self.hit = False
        self._way = base.choices
        self._target = target
        self._actor = mover(target.stop)
        self._asked = 0

    def choose(self, point: Point) -> int:
        """The base run's answer; at the target, the stop."""
        target = self._target
        if self.hit:
            return others_first(point, self._actor) if target.steps_aside and point.kind == SCHEDULE else 0
        asked = self._asked
        self._asked += 1
        choice = self._way[asked] if asked < len(self._way) else Choice("the end", "", 0)
        if choice.point != point.name or choice.option not in point.options:
            raise DivergedError(Divergence(asked, choice.point, choice.option, point.name, point.options))
        if point.kind == SCHEDULE and point.step == target.step:
            self.hit = choice.option == target.instead_of
            return point.options.index(target.stop)
        return point.options.index(choice.option)


class HoldingSecond:
    """The chooser of a run that starts a first stop at its target, and holds back every further one."""

    def __init__(self, base: Base, target: Target, stops: Collection[str]) -> None:
        self._to_the_first = Sweeping(base, target)
        self.holding = HoldingBack(
            stops, _aside(mover(target.stop)) if target.steps_aside else first_allowed, repeated=True
        )
        self.holding.held.start(target.stop)

    @property
    def hit(self) -> bool:
        """Whether the first stop started at its target."""
        return self._to_the_first.hit

    def choose(self, point: Point) -> int:
        """The base run's answer, the first stop, and then anything but a stop."""
        return (self.holding if self.hit else self._to_the_first).choose(point)


def _aside(actor: str) -> Inner:
    own = f"{actor}@"

    def inner(point: Point, allowed: list[int]) -> int:
        others = (i for i in allowed if is_step(point.options[i]) and not point.options[i].startswith(own))
        return next(others, allowed[0]) if point.kind == SCHEDULE else 0

    return inner


def preferring(actor: str) -> Inner:
    """This actor goes first whenever it can."""
    own = f"{actor}@"

    def inner(point: Point, allowed: list[int]) -> int:
        if point.kind != SCHEDULE:
            return 0
        return next((index for index in allowed if point.options[index].startswith(own)), allowed[0])

    return inner


def deviating(rng: random.Random) -> Inner:
    """The default order, with deviations."""

    def inner(_: Point, allowed: list[int]) -> int:
        if len(allowed) > 1 and rng.random() < _DEVIATION:
            return rng.choice(allowed[1:])
        return allowed[0]

    return inner


def spread(targets: Sequence[Target], number: int | None) -> list[Target]:
    """At most so many of them, spread evenly."""
    if number is None or len(targets) <= number:
        return list(targets)
    return [targets[at * len(targets) // number] for at in range(number)]

"""Runs that are remembered, for those who make many that are alike.

One idea: a run is a pure function of its answers, so what runs were asked is a tree, and whoever answers can be led
through it without a run. Only where an answer leads out of what is known is the run made: the known answers once more,
and from there on the one who answers is asked again.

Clauses that break together are broken by the same runs. What is shrunk for one of them then costs little for the next.
"""

from __future__ import annotations

from typing import NoReturn

import msgspec

from stopcheck.explore._trial import Result, Trial, Watch, unwatched
from stopcheck.kernel import Asked, Chooser, Cut, Point, Retracer

#: Runs that are remembered at most.
MOST = 4_000


class _Node(msgspec.Struct):
    """What is asked, and what comes after each answer that was given."""

    point: Point
    then: dict[int, _Node | Result]


class Remembered:
    """A trial that makes no run twice. Implements ``Trial``, for choosers that want no state of the world; of a run
    that was made before, only what stands in its result is told, not what would be made when it is asked for."""

    def __init__(self, trial: Trial) -> None:
        #: Makes the runs.
        self.trial = trial
        #: How many runs were made.
        self.made = 0
        self.scenario = trial.scenario
        self.variant = trial.variant
        self._first: dict[int, _Node | Result] = {}

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        """Look, and make the run if it is a new one."""
        known: list[Asked] = []
        at = self._first.get(0)
        cut = False
        while isinstance(at, _Node) and not cut:
            try:
                index = chooser.choose(at.point)
            except Cut:
                cut = True
            else:
                known.append((at.point, index))
                at = at.then.get(index)
        if isinstance(at, Result):
            watch(at.violations)
            return at
        following = Retracer(known, _ends_here if cut else chooser.choose)
        result = self.trial(following, watch)
        self.made += 1
        if not result.cut and self.made <= MOST:
            self._remember(following.asked, result)
        return result

    def _remember(self, asked: list[Asked], result: Result) -> None:
        then, key = self._first, 0
        for point, index in asked:
            node = then.setdefault(key, _Node(point, {}))
            assert isinstance(node, _Node)
            then, key = node.then, index
        then[key] = msgspec.structs.replace(
            result,
            log=_not_kept,
            outcome=_not_kept,
            turns=_not_kept,
            first_calls=_not_kept,
            offers=_not_kept,
            admitted=_not_kept,
            measures=_not_kept,
        )


def _ends_here(_: Point) -> NoReturn:
    raise Cut


def _not_kept() -> NoReturn:
    raise RuntimeError("of a run that is remembered this is not kept: make it again")

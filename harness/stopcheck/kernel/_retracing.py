"""A run that is made once more up to a point, and goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from stopcheck.kernel._errors import DivergedError, Divergence
from stopcheck.kernel._points import Point

#: What was asked, without the state of the world, and the index that was answered.
Asked = tuple[Point, int]


class Retracer:
    """Gives the answers that are ``known``, and asks ``choose`` from there on. ``asked``: everything so far. Raises
    :class:`DivergedError` where the run asks something else than was known."""

    def __init__(self, known: Sequence[Asked], choose: Callable[[Point], int]) -> None:
        self.asked: list[Asked] = []
        self._known = known
        self._choose = choose

    def choose(self, point: Point) -> int:
        """The known answer, or a new one."""
        position = len(self.asked)
        if position < len(self._known):
            known, index = self._known[position]
            if (known.name, known.options) != (point.name, point.options):
                option = known.options[index]
                raise DivergedError(Divergence(position, known.name, option, point.name, point.options, point.step))
        else:
            index = self._choose(point)
        self.asked.append((msgspec.structs.replace(point, state=None), index))
        return index

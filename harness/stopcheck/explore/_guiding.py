"""Guiding a run by what another run answered, with changes.

One idea: when one answer is changed, what follows may shift, so a run is never edited: it is made anew under a guide
that answers by name where it can, and noted. A guide goes by *position*, or by *anchor*: a deviation is made where the
default would have been that option for the same time as before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec

from stopcheck.kernel import Chooser, Point


class Seen(msgspec.Struct, frozen=True):
    """One question of a run and its answer. ``step`` counts the steps made before."""

    point: str
    options: tuple[str, ...]
    index: int
    step: int

    @property
    def option(self) -> str:
        """The answer by name."""
        return self.options[self.index]


class Noting:
    """Wraps a guide and notes what was asked and answered."""

    def __init__(self, inner: Chooser) -> None:
        self.seen: list[Seen] = []
        self._inner = inner

    def choose(self, point: Point) -> int:
        """The guide's answer."""
        index = self._inner.choose(point)
        self.seen.append(Seen(point.name, point.options, index, point.step))
        return index


#: Where a deviation is anchored: the point, the default option there, and for which time that default comes up.
Anchor = tuple[str, str, int]


class Anchored:
    """Deviates at anchors, else answers the default."""

    def __init__(self, wanted: Mapping[Anchor, str]) -> None:
        self._wanted = wanted
        self._times: dict[tuple[str, str], int] = {}

    def choose(self, point: Point) -> int:
        """The anchored option if it is on offer, else the default."""
        key = (point.name, point.options[0])
        times = self._times[key] = self._times.get(key, 0) + 1
        wanted = self._wanted.get((*key, times))
        return point.options.index(wanted) if wanted is not None and wanted in point.options else 0


def anchors(seen: Sequence[Seen], kept: Collection[int]) -> dict[Anchor, str]:
    """Those of a run's deviations that stand at the positions ``kept``, each with its anchor."""
    wanted: dict[Anchor, str] = {}
    times: dict[tuple[str, str], int] = {}
    for position, one in enumerate(seen):
        key = (one.point, one.options[0])
        times[key] = times.get(key, 0) + 1
        if position in kept:
            wanted[(*key, times[key])] = one.option
    return wanted


def options_of(seen: Sequence[Seen]) -> list[str]:
    """A run's options, empty where they are the default."""
    return [one.option if one.index else "" for one in seen]


def deviations_of(seen: Sequence[Seen]) -> list[int]:
    """The positions of a run's deviations."""
    return [position for position, one in enumerate(seen) if one.index]

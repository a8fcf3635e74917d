"""The path of a search that repeats runs: what it is made of, and how it is followed again.

One idea: a run can't be rewound, so a search holds the questions on the way to where it is, each with the answer it is
at, and repeats them from the start. That a repeated run asks the same is checked, not believed.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from stopcheck.kernel import Choice, DivergedError, Divergence, Point


class Frame:
    """One question on the path. ``index`` is the option that is being taken."""

    __slots__ = ("index", "name", "options")

    def __init__(self, point: Point, index: int) -> None:
        self.name = point.name
        self.options = point.options
        self.index = index

    @property
    def option(self) -> str:
        """The option that is being taken."""
        return self.options[self.index]


F = TypeVar("F", bound=Frame)


class Path(Generic[F]):
    """The frames of a search, and how far the present run has come along them."""

    def __init__(self) -> None:
        self.frames: list[F] = []
        self._asked = 0
        self._known = 0

    def begin(self) -> None:
        """A run begins: everything on the path is known, what follows is fresh."""
        self._asked = 0
        self._known = len(self.frames)

    def repeated(self, point: Point) -> int | None:
        """The path's answer; ``None`` beyond its end."""
        asked = self._asked
        self._asked = asked + 1
        if asked >= self._known:
            return None
        frame = self.frames[asked]
        if frame.options != point.options or frame.name != point.name:
            raise DivergedError(Divergence(asked, frame.name, frame.option, point.name, point.options))
        return frame.index

    def check_end(self) -> None:
        """The run is over: it must have come as far as the path goes."""
        if self._asked < self._known:
            frame = self.frames[self._asked]
            raise DivergedError(Divergence(self._asked, frame.name, frame.option, "", ()))

    def choices(self) -> list[Choice]:
        """The path as choices."""
        return [Choice(frame.name, frame.option, frame.index) for frame in self.frames]

    @property
    def fresh(self) -> int:
        """How many choices of the run were not taken before: those beyond the path, and the path's last."""
        return len(self.frames) - self._known + (1 if self._known else 0)

"""The path of a search that repeats runs: what it is made of, and how it is followed again.

One idea: a run can't be rewound, so a search holds the questions on the way to where it is, each with the answer it is
at, and repeats them from the start. That a repeated run asks the same is checked, not believed.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from stopcheck.kernel import SCHEDULE, Choice, DivergedError, Divergence, Point


class Frame:
    """One question on the path. ``index`` is the option that is being taken. ``step`` is the run's at a scheduling
    point, else -1."""

    __slots__ = ("index", "name", "options", "step")

    def __init__(self, point: Point, index: int) -> None:
        self.name = point.name
        self.options = point.options
        self.index = index
        self.step = point.step if point.kind == SCHEDULE else -1

    @property
    def option(self) -> str:
        """The option that is being taken."""
        return self.options[self.index]

    def left(self) -> list[int]:
        """The options that are still to be taken, beside the one that is."""
        return []

    def advance(self) -> bool:
        """Go to the next option; False when there is none."""
        return False


class Turns(Frame):
    """A question of which it is known from the start what to take: ``turns``, of which number ``at`` is being taken."""

    __slots__ = ("at", "turns")

    def __init__(self, point: Point, turns: tuple[int, ...]) -> None:
        super().__init__(point, turns[0])
        self.turns = turns
        self.at = 0

    def left(self) -> list[int]:
        """The turns after this one."""
        return list(self.turns[self.at + 1 :])

    def advance(self) -> bool:
        """Go to the next turn."""
        if self.at + 1 >= len(self.turns):
            return False
        self.at += 1
        self.index = self.turns[self.at]
        return True


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

    def before(self, point: Point) -> F | None:
        """The frame of the step that led to this scheduling point; ``None`` if nobody was asked about that step."""
        above = next((frame for frame in reversed(self.frames) if frame.step >= 0), None)
        return above if above is not None and point.step == above.step + 1 else None

    @property
    def fresh(self) -> int:
        """How many choices of the run were not taken before: those beyond the path, and the path's last."""
        return len(self.frames) - self._known + (1 if self._known else 0)

    def backtrack(self) -> bool:
        """Go to the next branch that is to be taken; False when there is none."""
        while self.frames:
            if self.frames[-1].advance():
                return True
            self.frames.pop()
        return False

    def remaining(self) -> int:
        """Known branches that were not taken, the next one included."""
        return sum(len(frame.left()) for frame in self.frames) + (1 if self.frames else 0)


__all__ = ["F", "Frame", "Path", "Turns"]

"""A run that is driven from outside, one answer at a time.

One idea: strategies are asked by the run; a state machine wants to ask the run. So the run lives in a thread of its own
that stands still at each question until it is answered, one baton between the two. Questions in the middle of a step
(faults) stand still just so, which a generator could not do.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from stopcheck.explore._trial import Result, Trial
from stopcheck.judge import Violation
from stopcheck.kernel import Cut, Point, start_thread


class Stepwise:
    """One run of a trial. ``point`` is the question that it stands at, ``None`` when it is over; then ``result`` is
    there. ``violations`` grow as the judge finds them."""

    def __init__(self, trial: Trial) -> None:
        self.point: Point | None = None
        self.result: Result | None = None
        self.violations: Sequence[Violation] = ()
        self._trial = trial
        self._answer = 0
        self._by_default = False
        self._cut = False
        self._error: BaseException | None = None
        self._asked = threading.Semaphore(0)
        self._answered = threading.Semaphore(0)
        start_thread("stopcheck-run", self._run)
        self._wait()

    def answer(self, index: int) -> None:
        """Answer the question, and wait for the next one or the end."""
        if self.point is None:
            raise ValueError("the run is over")
        self._answer = index
        self._answered.release()
        self._wait()

    def finish(self) -> Result:
        """Answer the default from here on, and return the result."""
        self._by_default = True
        if self.point is not None:
            self.answer(0)
        assert self.result is not None
        return self.result

    def cut(self) -> Result:
        """End the run here."""
        self._cut = True
        if self.point is not None:
            self.answer(0)
        assert self.result is not None
        return self.result

    def _wait(self) -> None:
        self._asked.acquire()
        if self._error is not None:
            raise self._error

    # -- in the run's thread ------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self.result = self._trial(self, self._watch)
        except BaseException as error:  # raised again where somebody waits for it
            self._error = error
        self.point = None
        self._asked.release()

    def _watch(self, violations: Sequence[Violation]) -> None:
        self.violations = violations

    def choose(self, point: Point) -> int:
        """Asked by the run."""
        if self._by_default:
            return 0
        self.point = point
        self._asked.release()
        self._answered.acquire()
        if self._cut:
            raise Cut
        return self._answer

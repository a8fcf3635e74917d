"""The audit of the state cache.

One idea: if two ways lead to one state, then whatever is possible after the one is possible after the other, and comes
to the same. So of a few cache hits both ways are continued by the same answers, and compared: the options offered at
each point, and the outcome (ending, broken clauses, final account).

Which hits: those on states whose digest falls in one of a hundred classes, and, so that small searches are audited
too, of the hits on early states the first few and then some at growing distances. The first hits of a depth-first
search lie near the ends of runs, where little can still differ; so they alone would not do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from stopcheck.explore._exploration import Book, CacheRefuted
from stopcheck.explore._trial import Trial
from stopcheck.kernel import Choice, DivergedError, Divergence, Point, Schedule, many

#: Runs that one audit takes at most.
AUDIT_RUNS = 2
_ONE_IN = 100
_EARLY_STATES = 256
#: The early hits that are audited: the first eight, then 9, 11, 14, 18, 23, 29, 36 and 44.
_EARLY_HITS = frozenset(range(1, 9)) | {8 + gap * (gap + 1) // 2 for gap in range(1, 9)}


class _Continuation:
    """How the first run that came to a state goes on: what is offered and taken at each further point, and its end."""

    def __init__(self) -> None:
        self.offered: list[frozenset[str]] = []
        self.taken: list[Choice] = []
        self.outcome = b""
        self.clauses: tuple[str, ...] = ()
        self.schedule = Schedule("", {}, ())


class _Along(ABC):
    """Follows a recorded way to a state strictly."""

    def __init__(self, way: Sequence[Choice]) -> None:
        self._way = way
        self._asked = 0

    def choose(self, point: Point) -> int:
        """The recorded answer, then what :meth:`beyond` says."""
        asked = self._asked
        self._asked += 1
        if asked >= len(self._way):
            return self.beyond(asked - len(self._way), point)
        choice = self._way[asked]
        if choice.point != point.name or choice.option not in point.options:
            raise DivergedError(Divergence(asked, choice.point, choice.option, point.name, point.options))
        return point.options.index(choice.option)

    @abstractmethod
    def beyond(self, number: int, point: Point) -> int:
        """The answer after the state was reached."""


class _Noting(_Along):
    """Goes on by default and notes what is offered."""

    def __init__(self, way: Sequence[Choice], continuation: _Continuation) -> None:
        super().__init__(way)
        self._continuation = continuation

    def beyond(self, number: int, point: Point) -> int:
        self._continuation.offered.append(frozenset(point.options))
        self._continuation.taken.append(Choice(point.name, point.options[0], 0))
        return 0


class _Differs(Exception):
    """The second way does not go on as the first did."""


class _Comparing(_Along):
    """Goes on as the first way did. Which actor moved last is no part of a state, so options are compared as sets."""

    def __init__(self, way: Sequence[Choice], continuation: _Continuation) -> None:
        super().__init__(way)
        self._continuation = continuation
        self.asked_beyond = 0

    def beyond(self, number: int, point: Point) -> int:
        self.asked_beyond = number + 1
        known = self._continuation
        if number >= len(known.taken):
            raise _Differs(f"the second run goes on with {_names(point.options)} where the first had ended")
        taken, offered = known.taken[number], known.offered[number]
        if taken.point != point.name or offered != frozenset(point.options):
            raise _Differs(
                f"{many(number, 'choice')} later the first run was asked {taken.point!r} with {_names(offered)}, "
                f"the second {point.name!r} with {_names(point.options)}"
            )
        return point.options.index(taken.option)


class Audit:
    """Remembers the ways to the states that it selects, and compares hits on them."""

    def __init__(self) -> None:
        self.done = 0
        self._ways: dict[bytes, list[Choice]] = {}
        self._known: dict[bytes, _Continuation] = {}
        self._states = 0
        self._early = 0

    def selects(self, digest: bytes) -> bool:
        """Whether hits on this new state may be audited."""
        self._states += 1
        return self._states <= _EARLY_STATES or _in_class(digest)

    def remember(self, digest: bytes, way: list[Choice]) -> None:
        """The way on which a selected state was reached first."""
        self._ways[digest] = way

    def wants(self, digest: bytes) -> bool:
        """Whether this hit is to be audited."""
        if digest not in self._ways:
            return False
        if _in_class(digest):
            return True
        self._early += 1
        return self._early in _EARLY_HITS

    def check(self, trial: Trial, digest: bytes, way: Sequence[Choice], book: Book) -> CacheRefuted | None:
        """Continue both ways to the state and compare. The runs count as executions."""
        self.done += 1
        second = Schedule.of(trial.scenario, trial.variant, list(way))
        known = self._known.get(digest)
        try:
            if known is None:
                known = self._known[digest] = self._continue(trial, self._ways[digest], book)
            comparing = _Comparing(way, known)
            result = trial(comparing)
        except DivergedError as error:
            book.diverged(f"a repeated run went another way: {error}", second)
            return None
        except _Differs as difference:
            return CacheRefuted(str(difference), known.schedule if known else second, second)
        book.take(result)
        second = result.schedule()
        if comparing.asked_beyond < len(known.taken):
            left = known.taken[comparing.asked_beyond].option
            return CacheRefuted(f"the second run ended where the first went on with {left}", known.schedule, second)
        if result.outcome() != known.outcome:
            what = (
                f"the same answers end differently: the first run breaks {_names(known.clauses)}, the second "
                f"{_names(result.clauses)}, or their final accounts differ"
            )
            return CacheRefuted(what, known.schedule, second)
        return None

    def _continue(self, trial: Trial, way: Sequence[Choice], book: Book) -> _Continuation:
        continuation = _Continuation()
        result = trial(_Noting(way, continuation))
        book.take(result)
        continuation.outcome = result.outcome()
        continuation.clauses = result.clauses
        continuation.schedule = result.schedule()
        return continuation


def _in_class(digest: bytes) -> bool:
    return int.from_bytes(digest[:4], "big") % _ONE_IN == 0


def _names(options: frozenset[str] | Sequence[str]) -> str:
    return ", ".join(sorted(options)) or "nothing"

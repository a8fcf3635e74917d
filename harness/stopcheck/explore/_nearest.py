"""The passing run that is nearest to a failing one: what decides between them is where they part.

One idea: a failure is understood by the smallest change that makes it go away. So answers of the failing run are
changed, few at a time, and the run is made anew until one passes: one deviation taken away, then one answer given
otherwise, then two deviations taken away, then all of them (the default run). What is found really happened.

The order of attempts is fixed, so the same failure always has the same nearest run: of those that break nothing the
one with fewest changed answers, and of these the one that agrees with the failing run for longest. A deviation that was
to stay but was no longer on offer counts as changed too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import msgspec

from stopcheck.explore._guiding import Anchored, Noting, Seen, anchors, deviations_of, options_of
from stopcheck.explore._trial import Result, Trial
from stopcheck.kernel import SCHEDULE, Choice, Chooser, Ending, Guide, Schedule


class Nearest(msgspec.Struct, frozen=True):
    """A passing run beside the failing one.

    ``changed`` counts the answers that were changed to get there. ``position`` is the first choice (from 0) at which
    both part, ``step`` the number of steps that both had made by then, ``point`` what was asked there, ``failing`` and
    ``passing`` what each answered. ``breaks``: other clauses that it breaks; empty unless no run was found that breaks
    nothing at all. ``runs`` is what the search took.
    """

    clause: str
    schedule: Schedule
    changed: int
    position: int
    step: int
    point: str
    failing: str
    passing: str
    breaks: tuple[str, ...]
    runs: int


class _Attempt(msgspec.Struct, frozen=True):
    """A guide, and how many answers it changes at least."""

    least: int
    guide: Chooser
    wanted: int


class _Found(msgspec.Struct, frozen=True):
    """A run in which the clause held. ``lost``: deviations that were to stay and did not. ``position``: where it parts
    from the failing run."""

    result: Result
    seen: list[Seen]
    changed: int
    lost: int
    position: int

    @property
    def rank(self) -> tuple[bool, int, int]:
        """Smaller is better."""
        return bool(self.result.violations), self.changed, -self.position

    def beats(self, least: int) -> bool:
        """Whether no attempt that changes at least so many answers, and comes later, can be better."""
        return not self.result.violations and (self.changed < least or (self.changed == least and not self.lost))


def _nothing() -> None:
    return None


def nearest_passing(
    trial: Trial,
    clause: str,
    choices: Sequence[Choice],
    *,
    runs: int = 60,
    before_run: Callable[[], object] = _nothing,
) -> Nearest | None:
    """The nearest run that does not break ``clause``, where the run of ``choices`` does; ``None`` when that one does
    not, or when none was found within ``runs`` attempts. ``before_run`` is called before each (a watchdog)."""
    search = _Search(trial, clause, before_run)
    failing = search.fail([choice.option if choice.index else "" for choice in choices])
    if failing is None:
        return None
    best: _Found | None = None
    for attempt in _attempts(failing, search.until):
        if search.runs >= runs or (best is not None and best.beats(attempt.least)):
            break
        found = search.attempt(attempt, failing)
        if found is not None and (best is None or found.rank < best.rank):
            best = found
    return None if best is None else _nearest(clause, failing, best, search.runs)


class _Search:
    def __init__(self, trial: Trial, clause: str, before_run: Callable[[], object]) -> None:
        self._trial = trial
        self._clause = clause
        self._before_run = before_run
        self.runs = 0
        self.until = 0

    def _run(self, guide: Chooser) -> tuple[Result, list[Seen]]:
        self.runs += 1
        self._before_run()
        noting = Noting(guide)
        return self._trial(noting), noting.seen

    def fail(self, options: list[str]) -> list[Seen] | None:
        """What the failing run was asked. Only answers before ``until`` had a say in the first breach."""
        result, seen = self._run(Guide(options))
        broken = [violation.step for violation in result.violations if violation.clause == self._clause]
        if result.fault is not None or not broken:
            return None
        self.until = sum(1 for one in seen if one.step < broken[0] + (one.point != SCHEDULE))
        return seen

    def attempt(self, attempt: _Attempt, failing: Sequence[Seen]) -> _Found | None:
        """Run it; ``None`` unless it came to its end, the clause held, and it parts from the failing run."""
        result, seen = self._run(attempt.guide)
        whole = result.ending in (Ending.REST, Ending.DEADLOCK) and not result.undecided
        if result.fault is not None or not whole or self._clause in result.clauses:
            return None
        position = _parting(failing, seen)
        if position is None:  # the same answers, once failing and once not: a gate that is not deterministic
            return None
        lost = max(0, attempt.wanted - len(deviations_of(seen)))
        return _Found(result, seen, attempt.least + lost, lost, position)


def _attempts(failing: Sequence[Seen], until: int) -> Iterator[_Attempt]:
    """Guides, those that change fewest answers first; of those, the ones that agree with the failing run longest. At
    least one of the answers that are changed stands before ``until``."""
    options, deviations = options_of(failing), deviations_of(failing)

    def without(gone: Sequence[int]) -> Iterator[_Attempt]:
        kept = [position for position in deviations if position not in gone]
        by_position = Guide(["" if at in gone else option for at, option in enumerate(options)])
        yield _Attempt(len(gone), by_position, len(kept))
        if kept and kept[-1] > gone[0]:  # else there is nothing that could shift
            yield _Attempt(len(gone), Anchored(anchors(failing, kept)), len(kept))

    latest_first = deviations[::-1]
    for one in latest_first:
        if one < until:
            yield from without([one])
    for at in range(until - 1, -1, -1):
        for index, option in enumerate(failing[at].options):
            if index not in (0, failing[at].index):
                changed = Guide([*options[:at], option, *options[at + 1 :]])
                yield _Attempt(1, changed, len({*deviations, at}))
    for later, earlier in itertools.combinations(latest_first, 2):
        if earlier < until:
            yield from without([earlier, later])
    if len(deviations) > 2:
        yield _Attempt(len(deviations), Guide([]), 0)


def _parting(failing: Sequence[Seen], seen: Sequence[Seen]) -> int | None:
    """The first choice at which two runs were answered differently."""
    pairs = enumerate(zip(failing, seen, strict=False))
    return next((position for position, (one, other) in pairs if one.option != other.option), None)


def _nearest(clause: str, failing: Sequence[Seen], best: _Found, runs: int) -> Nearest:
    fork = failing[best.position]
    return Nearest(
        clause=clause,
        schedule=best.result.schedule(),
        changed=best.changed,
        position=best.position,
        step=fork.step,
        point=fork.point,
        failing=fork.option,
        passing=best.seen[best.position].option,
        breaks=best.result.clauses,
        runs=runs,
    )

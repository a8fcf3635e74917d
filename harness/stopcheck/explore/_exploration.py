"""What an exploration found, and the books that strategies keep while they explore.

One idea: every strategy hands each run's result to one :class:`Book`, so that failures, witnesses and counts mean the
same whoever found them. The result is plain data: it crosses process boundaries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from stopcheck.explore._ledger import Counts, Offer, enter
from stopcheck.explore._trial import Result
from stopcheck.judge import Tally as Measures
from stopcheck.judge import Violation, summed
from stopcheck.kernel import Choice, Schedule, many, plural
from stopcheck.world import Admitted


def _in_budget() -> str:
    return ""


class Budget(msgspec.Struct, frozen=True):
    """How much may be spent: a number of executions, and whatever else the caller says with ``spent``, which answers
    with the reason why no further run may begin (as ``the budget of 60 s``), or with nothing. ``whole``: the executions
    of the budget of which this is a part; it is what whoever set it knows it by."""

    executions: int
    spent: Callable[[], str] = _in_budget
    whole: int | None = None

    def over(self, executions: int) -> str:
        """Why no further run may begin; empty while one may."""
        if executions >= self.executions:
            whole = self.executions if self.whole is None else self.whole
            return f"the budget of {whole} {plural(whole, 'execution')}"
        return self.spent()

    def part(self, executions: int) -> Budget:
        """A part of it, of so many executions."""
        return Budget(max(0, executions), self.spent, self.executions if self.whole is None else self.whole)


class Failure(msgspec.Struct, frozen=True):
    """A broken clause with the shortest run in which it was seen: fewest deviations from the default order, then fewest
    choices."""

    clause: str
    violation: Violation
    strategy: str
    scenario: str
    variant: dict[str, str]
    choices: tuple[Choice, ...]

    @property
    def schedule(self) -> Schedule:
        """The run's schedule."""
        return Schedule.of(self.scenario, self.variant, list(self.choices))

    @property
    def size(self) -> tuple[int, int]:
        """Deviations and choices: what shorter means."""
        return size_of(self.choices)


class Fault(msgspec.Struct, frozen=True):
    """The adapter broke the protocol itself. ``kind`` is the class of the :class:`~stopcheck.gate.AdapterFault`."""

    kind: str
    what: str
    cause: str
    hint: str
    schedule: Schedule


class Nondeterminism(msgspec.Struct, frozen=True):
    """The same answers did not give the same run: ``what`` says where."""

    what: str
    schedule: Schedule


class CacheRefuted(msgspec.Struct, frozen=True):
    """Two runs reached one state by its digest but went on differently: the gate's fingerprint leaves something out."""

    what: str
    first: Schedule
    second: Schedule


class CacheUse(msgspec.Struct, frozen=True):
    """What the state cache did. ``full``: it reached its bound and took in no further state (which costs time, not
    soundness)."""

    used: bool
    hits: int = 0
    audits: int = 0
    full: bool = False
    refuted: CacheRefuted | None = None


class FootprintLie(msgspec.Struct, frozen=True):
    """Two steps were declared independent and are not. ``schedule`` leads to where both can be taken."""

    one: str
    other: str
    what: str
    schedule: Schedule


class FootprintUse(msgspec.Struct, frozen=True):
    """What a reduction by independence did. ``slept``: branches that were left out because another order of independent
    steps was tried. ``blocked``: executions that ended because all that could move was asleep. ``woken``: returns to a
    known state that went on, since somebody was awake who had slept before. ``alone``: points at which a step that
    nobody else can see was taken and nothing else. ``swaps``: pairs of steps that the audit took in both orders."""

    slept: int = 0
    blocked: int = 0
    woken: int = 0
    alone: int = 0
    swaps: int = 0
    lie: FootprintLie | None = None


class SecondStops(msgspec.Struct, frozen=True):
    """Of the branch points in what remains of runs in which a stop has started (``the first's point then
    actor@label#ordinal``): at which a second one started next, another person's or the same one repeated.

    ``first_stops``: so many starts of a first stop were gone on from, of ``of`` that the sweep made. The other fields
    are as those of :class:`SweepCoverage`.
    """

    planned: tuple[str, ...]
    missed: tuple[str, ...]
    closed: tuple[str, ...]
    first_stops: int
    of: int

    @property
    def hit(self) -> int:
        """How many points a second stop started at."""
        return len(self.planned) - len(self.missed)


class SweepCoverage(msgspec.Struct, frozen=True):
    """Of the branch points (``actor@label#ordinal``) seen in runs without a stop: at which a stop started next.

    ``hit`` + ``missed`` = ``planned``. ``closed``: no stop could start there in any of the runs (whoever stops waits
    for something first). ``stops`` are the actors that stop; without any there is nothing to cover. ``second`` is
    ``None`` where nobody stops a second time.
    """

    stops: tuple[str, ...]
    planned: tuple[str, ...]
    missed: tuple[str, ...]
    closed: tuple[str, ...]
    base_runs: int
    second: SecondStops | None = None

    @property
    def all_missed(self) -> tuple[str, ...]:
        """What was missed, of first and of second stops."""
        return self.missed + (self.second.missed if self.second is not None else ())

    @property
    def hit(self) -> int:
        """How many points a stop started at."""
        return len(self.planned) - len(self.missed)


class Evidence(msgspec.Struct, frozen=True):
    """What the completed part of a search put to the test: clauses, and operations between inner branch points.
    Whatever only samples met, or a search that was cut short, is no ground for a pass."""

    exercised: dict[str, int] = {}
    inner: dict[str, int] = {}


class Exploration(msgspec.Struct):
    """What one strategy came to.

    ``exhausted``: every run that is possible within the scenario's fault budget was made, or is known to end as one
    that was. ``truncated_by`` says in words what ended it otherwise, and ``remaining`` counts the branches that were
    known and not taken. ``states`` and ``transitions`` are of the state space, ``steps`` of all runs together.
    ``endings`` counts the ways in which runs ended; ``undecided`` the runs whose judge could not decide, by reason.
    ``bound``: runs had at most so many disruptions, and of several passes the greatest that was completed;
    ``limited``: that kept something back. ``footprints``: what a reduction by independence did, if there was one.
    ``searched``: what was put to the test by what was completed. ``made`` counts executions by strategy where several
    took part. ``offers`` and ``admitted`` are the raw coverage ledger; see :func:`~stopcheck.explore.tallies`.
    ``measures``: those of MET-1, of the runs that came to their end.
    """

    strategy: str
    seed: int | None = None
    executions: int = 0
    states: int = 0
    transitions: int = 0
    steps: int = 0
    exhausted: bool = False
    truncated_by: str | None = None
    remaining: int = 0
    failures: dict[str, Failure] = {}
    failing: dict[str, int] = {}
    witnesses: set[str] = set()
    exercised: dict[str, int] = {}
    called: dict[str, int] = {}
    inner: dict[str, int] = {}
    endings: dict[str, int] = {}
    undecided: dict[str, int] = {}
    coverage: SweepCoverage | None = None
    cache: CacheUse | None = None
    footprints: FootprintUse | None = None
    bound: int | None = None
    limited: bool = False
    searched: Evidence = Evidence()
    made: dict[str, int] = {}
    faults: list[Fault] = []
    nondeterminism: Nondeterminism | None = None
    offers: dict[Offer, Counts] = {}
    admitted: list[Admitted] = []
    measures: tuple[Measures, ...] = ()

    @property
    def clean(self) -> bool:
        """Nothing was found to be wrong (which is not yet a pass)."""
        return not (self.failures or self.faults or self.nondeterminism)

    @property
    def unsound(self) -> str:
        """In words, why nothing may be concluded from what was not found; empty when it may."""
        if self.nondeterminism is not None:
            return f"a run could not be repeated: {self.nondeterminism.what}"
        if self.cache is not None and self.cache.refuted is not None:
            return f"the gate's fingerprint was refuted: {self.cache.refuted.what}"
        lie = self.footprints.lie if self.footprints is not None else None
        if lie is not None:
            return f"a footprint was refuted: {lie.one} and {lie.other} were taken to be independent, but {lie.what}"
        for reason, runs in self.undecided.items():
            return f"in {many(runs, 'run')} the order of calls could not be decided: {reason}"
        return ""


def size_of(choices: Sequence[Choice]) -> tuple[int, int]:
    """Deviations and choices of a run."""
    return sum(1 for choice in choices if choice.index), len(choices)


Observe = Callable[[Result], None]


class Book:
    """Takes in results. ``observe`` is shown each, for live progress and for tests."""

    def __init__(
        self,
        strategy: str,
        budget: Budget,
        *,
        seed: int | None = None,
        fail_fast: bool = False,
        observe: Observe | None = None,
    ) -> None:
        self.exploration = Exploration(strategy, seed)
        self._budget = budget
        self._fail_fast = fail_fast
        self._observe = observe

    def may_go_on(self) -> bool:
        """Whether another run may begin; if not, says why in the exploration."""
        book = self.exploration
        if book.faults:
            book.truncated_by = "an adapter fault"
        elif book.nondeterminism is not None:
            book.truncated_by = "a run that is not deterministic"
        elif self._fail_fast and book.failures:
            book.truncated_by = "the first failure"
        else:
            over = self._budget.over(book.executions)
            if not over:
                return True
            book.truncated_by = over
        return False

    def affords(self, runs: int) -> bool:
        """Whether so many further runs are within the budget."""
        return not self._budget.over(self.exploration.executions + runs - 1)

    def take(self, result: Result) -> None:
        """A run was made."""
        book = self.exploration
        book.executions += 1
        book.steps += result.steps
        book.witnesses |= result.witnesses
        book.endings[result.ending.value] = book.endings.get(result.ending.value, 0) + 1
        for total, part in (
            (book.exercised, result.exercised),
            (book.called, result.called),
            (book.inner, result.inner),
        ):
            for key, count in part.items():
                total[key] = total.get(key, 0) + count
        enter(book.offers, result.offers())
        if not book.admitted:
            book.admitted = result.admitted()
        if not result.cut and result.fault is None:
            book.measures = summed((*book.measures, *result.measures()))
        if result.undecided:
            _add(book.undecided, {result.undecided: 1})
        if result.violations:
            self._fail(result)
        fault = result.fault
        if fault is not None:
            kind = type(fault).__name__
            book.faults.append(Fault(kind, fault.what, fault.cause, fault.hint, result.schedule()))
        if self._observe is not None:
            self._observe(result)

    def _fail(self, result: Result) -> None:
        book = self.exploration
        size = size_of(result.choices)
        seen: set[str] = set()
        for violation in result.violations:
            clause = violation.clause
            if clause in seen:
                continue
            seen.add(clause)
            book.failing[clause] = book.failing.get(clause, 0) + 1
            known = book.failures.get(clause)
            if known is None or size < known.size:
                choices = tuple(result.choices)
                book.failures[clause] = Failure(
                    clause, violation, book.strategy, result.scenario, result.variant, choices
                )

    def diverged(self, what: str, schedule: Schedule) -> None:
        """A run asked something else than the same answers had led to before."""
        self.exploration.nondeterminism = Nondeterminism(what, schedule)


def _add(total: dict[str, int], part: dict[str, int]) -> None:
    for key, count in part.items():
        total[key] = total.get(key, 0) + count


BOUND_ENDINGS = ("step_bound", "time_bound")


def bounds_reached(exploration: Exploration) -> str | None:
    """In words, how many runs ended at a bound instead of at rest; what would have followed was not seen."""
    parts = [
        f"{exploration.endings[ending]} run(s) that ended at the {ending.replace('_', ' ')}"
        for ending in BOUND_ENDINGS
        if exploration.endings.get(ending)
    ]
    return " and ".join(parts) or None

"""A trial: one judged run, as a function of whoever answers its questions.

One idea: a strategy answers ``choose(point)`` and knows nothing of gates; a *trial* makes one run of it and says what
happened. So every explorer, the shrinker and the replay act on any trial, the toy ones of the tests included.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from stopcheck.explore._ledger import Noting, Taken
from stopcheck.gate import AdapterFault, GateFactory
from stopcheck.judge import Check, GateMemo, Judge, Past, Violation, gate_memo, tallies_of_run
from stopcheck.judge import Tally as Measures
from stopcheck.kernel import Bounds, Choice, Chooser, Ending, Point, Schedule, ThreadHost
from stopcheck.world import (
    Admitted,
    AtRest,
    Called,
    Entry,
    FinalAccount,
    Interior,
    LogLine,
    PhaseBegan,
    ReceiverTruth,
    Record,
    Scenario,
    Variant,
    in_turn,
    run,
)

#: A turn of a run: the number of its step, and what happened (``actor@label``, or ``time:…``, ``crash:…``).
Turn = tuple[int, str]

_json = msgspec.json.Encoder(order="sorted")


class Result(msgspec.Struct):
    """What one run came to. ``log``, ``outcome``, ``turns`` and ``first_calls`` are made when they are asked for.

    ``outcome`` digests where the run ended, whatever the way: its ending, the clauses broken, the final account.
    ``turns`` are those of the main phase. ``first_calls`` names each actor's first call to the gate. ``undecided``: why
    the judge could not decide the order of the calls; empty when it could. ``offers``: what the run was offered beside
    actors' steps, and took; ``admitted``: what its scenario admits of that.
    ``measures``: those of MET-1, of a run that came to its end.
    """

    scenario: str
    variant: dict[str, str]
    choices: list[Choice]
    violations: Sequence[Violation]
    exercised: dict[str, int]
    witnesses: frozenset[str]
    ending: Ending
    rested: bool
    fault: AdapterFault | None
    steps: int
    called: dict[str, int]
    inner: dict[str, int]
    log: Callable[[], bytes]
    outcome: Callable[[], bytes]
    turns: Callable[[], list[Turn]]
    first_calls: Callable[[], dict[str, str]]
    undecided: str = ""
    offers: Callable[[], list[Taken]] = list
    admitted: Callable[[], list[Admitted]] = list
    measures: Callable[[], list[Measures]] = list

    @property
    def cut(self) -> bool:
        """Whether the strategy ended the run early."""
        return self.ending is Ending.CUT

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses that were broken, each once, sorted."""
        return tuple(sorted({violation.clause for violation in self.violations}))

    def schedule(self) -> Schedule:
        """What was answered, as a schedule."""
        return Schedule.of(self.scenario, self.variant, self.choices)


Watch = Callable[[Sequence[Violation]], None]


def unwatched(violations: Sequence[Violation]) -> None:
    """For trials that nobody watches."""


class Trial(Protocol):
    """Makes one run under ``chooser``. ``watch`` is given the list of violations before the run begins; it grows while
    the run goes on. What the chooser raises (but ``Cut``) comes out of the trial. A chooser that has a method
    ``at_rest(state)`` is told when nothing is left to choose, and may raise ``Cut`` there."""

    @property
    def scenario(self) -> str:
        """The scenario's id, as in schedules."""
        ...

    @property
    def variant(self) -> dict[str, str]:
        """What is fixed before the first choice, as in schedules."""
        ...

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        """Make the run."""
        ...


class GateTrial:
    """The trial of a gate in a scenario."""

    def __init__(
        self,
        scenario: Scenario,
        factory: GateFactory,
        variant: Variant,
        interior: Interior,
        checks: Sequence[type[Check]],
        bounds: Bounds | None,
        thread_host: ThreadHost | None,
        memo: GateMemo | None,
    ) -> None:
        self.scenario = scenario.id
        self.variant = variant.names()
        self._scenario = scenario
        self._factory = factory
        self._variant = variant
        self._interior = interior
        self._checks = tuple(checks)
        self._bounds = bounds
        self._thread_host = thread_host
        self._memo = gate_memo(factory.contract) if memo is None else memo
        self._past: Past | None = None

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        """Make the run, with a judge of its own."""
        recorder = Noting(chooser)

        def attempt(choose: Callable[[Point], int], at_rest: AtRest | None) -> tuple[Record, Judge]:
            return self._made(choose, at_rest, watch)

        record, judge = in_turn(attempt, recorder.choose, getattr(chooser, "at_rest", None), self._interior)
        return Result(
            scenario=self.scenario,
            variant=self.variant,
            choices=recorder.choices,
            violations=judge.violations,
            exercised=judge.exercised,
            witnesses=record.witnesses,
            ending=record.ending,
            rested=record.rested,
            fault=record.fault,
            steps=record.steps,
            called=record.called,
            inner=record.inner,
            log=record.rendered,
            outcome=lambda: _outcome(record, judge),
            turns=lambda: main_turns(record.log),
            first_calls=lambda: _first_calls(record),
            undecided=judge.undecided,
            offers=lambda: recorder.offers(record.log),
            admitted=record.admitted,
            measures=lambda: tallies_of_run(judge.facts, record.log),
        )

    def _made(self, choose: Callable[[Point], int], at_rest: AtRest | None, watch: Watch) -> tuple[Record, Judge]:
        past, self._past = self._past or Past(), None  # a run that never ends keeps it
        judge = Judge(self._factory.contract, self._checks, self._memo, past)
        watch(judge.violations)
        try:
            record = run(
                self._scenario,
                self._factory,
                choose,
                variant=self._variant,
                interior=self._interior,
                observers=(judge,),
                bounds=self._bounds,
                thread_host=self._thread_host,
                at_rest=at_rest,
            )
            judge.close()
        finally:
            self._past = past
        return record, judge


def make_trial(
    scenario: Scenario,
    factory: GateFactory,
    variant: Variant,
    interior: Interior,
    checks: Sequence[type[Check]],
    bounds: Bounds | None = None,
    thread_host: ThreadHost | None = None,
    memo: GateMemo | None = None,
) -> Trial:
    """The trial of a gate in a scenario: each run gets a judge of its own, and the interior's fresh storage. ``memo``
    may be shared by all trials of one gate; it saves time and changes nothing."""
    return GateTrial(scenario, factory, variant, interior, checks, bounds, thread_host, memo)


def _outcome(record: Record, judge: Judge) -> bytes:
    account = [event for event in record.events if isinstance(event, FinalAccount | ReceiverTruth)]
    clauses = sorted({violation.clause for violation in judge.violations})
    state = _json.encode([record.ending.value, record.rested, clauses, account])
    return hashlib.blake2b(state, digest_size=16).digest()


def main_turns(log: Sequence[LogLine]) -> list[Turn]:
    """The turns of the main phase, the only one in which anything is a choice."""
    turns: list[Turn] = []
    main = False
    for line in log:
        if not isinstance(line, Entry):
            if main:
                turns.append((line[0], line[2]))
        elif isinstance(line.event, PhaseBegan):
            main = line.event.phase == "main"
    return turns


def _first_calls(record: Record) -> dict[str, str]:
    first: dict[str, str] = {}
    main = False
    for event in record.events:
        if isinstance(event, PhaseBegan):
            main = event.phase == "main"
        elif main and isinstance(event, Called):
            first.setdefault(event.actor, event.operation)
    return first

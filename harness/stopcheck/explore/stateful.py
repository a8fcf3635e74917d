"""Hypothesis as a source of runs: a rule-based state machine over a world, and whole runs drawn choice by choice.

One idea: Hypothesis generates and our own shrinker shrinks, so that every failure is one kind of thing, a schedule. The
machine's rules are the operations of the gate protocol (let somebody who is about to call it go on), the single steps
of actors, faults, time, a crash and the stop; its invariant is that the judge has nothing to say. A rule that finds
nothing of its kind on offer lets some actor step, so that no run is wasted; and since Hypothesis switches some rules
off in each run, runs differ more than uniform ones.

The same seed gives the same runs in any process (``_seeded``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, cast

from hypothesis import given
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from stopcheck.explore._exploration import Book, Budget, Exploration, Observe
from stopcheck.explore._random_walk import Deviating
from stopcheck.explore._sampling import generator, is_step
from stopcheck.explore._seeded import derived, machine_settings, whatever_is_loaded
from stopcheck.explore._stepwise import Stepwise
from stopcheck.explore._stops import STOP
from stopcheck.explore._trial import Result, Trial
from stopcheck.gate import OPERATIONS
from stopcheck.kernel import CRASH_PREFIX, FAULT, TIME_PREFIX, Chooser, DefaultChooser, Point, Schedule

_PARKED, _FAULT, _TIME, _CRASH = "parked", "fault", "time", "crash"
_PILOTS = 8
_PILOT_DEVIATION = 0.3


class ClauseBroken(AssertionError):
    """The judge found a violation. The message names clause and reason."""


class _Over(Exception):
    """No further run is wanted."""


class WorldMachine(RuleBasedStateMachine):
    """One run of a world. Subclasses made by :func:`machine_for` have the rules."""

    trial: Trial
    tolerated: frozenset[str] = frozenset()

    @classmethod
    def begin(cls) -> None:
        """Called before each run; may raise."""

    @classmethod
    def end(cls, result: Result) -> None:
        """Called with the result of each run."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()
        self._failed = False
        self.run = Stepwise(self.trial)

    def take(self, kind: str, number: int, data: st.DataObject) -> None:
        """Answer with an option of this kind, drawn by name. When there is none: no fault; or some step, another for
        another rule, so that no two rules mean the same."""
        point = self.run.point
        if point is None:
            return
        names = [option for option in point.options if kind in _kinds(point, option)]
        if names:
            name = data.draw(st.sampled_from(names)) if len(names) > 1 else names[0]
        else:
            steps = [] if point.kind == FAULT else [option for option in point.options if is_step(option)]
            name = steps[number % len(steps)] if steps else point.options[0]
        self.run.answer(point.options.index(name))

    @invariant()
    def the_judge_has_nothing_to_say(self) -> None:
        """No clause is broken so far."""
        for violation in self.run.violations:
            if violation.clause not in self.tolerated:
                self._failed = True
                raise ClauseBroken(f"{violation.clause}: {violation.message}")

    def teardown(self) -> None:
        """Bring the run to its end by default, and judge the account."""
        self.end(self.run.finish())
        if not self._failed:
            self.the_judge_has_nothing_to_say()


def _kinds(point: Point, option: str) -> tuple[str, ...]:
    """By which rules an option can be taken: an actor's step by its operation (or as a parked actor's) and by its
    actor."""
    if point.kind == FAULT:
        return (_FAULT,)
    if is_step(option):
        actor, label = option.split("@", 1)
        return (label if label in OPERATIONS else _PARKED, f"@{actor}")
    return (_CRASH,) if option.startswith(CRASH_PREFIX) else (_TIME,) if option.startswith(TIME_PREFIX) else (_PARKED,)


_ALWAYS = {_PARKED: "let_a_parked_actor_step", _FAULT: "choose_a_fault", _TIME: "let_time_pass", _CRASH: "crash"}


def _rules(operations: Iterable[str], actors: Iterable[str]) -> dict[str, Any]:
    """The machine's rules by name."""
    names = dict(_ALWAYS)
    names |= {operation: "stop" if operation == STOP else f"let_{operation}_go_on" for operation in operations}
    names |= {f"@{actor}": f"step_{re.sub(r'[^a-z0-9]', '_', actor.lower())}" for actor in actors}
    return {name: _rule(kind, name, number) for number, (kind, name) in enumerate(names.items())}


def _rule(kind: str, name: str, number: int) -> Any:
    def step(self: WorldMachine, data: st.DataObject) -> None:
        self.take(kind, number, data)

    step.__name__ = step.__qualname__ = name
    return rule(data=st.data())(step)


def machine_for(
    trial: Trial,
    *,
    operations: Iterable[str] = tuple(OPERATIONS),
    actors: Iterable[str] = (),
    tolerated: frozenset[str] = frozenset(),
    begin: Callable[[], None] = lambda: None,
    end: Callable[[Result], None] = lambda _: None,
) -> type[WorldMachine]:
    """A state machine over the trial's world, with rules for these operations and actors. ``tolerated`` clauses may
    break. Its ``TestCase`` is a test as Hypothesis knows them, for whoever wants one."""
    namespace = _rules(operations, actors)
    namespace |= {
        "trial": staticmethod(trial),
        "tolerated": tolerated,
        "begin": staticmethod(begin),
        "end": staticmethod(end),
    }
    return cast("type[WorldMachine]", type("StopcheckMachine", (WorldMachine,), namespace))


def state_machine(
    trial: Trial, budget: Budget, seed: int, *, fail_fast: bool = False, observe: Observe | None = None
) -> Exploration:
    """Drive runs by the state machine. Once a clause was seen to break it is tolerated, so that others are found
    too."""
    book = Book("Hypothesis state machine", budget, seed=seed, fail_fast=fail_fast, observe=observe)
    cast_ = _Cast(trial, book, seed)
    rounds = _Rounds(trial, book, budget)

    def one_round(number: int, runs: int) -> None:
        machine = machine_for(
            trial,
            operations=cast_.operations,
            actors=cast_.actors,
            tolerated=frozenset(book.exploration.failures),
            begin=rounds.begin,
            end=book.take,
        )
        steps = machine_settings(runs, cast_.steps)
        run_state_machine_as_test(seeded(derived(seed, number))(machine), settings=steps)

    return rounds.make(one_round)


class _Cast:
    """Who acts in a world, what is called, and about how many choices a run has: from the plain run and a few others,
    which count like any. Rules that could never be used would only cost time."""

    def __init__(self, trial: Trial, book: Book, seed: int) -> None:
        choosers: list[Chooser] = [DefaultChooser()]
        choosers += [Deviating(generator(seed, number), _PILOT_DEVIATION) for number in range(_PILOTS)]
        results: list[Result] = []
        for chooser in choosers:
            if book.may_go_on():
                results.append(trial(chooser))
                book.take(results[-1])
        steps = [name.split("@", 1) for result in results for _, name in result.turns() if is_step(name)]
        self.actors = list(dict.fromkeys(actor for actor, _ in steps))
        self.operations = list(dict.fromkeys(label for _, label in steps if label in OPERATIONS))
        self.steps = max((len(result.choices) for result in results), default=0)


def drawn_runs(
    trial: Trial, budget: Budget, seed: int, *, fail_fast: bool = False, observe: Observe | None = None
) -> Exploration:
    """Draw whole runs, each choice by name."""
    book = Book("Hypothesis runs", budget, seed=seed, fail_fast=fail_fast, observe=observe)
    rounds = _Rounds(trial, book, budget)

    def one_round(number: int, runs: int) -> None:
        known = frozenset(book.exploration.failures)

        @seeded(derived(seed, number))
        @machine_settings(runs, 1)
        @given(st.data())
        def whole_run(data: st.DataObject) -> None:
            rounds.begin()
            result = trial(_Drawing(data))
            book.take(result)
            for violation in result.violations:
                if violation.clause not in known:
                    raise ClauseBroken(f"{violation.clause}: {violation.message}")

        whole_run()

    return rounds.make(one_round)


class _Drawing:
    """Asks Hypothesis for each choice by name."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def choose(self, point: Point) -> int:
        """A drawn option."""
        return point.options.index(self._data.draw(st.sampled_from(point.options)))


class _Rounds:
    """Round after round of Hypothesis, each ended by a clause that was not known to break, up to the budget."""

    def __init__(self, trial: Trial, book: Book, budget: Budget) -> None:
        self._trial = trial
        self._book = book
        self._budget = budget
        self._over = False
        self._known = 0

    def begin(self) -> None:
        """Called before each run. Hypothesis counts only the runs that it finds valid, and repeats a failing one, which
        must not be hindered by the number of runs."""
        found = self._book.exploration
        spent = found.executions >= self._budget.executions and len(found.failures) == self._known
        self._over = bool(spent or found.faults or self._budget.spent())
        if self._over:
            raise _Over

    def make(self, one_round: Callable[[int, int], None]) -> Exploration:
        """Make all rounds; each is given its number and how many runs it may make."""
        exploration = self._book.exploration
        number = 0
        while self._book.may_go_on():
            before = exploration.executions
            self._known = len(exploration.failures)
            try:
                with whatever_is_loaded():
                    one_round(number, self._budget.executions - before)
            except (ClauseBroken, _Over):
                pass
            except Flaky as error:
                if not self._over:
                    self._book.diverged(str(error), Schedule.of(self._trial.scenario, self._trial.variant, []))
            if exploration.executions == before:
                break
            number += 1
        return exploration

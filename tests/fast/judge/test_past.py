"""A judge that goes on from the last run's judgement says what a judge says that begins anew."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec
import pytest

from stopcheck.explore import Budget, Result, Trial, Watch, depth_first, make_trial, unwatched
from stopcheck.gate import GateFactory, HostKind
from stopcheck.judge import CHECKS, Check, Facts, Judge, Past, Violation
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Docket
from stopcheck.kernel import SCHEDULE, Choice, Chooser, Cut, Point
from stopcheck.world import Entry, PlainInterior, Scenario, Variant
from stopcheck_fixtures.faulty import FAULTS
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import NoStorage

BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
RUNS = 10
#: One wrong gate in so many is tried, and all that are wrong in a way that is judged with a state of its own.
ONE_IN = 8


def trial_of(scenario: Scenario, factory: GateFactory) -> Trial:
    return make_trial(scenario, factory, Variant(), PlainInterior(NoStorage()), CHECKS)


class Replay:
    """Answers what another run was answered, and asks for the state at each point of its main part."""

    def __init__(self, choices: list[Choice], *, cut: bool) -> None:
        self.states: list[bytes] = []
        self._choices = iter(choices)
        self._cut = cut

    def choose(self, point: Point) -> int:
        if point.kind == SCHEDULE and point.state is not None:
            self.states.append(point.state())
        choice = next(self._choices, None)
        if choice is None:
            assert self._cut
            raise Cut
        return choice.index


class Beside:
    """A trial whose every run is made again by a trial of its own, and compared. ``states`` are looked up before the
    answer, as searches do."""

    def __init__(self, scenario: Scenario, factory: GateFactory) -> None:
        self._make = partial(trial_of, scenario, factory)
        self._trial = self._make()
        self.scenario = self._trial.scenario
        self.variant = self._trial.variant
        self.runs = 0
        self.broken: set[str] = set()

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        seen = _Seen(chooser)
        result = self._trial(seen, watch)
        anew = Replay(result.choices, cut=result.cut)
        other = self._make()(anew)
        assert [seen.states.get(i, state) for i, state in enumerate(anew.states)] == anew.states
        for name in ("violations", "exercised", "undecided", "witnesses", "ending", "rested", "steps"):
            assert getattr(result, name) == getattr(other, name), name
        assert result.log() == other.log()
        assert result.outcome() == other.outcome()
        self.runs += 1
        self.broken.update(result.clauses)
        return result


class _Seen:
    """Notes the states that the wrapped strategy asked for, by the number of the scheduling point."""

    def __init__(self, inner: Chooser) -> None:
        self.states: dict[int, bytes] = {}
        self._inner = inner
        self._points = 0

    def choose(self, point: Point) -> int:
        number = self._points
        state = point.state
        if point.kind != SCHEDULE or state is None:
            return self._inner.choose(point)
        self._points += 1

        def noted() -> bytes:
            digest = self.states[number] = state()
            return digest

        return self._inner.choose(msgspec.structs.replace(point, state=noted))


def tried() -> Iterator[Any]:
    """Some scenarios on the right gate, and wrong gates in their own."""
    for name in ("lost-response", "child-creation-race", "uncooperative-worker", "shared-dependency"):
        yield pytest.param(MemoryGate, name, id=name)
    with_state = {clause for check in CHECKS if check.has_state() for clause in check.clauses}
    inline = [f for f in FAULTS if f.factory.contract.host is HostKind.INLINE and not f.sigkill and f.handles == 1]
    for number, fault in enumerate(inline):
        if number % ONE_IN == 0 or fault.clause in with_state:
            yield pytest.param(fault.factory, fault.scenarios[0], id=fault.name)


@pytest.mark.parametrize(("factory", "name"), list(tried()))
def test_a_search_is_judged_as_if_each_run_were_the_first(factory: GateFactory, name: str) -> None:
    trial = Beside(BY_ID[name], factory)
    found = depth_first(trial, Budget(RUNS))
    assert trial.runs == found.executions
    assert set(found.failures) == trial.broken


def test_a_gate_that_answers_otherwise_is_judged_anew() -> None:
    """The entries decide, not the choices: the second run is repeated by nobody."""
    scenario = BY_ID["before-admission"]
    judges: list[Judge] = []
    logs: list[list[Entry]] = []
    for factory in (MemoryGate, next(f.factory for f in FAULTS if f.clause == "REC-1")):
        collected: list[Entry] = []
        logs.append(collected)
        _entries_of(scenario, factory, collected)
    past = Past()
    for entries in (logs[0], logs[1], logs[0], logs[0]):
        judge = Judge(MemoryGate.contract, CHECKS, past=past)
        alone = Judge(MemoryGate.contract, CHECKS)
        for entry in entries:
            judge.observe(entry)
            alone.observe(entry)
            assert list(judge.violations) == list(alone.violations)
        judge.close()
        alone.close()
        assert judge.violations == alone.violations
        assert judge.exercised == alone.exercised
        judges.append(judge)
    assert logs[0] != logs[1]
    assert judges[0].exercised == judges[2].exercised


def _entries_of(scenario: Scenario, factory: GateFactory, into: list[Entry]) -> None:
    from stopcheck.kernel import DefaultChooser  # noqa: PLC0415
    from stopcheck.world import run  # noqa: PLC0415

    record = run(scenario, factory, DefaultChooser().choose, variant=Variant(), interior=PlainInterior(NoStorage()))
    into += [line for line in record.log if isinstance(line, Entry)]


class _Says(Check):
    """Says something at each entry."""

    name = "says"

    def on_entry(self, entry: Entry) -> None:
        self.violated("ADM-1", f"at {entry.step} {type(entry.event).__name__} {self.facts.book.moment}")


def test_whoever_watches_hears_of_a_repeated_violation_at_its_entry() -> None:
    entries: list[Entry] = []
    _entries_of(BY_ID["lost-response"], MemoryGate, entries)
    past = Past()
    heard: list[list[int]] = []
    for _ in range(2):
        judge = Judge(MemoryGate.contract, (_Says,), past=past)
        watched = judge.violations
        heard.append([])
        for entry in entries:
            judge.observe(entry)
            heard[-1].append(len(watched))
        judge.close()
    assert heard[0] == heard[1]
    assert heard[0][-1] > len(entries) // 2


def test_what_was_saved_shares_nothing_that_changes() -> None:
    entries: list[Entry] = []
    _entries_of(BY_ID["child-creation-race"], MemoryGate, entries)
    facts = Facts(MemoryGate.contract)
    checks = [check(facts, Docket()) for check in CHECKS if check.has_state()]
    assert checks
    for entry in entries[:-20]:
        facts.apply(entry)
        for check in checks:
            if check.listens(type(entry.event), getattr(entry.event, "operation", "")):
                check.on_entry(entry)
        saved = [facts.saved(), *(check.saved() for check in checks)]
        live = [vars(facts), *(vars(check) for check in checks)]
        kept = _changing(saved, {})
        common = [thing for key, thing in kept.items() if key in _changing(live, {})]
        assert all(isinstance(thing, Deed) and thing.returned is not None for thing in common), common


def _changing(thing: Any, found: dict[int, Any]) -> dict[int, Any]:
    """Everything below ``thing`` that can change, by identity. Facts are looked into, contracts not."""
    if id(thing) in found:
        return found
    if isinstance(thing, list | tuple):
        below = list(thing)
    elif isinstance(thing, dict):
        below = [*thing.values()]
    elif isinstance(thing, msgspec.Struct):
        below = [getattr(thing, name) for name in thing.__struct_fields__]
    elif hasattr(thing, "apply"):  # the book
        below = [*vars(thing).values()]
    else:
        return found
    frozen = isinstance(thing, tuple) or (isinstance(thing, msgspec.Struct) and thing.__struct_config__.frozen)
    if not frozen:
        found[id(thing)] = thing
    for part in below:
        _changing(part, found)
    return found


def test_the_violations_of_a_halt_are_those_before_it() -> None:
    past = Past()
    judge = Judge(MemoryGate.contract, (_Says,), past=past)
    entries: list[Entry] = []
    _entries_of(BY_ID["lost-response"], MemoryGate, entries)
    for entry in entries:
        judge.observe(entry)
        judge.digest()
    judge.close()
    whole: list[Violation] = list(judge.violations)
    again = Judge(MemoryGate.contract, (_Says,), past=past)
    for entry in entries[:10]:
        again.observe(entry)
    again.digest()
    assert again.violations == [v for v in whole if v.step <= entries[9].step][: len(again.violations)]
    again.close()

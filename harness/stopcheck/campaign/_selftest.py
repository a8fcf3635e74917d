"""The self-test: every known wrong gate dies for its named clause, and the right ones fail none.

One idea: the kit is tried on itself the way it tries others. A check without a gate that fails it does not exist, and a
right gate that fails is as bad as a wrong one that passes. A whole self-test (``everything``) also tries all right
gates that differ from the reference, and asks for a killer of each MUST clause.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby

import msgspec

from stopcheck.campaign._faults import kit_fault
from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import (
    LoadedGate,
    as_loaded,
    gates_with_a_server,
    installed_gates,
    load_faults,
    load_gate,
    load_right,
    load_scenarios,
)
from stopcheck.campaign._sigkill import sigkill_pass
from stopcheck.explore import STRATEGIES, Aim, Budget, Exploration, Result, Strategy, Trial, make_trial
from stopcheck.gate import AdapterFault, KnownFault
from stopcheck.judge import CHECKS, checked_clauses
from stopcheck.judge.requirements import EXCLUSIONS, REQUIREMENTS, SHARED_KILLERS, Level
from stopcheck.kernel import Watchdog
from stopcheck.world import Granularity, Scenario, Variant

#: Executions per scenario within which a wrong gate must be killed.
WITHIN = 1_000
#: Starts of a first stop from which the sweep goes on to a second one.
_FIRSTS = 8
#: Samples of an installed gate per scenario and variant, by all samplers in turn: a guard against false alarms.
#: ``certify`` searches.
RIGHT_SAMPLES = 10
#: The same of each known-right gate, of which there are many.
DIFFERENT_SAMPLES = 4
#: How many of the other strategies try a known-right gate in a scenario, and how often each. They take turns: every
#: gate meets each of them in a share of its scenarios, and every scenario meets each on a share of the gates.
_TURNS = 2
_TURN_SAMPLES = 2
#: In how many parts an installed gate is tried, so that no process is left alone with the dearest.
_PARTS = 8
_STRATEGY = STRATEGIES["auto"]
_SAMPLER = STRATEGIES["mixed"]
_OTHERS = tuple(strategy for strategy in STRATEGIES.values() if strategy is not _SAMPLER)
_HANG_S = 30.0


class Row(msgspec.Struct, frozen=True):
    """What became of one gate. ``named`` is the clause that it must fail for; empty for a right gate."""

    gate: str
    named: str
    about: str
    failed: tuple[str, ...]
    scenario: str
    strategy: str
    executions: int
    trouble: str = ""

    @property
    def good(self) -> bool:
        """Killed for the named reason, or, for a right gate, not failed at all."""
        if self.trouble:
            return False
        return self.named in self.failed if self.named else not self.failed


def selftest(
    on_row: Callable[[Row], None], *, children: int = 2, only: tuple[str, ...] = (), everything: bool = False
) -> list[Row]:
    """Try every known wrong gate and every installed right one; with ``everything``, or by name, also the right ones
    that differ. Gates that need a server are tried by name only. ``on_row`` hears of each as it is done, in the same
    order each time."""
    left_out = [name for name in gates_with_a_server() if name not in only]
    installed = [name for name, _ in installed_gates() if name not in left_out]
    tasks = [_Task("installed", name, part) for name in installed for part in range(_PARTS)]
    tasks += [_Task("wrong", fault.name) for fault in load_faults()]
    tasks += [_Task("right", right.name) for right in load_right()] if everything or only else []
    if only:
        tasks = [task for task in tasks if task.name in only]
    rows: list[Row] = []
    context = multiprocessing.get_context("spawn")
    # What is imported by then stays, so no collection of garbage needs to look at it again.
    with ProcessPoolExecutor(max_workers=children, mp_context=context, initializer=gc.freeze) as pool:
        for _, parts in groupby(pool.map(_try, tasks), lambda row: row.gate):
            row = _together(list(parts))
            rows.append(row)
            on_row(row)
    return rows


def unproved(rows: Sequence[Row], *, everything: bool = False) -> list[str]:
    """The MUST clauses for which none of these gates died: of those that are checked, or, with ``everything``, of all
    that are not excluded for a written reason."""
    killed = {row.named for row in rows if row.named and row.good}
    killed |= {clause for pair in SHARED_KILLERS for clause in pair if killed.intersection(pair)}
    checked = checked_clauses()
    return [
        clause
        for clause, requirement in REQUIREMENTS.items()
        if clause not in killed
        and (clause in checked or (everything and requirement.level is Level.MUST and clause not in EXCLUSIONS))
    ]


class _Task(msgspec.Struct, frozen=True):
    """One gate, or for an installed one each so-manieth scenario."""

    kind: str
    name: str
    part: int = 0


def _together(parts: list[Row]) -> Row:
    first = parts[0]
    return msgspec.structs.replace(
        first,
        failed=tuple(sorted({clause for row in parts for clause in row.failed})),
        about="; ".join(dict.fromkeys(row.about for row in parts if row.about)),
        executions=sum(row.executions for row in parts),
        trouble="; ".join(dict.fromkeys(row.trouble for row in parts if row.trouble)),
    )


def _try(task: _Task) -> Row:
    name = task.name
    try:
        if task.kind == "installed":
            return try_right(load_gate(name), RIGHT_SAMPLES, every=_PARTS, start=task.part)
        if task.kind == "right":
            names = [right.name for right in load_right()]
            return try_right(load_gate(name), DIFFERENT_SAMPLES, turn=names.index(name))
        return try_wrong(next(f for f in load_faults() if f.name == name))
    except AdapterFault as error:
        return Row(name, "", "", (), "", "", 0, f"{type(error).__name__}: {error.what}")
    except Exception as error:
        return Row(name, "", "", (), "", "", 0, kit_fault(error).what)


def try_wrong(fault: KnownFault) -> Row:
    """Search until the named clause is broken."""
    if fault.sigkill:
        return _try_sigkill(fault)
    loaded = as_loaded(fault.name, fault.factory)
    variant = Variant(fault.handles, Granularity.INNER if fault.inner else Granularity.CALLS)
    failed: set[str] = set()
    executions = 0

    def row(scenario: str = "", strategy: str = "", trouble: str = "") -> Row:
        clauses = tuple(sorted(failed))
        return Row(fault.name, fault.clause, fault.about, clauses, scenario, strategy, executions, trouble)

    with ground(loaded, variant.granularity) as interior:
        for scenario in _scenarios_for(fault, loaded):
            trial = make_trial(scenario, loaded.factory, variant, interior, CHECKS)
            found = _explore(trial, fault.clause)
            executions += found.executions
            failed |= set(found.failures)
            if found.faults:
                return row(scenario.id, _STRATEGY.name, f"{found.faults[0].kind}: {found.faults[0].what}")
            if fault.clause in failed:
                return row(scenario.id, found.failures[fault.clause].strategy)
    return row()


def _explore(trial: Trial, clause: str) -> Exploration:
    """Explore until a run breaks the clause."""
    found: set[str] = set()
    with Watchdog(_HANG_S) as watchdog:

        def over() -> str:
            return "the named clause was broken" if clause in found else ""

        def observe(result: Result) -> None:
            watchdog.rearm()
            found.update(violation.clause for violation in result.violations)

        return _STRATEGY(trial, Budget(WITHIN, over), 0, Aim(random_bases=1, firsts=_FIRSTS, observe=observe))


def _scenarios_for(fault: KnownFault, loaded: LoadedGate) -> list[Scenario]:
    known = load_scenarios()
    chosen = [known[name] for name in fault.scenarios if name in known] or list(known.values())
    return [s for s in chosen if s.fits(loaded.contract)]


def _try_sigkill(fault: KnownFault) -> Row:
    loaded = as_loaded(fault.name, fault.factory)
    scenarios = [scenario.id for scenario in _scenarios_for(fault, loaded) if scenario.races]
    outcome = sigkill_pass(loaded, scenarios[:1])
    failed = tuple(sorted({finding.clause for finding in outcome.findings}))
    return Row(fault.name, fault.clause, fault.about, failed, "a real death", "sigkill", outcome.kills, outcome.trouble)


def try_right(loaded: LoadedGate, samples: int, *, every: int = 1, start: int = 0, turn: int | None = None) -> Row:
    """A right gate in each scenario (or in ``every`` so-manieth from ``start`` on), sampled on one and two handles,
    whole calls and inside. With a ``turn`` every strategy tries it, each in its share of the scenarios."""
    failed: dict[str, str] = {}
    executions = 0
    trouble = ""
    contract = loaded.contract
    grains = [Granularity.CALLS] if contract.serialised_calls else [Granularity.CALLS, Granularity.INNER]
    for granularity in grains:
        with ground(loaded, granularity) as interior, Watchdog(_HANG_S) as watchdog:
            for number, scenario in enumerate(list(load_scenarios().values())[start::every]):
                if not scenario.fits(contract):
                    continue
                if granularity is Granularity.INNER and not scenario.races:
                    continue
                for handles in (1, 2) if contract.durable else (1,):
                    trial = make_trial(scenario, loaded.factory, Variant(handles, granularity), interior, CHECKS)
                    aim = Aim(random_bases=0, firsts=1, observe=lambda _: watchdog.rearm())
                    for strategy in _strategies(turn, number):
                        runs = samples if strategy is _SAMPLER else _TURN_SAMPLES
                        found = strategy(trial, Budget(runs), handles, aim)
                        executions += found.executions
                        for clause, failure in found.failures.items():
                            failed.setdefault(clause, f"{scenario.id} ({strategy.name}): {failure.violation.message}")
                        trouble = _trouble(scenario.id, found) or trouble
    about = "; ".join(f"{clause} in {why}" for clause, why in sorted(failed.items()))
    by = _SAMPLER.name if turn is None else "every strategy"
    return Row(loaded.reference, "", about, tuple(sorted(failed)), "all", by, executions, trouble)


def _strategies(turn: int | None, number: int) -> list[Strategy]:
    """Who tries a right gate in its scenario with that number."""
    if turn is None:
        return [_SAMPLER]
    first = turn + number * _TURNS
    return [_SAMPLER, *(_OTHERS[(first + place) % len(_OTHERS)] for place in range(_TURNS))]


def _trouble(scenario: str, found: Exploration) -> str:
    """What went wrong that is no broken clause."""
    if found.faults:
        return f"{scenario}: {found.faults[0].what}"
    return f"{scenario}: {found.nondeterminism.what}" if found.nondeterminism is not None else ""

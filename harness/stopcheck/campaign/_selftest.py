"""The self-test: every known wrong gate dies for its named clause, and the reference gates fail none.

One idea: the kit is tried on itself the way it tries others. A check without a gate that fails it does not exist, and a
right gate that fails is as bad as a wrong one that passes.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import msgspec

from stopcheck.campaign._faults import kit_fault
from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import LoadedGate, as_loaded, installed_gates, load_faults, load_gate, load_scenarios
from stopcheck.campaign._sigkill import sigkill_pass
from stopcheck.explore import STRATEGIES, Aim, Budget, Exploration, Result, Trial, make_trial, random_walk
from stopcheck.gate import AdapterFault, KnownFault
from stopcheck.judge import CHECKS
from stopcheck.kernel import Watchdog
from stopcheck.world import Granularity, Scenario, Variant

#: Executions per scenario within which a wrong gate must be killed.
WITHIN = 1_000
#: Starts of a first stop from which the sweep goes on to a second one.
_FIRSTS = 8
#: Random walks of a right gate per scenario and variant: a guard against false alarms. ``certify`` searches.
RIGHT_SAMPLES = 20
_STRATEGY = STRATEGIES["auto"]
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


def selftest(on_row: Callable[[Row], None], *, children: int = 2, only: tuple[str, ...] = ()) -> list[Row]:
    """Try every known wrong gate and every installed right one. ``on_row`` hears of each as it is done."""
    tasks = [("right", name) for name, _ in installed_gates()]
    tasks += [("wrong", fault.name) for fault in load_faults()]
    if only:
        tasks = [task for task in tasks if task[1] in only]
    rows: list[Row] = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=children, mp_context=context) as pool:
        for row in pool.map(_try, *zip(*tasks, strict=True)) if tasks else ():
            rows.append(row)
            on_row(row)
    return rows


def _try(kind: str, name: str) -> Row:
    try:
        if kind == "right":
            return try_right(load_gate(name))
        fault = next(f for f in load_faults() if f.name == name)
        return try_wrong(fault)
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
    return [s for s in chosen if s.needs <= loaded.contract.capabilities]


def _try_sigkill(fault: KnownFault) -> Row:
    loaded = as_loaded(fault.name, fault.factory)
    scenarios = [scenario.id for scenario in _scenarios_for(fault, loaded) if scenario.deep]
    outcome = sigkill_pass(loaded, scenarios[:1])
    failed = tuple(sorted({finding.clause for finding in outcome.findings}))
    return Row(fault.name, fault.clause, fault.about, failed, "a real death", "sigkill", outcome.kills, outcome.trouble)


def try_right(loaded: LoadedGate) -> Row:
    """A right gate in every scenario: searched and sampled, on one and two handles, whole calls and inside."""
    failed: dict[str, str] = {}
    executions = 0
    trouble = ""
    contract = loaded.contract
    grains = [Granularity.CALLS] if contract.serialised_calls else [Granularity.CALLS, Granularity.INNER]
    for granularity in grains:
        with ground(loaded, granularity) as interior, Watchdog(_HANG_S) as watchdog:
            for scenario in load_scenarios().values():
                if not scenario.needs <= contract.capabilities:
                    continue
                if granularity is Granularity.INNER and not scenario.deep:
                    continue
                for handles in (1, 2) if contract.durable else (1,):
                    trial = make_trial(scenario, loaded.factory, Variant(handles, granularity), interior, CHECKS)
                    found = random_walk(trial, Budget(RIGHT_SAMPLES), seed=handles, observe=lambda _: watchdog.rearm())
                    executions += found.executions
                    for clause, failure in found.failures.items():
                        failed.setdefault(clause, f"{scenario.id}: {failure.violation.message}")
                    if found.faults:
                        trouble = f"{scenario.id}: {found.faults[0].what}"
    about = "; ".join(f"{clause} in {why}" for clause, why in sorted(failed.items()))
    return Row(loaded.reference, "", about, tuple(sorted(failed)), "all", "random-walk", executions, trouble)

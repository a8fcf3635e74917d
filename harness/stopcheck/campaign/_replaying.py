"""Replaying one schedule for people: the run's record, what was broken, where it left the default order, and the
nearest run in which nothing breaks.

One idea: whatever is shown was made again, here and now, strictly by the schedule.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from stopcheck.campaign._durable import StorageWatch, Stored, storage_watch
from stopcheck.campaign._errors import UsageFault, did_you_mean
from stopcheck.campaign._ground import ground
from stopcheck.campaign._in_step import Printed, Stop
from stopcheck.campaign._loading import LoadedGate, load_scenarios, pick_scenarios
from stopcheck.campaign._results import Finding, NearestPass
from stopcheck.campaign._shrinking import nearest_of
from stopcheck.campaign._sigkill import SigkillOutcome, read_kill_token, sigkill_pass
from stopcheck.explore import make_trial
from stopcheck.gate import GateContract, HostKind
from stopcheck.judge import CHECKS, Judge, Violation, first_breaks
from stopcheck.kernel import SCHEDULE, DivergedError, Point, Replayer, Schedule, ThreadHost, Watchdog
from stopcheck.world import AtRest, Granularity, Interior, Record, Scenario, Variant, gate_modules, in_turn, run

#: How long a replayed run may take, in real seconds.
REPLAY_S = 20.0


class Deviation(msgspec.Struct, frozen=True):
    """A choice that was not the default, and the step that it made: who moved instead, or which ``fault`` struck."""

    step: int
    chosen: str
    default: str
    fault: bool = False


class Replayed(msgspec.Struct):
    """A replayed run. ``nearest``: where the nearest run in which nothing breaks parts from it, and that run.
    ``printed``: by step, the lines that the gate printed. ``stored``: what its storage says around the step that
    breaks, if it was watched."""

    record: Record
    violations: list[Violation]
    deviations: list[Deviation]
    nearest: tuple[NearestPass, Replayed] | None = None
    printed: dict[int, list[str]] = {}
    stored: Stored | None = None


class _Noting:
    def __init__(self, replayer: Replayer) -> None:
        self._replayer = replayer
        self.deviations: list[Deviation] = []

    def choose(self, point: Point) -> int:
        index = self._replayer.choose(point)
        if index:
            moves = point.kind == SCHEDULE
            chosen, default = point.options[index], point.options[0]
            self.deviations.append(Deviation(point.step + moves, chosen, default, fault=not moves))
        return index


def _nobody_listens() -> None:
    """For replays that nobody waits for impatiently."""


def replay_schedule(
    loaded: LoadedGate,
    schedule: Schedule,
    *,
    clause: str | None = None,
    stop: Stop | None = None,
    execution_s: float = REPLAY_S,
    alive: Callable[[], object] = _nobody_listens,
    nearest: bool = True,
) -> Replayed:
    """Make the schedule's run again. If it breaks ``clause`` (by default the one that broke first), look for the
    nearest run that passes, where that is wanted; ``alive`` is called before each. ``stop``: where to stop in the
    debugger; then what is printed goes where it always does. Raises :class:`UsageFault` when there is no such scenario
    or variant, and ``DivergedError`` when the run is not the recorded one."""
    scenario, variant = _named(schedule, None)
    _check_fits(loaded, scenario, variant)
    with ground(loaded, variant.granularity) as interior, Watchdog(execution_s) as watchdog:
        stage = _Stage(loaded, scenario, variant, interior, ThreadHost(execution_s))
        replayed = stage.run(schedule, stop)

        def before_run() -> None:
            watchdog.rearm()
            alive()

        broken = first_breaks(replayed.violations)
        wanted = clause if clause in broken else next(iter(broken), None)
        if wanted is not None and nearest and replayed.record.fault is None and stop is None:
            replayed.nearest = stage.nearest(wanted, schedule, before_run)
    return replayed


def replay_finding(
    loaded: LoadedGate,
    finding: Finding,
    *,
    scenario: Scenario | None = None,
    execution_s: float = REPLAY_S,
    alive: Callable[[], object] = _nobody_listens,
) -> Replayed:
    """Make the run of a finding again, and the nearest run that passes if the finding names one, in ``scenario`` where
    it is not an installed one. Raises as :func:`replay_schedule` does; ``TokenError`` for the token of a real death."""
    schedule = Schedule.from_token(finding.token)
    scenario, variant = _named(schedule, scenario)
    with storage_watch(loaded, finding.step) as watch:
        moved = watch.moved if watch is not None else None
        with ground(loaded, variant.granularity, moved) as interior, Watchdog(execution_s) as watchdog:
            stage = _Stage(loaded, scenario, variant, interior, ThreadHost(execution_s))
            replayed = stage.run(schedule, watch=watch)
            if finding.nearest is not None:
                watchdog.rearm()
                alive()
                replayed.nearest = finding.nearest, stage.run(Schedule.from_token(finding.nearest.token))
        if watch is not None:
            alive()
            replayed.stored = watch.stored(loaded)
    return replayed


def _named(schedule: Schedule, given: Scenario | None) -> tuple[Scenario, Variant]:
    """The scenario and the variant that a schedule names."""
    scenarios = load_scenarios() if given is None else {given.id: given}
    scenario = scenarios.get(schedule.scenario)
    if scenario is None:
        raise UsageFault(
            f"the token is of scenario {schedule.scenario!r}, which is not installed here",
            hint=did_you_mean(schedule.scenario, scenarios, "see: stopcheck list scenarios"),
        )
    try:
        return scenario, Variant.from_names(schedule.variant)
    except ValueError as error:
        raise UsageFault(f"the token's variant cannot be read: {error}", hint="was it made by a newer kit?") from error


class _Stage:
    """Where the runs of one gate in one scenario are made."""

    def __init__(
        self, loaded: LoadedGate, scenario: Scenario, variant: Variant, interior: Interior, threads: ThreadHost
    ) -> None:
        self._loaded = loaded
        self._scenario = scenario
        self._variant = variant
        self._interior = interior
        self._threads = threads

    def run(self, schedule: Schedule, stop: Stop | None = None, watch: StorageWatch | None = None) -> Replayed:
        """The schedule's run, judged."""
        replayer = Replayer(schedule)
        noting = _Noting(replayer)

        def attempt(choose: Callable[[Point], int], _: AtRest | None) -> Replayed:
            return self._made(choose, stop, watch)

        replayed = in_turn(attempt, noting.choose, None, self._interior)
        if replayed.record.fault is None:
            replayer.finish()
        replayed.deviations = noting.deviations
        return replayed

    def _made(self, choose: Callable[[Point], int], stop: Stop | None, watch: StorageWatch | None) -> Replayed:
        judge = Judge(self._loaded.contract, CHECKS)
        printed = Printed()
        with printed.listening() if stop is None else stop.watching():
            record = run(
                self._scenario,
                self._loaded.factory,
                choose,
                variant=self._variant,
                interior=self._interior,
                observers=(judge, printed) if watch is None else (judge, printed, watch),
                thread_host=self._threads,
                segments=None if stop is None else stop.segment,
            )
        judge.close()
        return Replayed(record, list(judge.violations), [], printed=printed.lines)

    def nearest(
        self, clause: str, schedule: Schedule, before_run: Callable[[], object]
    ) -> tuple[NearestPass, Replayed] | None:
        """The nearest run that passes, and where it parts."""
        trial = make_trial(
            self._scenario, self._loaded.factory, self._variant, self._interior, CHECKS, thread_host=self._threads
        )
        with Printed().listening():  # of runs that nobody sees nobody wants to read anything
            found = nearest_of(trial, clause, schedule, before_run=before_run)
        if found is None:
            return None
        before_run()
        try:
            return found, self.run(Schedule.from_token(found.token))
        except DivergedError:  # a gate that is not deterministic: what was found cannot be shown
            return None


def default_schedule(scenario: str, contract: GateContract) -> Schedule:
    """That of a scenario in its default order, between the gate's inner points where it has any."""
    granularity = Granularity.CALLS if contract.serialised_calls else Granularity.INNER
    return Schedule.of(scenario, Variant(1, granularity).names(), [])


def stop_at(loaded: LoadedGate, step: int) -> Stop:
    """For :func:`replay_schedule`. Raises :class:`UsageFault` where the gate's code does not run in this process."""
    modules = gate_modules(loaded.factory)
    if loaded.contract.host is HostKind.PROCESS or not modules:
        what = f"{loaded.reference!r} runs in a process of its own, in which no debugger of this one can stop"
        raise UsageFault(what, hint="start the command under a debugger of its language")
    return Stop(step, [str(module.__file__) for module in modules if getattr(module, "__file__", None)])


def _check_fits(loaded: LoadedGate, scenario: Scenario, variant: Variant) -> None:
    """A schedule of another gate may ask of this one what it does not have; its run would prove nothing. The same holds
    for a scenario that was asked for by its name."""
    contract = loaded.contract
    lacking = ", ".join(sorted(c.value for c in scenario.needs - contract.capabilities))
    hint = "if it is a token's, that is another gate's: name the gate that it was made with"
    if scenario.ledger and not contract.ledger:
        raise UsageFault(f"the scenario {scenario.id!r} needs a ledger, which {loaded.reference!r} has not", hint=hint)
    if lacking:
        what = f"the scenario {scenario.id!r} needs [{lacking}], which {loaded.reference!r} does not declare"
        raise UsageFault(what, hint=hint)
    if variant.handles > 1 and not contract.durable:
        what = f"the token is of {variant.handles} handles on one storage, and {loaded.reference!r} is volatile"
        raise UsageFault(what, hint=hint)


def replay_death(loaded: LoadedGate, token: str, alive: Callable[[], None] = _nobody_listens) -> SigkillOutcome | None:
    """Repeat a real death that a ``kill.`` token names; ``None`` when the token is none of these. ``alive`` is called
    now and then while it goes on."""
    named = read_kill_token(token)
    if named is None:
        return None
    scenario, seed, answers = named
    pick_scenarios((scenario,))
    return sigkill_pass(loaded, (scenario,), only=(seed, answers), alive=alive)


__all__ = ["Deviation", "DivergedError", "Replayed", "replay_death", "replay_finding", "replay_schedule"]

"""Replaying one schedule for people: the run's record, what was broken, and where it left the default order."""

from __future__ import annotations

import msgspec

from stopcheck.campaign._errors import UsageFault, did_you_mean
from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import LoadedGate, load_scenarios, pick_scenarios
from stopcheck.campaign._sigkill import SigkillOutcome, read_kill_token, sigkill_pass
from stopcheck.judge import CHECKS, Judge, Violation
from stopcheck.kernel import SCHEDULE, DivergedError, Point, Replayer, Schedule, ThreadHost, Watchdog
from stopcheck.world import Record, Scenario, Variant, run

#: How long a replayed run may take, in real seconds.
REPLAY_S = 20.0


class Deviation(msgspec.Struct, frozen=True):
    """A choice that was not the default, and the step that it made: who moved instead, or which ``fault`` struck."""

    step: int
    chosen: str
    default: str
    fault: bool = False


class Replayed(msgspec.Struct):
    """A replayed run."""

    record: Record
    violations: list[Violation]
    deviations: list[Deviation]


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


def replay_schedule(loaded: LoadedGate, schedule: Schedule, *, execution_s: float = REPLAY_S) -> Replayed:
    """Make the schedule's run again. Raises :class:`UsageFault` when there is no such scenario or variant, and
    ``DivergedError`` when the run is not the recorded one."""
    scenarios = load_scenarios()
    scenario = scenarios.get(schedule.scenario)
    if scenario is None:
        raise UsageFault(
            f"the token is of scenario {schedule.scenario!r}, which is not installed here",
            hint=did_you_mean(schedule.scenario, scenarios, "see: stopcheck list scenarios"),
        )
    try:
        variant = Variant.from_names(schedule.variant)
    except ValueError as error:
        raise UsageFault(f"the token's variant cannot be read: {error}", hint="was it made by a newer kit?") from error
    _check_fits(loaded, scenario, variant)
    judge = Judge(loaded.contract, CHECKS)
    replayer = Replayer(schedule)
    noting = _Noting(replayer)
    with ground(loaded, variant.granularity) as interior, Watchdog(execution_s):
        record = run(
            scenario,
            loaded.factory,
            noting.choose,
            variant=variant,
            interior=interior,
            observers=(judge,),
            thread_host=ThreadHost(execution_s),
        )
    judge.close()
    if record.fault is None:
        replayer.finish()
    return Replayed(record, list(judge.violations), noting.deviations)


def _check_fits(loaded: LoadedGate, scenario: Scenario, variant: Variant) -> None:
    """A schedule of another gate may ask of this one what it does not have; its run would prove nothing."""
    contract = loaded.contract
    lacking = ", ".join(sorted(c.value for c in scenario.needs - contract.capabilities))
    hint = "the token is another gate's: name the gate that it was made with"
    if lacking:
        what = f"the scenario {scenario.id!r} needs [{lacking}], which {loaded.reference!r} does not declare"
        raise UsageFault(what, hint=hint)
    if variant.handles > 1 and not contract.durable:
        what = f"the token is of {variant.handles} handles on one storage, and {loaded.reference!r} is volatile"
        raise UsageFault(what, hint=hint)


def replay_death(loaded: LoadedGate, token: str) -> SigkillOutcome | None:
    """Repeat a real death that a ``kill.`` token names; ``None`` when the token is none of these."""
    named = read_kill_token(token)
    if named is None:
        return None
    scenario, seed, answers = named
    pick_scenarios((scenario,))
    return sigkill_pass(loaded, (scenario,), only=(seed, answers))


__all__ = ["Deviation", "DivergedError", "Replayed", "replay_death", "replay_schedule"]

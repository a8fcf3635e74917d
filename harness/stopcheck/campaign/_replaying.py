"""Replaying one schedule for people: the run's record, what was broken, and where it left the default order."""

from __future__ import annotations

import msgspec

from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import LoadedGate, load_scenarios
from stopcheck.judge import CHECKS, Judge, Violation
from stopcheck.kernel import DivergedError, Point, Replayer, Schedule, Watchdog
from stopcheck.world import Record, Variant, run

#: How long a replayed run may take, in real seconds.
REPLAY_S = 20.0


class Deviation(msgspec.Struct, frozen=True):
    """A choice that was not the default, at the step after which it was made."""

    step: int
    chosen: str
    default: str


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
            self.deviations.append(Deviation(point.step + 1, point.options[index], point.options[0]))
        return index


def replay_schedule(loaded: LoadedGate, schedule: Schedule) -> Replayed:
    """Make the schedule's run again. Raises :class:`UsageFault` when there is no such scenario or variant, and
    ``DivergedError`` when the run is not the recorded one."""
    scenarios = load_scenarios()
    scenario = scenarios.get(schedule.scenario)
    if scenario is None:
        known = ", ".join(sorted(scenarios))
        raise UsageFault(
            f"the token is of scenario {schedule.scenario!r}, which is not installed here",
            hint=f"installed scenarios: {known}",
        )
    try:
        variant = Variant.from_names(schedule.variant)
    except ValueError as error:
        raise UsageFault(f"the token's variant cannot be read: {error}", hint="was it made by a newer kit?") from error
    judge = Judge(loaded.contract, CHECKS)
    replayer = Replayer(schedule)
    noting = _Noting(replayer)
    with ground(loaded, variant.granularity) as interior, Watchdog(REPLAY_S):
        record = run(scenario, loaded.factory, noting.choose, variant=variant, interior=interior, observers=(judge,))
    judge.close()
    if record.fault is None:
        replayer.finish()
    return Replayed(record, list(judge.violations), noting.deviations)


__all__ = ["Deviation", "DivergedError", "Replayed", "replay_schedule"]

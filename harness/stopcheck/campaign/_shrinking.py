"""From a finding as it was found to one that a person can follow: short, named, and beside a run that passes.

One idea: all that is said of a finding is said of a run that was made again; where it cannot be made again, the finding
stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgspec

from stopcheck.campaign._results import Finding, FirstBreak, NamedChoice, NearestPass
from stopcheck.explore import Failure, Remembered, Result, Seen, Trial, nearest_passing, replay, shrink
from stopcheck.judge import Violation, first_breaks
from stopcheck.kernel import Schedule

#: Runs that shrinking one failure may take.
SHRINK_RUNS = 400
#: Runs that the search for the nearest passing run may take.
NEAREST_RUNS = 60


def shrunk_finding(known: Remembered, finding: Finding, *, before_run: Callable[[], object]) -> Finding:
    """The finding, shrunk, with the runs that are known of its scenario in its variant. ``before_run`` is called before
    each run (a watchdog)."""
    trial = known.trial  # the first run and the last are made in any case
    before_run()
    again = replay(trial, Schedule.from_token(finding.token)).result
    violation = _violation(again, finding.clause)
    if again is None or violation is None:
        return finding
    failure = Failure(
        finding.clause, violation, finding.strategy, finding.scenario, again.variant, tuple(again.choices)
    )
    shrunk = shrink(known, failure, runs=SHRINK_RUNS, before_run=before_run)
    before_run()
    last = replay(trial, shrunk.schedule)
    return msgspec.structs.replace(
        finding,
        check=shrunk.violation.check,
        message=shrunk.violation.message,
        token=shrunk.schedule.token(),
        deviations=shrunk.schedule.deviations,
        choices=len(shrunk.schedule.choices),
        step=shrunk.violation.step,
        shrunk=shrunk.reproduced and _violation(last.result, finding.clause) is not None,
        where=place_at(last.result.log(), shrunk.violation.step) if last.result is not None else "",
        named=tuple(_named(one) for one in last.seen) if last.result is not None else (),
        nearest=nearest_of(known, finding.clause, shrunk.schedule, before_run=before_run),
        first=_first(last.result, shrunk.violation.step),
    )


def nearest_of(
    trial: Trial, clause: str, schedule: Schedule, *, before_run: Callable[[], object]
) -> NearestPass | None:
    """The nearest run to the schedule's that passes, as plain data."""
    found = nearest_passing(trial, clause, schedule.choices, runs=NEAREST_RUNS, before_run=before_run)
    if found is None:
        return None
    return NearestPass(
        token=found.schedule.token(),
        changed=found.changed,
        position=found.position,
        step=found.step,
        asked=found.point,
        failing=found.failing,
        passing=found.passing,
        breaks=found.breaks,
    )


def _first(result: Result | None, step: int) -> FirstBreak | None:
    """What the run broke first, if that was before a step."""
    breaks = first_breaks(result.violations) if result is not None else {}
    clause = next(iter(breaks), "")
    return FirstBreak(clause, breaks[clause]) if clause and breaks[clause] < step else None


def _named(seen: Seen) -> NamedChoice:
    return NamedChoice(seen.point, seen.option, seen.options[0] if seen.index else "")


def _violation(result: Result | None, clause: str) -> Violation | None:
    return next((v for v in result.violations if v.clause == clause), None) if result is not None else None


def place_at(log: bytes, step: int) -> str:
    """The place in the gate's own code that the step of a run reached last; empty when it is not known."""
    place = ""
    for line in log.splitlines():
        at, _, what = msgspec.json.decode(line, type=tuple[int, int, Any])
        if at == step and isinstance(what, dict):
            place = str(cast("dict[str, object]", what).get("where", "")) or place
    return place

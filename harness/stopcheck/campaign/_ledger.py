"""The coverage ledger of a campaign: what was planned in each variant of each scenario, and what came of it.

One idea: a pass is worth as much as what was really tried. So all that a scenario admits and all that a run was offered
is planned; what no run took is *impossible* where a completed search was never offered it, and *missed* everywhere
else. Jobs of one variant add up. Variants do not: what was tried in one says nothing of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stopcheck.campaign._ledger_records import Cover, Gap, Ledger, Subject
from stopcheck.campaign._results import JobResult
from stopcheck.campaign._sigkill import REAL
from stopcheck.explore import AFTER, POWER_AFTER, SecondStops, SweepCoverage, Tally, added
from stopcheck.kernel import many
from stopcheck.world import FaultKind

#: The subject, what it is, and the gap that it leaves; ``None`` where it was hit.
_Item = tuple[Subject, Gap | None]
_SUBJECTS = {
    FaultKind.CRASH: Subject.CRASHES,
    FaultKind.TIME: Subject.TIMERS,
    FaultKind.GATE_TIMER: Subject.TIMERS,
}


#: What may happen after any step.
_ANYWHERE = {AFTER: "the gate's death", POWER_AFTER: "the loss of power"}


def ledger_of(jobs: Iterable[JobResult]) -> tuple[Ledger, ...]:
    """The ledger, in the order of the plan."""
    variants: dict[tuple[str, str, int], list[JobResult]] = {}
    for job in jobs:
        spec = job.spec
        variants.setdefault((spec.scenario, spec.granularity, spec.handles), []).append(job)
    return tuple(_variant(*variant, of_it) for variant, of_it in variants.items())


def _variant(scenario: str, granularity: str, handles: int, jobs: Sequence[JobResult]) -> Ledger:
    exhausted, bound = completed(jobs)
    items = [*_stops(jobs), *_offered(jobs), *_witnesses(jobs)]
    covers = [_cover(subject, [gap for about, gap in items if about is subject]) for subject in Subject]
    return Ledger(
        scenario,
        granularity,
        handles,
        sum(job.executions for job in jobs),
        exhausted,
        bound,
        tuple(cover for cover in covers if cover.planned),
        tuple(gap for _, gap in items if gap is not None),
    )


def _cover(subject: Subject, outcomes: Sequence[Gap | None]) -> Cover:
    impossible = sum(1 for gap in outcomes if gap is not None and gap.impossible)
    hit = sum(1 for gap in outcomes if gap is None)
    return Cover(subject, len(outcomes), hit, impossible, len(outcomes) - hit - impossible)


def _stops(jobs: Sequence[JobResult]) -> list[_Item]:
    """The points of all sweeps together, those of first stops and those of second ones."""
    sweeps = [job.sweep for job in jobs if job.sweep is not None]
    seconds = [sweep.second for sweep in sweeps if sweep.second is not None]
    return [*_swept(Subject.STOPS, sweeps), *_swept(Subject.SECOND_STOPS, seconds)]


def _swept(subject: Subject, sweeps: Sequence[SweepCoverage | SecondStops]) -> list[_Item]:
    """A point is closed where no stop could start in any of the recorded runs."""
    seen = dict.fromkeys(point for sweep in sweeps for point in (*sweep.planned, *sweep.closed))
    hit = {point for sweep in sweeps for point in sweep.planned if point not in sweep.missed}
    missed = {point for sweep in sweeps for point in sweep.missed}
    items: list[_Item] = []
    for point in seen:
        gap = None
        if point in missed and point not in hit:
            gap = Gap(subject, point, "the sweep did not come to it", impossible=False)
        elif point not in hit:
            why = "no stop could start there in any recorded run: it waits for something else first"
            gap = Gap(subject, point, why, impossible=True)
        items.append((subject, gap))
    return items


def _offered(jobs: Sequence[JobResult]) -> list[_Item]:
    exhausted, bound = completed(jobs)
    done = "an exhausted search" if exhausted else "" if bound is None else f"the search up to {disruptions(bound)}"
    items: list[_Item] = []
    for line in added(line for job in jobs for line in job.ledger):
        subject = _subject(line)
        if subject is Subject.KILLS:  # each state is one
            items += _kills(line)
            continue
        gap = None
        if not line.taken:
            impossible = bool(done) and not line.offered
            gap = Gap(subject, f"{line.where}: {line.what}", _why(line, done, exhausted=exhausted), impossible)
        items.append((subject, gap))
    return items


def _subject(line: Tally) -> Subject:
    if line.what == REAL:
        return Subject.KILLS
    return _SUBJECTS.get(line.kind, Subject.FAULTS)


def completed(jobs: Sequence[JobResult]) -> tuple[bool, int | None]:
    """Whether a search of theirs made every run; else the greatest number of disruptions of which it made every run."""
    exhausted = any(job.exhausted for job in jobs)
    bounds = [job.bound for job in jobs if job.bound is not None]
    return exhausted, None if exhausted else max(bounds, default=None)


def disruptions(bound: int) -> str:
    """A bound in words."""
    return f"{many(bound, 'disruption')}"


def _kills(line: Tally) -> list[_Item]:
    gap = Gap(Subject.KILLS, f"{line.where}: {line.what}", "the pass with real deaths did not come to it", False)
    outcomes: list[Gap | None] = [None] * line.taken + [gap] * (line.offered - line.taken)
    return [(Subject.KILLS, outcome) for outcome in outcomes]


def _why(line: Tally, done: str, *, exhausted: bool) -> str:
    if not line.offered:
        return f"never on offer in {done}" if done else "never on offer, and no search was completed"
    if not done:
        return "on offer, and no search was completed"
    if exhausted:
        return f"on offer in a sample only; {done} came to an equal state by another step"
    return f"on offer only beyond {done}"


def _witnesses(jobs: Sequence[JobResult]) -> list[_Item]:
    seen = {name for job in jobs for name in job.witnesses}
    wanted = dict.fromkeys(name for job in jobs for name in job.witnesses_wanted)
    return [
        (
            Subject.WITNESSES,
            None if name in seen else Gap(Subject.WITNESSES, name, "no run came to it", impossible=False),
        )
        for name in wanted
    ]


# -- all variants together --------------------------------------------------------------------------------


def totals(ledgers: Sequence[Ledger]) -> tuple[Cover, ...]:
    """Counts over all variants; those of witnesses over scenarios, since each must be seen in one variant only."""
    sums = {subject: [0, 0, 0, 0] for subject in Subject}
    for variant in ledgers:
        for cover in variant.covers:
            if cover.subject is not Subject.WITNESSES:
                for at, number in enumerate((cover.planned, cover.hit, cover.impossible, cover.missed)):
                    sums[cover.subject][at] += number
    wanted, missed = _witnesses_by_scenario(ledgers)
    sums[Subject.WITNESSES] = [wanted, wanted - missed, 0, missed]
    return tuple(Cover(subject, *numbers) for subject, numbers in sums.items() if numbers[0])


def _witnesses_by_scenario(ledgers: Sequence[Ledger]) -> tuple[int, int]:
    wanted: dict[str, int] = {}
    missed: dict[str, set[str]] = {}
    for variant in ledgers:
        planned = [cover.planned for cover in variant.covers if cover.subject is Subject.WITNESSES]
        names = {gap.what for gap in variant.gaps if gap.subject is Subject.WITNESSES}
        if planned:
            scenario = variant.scenario
            wanted[scenario] = planned[0]
            missed[scenario] = missed.get(scenario, names) & names
    return sum(wanted.values()), sum(len(names) for names in missed.values())


def never_taken(jobs: Iterable[JobResult]) -> dict[str, tuple[str, ...]]:
    """By scenario: what it admits, was on offer in some variant, and was taken in none. Who was asked does not matter,
    nor after which step a death comes."""
    lines: dict[str, dict[str, bool]] = {}
    for job in jobs:
        of_it = lines.setdefault(job.spec.scenario, {})
        for line in job.ledger:
            if line.offered:
                name = _ANYWHERE.get(line.what) or f"{line.label}: {line.what}"
                of_it[name] = of_it.get(name, False) or line.taken > 0
    found = {scenario: tuple(name for name, taken in names.items() if not taken) for scenario, names in lines.items()}
    return {scenario: names for scenario, names in found.items() if names}

"""What a campaign finds: events while it runs, and the report at its end. All plain data, so that they cross processes.

One idea: nothing here is decided; a job says what it did, and ``_verdicts`` says what follows.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Literal

import msgspec

from stopcheck.campaign._audit import Differs
from stopcheck.campaign._interleavings import Interleaving
from stopcheck.campaign._ledger_records import Cover, Ledger
from stopcheck.explore import SweepCoverage, Tally
from stopcheck.judge import Tally as Measures


class Verdict(StrEnum):
    """A clause's verdict. Only ``PASS`` is a pass; ``WAIVED`` is a failure that somebody has decided to live with."""

    PASS = "PASS"
    FAIL = "FAIL"
    WAIVED = "WAIVED"
    UNKNOWN = "UNKNOWN"
    UNSUPPORTED = "UNSUPPORTED"
    UNCHECKED = "UNCHECKED"


class JobSpec(msgspec.Struct, frozen=True):
    """One piece of work: a scenario in a variant under a strategy, with a budget of executions."""

    scenario: str
    handles: int
    granularity: str
    strategy: str
    budget: int
    seed: int
    bound: int | None = None

    @property
    def name(self) -> str:
        """For people."""
        handles = "2 handles" if self.handles == 2 else "1 handle"
        return f"{self.scenario} ({self.granularity}, {handles}, {self.strategy})"


class NamedChoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer by name: what was asked (``run``: who moves next), and what was chosen. ``instead_of`` is what the
    default would have been; empty where the default was chosen."""

    asked: str
    chosen: str
    instead_of: str = ""


class NearestPass(msgspec.Struct, frozen=True):
    """The passing run that is nearest to a finding's, ``changed`` choices away; ``token`` replays it.

    Both are the same up to choice ``position`` (from 0), after ``step`` steps, where ``asked`` was answered ``failing``
    in the one and ``passing`` in the other. ``breaks``: other clauses that it breaks; empty where it breaks none."""

    token: str
    changed: int
    position: int
    step: int
    asked: str
    failing: str
    passing: str
    breaks: tuple[str, ...] = ()


class FirstBreak(msgspec.Struct, frozen=True):
    """The clause that a run broke first, and the step at which it did."""

    clause: str
    step: int


class Finding(msgspec.Struct, frozen=True):
    """A clause was broken, with the interleaving that shows it.

    ``token`` replays it; ``deviations`` counts the choices that leave the default order; ``step`` is when it broke, and
    ``where`` the place in the gate's own code that was reached last by then. ``named`` are the run's choices, of which
    the token holds digests; ``nearest`` is where a run that passes parts from it; ``first`` is another clause that the
    run broke at an earlier step, if there is one. These are there once it was shrunk."""

    clause: str
    check: str
    message: str
    scenario: str
    handles: int
    granularity: str
    strategy: str
    token: str
    deviations: int
    choices: int
    step: int
    executions_to_find: int
    shrunk: bool
    where: str = ""
    named: tuple[NamedChoice, ...] = ()
    nearest: NearestPass | None = None
    first: FirstBreak | None = None

    @property
    def size(self) -> tuple[object, ...]:
        """Smaller is easier to read; the order is total, so that reports are the same each time."""
        return (
            not self.shrunk,
            self.deviations,
            self.choices,
            self.granularity,
            self.handles,
            self.scenario,
            self.token,
        )

    @property
    def reading_order(self) -> tuple[object, ...]:
        """What to read first: what no other break precedes, and is easiest to read; of what one run shows the
        earliest."""
        return (self.first is not None, self.size, self.step)


#: The kinds of faults that are not the adapter's.
KIT, SCENARIO = "kit", "scenario"


class FaultReport(msgspec.Struct, frozen=True):
    """The adapter broke the protocol itself (exit 4), or the kit failed (exit 70, ``kind`` ``kit``), or a scenario did
    (exit 2, ``kind`` ``scenario``)."""

    kind: str
    what: str
    cause: str
    hint: str
    scenario: str = ""
    token: str = ""

    @property
    def title(self) -> str:
        """Whose fault it is, and of which kind an adapter's is."""
        return {KIT: "Kit fault", SCENARIO: "Scenario fault"}.get(self.kind, f"Adapter fault: {self.kind}")


class JobResult(msgspec.Struct, frozen=True):
    """What one job did.

    ``target`` is what it set out to complete and ``complete`` whether it did; ``ground`` says in words what was covered
    and, if it is not complete, ``left`` what was not. ``exercised`` counts per clause; ``inner`` and ``called`` count
    per operation, ``searched`` and ``searched_inner`` those that the completed part of a search put to the test, which
    alone are ground for a pass. ``exhausted``: a search made every run; ``bound``: every run of at most so many
    disruptions. ``sweep``: at which branch points a stop landed; ``deaths``: processes that were killed for real.
    ``faults``: how many of each kind one run may contain, of those for which there is a place. ``cache_full``: the
    state cache reached its bound, which costs time, not soundness. ``ledger``: which faults, deaths and races of timers
    its runs were offered, and which they took. ``unsound``: why nothing follows from its silence; ``differs``: that
    the gate is not deterministic, and where that shows. ``measures``: those of MET-1, of the runs that came to their
    end. ``power_doubt``: why nothing is known of the loss of power, which the gate claims to survive; ``torn_doubt``:
    why nothing is known of a death in the middle of a write.
    ``schedules``: the digest of all its runs, the same wherever it is done again.
    """

    spec: JobSpec
    target: str
    complete: bool
    ground: str
    left: str
    executions: int
    states: int
    findings: tuple[Finding, ...] = ()
    fault: FaultReport | None = None
    exercised: dict[str, int] = {}
    witnesses: tuple[str, ...] = ()
    witnesses_wanted: tuple[str, ...] = ()
    inner: dict[str, int] = {}
    called: dict[str, int] = {}
    searched: dict[str, int] = {}
    searched_inner: dict[str, int] = {}
    sweep: SweepCoverage | None = None
    deaths: int = 0
    unsound: str = ""
    differs: Differs | None = None
    exhausted: bool = False
    bound: int | None = None
    faults: dict[str, int] = {}
    cache_full: bool = False
    ledger: tuple[Tally, ...] = ()
    measures: tuple[Measures, ...] = ()
    power_doubt: str = ""
    torn_doubt: str = ""
    schedules: str = ""

    @property
    def untried(self) -> bool:
        """It was left out: the campaign ended before it, or is a part of a whole."""
        return not self.executions and not self.complete and self.fault is None


class UpTo(msgspec.Struct, frozen=True):
    """Of so many scenarios every run was made that has at most ``bound`` disruptions."""

    bound: int
    scenarios: int


class Searched(msgspec.Struct, frozen=True):
    """What searches completed in one variant: so many scenarios ``exhausted``, the others each up to its greatest
    completed bound. ``executions`` and ``states`` are of all of them."""

    granularity: str
    handles: int
    exhausted: int
    bounded: tuple[UpTo, ...]
    executions: int
    states: int


class Ground(msgspec.Struct, frozen=True):
    """What a verdict rests on: the searches that put the clause to the test, and what was tried in the same jobs.

    ``sampled``: runs that are no ground by themselves. ``deaths``: simulated ones of the process; ``power_losses``:
    those in which what was not synced was lost; ``kills``: processes that were killed for real. ``stops``: points at
    which a stop started in sweeps; ``second_stops``: those at which another one started while the first was carried
    out. ``faults``: how many of each kind a run of these scenarios may contain. ``cut_short``: jobs that ended before
    they had put the clause to the test, if they would have. ``cache_full``: searches whose cache of states took in no
    further ones, which cost them time. ``doubts``: why it is not a pass.
    """

    searched: tuple[Searched, ...] = ()
    sampled: int = 0
    deaths: int = 0
    kills: int = 0
    power_losses: int = 0
    stops: int = 0
    second_stops: int = 0
    faults: dict[str, int] = {}
    cut_short: tuple[str, ...] = ()
    cache_full: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


class ClauseVerdict(msgspec.Struct, frozen=True):
    """One row of the verdict table. ``why`` is one sentence; ``assumption`` is printed beside a ``PASS`` that rests on
    the gate's own word."""

    clause: str
    verdict: Verdict
    why: str
    assumption: str = ""
    findings: tuple[Finding, ...] = ()
    exercised: int = 0
    scenarios: tuple[str, ...] = ()
    ground: Ground = Ground()


class Missed(msgspec.Struct, frozen=True):
    """A clause of a profile that did not pass, and why."""

    clause: str
    verdict: Verdict
    why: str


class ProfileVerdict(msgspec.Struct, frozen=True):
    """Whether the gate meets a profile: each of its ``clauses`` clauses passed, or which are ``missed``. A clause that
    speaks of gates without a capability that this one has is none of them."""

    name: str
    clauses: int
    missed: tuple[Missed, ...] = ()

    @property
    def met(self) -> bool:
        """Nothing is missed."""
        return not self.missed


class Waiver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A failure of a clause in a scenario that is lived with up to and including the day ``expires``."""

    clause: str
    scenario: str
    reason: str
    issue: str
    expires: date


class WaiverState(StrEnum):
    """What became of a waiver. ``STALE``, ``EXPIRED`` and ``UNMATCHED`` are drift (exit 5)."""

    APPLIED = "APPLIED"
    STALE = "STALE"
    EXPIRED = "EXPIRED"
    UNMATCHED = "UNMATCHED"
    UNTRIED = "UNTRIED"


class Waived(msgspec.Struct, frozen=True):
    """A waiver, its state, and why it is in it."""

    waiver: Waiver
    state: WaiverState
    why: str


class GateIdentity(msgspec.Struct, frozen=True):
    """Which gate was tried."""

    reference: str
    name: str
    version: str
    durability: str
    host: str
    capabilities: tuple[str, ...]
    serialised_calls: bool


class Report(msgspec.Struct, frozen=True):
    """The campaign's result. ``strategy``: the one that it was restricted to. ``profiles``: which are met; ``profile``
    was asked for, and decides the exit code. ``ledger``: what was planned and hit in each variant of each scenario, and
    ``totals`` of all of them. ``interleavings``: the runs of the findings that are shown, where they were made again;
    each has the token of its finding. ``format_version`` grows when a reader of the JSON document must change.
    ``cut``: why not all was tried that certifies; empty where all was. ``waivers``: what became of each that was
    given. ``unscored``: the verdicts on clauses that are later than the requirement set."""

    kit_version: str
    requirement_set: str
    gate: GateIdentity | None
    seed: int
    clauses: tuple[ClauseVerdict, ...]
    jobs: tuple[JobResult, ...]
    faults: tuple[FaultReport, ...]
    exit_code: int
    summary: str
    strategy: str | None = None
    ledger: tuple[Ledger, ...] = ()
    totals: tuple[Cover, ...] = ()
    profile: str | None = None
    profiles: tuple[ProfileVerdict, ...] = ()
    measures: tuple[Measures, ...] = ()
    interleavings: tuple[Interleaving, ...] = ()
    format: Literal["stopcheck-report"] = "stopcheck-report"
    format_version: Literal[1] = 1
    cut: str = ""
    waivers: tuple[Waived, ...] = ()
    unscored: tuple[ClauseVerdict, ...] = ()

    def asked(self) -> ProfileVerdict | None:
        """The verdict on the profile that was asked for."""
        return next((verdict for verdict in self.profiles if verdict.name == self.profile), None)

    def counts(self) -> dict[str, int]:
        """How many clauses have each verdict."""
        counts = dict.fromkeys((v.value for v in Verdict), 0)
        for clause in self.clauses:
            counts[clause.verdict.value] += 1
        return counts


class ExitCode:
    """The exit codes; when several hold, the first of 70, 4, 2, 1, 5, 3."""

    CERTIFIED = 0
    VIOLATIONS = 1
    USAGE = 2
    INCONCLUSIVE = 3
    ADAPTER_FAULT = 4
    WAIVER_DRIFT = 5
    KIT_FAULT = 70

"""From what the jobs did to a verdict per clause, and to the exit code.

One idea: a pass needs four things at once: the clause was exercised, nothing broke it, every job that exercises it
completed its declared target with every witness hit, and it was tried finely enough. Whatever is missing makes it
``UNKNOWN`` and is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stopcheck.campaign._applicability import NEEDS_DURABILITY, unsupported
from stopcheck.campaign._profiles import in_words as profile_in_words
from stopcheck.campaign._profiles import listed, profile_code
from stopcheck.campaign._results import (
    KIT,
    SCENARIO,
    ClauseVerdict,
    ExitCode,
    FaultReport,
    Finding,
    Ground,
    JobResult,
    ProfileVerdict,
    Verdict,
)
from stopcheck.campaign._verdict_ground import ground_of, in_words
from stopcheck.gate import Durability, GateContract
from stopcheck.judge import checked_clauses
from stopcheck.judge.requirements import REQUIREMENTS, Level, Requirement
from stopcheck.world import Granularity

#: What a pass at call granularity rests on when the gate says that its calls never overlap.
SERIALISED = "assumes that the gate's calls are serialised, as it declares; no run refuted it"


#: Whatever a profile says, these exit codes are said in words of their own.
_OWN_WORDS = (ExitCode.USAGE, ExitCode.WAIVER_DRIFT, ExitCode.ADAPTER_FAULT, ExitCode.KIT_FAULT)


def judge_clauses(
    contract: GateContract,
    jobs: Sequence[JobResult],
    declared: dict[str, tuple[str, ...]],
    shrunk: Sequence[Finding] = (),
) -> tuple[ClauseVerdict, ...]:
    """A verdict for every clause of the catalogue. ``declared`` maps scenario ids to the clauses they are about."""
    checked = checked_clauses()
    unlike = next((f"{job.spec.name}: {job.differs}" for job in jobs if job.differs is not None), "")
    return tuple(
        _verdict(r, contract, jobs, declared, shrunk, checked=r.id in checked, unlike=unlike)
        for r in REQUIREMENTS.values()
    )


def _verdict(
    requirement: Requirement,
    contract: GateContract,
    jobs: Sequence[JobResult],
    declared: dict[str, tuple[str, ...]],
    shrunk: Sequence[Finding],
    *,
    checked: bool,
    unlike: str,
) -> ClauseVerdict:
    """``unlike``: the gate is not deterministic. Then only a finding that was made again counts, and nothing passes:
    what was found says nothing about the runs that somebody else will get."""
    clause = requirement.id
    found = [f for job in jobs for f in job.findings if not unlike]
    shrunk = [f for f in shrunk if f.shrunk or not unlike]
    findings = _best(f for f in [*shrunk, *found] if f.clause == clause)
    exercised = sum(job.exercised.get(clause, 0) for job in jobs)
    about = [j for j in jobs if clause in j.exercised or clause in declared.get(j.spec.scenario, ())]
    scenarios = tuple(dict.fromkeys(j.spec.scenario for j in about))
    # A job that was cut short may have ended just before it put the clause to the test, as others of its scenario did.
    relevant = [j for j in jobs if j.spec.scenario in scenarios]
    doubts = [doubt for job in relevant for doubt in doubts_of(job)]
    elsewhere = [j.spec.name for j in jobs if not j.complete and j.spec.scenario not in scenarios]
    ground = ground_of(clause, jobs, elsewhere, doubts) if exercised else Ground()

    def verdict(kind: Verdict, why: str, assumption: str = "") -> ClauseVerdict:
        return ClauseVerdict(clause, kind, why, assumption, findings, exercised, scenarios, ground)

    if findings:
        return verdict(Verdict.FAIL, findings[0].message)
    reason = unsupported(requirement, contract)
    if reason is not None:
        return verdict(Verdict.UNSUPPORTED, reason)
    if not checked:
        return verdict(Verdict.UNCHECKED, "the kit has no check for it yet")
    if exercised == 0:
        left_out = next((job.left for job in about if job.untried), "")
        return verdict(Verdict.UNKNOWN, "no run put it to the test" + (f" ({left_out})" if left_out else ""))
    if unlike:
        return verdict(Verdict.UNKNOWN, unlike)
    if not any(clause in job.searched for job in jobs) and not doubts:
        return verdict(Verdict.UNKNOWN, "it was only sampled: no search that was completed put it to the test")
    if doubts:
        more = f" (and {len(doubts) - 1} more)" if len(doubts) > 1 else ""
        return verdict(Verdict.UNKNOWN, doubts[0] + more)
    dark = _power_untried(clause, contract, relevant, ground) or _tearing_untried(clause, relevant)
    if dark:
        return verdict(Verdict.UNKNOWN, dark)
    coarse = _untried_inside(requirement, relevant, jobs) if requirement.atomic else ""
    return verdict(*_by_granularity(clause, coarse, contract, ground))


def _power_untried(clause: str, contract: GateContract, jobs: Sequence[JobResult], ground: Ground) -> str:
    """Why a clause about durability has not been put to the loss of power, which the gate claims to survive; empty
    where it was, or is not claimed."""
    if contract.durability is not Durability.POWER_LOSS or clause not in NEEDS_DURABILITY:
        return ""
    doubt = next((job.power_doubt for job in jobs if job.power_doubt), "")
    if not doubt and ground.power_losses:
        return ""
    hint = "; declare durability process_death to be held to the death of the process alone" if doubt else ""
    return f"the loss of power was not tried{doubt and f': {doubt}'}{hint}"


def _tearing_untried(clause: str, jobs: Sequence[JobResult]) -> str:
    """Why a clause about durability has not been put to a death in the middle of a write; empty where it needed not."""
    doubt = next((job.torn_doubt for job in jobs if job.torn_doubt), "")
    if not doubt or clause not in NEEDS_DURABILITY:
        return ""
    return f"a death between two writes of a file was not tried: {doubt}"


def _by_granularity(clause: str, coarse: str, contract: GateContract, ground: Ground) -> tuple[Verdict, str, str]:
    """The verdict, why, and what it assumes, of a clause that nothing broke and nothing makes doubtful. ``coarse``: why
    it was not tried finely enough; empty if it was. Serialised calls do not overlap, but one can die half done."""
    if not coarse:
        return Verdict.PASS, in_words(ground), ""
    if contract.serialised_calls and clause not in NEEDS_DURABILITY:
        return Verdict.PASS, in_words(ground), SERIALISED
    why = f"tried at granularity calls only: {coarse}, and a check and an act in two steps look atomic there"
    return Verdict.UNKNOWN, why, ""


def _untried_inside(requirement: Requirement, relevant: Sequence[JobResult], jobs: Sequence[JobResult]) -> str:
    """Why an atomic clause was not tried finely enough; empty if it was. Samples are no ground for a pass.

    Inside of the operations that compete under the clause a search must have branched. Any other that the gate was
    asked for must at least have been made in a search that would have branched inside of it: whatever a call is about,
    it may write back what it read before a stop."""
    searches = [job for job in relevant if requirement.id in job.searched]
    dark = [
        operation
        for operation in requirement.operations
        if any(job.called.get(operation) for job in relevant)
        and not any(job.searched_inner.get(operation) for job in searches)
    ]
    if dark:
        return f"no branch point inside {', '.join(dark)} was reached (await environment.branch between two steps)"
    inside = [job for job in jobs if job.complete and job.searched and job.spec.granularity == Granularity.INNER.value]
    made = sorted({operation for job in jobs for operation, times in job.called.items() if times})
    outside = [operation for operation in made if not any(job.called.get(operation) for job in inside)]
    return f"no search went inside {', '.join(outside)}" if outside else ""


def doubts_of(job: JobResult) -> list[str]:
    """Why nothing may be concluded from the job's silence."""
    doubts: list[str] = []
    name = job.spec.name
    if job.unsound:
        doubts.append(f"{name}: {job.unsound}")
    if not job.complete:
        doubts.append(f"{name}: {job.left}")
    missed = job.sweep.all_missed if job.sweep is not None else ()
    if missed:
        doubts.append(f"{name}: {len(missed)} branch points were not hit by a stop ({', '.join(missed[:3])})")
    return doubts


def missed_witnesses(jobs: Iterable[JobResult]) -> dict[str, tuple[str, ...]]:
    """Witnesses by scenario that no job of the scenario saw."""
    wanted: dict[str, set[str]] = {}
    seen: dict[str, set[str]] = {}
    for job in jobs:
        wanted.setdefault(job.spec.scenario, set()).update(job.witnesses_wanted)
        seen.setdefault(job.spec.scenario, set()).update(job.witnesses)
    return {s: tuple(sorted(wanted[s] - seen[s])) for s in wanted if wanted[s] - seen[s]}


def _best(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """All findings, the easiest to read first."""
    return tuple(sorted(findings, key=lambda f: f.size)[:12])


def exit_code(
    clauses: Sequence[ClauseVerdict],
    faults: Sequence[FaultReport],
    asked: ProfileVerdict | None = None,
    cut: str = "",
    *,
    drift: bool = False,
) -> int:
    """The exit code; when several hold, the first of 70, 4, 2, 1, 5, 3. Of a profile that was ``asked`` for each clause
    must pass; a broken MUST clause counts wherever it stands, since no profile makes a wrong gate a right one. A
    campaign that was ``cut`` short certifies nothing; ``drift``: a waiver is stale, expired or unmatched."""
    whose = {fault.kind for fault in faults}
    if KIT in whose:
        return ExitCode.KIT_FAULT
    if whose:
        return ExitCode.USAGE if whose == {SCENARIO} else ExitCode.ADAPTER_FAULT
    if _broken(clauses):
        return ExitCode.VIOLATIONS
    wanted = profile_code(asked) if asked is not None else ExitCode.CERTIFIED
    if wanted == ExitCode.VIOLATIONS:
        return wanted
    if drift:
        return ExitCode.WAIVER_DRIFT
    if cut or wanted != ExitCode.CERTIFIED:
        return ExitCode.INCONCLUSIVE
    if asked is None and any(
        c.verdict is Verdict.UNKNOWN and REQUIREMENTS[c.clause].level is Level.MUST for c in clauses
    ):
        return ExitCode.INCONCLUSIVE
    return ExitCode.CERTIFIED


def _broken(clauses: Sequence[ClauseVerdict]) -> tuple[str, ...]:
    """The MUST clauses that the gate violates, in the order in which one reads their findings."""
    broken = (c for c in clauses if c.verdict is Verdict.FAIL and REQUIREMENTS[c.clause].level is Level.MUST)
    return tuple(c.clause for c in sorted(broken, key=lambda c: c.findings[0].reading_order if c.findings else ()))


def summarise(
    name: str, clauses: Sequence[ClauseVerdict], code: int, asked: ProfileVerdict | None = None, cut: str = ""
) -> str:
    """The verdict line."""
    counts = {v: sum(1 for c in clauses if c.verdict is v) for v in Verdict}
    words = {
        ExitCode.CERTIFIED: f"{name} is certified for the clauses that passed",
        ExitCode.VIOLATIONS: f"{name} is NOT certified: it violates {listed(_broken(clauses)) or 'what was asked for'}",
        ExitCode.INCONCLUSIVE: f"{name} is NOT certified: inconclusive",
        ExitCode.WAIVER_DRIFT: f"{name} is NOT certified: a waiver no longer holds",
        ExitCode.ADAPTER_FAULT: f"{name} is NOT certified: the adapter broke the protocol",
        ExitCode.USAGE: "no verdict: a scenario raised an exception",
        ExitCode.KIT_FAULT: "no verdict: a fault of the kit",
    }[code]
    if asked is not None and not cut and code not in _OWN_WORDS:
        words = profile_in_words(name, asked, _broken(clauses))
    words += f" ({cut})" if cut else ""
    figures = ", ".join(f"{counts[v]} {v.value}" for v in Verdict if counts[v] or v is not Verdict.WAIVED)
    return f"{words}: {figures}" if clauses else words

"""Profiles: what a gate must have passed to be called fit for a kind of use.

One idea: a profile names what it wants a gate to declare, and its clauses follow: every MUST clause that needs nothing
else. So a new clause stands in the right profiles by what it needs, and nobody keeps lists. A gate meets a profile when
each of those clauses passed; a clause that it does not support is missed like one that it violates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from stopcheck.campaign._applicability import Need, Trait, needs_of, not_asked
from stopcheck.campaign._errors import UsageFault, did_you_mean
from stopcheck.campaign._results import ClauseVerdict, ExitCode, Missed, ProfileVerdict, Verdict
from stopcheck.gate import Capability, GateContract
from stopcheck.judge.requirements import REQUIREMENTS, Level, Requirement


class Profile(msgspec.Struct, frozen=True):
    """A name, what it is good for, and what it wants a gate to declare."""

    name: str
    about: str
    wants: frozenset[Need]

    @property
    def clauses(self) -> tuple[Requirement, ...]:
        """Every MUST clause that needs nothing else than what the profile wants."""
        return tuple(
            requirement
            for requirement in REQUIREMENTS.values()
            if requirement.level is Level.MUST and self.wants.issuperset(needs_of(requirement))
        )


_CORE: tuple[Need, ...] = (Trait.LEDGER,)
_TREE = (*_CORE, Capability.CHILDREN, Capability.SHARED, Trait.SUBTREE)
_DURABLE = (*_CORE, Trait.DURABILITY, Capability.DELIVERY, Capability.RETRIES)
_BOUNDED = (
    *_CORE,
    Capability.ESCALATION,
    Capability.CLEANUP,
    Capability.CAPACITY,
    Capability.RECONCILIATION,
    Capability.DEADLINES,
)


def _profile(name: str, about: str, wants: Iterable[Need]) -> Profile:
    return Profile(name, about, frozenset(wants))


#: All profiles by name. ``full`` wants whatever a clause may need, capabilities of later editions included.
PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        _profile("core", "one task with effects: admission, stop, completion, ledger and report", _CORE),
        _profile("tree", "core, with owned and shared work", _TREE),
        _profile("durable", "core, and what survives restarts and redelivery", _DURABLE),
        _profile("bounded", "core, with force, reconciliation and deadlines: a stop comes to its end", _BOUNDED),
        _profile("full", "everything that a gate can be held to", (*Trait, *Capability)),
        _profile(
            "job_control",
            "job systems without a ledger: begin, stop, complete, inspect, leases, redelivery, children",
            (Trait.SUBTREE, Capability.DELIVERY, Capability.CHILDREN),
        ),
    )
}


def check_profile(name: str | None) -> None:
    """Raises :class:`UsageFault` for a profile that does not exist."""
    if name is not None and name not in PROFILES:
        hint = did_you_mean(name, PROFILES, f"profiles: {', '.join(PROFILES)} (see: stopcheck list profiles)")
        raise UsageFault(f"unknown profile {name!r}", hint=hint)


def judge_profiles(contract: GateContract, clauses: Sequence[ClauseVerdict]) -> tuple[ProfileVerdict, ...]:
    """Which profiles the gate meets, and what it misses of the others."""
    verdicts = {clause.clause: clause for clause in clauses}
    return tuple(_judge(profile, contract, verdicts) for profile in PROFILES.values())


def _judge(profile: Profile, contract: GateContract, verdicts: dict[str, ClauseVerdict]) -> ProfileVerdict:
    scored = [requirement for requirement in profile.clauses if requirement.id in verdicts]
    asked = [requirement.id for requirement in scored if not not_asked(requirement, contract)]
    missed = [
        Missed(clause, verdicts[clause].verdict, verdicts[clause].why)
        for clause in asked
        if verdicts[clause].verdict is not Verdict.PASS
    ]
    return ProfileVerdict(profile.name, len(asked), tuple(missed))


#: Clauses that a verdict line names; it is a headline, too.
_NAMED = 8
#: What each verdict that misses a profile makes of the exit code: what a gate breaks, or does not offer, is certain;
#: what is not known may still turn out well.
_CODES = {
    Verdict.FAIL: ExitCode.VIOLATIONS,
    Verdict.UNSUPPORTED: ExitCode.VIOLATIONS,
    Verdict.UNKNOWN: ExitCode.INCONCLUSIVE,
    Verdict.UNCHECKED: ExitCode.INCONCLUSIVE,
    Verdict.WAIVED: ExitCode.CERTIFIED,
}


def profile_code(verdict: ProfileVerdict) -> int:
    """What the profile makes of the exit code."""
    codes = [_CODES[missed.verdict] for missed in verdict.missed if missed.verdict is not Verdict.WAIVED]
    return min(codes, default=ExitCode.CERTIFIED)


def listed(clauses: Sequence[str]) -> str:
    """Clauses for a verdict line: the first by name, of the others how many there are."""
    more = len(clauses) - _NAMED
    return ", ".join(clauses[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def in_words(name: str, verdict: ProfileVerdict, broken: Sequence[str] = ()) -> str:
    """The verdict line: the profile is met, or the gravest reason why not, with the clauses that are missed for it.
    ``broken``: the MUST clauses that the gate violates, those outside of the profile among them."""
    if verdict.met and broken:
        return f"{name} is NOT certified: outside of the profile {verdict.name} it violates {listed(broken)}"
    if verdict.met:
        return f"{name} is certified for the profile {verdict.name}: all {verdict.clauses} of its clauses passed"
    if all(missed.verdict is Verdict.WAIVED for missed in verdict.missed) and not broken:
        waived = listed([missed.clause for missed in verdict.missed])
        return f"{name} does not meet the profile {verdict.name}, and that is waived for now: {waived}"
    worst = next(kind for kind in _CODES for missed in verdict.missed if missed.verdict is kind)
    alike = [missed for missed in verdict.missed if missed.verdict is worst]
    if worst is Verdict.FAIL:
        alike.sort(key=lambda missed: broken.index(missed.clause) if missed.clause in broken else len(broken))
    else:
        alike = [missed for missed in alike if missed.why == alike[0].why]
    clauses = listed([missed.clause for missed in alike])
    why = "it violates" if worst is Verdict.FAIL else f"{alike[0].why}, so {worst}:"
    doubt = ", inconclusive" if profile_code(verdict) == ExitCode.INCONCLUSIVE else ""
    return f"{name} is NOT certified for the profile {verdict.name}{doubt}: {why} {clauses}"

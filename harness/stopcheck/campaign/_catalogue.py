"""What stands behind each clause: its checks, the scenarios that exercise it, the wrong gates that prove the checks.

One idea: one function reads it off what is installed, and everything that shows it (``list``, ``explain``, the table in
``docs/clauses.md``, the self-test) shows the same.
"""

from __future__ import annotations

import msgspec

from stopcheck.campaign._loading import load_faults, load_scenarios
from stopcheck.gate import KnownFault
from stopcheck.judge import CHECKS, ORDER_CHECK, RACES
from stopcheck.judge.requirements import EXCLUSIONS, REQUIREMENTS, SHARED_KILLERS, Requirement


class Coverage(msgspec.Struct, frozen=True):
    """What covers one clause. ``checks`` and ``scenarios`` are names; ``exclusion`` says why it cannot be checked,
    where it cannot. ``shares_with``: a clause that can only fail together with this one, whose killers count here."""

    requirement: Requirement
    checks: tuple[str, ...]
    scenarios: tuple[str, ...]
    killers: tuple[KnownFault, ...]
    exclusion: str = ""
    shares_with: str = ""

    @property
    def covered(self) -> bool:
        """Whether a check can fail it and a scenario reaches it."""
        return bool(self.checks) and bool(self.scenarios)

    @property
    def proved(self) -> bool:
        """Whether a known wrong gate dies for it."""
        return bool(self.killers)


def catalogue() -> dict[str, Coverage]:
    """The coverage of every clause, in the contract's order."""
    scenarios = load_scenarios().values()
    faults = load_faults()
    partners = {clause: other for pair in SHARED_KILLERS for clause, other in (pair, pair[::-1])}

    def killers(clause: str) -> tuple[KnownFault, ...]:
        return tuple(fault for fault in faults if fault.clause == clause)

    def of(requirement: Requirement) -> Coverage:
        clause = requirement.id
        own = killers(clause)
        partner = partners.get(clause, "")
        checks = [check.name for check in CHECKS if clause in check.clauses]
        if clause in RACES:
            checks.append(ORDER_CHECK)
        return Coverage(
            requirement,
            checks=tuple(checks),
            scenarios=tuple(scenario.id for scenario in scenarios if clause in scenario.clauses),
            killers=own or (killers(partner) if partner else ()),
            exclusion=EXCLUSIONS.get(clause, ""),
            shares_with=partner,
        )

    return {clause: of(requirement) for clause, requirement in REQUIREMENTS.items()}


def as_markdown(coverage: dict[str, Coverage]) -> str:
    """The table of ``docs/clauses.md``."""
    lines = [
        "# Clauses, and what stands behind each",
        "",
        "Made by `stopcheck list requirements --markdown`; a test holds it. Names are those of `stopcheck explain`.",
        "",
        "| clause | title | source | level | needs | checks | scenarios | wrong gates that prove it |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [_row(each) for each in coverage.values()]
    bare = [clause for clause, each in coverage.items() if not each.covered]
    lines += ["", f"{len(coverage)} clauses, {len(coverage) - len(bare)} of them covered."]
    return "\n".join(lines) + "\n"


def _row(each: Coverage) -> str:
    requirement = each.requirement
    checks = ", ".join(each.checks) or (f"excluded: {each.exclusion}" if each.exclusion else "none yet")
    killers = ", ".join(fault.name for fault in each.killers)
    if each.killers and each.killers[0].clause != requirement.id:
        killers += f" (shared with {each.shares_with})"
    cells = (
        requirement.id,
        requirement.title,
        ", ".join(requirement.sources),
        requirement.level.value,
        f"[{requirement.capability}]" if requirement.capability else "",
        checks,
        ", ".join(each.scenarios),
        killers,
    )
    return f"| {' | '.join(cells)} |"

"""What the page shows, worked out from a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from stopcheck.campaign import (
    ClauseVerdict,
    Finding,
    Held,
    Interleaving,
    Kind,
    Ledger,
    Move,
    NearestPass,
    Report,
    Verdict,
    Waived,
    drifted,
    is_real_death,
    load_scenarios,
)
from stopcheck.gate import Durability
from stopcheck.judge.requirements import FAMILIES, REQUIREMENTS, Requirement
from stopcheck.report._causes import Cause, causes
from stopcheck.report._findings import broke_first, from_where, gate_reference, replay_command, replay_line, short_place
from stopcheck.report._limits import not_proved, not_proved_by_any
from stopcheck.report._next_steps import Unknown, next_step, unknowns
from stopcheck.report._parting import what_decides
from stopcheck.report._story_text import story_of
from stopcheck.report._waivers import what_now
from stopcheck.report.page._diagram import Diagram, diagram
from stopcheck.report.page._matrix import Matrix, matrix
from stopcheck.report.page._plots import Measure, measures

#: Characters of an answer that a sentence has room for.
_ANSWER = 160
#: Words for people who do not know ours.
MEANINGS = {
    Verdict.PASS: "put to the test, and every search that tests it was completed without a run that breaks it",
    Verdict.FAIL: "broken: an interleaving shows how",
    Verdict.WAIVED: "broken, and lived with until the day that its waiver names",
    Verdict.UNKNOWN: "nothing may be concluded",
    Verdict.UNSUPPORTED: "the gate does not claim it",
    Verdict.UNCHECKED: "the kit has no check for it yet",
}


class HeldTwice(NamedTuple):
    """One subject before the breaking step and after it."""

    subject: str
    before: Held
    after: Held
    rest: str
    changed: bool


class Failure(NamedTuple):
    """One cause, with all that one needs to understand it."""

    anchor: str
    number: int
    names: str
    title: str
    clauses: tuple[tuple[ClauseVerdict, Requirement], ...]
    finding: Finding
    place: str
    scenario: str
    first: str
    decides: str
    plain: str
    replay: str
    story: Interleaving | None
    drawn: Diagram | None
    nearest: Diagram | None
    nearest_of: NearestPass | None
    held: tuple[HeldTwice, ...]
    stored: bool
    unstored: str
    killed: bool
    limits: tuple[str, ...]


class Row(NamedTuple):
    """A clause, for the list of all."""

    verdict: ClauseVerdict
    requirement: Requirement
    limits: tuple[str, ...]
    next_step: str
    anchor: str


class WaiverRow(NamedTuple):
    """A waiver. ``link``: where its issue leads; empty for what no browser should follow."""

    waived: Waived
    drifted: bool
    what: str
    link: str


class View(NamedTuple):
    """The names that the template knows."""

    report: Report
    tone: str
    words: str
    counts: tuple[tuple[str, int, str], ...]
    failures: tuple[Failure, ...]
    unknown: tuple[Unknown, ...]
    matrix: Matrix
    families: tuple[tuple[str, str, tuple[Row, ...]], ...]
    measures: tuple[Measure, ...]
    subjects: tuple[str, ...]
    ledger: tuple[tuple[Ledger, tuple[str, ...]], ...]
    executions: int
    scenarios: int
    limits: tuple[str, ...]
    bounds: tuple[tuple[str, Any], ...]
    replay: Callable[[str], str]
    waivers: tuple[WaiverRow, ...]
    unscored: tuple[tuple[ClauseVerdict, Requirement], ...]
    whence: str


def view(report: Report) -> View:
    """Everything for the page."""
    found = causes(report)
    anchors = {clause.clause: f"failure-{number}" for number, cause in enumerate(found, 1) for clause in cause.clauses}
    counted = report.counts()
    subjects = tuple(dict.fromkeys(cover.subject.value for one in report.ledger for cover in one.covers))
    return View(
        report=report,
        tone="good" if report.exit_code == 0 else "bad" if report.exit_code in {1, 4, 70} else "open",
        words=report.summary.rpartition(": ")[0] or report.summary if report.clauses else report.summary,
        counts=tuple((v.value, counted[v.value], MEANINGS[v]) for v in Verdict if counted[v.value]),
        failures=tuple(_failure(report, cause, number) for number, cause in enumerate(found, 1)),
        unknown=tuple(unknowns(report)),
        matrix=matrix(report, anchors),
        families=tuple(_families(report, anchors)),
        measures=tuple(measures(report)),
        subjects=subjects,
        ledger=tuple((one, _covers(one, subjects)) for one in report.ledger),
        executions=sum(job.executions for job in report.jobs),
        scenarios=len({job.spec.scenario for job in report.jobs}),
        limits=tuple(not_proved_by_any(report)),
        bounds=tuple(_bounds(report)),
        replay=partial(replay_command, reference=report.gate.reference if report.gate is not None else "GATE"),
        waivers=tuple(_waivers(report)),
        unscored=tuple((clause, REQUIREMENTS[clause.clause]) for clause in report.unscored),
        whence=from_where(gate_reference(report)),
    )


def _waivers(report: Report) -> Iterator[WaiverRow]:
    """Those first that no longer hold: something is to be done about them."""
    gone = drifted(report)
    for waived in (*gone, *(one for one in report.waivers if one not in gone)):
        link = waived.waiver.issue if waived.waiver.issue.lower().startswith(("https://", "http://")) else ""
        over = waived in gone
        yield WaiverRow(waived, over, what_now(waived) if over else waived.why, link)


def _bounds(report: Report) -> list[tuple[str, Any]]:
    """What makes the same campaign again."""
    rows: list[tuple[str, Any]] = [
        ("stopcheck", report.kit_version),
        ("requirement set", report.requirement_set),
        ("seed", report.seed),
        ("strategy", report.strategy or "those of a whole campaign"),
        ("profile asked for", report.profile or "none"),
        ("executions for one search, at most", max((job.spec.budget for job in report.jobs), default=0)),
        ("exit code", report.exit_code),
    ]
    if report.gate is not None:
        rows += [("gate", report.gate.reference), ("host", report.gate.host), ("durability", report.gate.durability)]
        rows.append(("capabilities", ", ".join(report.gate.capabilities) or "none"))
    return rows


def _covers(one: Ledger, subjects: Sequence[str]) -> tuple[str, ...]:
    cells = {c.subject.value: f"{c.hit}/{c.planned}" + (f" −{c.impossible}" * bool(c.impossible)) for c in one.covers}  # noqa: RUF001
    return tuple(cells.get(subject, "") for subject in subjects)


def _families(report: Report, anchors: dict[str, str]) -> list[tuple[str, str, tuple[Row, ...]]]:
    rows: dict[str, list[Row]] = {}
    for clause in report.clauses:
        requirement = REQUIREMENTS[clause.clause]
        step = next_step(report, clause) if clause.verdict is Verdict.UNKNOWN else ""
        row = Row(clause, requirement, tuple(not_proved(report, clause)), step, anchors.get(clause.clause, ""))
        rows.setdefault(requirement.family, []).append(row)
    return [(family, FAMILIES[family], tuple(found)) for family, found in rows.items()]


# -- failures ---------------------------------------------------------------------------------------------


def _failure(report: Report, cause: Cause, number: int) -> Failure:
    finding = cause.finding
    story = story_of(report, finding)
    known = load_scenarios().get(finding.scenario)
    nearest = story.nearest if story is not None else None
    return Failure(
        anchor=f"failure-{number}",
        number=number,
        names=cause.names,
        title=REQUIREMENTS[finding.clause].title,
        clauses=tuple((clause, REQUIREMENTS[clause.clause]) for clause in cause.clauses),
        finding=finding,
        place=short_place(finding),
        scenario=known.sentence if known is not None else "",
        first=broke_first(finding.first) if finding.first is not None else "",
        decides=what_decides(finding.nearest) if finding.nearest is not None else "",
        plain=_in_words(story, finding) if story is not None else "",
        replay=replay_line(report, finding),
        story=story,
        drawn=diagram(story) if story is not None else None,
        nearest=diagram(nearest, parts_at=nearest.step) if nearest is not None else None,
        nearest_of=finding.nearest,
        held=_held(story) if story is not None else (),
        stored=story is not None and any(one.stored for one in (*story.before, *story.after)),
        unstored=_unstored(report, finding),
        killed=is_real_death(finding),
        limits=tuple(not_proved(report, cause.clauses[0])),
    )


def _unstored(report: Report, finding: Finding) -> str:
    """Why what its storage says is not shown, where it is not."""
    if report.gate is not None and report.gate.durability == Durability.VOLATILE.value:
        return "The gate is volatile: it claims no storage that could be looked into."
    if is_real_death(finding):
        return "What its storage says was asked by a fresh process after the death: see what happened, above."
    return (
        "What its storage says is not shown. It is read from a copy of the gate's files at that step: of a gate that "
        "keeps its state in a database server there is none, and of this one perhaps none that answers."
    )


def _in_words(story: Interleaving, finding: Finding) -> str:
    """The run in two sentences: when the stop was accepted, and what then broke."""
    cutoff = next((move for move in story.moves if move.cutoff), None)
    broke = [move for move in story.moves if move.step == story.step]
    parts: list[str] = []
    if cutoff is not None:
        parts.append(f"At step {cutoff.step} a stop is accepted.")
    if broke:
        when = "nevertheless " if cutoff is not None and cutoff.step < story.step else ""
        if broke[-1].kind is Kind.DEATH:
            when = ""
        deed = f"{_deed(broke[-1])}.".replace("....", "...")
        parts.append(f"At step {story.step} {when}{deed} That breaks {finding.clause}.")
    return " ".join(parts)


def _deed(move: Move) -> str:
    asked, _, answer = move.what.partition(" = ")
    answer = answer if len(answer) <= _ANSWER else f"{answer[: _ANSWER - 3]}..."
    if move.kind is Kind.RETURN:
        return f"the {move.lane} answers {move.to} on {asked}: {answer}"
    if move.kind is Kind.DEATH:
        return move.what
    if move.kind is Kind.EXCHANGE:
        return f"{move.lane} asks {asked} and is answered: {answer}"
    return f"{move.lane} {move.what}"


def _held(story: Interleaving) -> tuple[HeldTwice, ...]:
    after = {one.subject: one for one in story.after}
    before = {one.subject: one for one in story.before}
    rest = {one.subject: one for one in story.at_rest}
    nothing = Held("", "")
    return tuple(
        HeldTwice(
            subject,
            before.get(subject, nothing),
            after.get(subject, nothing),
            rest.get(subject, nothing).truth or rest.get(subject, nothing).gate,
            before.get(subject, nothing) != after.get(subject, nothing),
        )
        for subject in dict.fromkeys((*before, *after))
    )

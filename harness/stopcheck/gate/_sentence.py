"""What a person is told of a task: one sentence, made from the facets.

One idea: a person who pressed Stop wants to know two things, whether it stopped and what came of it all the same. Both
stand in the facets, so the sentence says as much as the account proves and no more: what is not known is said to be so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stopcheck.gate._records import EffectEntry, Snapshot
from stopcheck.gate._vocabulary import Cause, Disposition, Status

_HEADS = {
    Status.UNSTARTED: "Not started yet",
    Status.RUNNING: "Running",
    Status.COMPLETED: "Completed",
    Status.FAILED: "Given up",
    Status.COMPLETED_BEFORE_CANCELLATION: "Completed before the stop came",
    Status.STOP_REQUESTED: "A stop was requested",
    Status.CANCELLATION_PENDING: "Stopping",
    Status.CANCELLATION_UNSUPPORTED: "A stop was requested, and what is under way has none",
    Status.OUTCOME_UNKNOWN: "A stop was requested, and how it ended is not known",
}
_STOPPED = {
    Cause.USER: "Stopped",
    Cause.DEADLINE: "Stopped when its time was over",
    Cause.PARENT: "Stopped with its owner",
    Cause.POLICY: "Stopped by a rule",
}


def sentence_for(snapshot: Snapshot) -> str:
    """One sentence for a person: ``Stopped; the-mail had already gone out.``

    Effects are named by their ids. ``had already gone out`` is said of what was proved before the cutoff, ``went out
    all the same`` of what was proved later, whenever it happened."""
    clauses = [_head(snapshot), *_came_of_it(snapshot), *_goes_on(snapshot)]
    return f"{'; '.join(clauses)}."


def _head(snapshot: Snapshot) -> str:
    record = snapshot.record
    if snapshot.status is Status.CANCELLED:
        return _STOPPED[record.causes[0].cause] if record is not None and record.causes else "Stopped"
    if snapshot.suspended is not None and snapshot.status is Status.RUNNING:
        return f"Halted for a {snapshot.suspended}, and to go on"
    return _HEADS[snapshot.status]


def _came_of_it(snapshot: Snapshot) -> Iterator[str]:
    """What happened outside, by what is known of it."""
    facet = snapshot.ledger
    entries = {entry.effect_id: entry for entry in snapshot.effects}
    stopped = snapshot.record is not None
    early = [i for i in facet.completed if not stopped or _before_the_cutoff(snapshot, entries.get(i))]
    yield from _said(early, "had already gone out" if stopped else "went out")
    yield from _said([i for i in facet.completed if i not in early], "went out all the same")
    yield from _said(list(facet.partial), "went out in part only")
    withdrawn = [i for i in facet.not_done if i in entries and entries[i].disposition is Disposition.SUPPRESSED]
    yield from _said(withdrawn, "was withdrawn", "were withdrawn")
    yield from _said([i for i in facet.not_done if i not in withdrawn], "did not go out")
    sent = [i for i in facet.pending if i in entries and entries[i].claimed]
    yield from _said(sent, "is on its way", "are on their way")
    yield from _said([i for i in facet.pending if i not in sent], "waits to be sent", "wait to be sent")
    if facet.unknown:
        yield f"whether {_several(facet.unknown)} went out is not known"
    if snapshot.status is Status.CANCELLED and not snapshot.effects:
        yield "nothing had gone out"


def _before_the_cutoff(snapshot: Snapshot, entry: EffectEntry | None) -> bool:
    record = snapshot.record
    if record is None or entry is None or entry.resolved_revision is None:
        return False
    return record.task == snapshot.task and entry.resolved_revision < record.revision


def _goes_on(snapshot: Snapshot) -> Iterator[str]:
    """Whoever may still be at work on a task that is to stop."""
    free = [facet.worker for facet in snapshot.stopping.workers if not facet.stopped and not facet.fenced]
    if snapshot.intent.requested and free:
        yield f"whether {_several(free)} {'has' if len(free) == 1 else 'have'} stopped is not known"


def _said(names: Sequence[str], what: str, of_several: str = "") -> Iterator[str]:
    if names:
        yield f"{_several(names)} {of_several or what if len(names) > 1 else what}"


def _several(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


__all__ = ["sentence_for"]

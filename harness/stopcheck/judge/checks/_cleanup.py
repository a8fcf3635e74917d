"""Checks of clean-up: an authority that the stop does not take (ESC-5), and that reaches only the task's own (ESC-7).

One idea: a clean-up may do one thing and for a while. What it was told when it began says until when; within that it
gets leave for whatever the task had certainly made and not finished, and for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import (
    Admitted,
    BeginCleanup,
    Busy,
    CleanUp,
    CleanupGranted,
    Done,
    Kept,
    NoteArtefact,
    Removable,
    Renewed,
    Request,
    Retry,
    Right,
    Scheduled,
    Scope,
    TaskRef,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Facts
from stopcheck.judge._wording import seconds
from stopcheck.judge.checks._completion import label_of
from stopcheck.judge.checks._escalation import earliest_cutoff_ns, registration_of
from stopcheck.judge.checks._readings import ReadingCheck

#: Answers by which ordinary work goes on.
_NEW_WORK = (Admitted, Renewed, Done, Scheduled)


def notes(facts: Facts, ref: TaskRef | None, artefact: str) -> Iterator[tuple[Deed, NoteArtefact]]:
    """Whenever the task may have told of the artefact."""
    for deed in facts.book.deeds("note_artefact", ref):
        if isinstance(deed.request, NoteArtefact) and deed.request.artefact == artefact and deed.may_count:
            yield deed, deed.request


def told_before(deed: Deed, note: Deed) -> bool:
    """Whether the gate had certainly taken the note in when ``deed`` began."""
    return isinstance(note.reply, Done) and note.answered_before(deed.begun)


class CleanupIsShielded(ReadingCheck):
    """After the cutoff a clean-up may begin, and gets leave for what the task owns, whatever is repeated meanwhile:
    until its deadline, which counts from the cutoff and is stricter than the reconciliation budget. Under its epoch no
    ordinary work goes on.

    A pass is about calls that were certainly within, or certainly after, the time that was told."""

    name: ClassVar[str] = "clean-up-is-shielded"
    clauses: ClassVar[tuple[str, ...]] = ("ESC-5",)

    def on_deed(self, deed: Deed) -> None:
        """A clean-up begins or goes on, or its epoch is used for something else."""
        if not deed.definite or isinstance(deed.reply, Retry):
            return
        if isinstance(deed.reply, CleanupGranted):
            self._deadline(deed, deed.reply)
        elif isinstance(deed.request, BeginCleanup):
            self._may_begin(deed)
        granted = self._granted(deed)
        if granted is None:
            return
        begun, reply = granted
        if isinstance(deed.request, CleanUp):
            self._within_its_time(deed, deed.request, begun, reply)
        elif deed.cut_off is not None:
            self._new_work(deed, begun)

    def _granted(self, deed: Deed) -> tuple[Deed, CleanupGranted] | None:
        """The clean-up under whose epoch the call was made, if that was the newest."""
        epoch = getattr(deed.request, "epoch", None)
        begun = [d for d in self.facts.book.deeds("begin_cleanup", deed.ref) if _may_have_begun(d)]
        newest = begun[-1] if begun else None
        if newest is None or not isinstance(newest.reply, CleanupGranted) or newest.reply.epoch != epoch:
            return None
        alone = all(other.answered_before(newest.begun) for other in begun[:-1])
        return (newest, newest.reply) if alone and newest.answered_before(deed.begun) else None

    # -- its time -----------------------------------------------------------------------------------------

    def _deadline(self, deed: Deed, reply: CleanupGranted) -> None:
        self.exercised("ESC-5")
        contract = self.contract
        cleanup_ns = self._cleanup_ns(deed)
        if cleanup_ns >= contract.reconciliation_budget_ns:
            self.violated(
                "ESC-5",
                f"the contract declares that clean-up may take {seconds(cleanup_ns)} (cleanup_ns), which is no "
                f"stricter "
                f"than its reconciliation budget of {seconds(contract.reconciliation_budget_ns)}",
            )
        record = deed.cut_off
        own = record is not None and record.task == deed.ref
        cut_ns = self.facts.book.cut_by_ns[record.task] if own and record is not None else deed.returned_ns
        if reply.expires_ns > cut_ns + cleanup_ns:
            self.violated(
                "ESC-5",
                f"the clean-up of {label_of(deed)} (call {deed.call_id}) may go on until {seconds(reply.expires_ns)}, "
                f"though "
                f"the cutoff was not after {seconds(cut_ns)} and it may take {seconds(cleanup_ns)}; its deadline "
                f"counts "
                f"from the cutoff",
            )

    def _cleanup_ns(self, deed: Deed) -> int:
        """As the gate declares; of an owned operation, for its class."""
        owned = registration_of(self.facts, deed.ref)
        return self.contract.cleanup_ns if owned is None else self.contract.cleanup_of(owned.cancellation_class)

    def _may_begin(self, deed: Deed) -> None:
        """Whether it certainly had to be granted: the task was stopped, and its time for that not over."""
        record, cutoff_ns = deed.cut_off, earliest_cutoff_ns(self.facts, deed)
        task = self.facts.tasks.get(deed.ref) if deed.ref is not None else None
        if record is None or record.task != deed.ref or cutoff_ns is None or task is None or task.ending:
            return
        others = [d for d in self.facts.book.deeds("begin_cleanup", deed.ref) if d is not deed and d.may_count]
        rightful = Right.WORK in deed.request.caller.rights and deed.request.caller.tenant == deed.request.task.tenant
        if not rightful or deed.returned_ns >= cutoff_ns + self._cleanup_ns(deed):
            return
        if isinstance(deed.reply, Busy) and others:
            return
        self.breaks(
            "ESC-5",
            f"begin_cleanup on {label_of(deed)} was answered {deed.answer} at {seconds(deed.returned_ns)} (call "
            f"{deed.call_id}), though the cutoff was at {seconds(cutoff_ns)} or later and clean-up may take "
            f"{seconds(self._cleanup_ns(deed))} from then; the stop must not take that away",
        )

    def _within_its_time(self, deed: Deed, request: CleanUp, begun: Deed, reply: CleanupGranted) -> None:
        if isinstance(deed.reply, Removable):
            self.exercised("ESC-5")
            if deed.begun_ns >= reply.expires_ns:
                self.violated(
                    "ESC-5",
                    f"clean_up of {request.artefact} of {label_of(deed)} was answered Removable at "
                    f"{seconds(deed.begun_ns)} "
                    f"(call {deed.call_id}), though the clean-up (call {begun.call_id}) had ended at "
                    f"{seconds(reply.expires_ns)}; it has a deadline of its own",
                )
        elif deed.begun_ns >= reply.expires_ns:
            self.exercised("ESC-5")
        elif deed.returned_ns < reply.expires_ns and self._is_to_go(deed, request):
            self.breaks(
                "ESC-5",
                f"clean_up of {request.artefact} of {label_of(deed)} was answered {deed.answer} at "
                f"{seconds(deed.returned_ns)}"
                f" (call {deed.call_id}), though the task owns it unfinished and the clean-up (call {begun.call_id}) "
                f"may go on until {seconds(reply.expires_ns)}; it is shielded from the stop, however often that is "
                f"repeated",
            )

    def _is_to_go(self, deed: Deed, request: CleanUp) -> bool:
        """Whether the task certainly owns it, and nobody may have finished it."""
        noted = list(notes(self.facts, deed.ref, request.artefact))
        owned = any(told_before(deed, note) for note, _ in noted)
        return owned and not any(asked.finished for _, asked in noted)

    # -- no new work --------------------------------------------------------------------------------------

    def _new_work(self, deed: Deed, begun: Deed) -> None:
        self.exercised("ESC-5")
        if isinstance(deed.reply, _NEW_WORK) and not _is_end(deed.request):
            self.violated(
                "ESC-5",
                f"{deed.operation} on {label_of(deed)} was answered {deed.answer} (call {deed.call_id}) under the "
                f"epoch of a clean-up (call {begun.call_id}); a clean-up has no authority for new work",
            )


def _may_have_begun(deed: Deed) -> bool:
    return isinstance(deed.reply, CleanupGranted) or (deed.may_count and not deed.definite)


def _is_end(request: Request) -> bool:
    """Whether the call only gives something up."""
    return request.operation in ("release_lease", "revoke_lease")


class CleanupTouchesItsOwn(ReadingCheck):
    """Leave to remove is given for what the task itself has made and not finished.

    What a descendant made counts as its owner's within a cancelled subtree. A pass does not prove that a cleaner keeps
    to what it was told."""

    name: ClassVar[str] = "clean-up-touches-its-own"
    clauses: ClassVar[tuple[str, ...]] = ("ESC-7",)

    def on_deed(self, deed: Deed) -> None:
        """A cleaner asked whether it may remove something, or a task told of what it makes."""
        request = deed.request
        if isinstance(request, NoteArtefact) and isinstance(deed.reply, Done):
            self._owned_once(deed, request)
        if not isinstance(request, CleanUp) or not deed.definite:
            return
        foreign, finished = self._is_foreign(deed, request), self._finished_by(deed, request)
        if foreign or finished is not None or isinstance(deed.reply, Removable | Kept):
            self.exercised("ESC-7")
        if not isinstance(deed.reply, Removable):
            return
        what = f"clean_up of {request.artefact} of {label_of(deed)} was answered Removable (call {deed.call_id})"
        if foreign:
            self.violated("ESC-7", f"{what}, though that task never made it; clean-up touches only what the task owns")
        elif finished is not None:
            self.violated(
                "ESC-7",
                f"{what}, though it had been finished (call {finished.call_id}); a finished deliverable is kept",
            )

    def _owned_once(self, deed: Deed, request: NoteArtefact) -> None:
        """Of two tasks that make something of one name, be it at the same time, one owns it. Once a clean-up had leave
        to remove it, the name may be another's."""
        for ref in self.facts.tasks:
            if ref == deed.ref or ref.key.tenant != request.task.tenant:
                continue
            other = next((d for d, _ in notes(self.facts, ref, request.artefact) if isinstance(d.reply, Done)), None)
            if other is None or self._may_be_gone(ref, request.artefact):
                continue
            self.exercised("ESC-7")
            self.violated(
                "ESC-7",
                f"note_artefact of {request.artefact} for {label_of(deed)} was answered Done (call {deed.call_id}), "
                f"and so had been that of {label_of(other)} (call {other.call_id}); what two tasks own, clean-up of "
                f"the one takes from the other",
            )
            return

    def _may_be_gone(self, ref: TaskRef, artefact: str) -> bool:
        cleaned = self.facts.book.deeds("clean_up", ref)
        return any(getattr(d.request, "artefact", "") == artefact and d.may_count for d in cleaned)

    def _is_foreign(self, deed: Deed, request: CleanUp) -> bool:
        """Whether neither the task nor, in a subtree, anything that it owns may have made it."""
        refs = [deed.ref]
        if deed.ref in self.facts.tasks and self._reaches_down(deed):
            refs += [below.ref for below in self.facts.descendants(deed.ref)]
        return not any(True for ref in refs for _ in notes(self.facts, ref, request.artefact))

    def _reaches_down(self, deed: Deed) -> bool:
        stops = self.facts.tasks[deed.ref].stops if deed.ref is not None else []
        return deed.cut_off is None or deed.cut_off.scope is Scope.SUBTREE or Scope.SUBTREE in stops

    def _finished_by(self, deed: Deed, request: CleanUp) -> Deed | None:
        """By which call it certainly was finished when the cleaner asked."""
        for note, asked in notes(self.facts, deed.ref, request.artefact):
            if asked.finished and told_before(deed, note):
                return note
        return None


CHECKS: tuple[type[Check], ...] = (CleanupIsShielded, CleanupTouchesItsOwn)

__all__ = ["CHECKS"]

"""Checks of CHILD: ownership, inventory, and what a stop of the owner means for the owned.

One idea: a child is either in the inventory or it does not exist. Every answer about a child is compared with what its
registration was answered, and never with a registration that is still open or was swallowed by a death.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    Admitted,
    CancellationRecord,
    Done,
    Execution,
    LeaseGranted,
    LookupAnswer,
    LookupEvidence,
    NoEvidence,
    RecordOutcome,
    Refused,
    RegisterChild,
    Scope,
    Snapshot,
    StartChild,
    TaskRef,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call, EffectFacts, Facts, TaskFacts
from stopcheck.judge._wording import label
from stopcheck.judge.checks._answers import AnswerCheck, answer, told


def possibly_registered(facts: Facts, parent: TaskFacts, child: TaskRef) -> bool:
    """Whether ``child`` stands, or may stand, in the parent's inventory."""
    calls = facts.open_calls("register_child")
    open_ones = any(call.request.ref == parent.ref and getattr(call.request, "child", None) == child for call in calls)
    return child in parent.children or child in parent.doubtful_children or open_ones


class OwnedBeforeItRuns(AnswerCheck):
    """No child starts or is given a lease that is not in its owner's inventory.

    A pass says nothing of children that run without asking the gate. A task that was opened by itself is not judged."""

    name: ClassVar[str] = "owned-before-it-runs"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-1",)
    operations: ClassVar[frozenset[str]] = frozenset(("start_child", "begin_work"))

    def on_answer(self, call: Call) -> None:
        """Starts told by the owner, and leases of the child itself."""
        request, tasks = call.request, self.facts.tasks
        ref = request.ref
        if isinstance(call.reply, Refused) and call.operation == "begin_work":
            return
        if isinstance(request, StartChild):
            self._started(call, tasks.get(ref) if ref is not None else None, request.child)
        elif ref is not None and ref in tasks and not tasks[ref].opened:
            parent = tasks[ref].parent
            self._started(call, tasks.get(parent) if parent is not None else None, ref)

    def _started(self, call: Call, parent: TaskFacts | None, child: TaskRef) -> None:
        if parent is None:
            return
        self.exercised("CHILD-1")
        if isinstance(call.reply, Done | LeaseGranted) and not possibly_registered(self.facts, parent, child):
            self.violated(
                "CHILD-1",
                f"{answer(call)} for {label(child)}, which is not in the inventory of {label(parent.ref)}; ownership "
                f"is recorded before a child can run",
            )


class RejectedOrInventoried(AnswerCheck):
    """A child whose registration was answered is in every later inventory, one that was rejected in none; and a
    registration that begins after the cutoff is rejected.

    Registrations that raced with the stop are put in order by the linearisability check."""

    name: ClassVar[str] = "rejected-or-inventoried"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-2",)
    operations: ClassVar[frozenset[str]] = frozenset(("register_child", "inspect"))

    def on_answer(self, call: Call) -> None:
        """Registrations after the cutoff, and inventories."""
        request, reply = call.request, call.reply
        if isinstance(request, RegisterChild):
            if call.cut_off is not None and not isinstance(reply, Refused):
                self._after_cutoff(call, request, call.cut_off)
        elif isinstance(reply, Snapshot) and request.ref in self.facts.tasks:
            self._inventory(call, reply)

    def _owned(self, child: TaskRef) -> bool:
        # An inventory may also list what the owned tasks own in their turn.
        return any(possibly_registered(self.facts, task, child) for task in self.facts.tasks.values())

    def _after_cutoff(self, call: Call, request: RegisterChild, cut_off: CancellationRecord) -> None:
        if request.child in call.known.children:
            return
        self.exercised("CHILD-2")
        if isinstance(call.reply, Done):
            self.violated(
                "CHILD-2",
                f"{answer(call)} for {label(request.child)}, although {told(cut_off)} had been shown before the call "
                f"began; a registration after the cutoff is rejected",
            )

    def _inventory(self, call: Call, account: Snapshot) -> None:
        parent = self.facts.tasks[account.task]
        listed = [entry.child for entry in account.children]
        for child in call.known.children:
            if account.record is not None:
                self.exercised("CHILD-2")
            if child not in listed:
                self.violated(
                    "CHILD-2",
                    f"{answer(call)} for {label(parent.ref)} without {label(child)}, whose registration had been "
                    f"answered; a child is rejected or stands in the inventory",
                )
        for child in listed:
            if child in self.facts.tasks and not self._owned(child):
                self.violated(
                    "CHILD-2",
                    f"{answer(call)} for {label(parent.ref)} with {label(child)}, though no registration of it was "
                    f"accepted; a child is rejected or stands in the inventory",
                )


class CommitUnderAncestor(AnswerCheck):
    """A commitment in a descendant that begins after an ancestor's subtree record was shown admits nothing.

    A pass says nothing of commitments that overlapped with the stop: the linearisability check orders those."""

    name: ClassVar[str] = "commit-under-stopped-ancestor"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-3",)
    operations: ClassVar[frozenset[str]] = frozenset(("commit_effect",))

    def on_answer(self, call: Call) -> None:
        """Only commitments that an ancestor's record covers."""
        record, ref = call.cut_off, call.request.ref
        if record is None or ref is None or record.task == ref or isinstance(call.reply, Refused):
            return
        self.exercised("CHILD-3")
        if isinstance(call.reply, Admitted):
            self.violated(
                "CHILD-3",
                f"{answer(call)} for {getattr(call.request, 'effect_id', '')} of {label(ref)}, although its ancestor's "
                f"{told(record)} had been shown before the call began; ancestors are checked at each commitment",
            )


class NoGrandchild(AnswerCheck):
    """A task that an ancestor's subtree record covers registers no child.

    A pass says nothing of retries of the original work: DLV and ``retries`` look at those."""

    name: ClassVar[str] = "no-grandchild-while-draining"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-4",)
    operations: ClassVar[frozenset[str]] = frozenset(("register_child",))

    def on_answer(self, call: Call) -> None:
        """Registrations under a subtree stop."""
        record, ref, request = call.cut_off, call.request.ref, call.request
        if record is None or ref is None or record.scope is not Scope.SUBTREE or isinstance(call.reply, Refused):
            return
        if not isinstance(request, RegisterChild) or request.child in call.known.children:
            return
        self.exercised("CHILD-4")
        if isinstance(call.reply, Done):
            self.violated(
                "CHILD-4",
                f"{answer(call)}: {label(ref)} was given {label(request.child)}, although {told(record)} covers it; "
                f"nothing new comes into being while a subtree drains",
            )


class SettledAfterChildren(AnswerCheck):
    """A task stopped with scope ``subtree`` is settled only when each owned operation is terminal.

    Records that were widened are not judged: their task may have settled before. A pass does not prove that what the
    gate calls terminal has ended, only that nothing in the log contradicts it."""

    name: ClassVar[str] = "settled-after-children"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-5",)
    operations: ClassVar[frozenset[str]] = frozenset(("inspect",))

    def on_answer(self, call: Call) -> None:
        """Accounts of subtree stops with children."""
        account = call.reply
        if not isinstance(account, Snapshot) or not self._subtree_from_start(account):
            return
        if call.known.children:
            self.exercised("CHILD-5")
        if account.execution is not Execution.CANCELLED_SETTLED:
            return
        for entry in account.children:
            if not entry.stage.terminal:
                self._told(call, account, f"its child {label(entry.child)} is {entry.stage.value}")
        for child in call.known.children:
            self._in_doubt(call, account, child)

    def _subtree_from_start(self, account: Snapshot) -> bool:
        record = account.record
        own = record is not None and record.task == account.task
        return own and record is not None and bool(record.causes) and record.causes[0].scope is Scope.SUBTREE

    def _in_doubt(self, call: Call, account: Snapshot, child: TaskRef) -> None:
        """A child of which nobody said that it ended, and whose claimed effect nothing has resolved."""
        parent = self.facts.tasks[account.task]
        if child in parent.finishing or child not in self.facts.tasks:
            return
        for effect in self.facts.effects_of(child):
            if effect.claims and not self._evidence(effect):
                self._told(call, account, f"{effect.effect_id} of its child {label(child)} was claimed and is in doubt")

    def _evidence(self, effect: EffectFacts) -> bool:
        calls = (call.request for call in self.facts.open_calls("record_outcome"))
        begun = [r.evidence for r in calls if isinstance(r, RecordOutcome) and r.effect_id == effect.effect_id]
        return any(_decides(evidence) for evidence in (*begun, *effect.told))

    def _told(self, call: Call, account: Snapshot, why: str) -> None:
        self.violated(
            "CHILD-5",
            f"{answer(call)}: {label(account.task)} is cancelled_settled with scope subtree, but {why}; a parent "
            f"settles after its operations",
        )

    def at_rest(self) -> None:
        """A settled parent above a child whose own account is still running."""
        for (handle, ref), account in self.facts.accounts.items():
            if account.execution is not Execution.CANCELLED_SETTLED or not self._subtree_from_start(account):
                continue
            parent = self.facts.tasks[ref]
            for child in (c for c in parent.children if c not in parent.finishing):
                below = self.facts.accounts.get((handle, child))
                if below is not None and below.execution not in _ENDED:
                    self.violated(
                        "CHILD-5",
                        f"at rest {label(ref)} is cancelled_settled with scope subtree, but its child {label(child)} "
                        f"is {below.execution.value}, and nobody said that it ended",
                    )


# A child that never started needs no end of its own.
_ENDED = (Execution.CANCELLED_SETTLED, Execution.COMPLETED, Execution.FAILED, Execution.UNSTARTED)


def _decides(evidence: object) -> bool:
    """Whether evidence could end a doubt."""
    if isinstance(evidence, LookupEvidence):
        return evidence.answer not in (LookupAnswer.ABSENT, LookupAnswer.STALE)
    return not isinstance(evidence, NoEvidence)


CHECKS: tuple[type[Check], ...] = (
    OwnedBeforeItRuns,
    RejectedOrInventoried,
    CommitUnderAncestor,
    NoGrandchild,
    SettledAfterChildren,
)

__all__ = ["CHECKS"]

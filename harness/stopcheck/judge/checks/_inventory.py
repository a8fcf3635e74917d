"""Checks of what an inventory has to show: every kind of owned work (CHILD-7), and an end for each (CHILD-5, CHILD-8).

One idea: an owner knows by its inventory alone. What is not listed is never stopped, and what is listed as going on is
waited for; so each entry is there as it was registered, and ends when its operation has ended or must be given up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from stopcheck.gate import (
    ChildEntry,
    Done,
    Execution,
    ExistingChild,
    FinishChild,
    RegisterChild,
    Request,
    Scope,
    Snapshot,
    Stage,
    TaskRef,
    Unverified,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Facts
from stopcheck.judge._reading import Reading, Window
from stopcheck.judge._wording import label
from stopcheck.judge.checks._readings import ReadingCheck

_GOES_ON = (Execution.RUNNING, Execution.CANCELLATION_REQUESTED, Execution.DRAINING)
_OVER = (Execution.CANCELLED_SETTLED, Execution.COMPLETED, Execution.FAILED)
_ACCOUNTED = (Execution.CANCELLED_SETTLED, Execution.STOPPED_UNRESOLVED)


def stopped_whole(reading: Reading) -> bool:
    """Whether the account shows a stop of this very task that reached down from the start."""
    record = reading.snapshot.record
    own = record is not None and record.task == reading.task.ref and bool(record.causes)
    return own and record is not None and record.causes[0].scope is Scope.SUBTREE


def at_rest(facts: Facts) -> bool:
    """Whether nothing is due any more."""
    return facts.ticked is not None and facts.ticked.next_wake_ns is None


class EveryKindIsListed(ReadingCheck):
    """Whatever was registered stands in the inventory as the kind, and in the name of whom, it was registered: model
    requests, tool calls and remote jobs as well as tasks.

    A pass is about the kinds that a scenario registered; a gate that refuses one is not failed here."""

    name: ClassVar[str] = "every-kind-is-listed"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-7",)

    def on_reading(self, reading: Reading) -> None:
        """Compare the inventory with what had been registered when the reading began."""
        listed = {entry.child: entry for entry in reading.snapshot.children}
        for deed in reading.deeds("register_child"):
            request = deed.request
            if isinstance(request, RegisterChild) and isinstance(deed.reply, Done) and reading.must(deed):
                self.exercised("CHILD-7")
                self._compare(reading, request, listed.get(request.child))

    def _compare(self, reading: Reading, request: RegisterChild, entry: ChildEntry | None) -> None:
        if entry is not None and (entry.kind, entry.owner) == (request.kind, request.owner):
            return
        shown = "without it" if entry is None else f"with it as {entry.kind.value} of {entry.owner!r}"
        self.violated(
            "CHILD-7",
            f"{label(request.child)} was registered as {request.kind.value} of {request.owner!r}, and {reading.name} "
            f"(call {reading.deed.call_id}) is shown {shown}; the inventory lists every kind of owned work",
        )


class EveryChildEnds(ReadingCheck):
    """At rest, a task that was stopped with all that it owns, and is settled or given up, shows each owned operation as
    ended in a known way or as explicitly unknown.

    A pass does not prove that what is shown as ended has ended; ``settled-after-children`` looks at that."""

    name: ClassVar[str] = "every-child-ends"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-5",)

    def on_final(self, reading: Reading) -> None:
        """Look for an entry that is neither."""
        if not at_rest(self.facts) or not stopped_whole(reading) or reading.snapshot.execution not in _ACCOUNTED:
            return
        for entry in reading.snapshot.children:
            self.exercised("CHILD-5")
            if not entry.stage.terminal and entry.stage is not Stage.UNKNOWN:
                self.violated(
                    "CHILD-5",
                    f"at rest {reading.name} is {reading.snapshot.execution.value}, and its {entry.kind.value} "
                    f"{label(entry.child)} is still shown as {entry.stage.value}; every owned operation ends in a "
                    f"known way or is explicitly unknown",
                )


class NobodyWaitsInVain(ReadingCheck):
    """An owner is not held up by a child that has ended, was stopped, or never came to be; and at rest after a death no
    owner is over above a child that lives.

    What the gate makes by itself may wait for a tick. A pass says nothing of waiting outside the gate."""

    name: ClassVar[str] = "nobody-waits-in-vain"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-8",)

    def on_deed(self, deed: Deed) -> None:
        """A completion that lacks a child which is over, or is none."""
        window = self.window(deed)
        if window is None or deed.operation != "complete" or not deed.definite:
            return
        effects = [effect.effect_id for effect in self.facts.effects_of(window.task.ref)]
        lacks = deed.reply.missing if isinstance(deed.reply, Unverified) else ()
        for child, why in self._nothing_to_wait_for(window):
            self.exercised("CHILD-8")
            if child.key.task_id in lacks and child.key.task_id not in effects:
                self.violated(
                    "CHILD-8",
                    f"complete (call {deed.call_id}) of {window.name} was answered Unverified for want of "
                    f"{label(child)}, {why}; such a child blocks nothing",
                )

    def _nothing_to_wait_for(self, window: Window) -> Iterator[tuple[TaskRef, str]]:
        for deed in window.deeds("finish_child"):
            request = deed.request
            reported = isinstance(deed.reply, Done) and window.must(deed) and not self._owns_more(deed.request)
            if isinstance(request, FinishChild) and reported and request.stage.terminal:
                yield request.child, f"which was reported {request.stage.value} (call {deed.call_id})"
        for task in self.facts.tasks.values():
            if task.parent != window.task.ref:
                continue
            asked = [
                deed for deed in window.deeds("register_child") if getattr(deed.request, "child", None) == task.ref
            ]
            if asked and all(deed.definite and not isinstance(deed.reply, Done | ExistingChild) for deed in asked):
                yield task.ref, "whose registration was refused"

    def _owns_more(self, request: Request) -> bool:
        """Whether something may go on below the child."""
        child = self.facts.tasks.get(request.child) if isinstance(request, FinishChild) else None
        return child is not None and bool(child.children or child.doubtful_children)

    def on_final(self, reading: Reading) -> None:
        """At rest: what the owner shows of its children against what they show themselves."""
        if not at_rest(self.facts):
            return
        below = {final.task.ref: final.snapshot for final in self.facts.book.final}
        for entry in reading.snapshot.children:
            child = below.get(entry.child)
            if child is not None and entry.child in reading.task.children:
                self._released(reading, entry, child, goes_on=_goes_on_below(child, below))
                self._outlived(reading, entry, child)

    def _released(self, reading: Reading, entry: ChildEntry, child: Snapshot, *, goes_on: bool) -> None:
        if child.execution not in _OVER:
            return
        self.exercised("CHILD-8")
        if not entry.stage.terminal and entry.stage is not Stage.UNKNOWN and not goes_on:
            self.violated(
                "CHILD-8",
                f"at rest {label(entry.child)} is {child.execution.value}, but its owner {reading.name} still shows it "
                f"as {entry.stage.value} and waits for it; whoever waits on a stopped child is released",
            )

    def _outlived(self, reading: Reading, entry: ChildEntry, child: Snapshot) -> None:
        if not self.facts.deaths or not stopped_whole(reading) or reading.snapshot.execution not in _ACCOUNTED:
            return
        self.exercised("CHILD-8")
        reported = entry.child in reading.task.finishing
        if child.execution in _GOES_ON and not reported:
            self.violated(
                "CHILD-8",
                f"the gate died, and at rest {reading.name} is {reading.snapshot.execution.value} with scope subtree "
                f"above {label(entry.child)}, which is {child.execution.value}; a crash in the middle of a cascade "
                f"leaves no owner that is over above a child that lives",
            )


def _goes_on_below(account: Snapshot, accounts: dict[TaskRef, Snapshot]) -> bool:
    """Whether something below a task, at any depth, has not ended: for that an owner may wait."""
    return any(
        not entry.stage.terminal or (entry.child in accounts and _goes_on_below(accounts[entry.child], accounts))
        for entry in account.children
    )


CHECKS: tuple[type[Check], ...] = (EveryKindIsListed, EveryChildEnds, NobodyWaitsInVain)

__all__ = ["CHECKS"]

"""Checks of CHILD-6: detached work stands on its own, and a stop never makes owned work of it.

One idea: whatever is registered stays owned, listed and stopped with its owner; whatever was opened with an owner of
its own is in no inventory, and ends by its own deadline or its own stop.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from stopcheck.gate import Capability, Done, ExistingChild, Lost, Opened, OpenTask, RegisterChild, Stopped, TaskRef
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._reading import Reading
from stopcheck.judge._wording import deadline, label
from stopcheck.judge.checks._inventory import stopped_whole
from stopcheck.judge.checks._readings import ReadingCheck


class _Registration(NamedTuple):
    """An answered registration."""

    deed: Deed
    request: RegisterChild


class OwnedStaysOwned(ReadingCheck):
    """What stands in an inventory is not opened as detached work, and after a stop of its owner's subtree it is still
    listed, with the owner that it was registered with.

    A pass says nothing of work that goes on outside the gate after its owner was stopped."""

    name: ClassVar[str] = "owned-stays-owned"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-6",)

    def on_deed(self, deed: Deed) -> None:
        """Somebody wants to open owned work as detached."""
        request = deed.request
        if not isinstance(request, OpenTask) or not request.owner or not deed.definite:
            return
        number = deed.reply.incarnation if isinstance(deed.reply, Opened) else request.incarnation
        ref = None if number is None else TaskRef(request.task, number)
        registered = next((r for r in self._registrations() if r.request.child == ref), None)
        if registered is None or not registered.deed.answered_before(deed.begun):
            return
        self.exercised("CHILD-6")
        if isinstance(deed.reply, Opened):
            self.violated(
                "CHILD-6",
                f"open_task (call {deed.call_id}) for {request.owner!r} was answered Opened for "
                f"{label(registered.request.child)}, which stands in an inventory since call "
                f"{registered.deed.call_id}; owned work is never turned into detached work",
            )

    def _registrations(self) -> list[_Registration]:
        deeds = self.facts.book.all_deeds("register_child")
        made = (deed for deed in deeds if isinstance(deed.reply, Done | ExistingChild))
        return [_Registration(deed, deed.request) for deed in made if isinstance(deed.request, RegisterChild)]

    def on_reading(self, reading: Reading) -> None:
        """The inventory of a task that was stopped with all that it owns."""
        if not stopped_whole(reading):
            return
        listed = {entry.child: entry for entry in reading.snapshot.children}
        for deed in reading.deeds("register_child"):
            request = deed.request
            if not isinstance(request, RegisterChild) or not isinstance(deed.reply, Done) or not reading.must(deed):
                continue
            self.exercised("CHILD-6")
            entry = listed.get(request.child)
            if entry is None or request.owner not in entry.owner:
                shown = "does not list it" if entry is None else f"shows {entry.owner!r} as its owner"
                self.violated(
                    "CHILD-6",
                    f"{reading.name} was stopped with all that it owns, and its account (call {reading.deed.call_id}) "
                    f"{shown}: {label(request.child)}, registered with the owner {request.owner!r} (call "
                    f"{deed.call_id}); cancelling never turns owned work into detached work",
                )


class DetachedStandsAlone(ReadingCheck):
    """Work that was opened with an owner of its own goes on when others are stopped, shows that owner and its own
    deadline, and stands in no inventory.

    A gate that shows no owner is not failed for that alone. A pass says nothing of what only its workers share."""

    name: ClassVar[str] = "detached-stands-alone"
    clauses: ClassVar[tuple[str, ...]] = ("CHILD-6",)

    def on_deed(self, deed: Deed) -> None:
        """Detached work is told of a stop."""
        opened = self._opened(deed.ref)
        if opened is None or deed.operation not in ("begin_work", "renew_lease", "commit_effect", "complete"):
            return
        if self._left_alone(opened[0]) and deed.definite:
            self.exercised("CHILD-6")
            if isinstance(deed.reply, Stopped | Lost):
                self._told(
                    f"{deed.operation} (call {deed.call_id}) was answered {deed.answer}, though nobody stopped it",
                    *opened,
                )

    def on_reading(self, reading: Reading) -> None:
        """What it shows of itself, and who lists it."""
        for entry in reading.snapshot.children:
            listed = self._opened(entry.child)
            if listed is not None and not self._registered(entry.child):
                self._told(f"it stands in the inventory of {reading.name} (call {reading.deed.call_id})", *listed)
        opened = self._opened(reading.task.ref)
        if opened is None:
            return
        ref, request = opened
        self.exercised("CHILD-6")
        shown, deadline_ns = reading.snapshot.owner, reading.snapshot.deadline_ns
        if shown not in ("", request.owner):
            self._told(f"its account shows {shown!r} as its owner", ref, request)
        if self.contract.has(Capability.DEADLINES) and deadline_ns not in (None, request.deadline_ns):
            shows = f"its account shows {deadline(deadline_ns)}, and it has {deadline(request.deadline_ns)}"
            self._told(shows, ref, request)
        if reading.snapshot.record is not None and self._left_alone(ref):
            self._told("its account shows a cancellation, though nobody stopped it", ref, request)

    def _opened(self, ref: TaskRef | None) -> tuple[TaskRef, OpenTask] | None:
        """The opening as detached work, if it was answered."""
        for deed in self.facts.book.all_deeds("open_task") if ref is not None else ():
            request, reply = deed.request, deed.reply
            if isinstance(request, OpenTask) and request.owner and isinstance(reply, Opened):
                found = TaskRef(request.task, reply.incarnation)
                if found == ref:
                    return found, request
        return None

    def _registered(self, ref: TaskRef) -> bool:
        deeds = self.facts.book.all_deeds("register_child")
        return any(deed.may_count and getattr(deed.request, "child", None) == ref for deed in deeds)

    def _left_alone(self, ref: TaskRef) -> bool:
        """Whether others were stopped, and it was certainly not: neither by a request nor by its own deadline."""
        task = self.facts.tasks.get(ref)
        if task is None or task.stops or task.shared or self._registered(ref):
            return False
        expired = task.due_from_ns is not None and self.facts.now_ns >= task.due_from_ns
        return not expired and any(o.record is not None for o in self.facts.tasks.values() if o.ref != ref)

    def _told(self, what: str, ref: TaskRef, request: OpenTask) -> None:
        self.breaks(
            "CHILD-6",
            f"{label(ref)} was opened as detached work of {request.owner!r}, and {what}; detached work has an owner, "
            f"an identity, a deadline and an authority of its own",
        )


CHECKS: tuple[type[Check], ...] = (OwnedStaysOwned, DetachedStandsAlone)

__all__ = ["CHECKS"]

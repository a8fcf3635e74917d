"""Checks of RPT-4: who looks at a task changes nothing of it.

One idea: two readings with nothing between them but closed views must show the same. Whatever is shown otherwise by
the second was changed by a closing.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from stopcheck.gate import Background, Snapshot, TaskRef
from stopcheck.judge._checks import Check, Docket
from stopcheck.judge._facts import Facts
from stopcheck.judge._wording import label
from stopcheck.judge.checks._readings import several
from stopcheck.world import Called, Entry, Event, GateDied, Returned

_HARMLESS = ("inspect", "close_view")


class NothingHangsOnAView(Check):
    """Between two accounts of a task with no other call, no time and no death between them, closing a view of it
    changes neither status nor record, execution, effects or anything else that is shown.

    Looked at from the first closed view of a run on; a gate that works by itself in the background is left out. A pass
    says nothing of views that the gate is not told of."""

    name: ClassVar[str] = "nothing-hangs-on-a-view"
    clauses: ClassVar[tuple[str, ...]] = ("RPT-4",)

    def __init__(self, facts: Facts, docket: Docket) -> None:
        super().__init__(facts, docket)
        self._watching = False
        #: The latest account of each task, while nothing but readings and closed views came after it.
        self._shown: dict[TaskRef, Snapshot] = {}
        #: The view that was closed last since then.
        self._closed = ""
        #: Readings that something else overlapped: what they show may be older than that.
        self._overlapped: list[str] = []
        self._at_ns = 0

    def on_entry(self, entry: Entry) -> None:
        """Follow the calls."""
        event = entry.event
        if self.facts.now_ns != self._at_ns or not self._harmless(event):
            self._shown, self._closed, self._at_ns = {}, "", self.facts.now_ns
            self._overlapped = [call.call_id for call in self.facts.open.values()]
        if not isinstance(event, Returned):
            self._watching = self._watching or (isinstance(event, Called) and event.operation == "close_view")
        elif event.operation == "close_view":
            self._closed = event.call_id
        elif isinstance(event.reply, Snapshot) and self._watching and not self._disturbed(event.call_id):
            self._look(event.reply)

    def _harmless(self, event: Event) -> bool:
        if isinstance(event, Called | Returned):
            return event.operation in _HARMLESS
        return not isinstance(event, GateDied)

    def _disturbed(self, call_id: str) -> bool:
        others = any(call.operation not in _HARMLESS for call in self.facts.open.values())
        return others or call_id in self._overlapped or self.contract.background is Background.AUTONOMOUS

    def _look(self, shown: Snapshot) -> None:
        before = self._shown.get(shown.task)
        if before is not None and self._closed:
            self.exercised("RPT-4")
            changed = [name for name in shown.__struct_fields__ if getattr(shown, name) != getattr(before, name)]
            if changed:
                self.violated(
                    "RPT-4",
                    f"{label(shown.task)} was shown {before.status} in state {before.execution}, then {shown.status} "
                    f"in state {shown.execution} (changed: {several(changed)}), and between the two there was nothing "
                    f"but a closed view (call {self._closed}); who looks at a task changes nothing of it",
                )
        self._shown[shown.task] = shown

    def digest(self) -> bytes:
        """What the next account is compared with."""
        if not self._watching:
            return b""
        return _encode([list(self._shown.values()), bool(self._closed), self._overlapped, self._at_ns])


_encode = msgspec.msgpack.Encoder(order="deterministic").encode

CHECKS: tuple[type[Check], ...] = (NothingHangsOnAView,)

__all__ = ["CHECKS"]

"""A check that looks at readings of a task's account, or at the end of calls.

One idea: whatever a gate decided, it has to show. Such a check is called once for each answered ``inspect``, with what
was certain around it (:class:`Reading`), and at rest once more for each reading of the final account.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._evidence import describe
from stopcheck.judge._reading import EffectView, Reading, Window
from stopcheck.world import Entry, Event, Returned


class ReadingCheck(Check):
    """Base of checks on readings. Override what is needed."""

    events: ClassVar[tuple[type[Event], ...]] = (Returned,)

    @classmethod
    def listens(cls, kind: type[Event], operation: str) -> bool:
        """Only to what an override was written for."""
        if not super().listens(kind, operation) or cls.on_entry is not ReadingCheck.on_entry:
            return super().listens(kind, operation)
        override = cls.on_reading if operation == "inspect" else cls.on_deed
        return override not in (ReadingCheck.on_reading, ReadingCheck.on_deed)

    @classmethod
    def judges_rest(cls) -> bool:
        """Only with an override."""
        return cls.at_rest is not ReadingCheck.at_rest or cls.on_final is not ReadingCheck.on_final

    def on_entry(self, entry: Entry) -> None:
        """Pick out the readings and the answers."""
        book = self.facts.book
        if book.closing is None:
            return
        if book.reading is not None:
            self.on_reading(book.reading)
        elif book.closing.operation != "inspect":
            self.on_deed(book.closing)

    def at_rest(self) -> None:
        """Pick out the readings of the final account."""
        for reading in self.facts.book.final:
            self.on_final(reading)

    def on_reading(self, reading: Reading) -> None:
        """An ``inspect`` was answered."""

    def on_final(self, reading: Reading) -> None:
        """At rest: a reading of the final account."""

    def on_deed(self, deed: Deed) -> None:
        """Any other call was answered (also with ``Indefinite``, ``Retry`` ...)."""

    def window(self, deed: Deed) -> Window | None:
        """What was certain around a call about a declared task."""
        task = self.facts.tasks.get(deed.ref) if deed.ref is not None else None
        return None if task is None else Window(self.facts, task, deed)

    def breaks(self, clause: str, message: str, *steps: int) -> None:
        """The clause was put to the test and broken."""
        self.exercised(clause)
        self.violated(clause, message, *steps)


def several(items: list[str]) -> str:
    """Names for people, each once: ``a, b and c``."""
    names = list(dict.fromkeys(items))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nothing"


def all_told(view: EffectView) -> str:
    """All that had been told of the effect, for people."""
    return several([describe(told.evidence) for told in view.told])


__all__ = ["ReadingCheck", "all_told", "several"]

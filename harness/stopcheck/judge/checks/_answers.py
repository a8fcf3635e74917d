"""A check that looks at answers.

One idea: most clauses are put to the test when the gate answers. Such a check names the operations it listens to and is
called once for each definite answer; ``Indefinite`` (the gate died), ``Retry`` and ``Unsupported`` say nothing and are
left out.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import Indefinite, Retry, TaskRef, Unsupported
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call
from stopcheck.world import Entry

_SILENT = (Indefinite, Retry, Unsupported)


def label(ref: TaskRef) -> str:
    """A task incarnation for people: ``task-1/1``."""
    return f"{ref.key.task_id}/{ref.incarnation}"


class AnswerCheck(Check):
    """Base of checks on answers. ``on_answer`` sees each definite answer to one of ``operations`` (empty: all)."""

    operations: ClassVar[frozenset[str]] = frozenset()

    def on_entry(self, entry: Entry) -> None:
        """Pick out the answers."""
        call = self.facts.closing
        if call is None or (self.operations and call.operation not in self.operations):
            return
        if not isinstance(call.reply, _SILENT):
            self.on_answer(call)

    def on_answer(self, call: Call) -> None:
        """``call.reply`` is a definite answer."""


__all__ = ["AnswerCheck", "label"]

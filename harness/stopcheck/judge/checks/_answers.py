"""A check that looks at answers.

One idea: most clauses are put to the test when the gate answers. Such a check names the operations it listens to and is
called once for each definite answer; ``Indefinite`` (the gate died), ``Retry`` and ``Unsupported`` say nothing and are
left out.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import (
    Accepted,
    CancellationRecord,
    ExistingRecord,
    Indefinite,
    Lost,
    PreCancelled,
    Reply,
    Request,
    Retry,
    Snapshot,
    Stopped,
    TaskRef,
    Tombstoned,
    Unsupported,
    Widened,
)
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call, Facts
from stopcheck.judge._wording import label
from stopcheck.kernel import many
from stopcheck.world import Entry, Event, Returned

_SILENT = (Indefinite, Retry, Unsupported)
_WITH_RECORD = (Accepted, ExistingRecord, Widened, Tombstoned, Stopped, Lost, PreCancelled, Snapshot)


def told(record: CancellationRecord) -> str:
    """A record for people."""
    causes = len(record.causes)
    return (
        f"{record.record_id} of {label(record.task)} (revision {record.revision}, scope {record.scope.value}, "
        f"{many(causes, 'cause')})"
    )


def answer(call: Call) -> str:
    """The call and what it was answered, for people: ``commit_effect (call worker#2) was answered Admitted``."""
    return f"{call.operation} (call {call.call_id}) was answered {type(call.reply).__name__}"


def shown_record(reply: Reply | Snapshot | None) -> CancellationRecord | None:
    """The record that an answer shows, if it shows one."""
    return reply.record if isinstance(reply, _WITH_RECORD) else None


def of_the_second(facts: Facts, request: Request, record: CancellationRecord) -> bool:
    """Whether the record is that of the second task which a call names, a child or a subscriber: that *that* one was
    stopped says nothing of the first."""
    second: TaskRef | None = getattr(request, "child", None) or getattr(request, "subscriber", None)
    if request.ref is None or second is None:
        return False
    of_this, of_second = ({ref, *(owner.ref for owner in facts.ancestors(ref))} for ref in (request.ref, second))
    return record.task in of_second - of_this


class AnswerCheck(Check):
    """Base of checks on answers. ``on_answer`` sees each definite answer to one of ``operations`` (empty: all)."""

    operations: ClassVar[frozenset[str]] = frozenset()
    events: ClassVar[tuple[type[Event], ...]] = (Returned,)

    @classmethod
    def listens(cls, kind: type[Event], operation: str) -> bool:
        """Only to answers of these operations, unless a subclass wants more."""
        if cls.on_entry is not AnswerCheck.on_entry:
            return super().listens(kind, operation)
        return super().listens(kind, operation) and (not cls.operations or operation in cls.operations)

    def on_entry(self, entry: Entry) -> None:
        """Pick out the answers."""
        call = self.facts.closing
        if call is None or (self.operations and call.operation not in self.operations):
            return
        if not isinstance(call.reply, _SILENT):
            self.on_answer(call)

    def on_answer(self, call: Call) -> None:
        """``call.reply`` is a definite answer."""


__all__ = ["AnswerCheck", "answer", "of_the_second", "shown_record", "told"]

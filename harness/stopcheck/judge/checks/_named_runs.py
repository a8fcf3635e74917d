"""Checks of SCOPE-7: a stop reaches the runs that it names, and the right to it is checked for each.

One idea: what a run shows must have been done to *it*. And that somebody may stop one run says nothing of the next,
least of all where force is used.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import Refused, RequestCancel, TaskRef, rights_for
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._facts import Call
from stopcheck.judge._reading import Reading
from stopcheck.judge._rights import STOPS
from stopcheck.judge._wording import label
from stopcheck.judge.checks._answers import AnswerCheck, answer, shown_record, told
from stopcheck.judge.checks._other_runs import tells_of_a_stop, traces
from stopcheck.judge.checks._readings import ReadingCheck

#: What stops a run, or tells it to.
_TO_OTHERS = (*STOPS, "record_signal", "record_probe")


class RightIsCheckedForEachRun(AnswerCheck):
    """Whoever lacks the right to stop this run is refused, in the forced form too, whatever it may do elsewhere.

    Callers of another tenant are looked at by ``another-tenants-call``. A pass says nothing of stops that go past the
    gate, such as a signal from a shell."""

    name: ClassVar[str] = "right-is-checked-for-each-run"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-7",)
    operations: ClassVar[frozenset[str]] = frozenset(STOPS)

    def on_answer(self, call: Call) -> None:
        """Only callers of the tenant who lack the right."""
        caller, ref = call.request.caller, call.request.ref
        (right,) = rights_for(call.request)
        if ref is None or caller.tenant != ref.key.tenant or right in caller.rights:
            return
        self.exercised("SCOPE-7")
        if not isinstance(call.reply, Refused):
            self.violated(
                "SCOPE-7",
                f"{answer(call)} to {caller.principal!r}, who may not {right.value} {label(ref)}; the right to stop is "
                f"checked for each run, the forced form included",
            )


class OtherRunsSeeNothing(ReadingCheck):
    """A run that nobody stopped shows no stop, no force, no signal and no word of one, and is not told to stop.

    A pass says nothing of what reaches a worker on other ways than through the gate."""

    name: ClassVar[str] = "other-runs-see-nothing"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-7",)

    def on_deed(self, deed: Deed) -> None:
        """What the run is told."""
        window = self.window(deed)
        if window is None or not tells_of_a_stop(self.facts, deed):
            return
        other = self._stopped_elsewhere(window.task.ref)
        if other is not None:
            told = f"{deed.operation} (call {deed.call_id}) on {window.name} was answered {deed.answer}"
            self._reached(told, other)

    def on_reading(self, reading: Reading) -> None:
        """What the run shows."""
        other = self._stopped_elsewhere(reading.task.ref)
        if other is None:
            return
        self.exercised("SCOPE-7")
        found = traces(self.facts, reading)
        if found:
            self._reached(f"{reading.name} (call {reading.deed.call_id}) shows {', '.join(found)}", other)

    def _stopped_elsewhere(self, ref: TaskRef) -> Deed | None:
        """What was done to another run of the tenant, if nothing was begun that may stop this one."""
        if self.facts.may_be_ended_from_outside(ref):
            return None
        for operation in _TO_OTHERS:
            for deed in self.facts.book.all_deeds(operation):
                if deed.ref in self.facts.tasks and deed.ref != ref and deed.may_count:
                    return deed
        return None

    def _reached(self, what: str, other: Deed) -> None:
        assert other.ref is not None
        self.breaks(
            "SCOPE-7",
            f"{what}, though nothing of the kind was done to it; {other.operation} (call {other.call_id}) named "
            f"{label(other.ref)}, and a stop reaches exactly the runs that it names",
        )


class StopsWhatItNames(AnswerCheck):
    """A stop is answered with a record of the run that it names, or of one that owns it; not with another run's.

    So one request id that comes for several runs, as one click on "stop all" may send it, stops each of them. A pass
    says nothing of ids that come again after a restart."""

    name: ClassVar[str] = "stops-what-it-names"
    clauses: ClassVar[tuple[str, ...]] = ("SCOPE-7",)
    operations: ClassVar[frozenset[str]] = frozenset(("request_cancel",))

    def on_answer(self, call: Call) -> None:
        """Whose record it is. Another incarnation's is looked at by ``stop-of-another-incarnation``."""
        request, ref, record = call.request, call.request.ref, shown_record(call.reply)
        if ref is None or ref not in self.facts.tasks or record is None or not isinstance(request, RequestCancel):
            return
        others = (task for task in self.facts.tasks.values() if task.ref.key != ref.key)
        if any(request.request_id in task.stop_ids for task in others):
            self.exercised("SCOPE-7")
        if record.task.key == ref.key:
            return
        if record.task in self.facts.tasks and record.task not in {o.ref for o in self.facts.ancestors(ref)}:
            self.violated(
                "SCOPE-7",
                f"{answer(call)} with the record {told(record)}; the stop named {label(ref)}, and that is what it must "
                f"stop",
            )


CHECKS: tuple[type[Check], ...] = (RightIsCheckedForEachRun, OtherRunsSeeNothing, StopsWhatItNames)

__all__ = ["CHECKS"]

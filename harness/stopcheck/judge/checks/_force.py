"""Checks of ESC-8 and ESC-10: force is proved by a probe, and repeats neither multiply it nor switch it off.

One idea: leave to use force is one transition for each worker. Whoever asks, and however often anything was repeated
before, somebody gets it once and when it is due; and it says nothing of the worker, of which only a probe does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import msgspec

from stopcheck.gate import (
    AlreadyForced,
    CancellationClass,
    Disposition,
    Escalate,
    FinishChild,
    Forced,
    RecordProbe,
    Refused,
    Right,
    Stage,
    TooEarly,
)
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check, Docket
from stopcheck.judge._facts import Facts
from stopcheck.judge._reading import Reading, Window
from stopcheck.judge._wording import seconds
from stopcheck.judge.checks._completion import label_of
from stopcheck.judge.checks._escalation import declared_grace_ns
from stopcheck.judge.checks._readings import ReadingCheck


def force_asked(window: Window, worker: str) -> Iterator[tuple[Deed, Escalate]]:
    """The requests for force against a worker of this task, in the order in which they began."""
    for deed in window.deeds("escalate"):
        if isinstance(deed.request, Escalate) and deed.request.worker == worker:
            yield deed, deed.request


class ForceIsProvedByProbe(ReadingCheck):
    """A worker against which force was allowed is shown stopped only when a probe found it gone with its descendants,
    or it said so itself. The declared grace periods are longer than the declared bounds of observation.

    A pass is about what was shown; whether a probe told the truth nobody can say."""

    name: ClassVar[str] = "force-is-proved-by-probe"
    clauses: ClassVar[tuple[str, ...]] = ("ESC-8",)

    def on_deed(self, deed: Deed) -> None:
        """A gate that keeps a grace period: longer than what it declares for observation?"""
        if not isinstance(deed.reply, Forced | AlreadyForced | TooEarly):
            return
        contract = self.contract
        self.exercised("ESC-8")
        times = [("tasks", contract.grace_ns, contract.observation_bound_ns)]
        times += [
            (f"{kind} operations", contract.grace_of(kind), contract.bound_of(kind)) for kind in CancellationClass
        ]
        for what, grace_ns, bound_ns in times:
            if grace_ns <= bound_ns:
                self.violated(
                    "ESC-8",
                    f"the contract declares for {what} a grace period of {seconds(grace_ns)}, which is not longer "
                    f"than the "
                    f"{seconds(bound_ns)} within which they observe a stop: a worker that obeys in time may be forced",
                )

    def on_reading(self, reading: Reading) -> None:
        """Whoever was forced, and was not found gone."""
        for view in reading.workers:
            allowed = self._allowed(reading, view.worker)
            if allowed is None or view.may_be_stopped:
                continue
            self.exercised("ESC-8")
            if view.facet is not None and view.facet.stopped:
                self.violated(
                    "ESC-8",
                    f"{reading.name} shows {view.worker} stopped (proof {view.facet.proof!r}) after force was answered "
                    f"{allowed.answer} (call {allowed.call_id}), and what probes had found of it is "
                    f"{self._found(reading, view.worker)}; only a probe that finds it gone with its descendants proves "
                    f"it",
                )

    def _allowed(self, reading: Reading, worker: str) -> Deed | None:
        for deed, _ in force_asked(reading, worker):
            if isinstance(deed.reply, Forced | AlreadyForced) and reading.must(deed):
                return deed
        return None

    def _found(self, reading: Reading, worker: str) -> str:
        asked = (deed.request for deed in reading.deeds("record_probe") if deed.may_count)
        found = [r.result.value for r in asked if isinstance(r, RecordProbe) and r.worker == worker]
        return ", ".join(found) or "nothing"


class RepeatsAreOneTransition(ReadingCheck):
    """Force against one worker is allowed once, by whomever it is asked for, and is still allowed when it is due after
    anything that was repeated before; the same evidence, told by several, resolves an effect once; ticks that are due
    at the same time enter an end once.

    A pass is about what was repeated in these runs."""

    name: ClassVar[str] = "repeats-are-one-transition"
    clauses: ClassVar[tuple[str, ...]] = ("ESC-10",)

    def __init__(self, facts: Facts, docket: Docket) -> None:
        super().__init__(facts, docket)
        #: The revision at which each effect was shown to be resolved, by effect id and disposition.
        self._resolved: dict[tuple[str, Disposition], int] = {}

    # -- force --------------------------------------------------------------------------------------------

    def on_deed(self, deed: Deed) -> None:
        """Force was asked for, perhaps again."""
        request = deed.request
        window = self.window(deed)
        if window is None or not isinstance(request, Escalate) or not deed.definite:
            return
        others = [d for d, r in force_asked(window, request.worker) if d is not deed and r.level == request.level]
        if isinstance(deed.reply, Forced):
            self._allowed_once(deed, request, others)
        elif isinstance(deed.reply, AlreadyForced):
            self._somebody_was_allowed(deed, request, others)
        elif isinstance(deed.reply, TooEarly) and self._lives(window, request.worker):
            self._still_on(window, deed, request)

    def _allowed_once(self, deed: Deed, request: Escalate, others: list[Deed]) -> None:
        twice = next((other for other in others if isinstance(other.reply, Forced)), None)
        if twice is not None:
            self.breaks(
                "ESC-10",
                f"force against {request.worker} of {label_of(deed)} was answered Forced to call {twice.call_id} and "
                f"again to call {deed.call_id}; however often it is asked for, it is one transition",
            )

    def _somebody_was_allowed(self, deed: Deed, request: Escalate, others: list[Deed]) -> None:
        self.exercised("ESC-10")
        if all(other.definite and not isinstance(other.reply, Forced) for other in others):
            self.violated(
                "ESC-10",
                f"force against {request.worker} of {label_of(deed)} was answered AlreadyForced (call {deed.call_id}), "
                f"though nobody was ever answered Forced; a request that did nothing must not spend it",
            )

    def _still_on(self, window: Window, deed: Deed, request: Escalate) -> None:
        """Force was due, something had been repeated, and the worker may still act."""
        stops = sum(stop.may_count for stop in window.deeds("request_cancel"))
        repeated = stops + sum(1 for _ in force_asked(window, request.worker)) > 2
        cut_ns, grace_ns = (
            self.facts.book.cut_by_ns.get(window.task.ref),
            declared_grace_ns(self.facts, window.task.ref),
        )
        record = deed.cut_off
        if not repeated or cut_ns is None or record is None or record.task != window.task.ref:
            return
        if Right.SUPERVISE in request.caller.rights and deed.begun_ns >= cut_ns + grace_ns:
            self.breaks(
                "ESC-10",
                f"force against {request.worker} of {window.name} was answered {deed.answer} at "
                f"{seconds(deed.begun_ns)} "
                f"(call {deed.call_id}), though the cutoff was known by {seconds(cut_ns)}, the grace period of "
                f"{seconds(grace_ns)} is over and the worker may still act; repeats must not switch escalation "
                f"off",
            )

    def _lives(self, window: Window, worker: str) -> bool:
        """Whether the worker certainly had authority apart from the cutoff, and nothing may have proved its stop."""
        leases = [lease for lease in window.task.leases if lease.worker == worker]
        if not leases or not window.certainly_holds(leases[-1], self.facts.now_ns):
            return False
        told = (*window.acknowledgements, *window.deeds("record_probe"))
        return not any(deed.may_count for deed in told)

    # -- effects and owned operations ---------------------------------------------------------------------

    def on_reading(self, reading: Reading) -> None:
        """What several told, what several ticks did, and whoever is free although force was refused."""
        for view in reading.workers:
            for deed, request in force_asked(reading, view.worker):
                if isinstance(deed.reply, Refused) and reading.must(deed) and view.certainly_free:
                    self._still_on(reading, deed, request)
        self._effects(reading)
        self._lifecycle(reading)
        again = [worker for worker in reading.snapshot.forced if reading.snapshot.forced.count(worker) > 1]
        if again:
            self.breaks("ESC-10", f"{reading.name} lists {again[0]} more than once among those that were forced")

    def _effects(self, reading: Reading) -> None:
        for view in reading.effects:
            entry = view.entry
            if entry is None or not entry.disposition.definitive or entry.resolved_revision is None:
                continue
            before = self._resolved.setdefault((view.id, entry.disposition), entry.resolved_revision)
            if len(view.offered) > 1:
                self.exercised("ESC-10")
            if before != entry.resolved_revision:
                self.violated(
                    "ESC-10",
                    f"{view.name} of {reading.name} is shown {entry.disposition} by revision "
                    f"{entry.resolved_revision}, and had been shown so by revision {before}; the same evidence, told "
                    f"again, is no second transition",
                )

    def _lifecycle(self, reading: Reading) -> None:
        for child in reading.snapshot.children:
            name = child.child.key.task_id
            unknown = [e for e in reading.snapshot.lifecycle if e.operation == name and e.stage is Stage.UNKNOWN]
            told = sum(
                isinstance(deed.request, FinishChild) and deed.request.child == child.child and deed.may_count
                for deed in reading.deeds("finish_child")
            )
            if unknown and self.facts.book.ticked_ns >= 0:
                self.exercised("ESC-10")
            if len(unknown) > 1 + told:
                self.violated(
                    "ESC-10",
                    f"the lifecycle of {reading.name} has {len(unknown)} entries that call {name} unknown, though it "
                    f"was told so {told} times; a tick that finds it unknown again is no second transition",
                )

    def digest(self) -> bytes:
        """What was shown."""
        return (
            _encode([[*key, revision] for key, revision in sorted(self._resolved.items())]) if self._resolved else b""
        )


_encode = msgspec.msgpack.Encoder(order="deterministic").encode

CHECKS: tuple[type[Check], ...] = (ForceIsProvedByProbe, RepeatsAreOneTransition)

__all__ = ["CHECKS"]

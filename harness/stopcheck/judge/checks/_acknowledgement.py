"""Checks of ACK: what an acknowledgement proves, and what it does not.

One idea: a worker's word is one fact beside others. It is shown as strong as it was said, by whom it was said, and it
proves nothing of effects.
"""

from __future__ import annotations

from typing import ClassVar

from stopcheck.gate import Acknowledge, AckStrength, Admitted, CommitEffect, Ended, Recorded, StaleLease, Stopped
from stopcheck.judge._book import Deed
from stopcheck.judge._checks import Check
from stopcheck.judge._reading import Reading, WorkerView
from stopcheck.judge.checks._completion import label_of
from stopcheck.judge.checks._readings import ReadingCheck


def _recorded(reading: Reading) -> list[Deed]:
    return [d for d in reading.acknowledgements if isinstance(d.reply, Recorded) and reading.must(d)]


def _word(deed: Deed) -> tuple[int, AckStrength]:
    request = deed.request
    assert isinstance(request, Acknowledge)
    return request.epoch, request.strength


def _holder_of(reading: Reading, word: Deed) -> str:
    """The worker to whom the epoch of an acknowledgement was granted."""
    epoch = _word(word)[0]
    return next((lease.worker for lease in reading.task.leases if lease.epoch == epoch), "")


class WordIsAFactOfItsOwn(ReadingCheck):
    """A recorded acknowledgement is shown, and resolves no effect.

    A stronger entry for the same epoch stands for a weaker one: a gate may keep only the strongest. That the acceptance
    is shown as a record of its own is REC."""

    name: ClassVar[str] = "word-is-a-fact-of-its-own"
    clauses: ClassVar[tuple[str, ...]] = ("ACK-1",)

    def on_reading(self, reading: Reading) -> None:
        """Each recorded word is there, and the ledger does not listen to it."""
        recorded = _recorded(reading)
        for deed in recorded:
            epoch, strength = _word(deed)
            self.exercised("ACK-1")
            kept = [a.strength for a in reading.snapshot.acknowledgements if a.epoch == epoch]
            if not any(k.rank >= strength.rank for k in kept):
                shown = ", ".join(kept) or "none"
                self.violated(
                    "ACK-1",
                    f"the acknowledgement {strength} of epoch {epoch} was recorded (call {deed.call_id}), and "
                    f"{reading.name} shows {shown} for that epoch; what a worker observed is a fact of its own",
                )
        for view in reading.effects if recorded else ():
            if view.certainly_open and not view.offered:
                self.exercised("ACK-1")
                if view.definitive:
                    _, strength = _word(recorded[-1])
                    self.violated(
                        "ACK-1",
                        f"{view.name} of {reading.name} is shown {view.disposition}, though nothing was told of it but "
                        f"a worker's acknowledgement ({strength}); that proves nothing of the receiver",
                    )


class WordNotReadAsStronger(ReadingCheck):
    """No acknowledgement is shown, and no worker proved to be stopped, by a stronger word than was said.

    A pass says nothing of how a gate uses the word beyond what it shows."""

    name: ClassVar[str] = "word-not-read-as-stronger"
    clauses: ClassVar[tuple[str, ...]] = ("ACK-2",)

    def on_reading(self, reading: Reading) -> None:
        """Compare entries and facets with what was said."""
        said = [_word(d) for d in reading.acknowledgements]
        for entry in reading.snapshot.acknowledgements:
            self.exercised("ACK-2")
            strongest = [s for epoch, s in said if epoch == entry.epoch]
            if all(s.rank < entry.strength.rank for s in strongest):
                self.violated(
                    "ACK-2",
                    f"{reading.name} shows the acknowledgement {entry.strength} of {entry.worker} (epoch "
                    f"{entry.epoch}), a worker that said {', '.join(strongest) or 'nothing'}; a word is kept exactly "
                    f"as strong as it was said",
                )
        for worker in reading.workers:
            if worker.may_have_said and not worker.may_be_stopped:
                self.exercised("ACK-2")
                self._facet(reading, worker)

    def _facet(self, reading: Reading, worker: WorkerView) -> None:
        facet = worker.facet
        if facet is None:
            return
        strongest = max(worker.may_have_said, key=lambda s: s.rank)
        proof = next((s for s in AckStrength if s.value == facet.proof), None)
        if facet.stopped or (proof is not None and proof.rank > strongest.rank):
            self.violated(
                "ACK-2",
                f"{reading.name} shows {worker.worker} as {'stopped' if facet.stopped else 'not stopped'} with proof "
                f"{facet.proof}, though it said no more than {strongest}; less than handler_stopped is no stop",
            )


class SilenceIsNoStop(ReadingCheck):
    """A worker with an active lease that said nothing, and that no probe found gone, is not shown stopped, and its task
    is not settled.

    A worker whose lease the gate shows as ended counts as fenced, not as stopped. A pass is about workers that the
    scenario makes silent."""

    name: ClassVar[str] = "silence-is-no-stop"
    clauses: ClassVar[tuple[str, ...]] = ("ACK-3",)

    def on_reading(self, reading: Reading) -> None:
        """Look at each worker that nothing was heard of."""
        if reading.deed.cut_off is None and reading.snapshot.record is None:
            return
        for worker in reading.workers:
            stale = any(_word(d)[0] in worker.epochs for d in reading.acknowledgements)
            if worker.may_have_said or worker.may_be_gone or stale:
                continue
            self.exercised("ACK-3")
            shown = ""
            if worker.facet is not None and worker.facet.stopped:
                shown = f"shows {worker.worker} stopped (proof {worker.facet.proof})"
            elif reading.settled and worker.certainly_free:
                shown = f"is shown {reading.snapshot.execution}"
            if shown:
                self.violated(
                    "ACK-3",
                    f"{reading.name} {shown}, though {worker.worker} has acknowledged nothing and no probe found it "
                    f"gone; a missing acknowledgement is never counted as stopped",
                )


class StaleWordDoesNotCount(ReadingCheck):
    """A word from an epoch that was superseded when it came, or that was never granted, is not counted.

    It may be kept as history. Epochs of another incarnation that are also epochs of this one cannot be told apart."""

    name: ClassVar[str] = "stale-word-does-not-count"
    clauses: ClassVar[tuple[str, ...]] = ("ACK-4",)

    def on_reading(self, reading: Reading) -> None:
        """Look at what became of each such word."""
        for deed in reading.acknowledgements:
            epoch, strength = _word(deed)
            if not reading.must(deed) or not deed.definite or not self._stale(reading, deed, epoch):
                continue
            self.exercised("ACK-4")
            fresh = [d for d in reading.acknowledgements if _word(d)[0] == epoch and not self._stale(reading, d, epoch)]
            entries = reading.snapshot.acknowledgements
            counted = any(a.counted and a.epoch == epoch and a.strength is strength for a in entries)
            if counted and not any(_word(d)[1].rank >= strength.rank for d in fresh):
                self.violated(
                    "ACK-4",
                    f"{reading.name} counts the acknowledgement {strength} of epoch {epoch} (call {deed.call_id}, "
                    f"answered {deed.answer}), which was no longer or never this task's authority when it came",
                )
            if strength.means_stopped:
                self._shown_stopped(reading, deed, epoch)

    def _stale(self, reading: Reading, deed: Deed, epoch: int) -> bool:
        doubt = any(not d.definite for d in reading.beginnings)
        granted = any(lease.epoch == epoch for lease in reading.task.leases)
        return reading.superseded_when_begun(deed, epoch) or (not granted and not doubt)

    def _shown_stopped(self, reading: Reading, deed: Deed, epoch: int) -> None:
        for worker in reading.workers:
            facet = worker.facet
            mine = epoch in worker.epochs
            if mine and facet is not None and facet.stopped and not worker.may_be_stopped:
                self.violated(
                    "ACK-4",
                    f"{reading.name} shows {worker.worker} stopped (proof {facet.proof}) on the word of its superseded "
                    f"epoch {epoch} (call {deed.call_id}); such a word does not count",
                )


class LiarContained(ReadingCheck):
    """A worker that said it had stopped and then asks to commit is refused, and the contradiction is recorded.

    A contradiction counts that names the worker or the effect. A pass says nothing of deeds past the gate."""

    name: ClassVar[str] = "liar-contained"
    clauses: ClassVar[tuple[str, ...]] = ("ACK-5",)

    def on_deed(self, deed: Deed) -> None:
        """A commitment after the word."""
        word = self._word_before(deed)
        if word is None or not deed.definite:
            return
        self.exercised("ACK-5")
        if isinstance(deed.reply, Admitted):
            self.violated(
                "ACK-5",
                f"{getattr(deed.request, 'effect_id', '')} of {label_of(deed)} was admitted (call {deed.call_id}) for "
                f"an epoch that had acknowledged {_word(word)[1]} (call {word.call_id}); a liar is contained",
            )

    def on_reading(self, reading: Reading) -> None:
        """Somebody will have to explain it."""
        if not _recorded(reading):
            return
        for view in reading.effects:
            for deed in self.facts.book.commitments(view.id):
                refused = isinstance(deed.reply, Stopped | StaleLease | Ended) and reading.must(deed)
                word = self._word_before(deed) if refused else None
                if word is not None and not reading.contradicted(view.id, _holder_of(reading, word)):
                    self.breaks(
                        "ACK-5",
                        f"a worker of {reading.name} acknowledged {_word(word)[1]} (call {word.call_id}) and then "
                        f"asked to commit {view.id} (call {deed.call_id}), and no contradiction about it is recorded",
                    )

    def _word_before(self, deed: Deed) -> Deed | None:
        request = deed.request
        if not isinstance(request, CommitEffect):
            return None
        said = self.facts.book.deeds("acknowledge", deed.ref)
        return next(
            (
                d
                for d in said
                if isinstance(d.reply, Recorded)
                and d.answered_before(deed.begun)
                and _word(d)[0] == request.epoch
                and _word(d)[1].means_stopped
            ),
            None,
        )


CHECKS: tuple[type[Check], ...] = (
    WordIsAFactOfItsOwn,
    WordNotReadAsStronger,
    SilenceIsNoStop,
    StaleWordDoesNotCount,
    LiarContained,
)

__all__ = ["CHECKS"]

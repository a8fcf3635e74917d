"""Where a case of the memory gate starts: a gate that something has happened to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stopcheck.gate import (
    LookupAnswer,
    LookupEvidence,
    NoEvidence,
    Scope,
)
from tests.fast.gates.gate_bench import (
    OTHER,
    SHARED,
    Bench,
    receipt,
    told,
)


def then(start: Callable[[], Bench], step: str, **fields: Any) -> Bench:
    bench = start()
    getattr(bench, step)(**fields)
    return bench


def fresh() -> Bench:
    return Bench()


def opened() -> Bench:
    bench = fresh()
    bench.open()
    return bench


def running() -> Bench:
    bench = opened()
    bench.begin()
    return bench


def timed() -> Bench:
    """A task with a deadline at 100, a worker, and a child that may live for 30."""
    bench = fresh()
    bench.open(deadline=100)
    bench.begin()
    bench.register(cap_ns=30)
    return bench


def making() -> Bench:
    """A worker has begun one thing and finished another."""
    bench = running()
    bench.make()
    bench.make(finished=True, artefact="a2")
    return bench


def cleaning() -> Bench:
    """It was stopped, and a clean-up has begun under epoch 2."""
    bench = then(making, "cancel")
    bench.begin_cleanup()
    return bench


def competing() -> Bench:
    """One task's worker holds the only slot, and another's wants it."""
    bench = then(running, "hold")
    bench.open(OTHER)
    bench.begin(task=OTHER)
    return bench


def suspended() -> Bench:
    return then(running, "suspend")


def admitted() -> Bench:
    bench = running()
    bench.commit()
    return bench


def claimed() -> Bench:
    bench = admitted()
    bench.claim()
    return bench


def in_doubt() -> Bench:
    bench = claimed()
    bench.outcome(NoEvidence("timeout"))
    return bench


def delivered() -> Bench:
    bench = claimed()
    bench.outcome(told())
    return bench


def suppressed() -> Bench:
    bench = admitted()
    bench.suppress()
    return bench


def cancelled(scope: Scope = Scope.TASK) -> Bench:
    bench = running()
    bench.cancel(scope)
    return bench


def ended() -> Bench:
    bench = running()
    bench.complete()
    return bench


def owning() -> Bench:
    bench = running()
    bench.register()
    return bench


def subtree_cancelled() -> Bench:
    bench = owning()
    bench.cancel(Scope.SUBTREE)
    return bench


def tombstone() -> Bench:
    bench = fresh()
    bench.cancel()
    return bench


def armed() -> Bench:
    """A retry waits for its time, and nobody is at work."""
    bench = then(running, "arm")
    bench.release_lease()
    return bench


def allowed() -> Bench:
    return then(running, "allow")


def authorised() -> Bench:
    return then(delivered, "authorise")


def asked() -> Bench:
    return then(running, "question")


def handed() -> Bench:
    return then(running, "hand")


def wanted() -> Bench:
    """A shared task with two interests: one of the task, one of another."""
    bench = running()
    for ref in (SHARED, OTHER):
        bench.open(ref)
    bench.subscribe()
    bench.subscribe(OTHER, "i2")
    return bench


def wanted_once() -> Bench:
    bench = wanted()
    bench.release("i2")
    return bench


FOUND = LookupEvidence(LookupAnswer.FOUND, receipt())

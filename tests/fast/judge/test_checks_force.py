"""Checks of ESC-8 and ESC-10: stories that break a clause, and right ones that must not."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from stopcheck import gate as g
from tests.fast.judge.account_story import (
    CHILD,
    CONTRACT,
    NOTHING,
    SECOND,
    Story,
    answered,
    effect,
    lease,
    record,
    sent,
)

GRACE_S = CONTRACT.grace_ns // SECOND
RECORD = record()
SHOWN_GONE = g.ExecutionFacet(g.Execution.DRAINING, (g.WorkerFacet("worker", True, False, "probe_gone"),))


def stopped() -> Story:
    """A worker has begun, and the task was stopped at 0."""
    return Story().begin().stop()


def forced() -> Story:
    """Force was allowed when it was due."""
    return stopped().at(GRACE_S).force(g.Forced())


def impatient() -> Story:
    """Force was asked for too early, and it is due now."""
    return stopped().at(1).force(g.TooEarly(GRACE_S * SECOND)).at(GRACE_S)


def contract(grace_s: int, bound_s: int) -> g.GateContract:
    """A gate with this grace period and this observation bound."""
    return msgspec.structs.replace(CONTRACT, grace_ns=grace_s * SECOND, observation_bound_ns=bound_s * SECOND)


def short_grace(grace_s: int) -> Story:
    """A gate with an observation bound of two seconds, which is asked for force."""
    return Story(contract(grace_s, 2)).begin().stop().force(g.TooEarly(grace_s * SECOND))


def found(story: Story, revision: int) -> Story:
    """A reading shows the mail completed by this revision."""
    entry = effect("completed", NOTHING, answered(), resolved_revision=revision)
    return story.look("draining", record=RECORD, effects=(entry,), leases=(lease(),))


def told_twice() -> Story:
    """Two reconcilers tell the same of the mail."""
    return found(sent().outcome(NOTHING).stop().outcome(answered()), 7).outcome(answered(), g.Same())


def unknown_entries(count: int) -> tuple[g.LifecycleEntry, ...]:
    """As often was the child called unknown."""
    one = g.LifecycleEntry(CHILD.key.task_id, g.Stage.UNKNOWN, "budget ended", 0, "gate", "refund", "none")
    return (one,) * count


def given_up(count: int, told: int = 0) -> Story:
    """The budget ended with a child that nobody heard of."""
    story = Story().begin().registers(CHILD).stop(scope="subtree").tick()
    for _ in range(told):
        story.ask(g.FinishChild, g.Done(), child=CHILD, stage=g.Stage.UNKNOWN)
    child = g.ChildEntry(CHILD, g.OwnedKind.CHILD_TASK, "worker", True, g.Stage.UNKNOWN, 3)
    return story.look(
        "stopped_unresolved", record=record(scope="subtree"), children=(child,), lifecycle=unknown_entries(count)
    )


def classes(**declared: g.OperationContract) -> g.GateContract:
    """A gate that declares these classes."""
    operations = {g.CancellationClass(name): contract for name, contract in declared.items()}
    return msgspec.structs.replace(CONTRACT, operations=operations)


LONG_GRACE = classes(irreversible=g.OperationContract(grace_ns=2 * CONTRACT.grace_ns))
RARE_CHECKS = classes(cooperative=g.OperationContract(check_every_ns=CONTRACT.grace_ns))


def irreversible(at_s: float, reply: g.Reply) -> Story:
    """An owned operation of a class that is left alone for twice as long, against which force is asked for."""
    story = Story(LONG_GRACE).begin()
    kind, declared = g.OwnedKind.REMOTE_JOB, g.CancellationClass.IRREVERSIBLE
    story.ask(g.RegisterChild, g.Done(), epoch=1, child=CHILD, kind=kind, owner="worker", cancellation_class=declared)
    story.begin("other", task=CHILD).stop(scope="subtree").at(at_s)
    return story.ask(g.Escalate, reply, task=CHILD, worker="other", level="kill")


BREAKS: dict[str, tuple[str, Callable[[], Story]]] = {
    "stopped by the kill call": ("ESC-8", lambda: forced().look("draining", record=RECORD, stopping=SHOWN_GONE)),
    "stopped though descendants live": (
        "ESC-8",
        lambda: forced().probe("descendants_live").look("draining", record=RECORD, stopping=SHOWN_GONE),
    ),
    "stopped though it was unreachable": (
        "ESC-8",
        lambda: forced().probe("unreachable").look("draining", record=RECORD, stopping=SHOWN_GONE),
    ),
    "grace as long as observation": ("ESC-8", lambda: short_grace(2)),
    "checks as rare as the grace period is long": (
        "ESC-8",
        lambda: Story(RARE_CHECKS).begin().stop().force(g.TooEarly(GRACE_S * SECOND)),
    ),
    "the grace period of tasks for a class with a longer one": ("ESC-1", lambda: irreversible(GRACE_S, g.Forced())),
    "force twice": ("ESC-10", lambda: forced().force(g.Forced())),
    "an early request spends it": ("ESC-10", lambda: impatient().force(g.AlreadyForced())),
    "an early request defers it": ("ESC-10", lambda: impatient().force(g.TooEarly(2 * GRACE_S * SECOND))),
    "a repeated stop defers it": (
        "ESC-10",
        lambda: stopped().at(1).stop(g.ExistingRecord(RECORD)).at(GRACE_S).force(g.TooEarly((GRACE_S + 1) * SECOND)),
    ),
    "refused after a repeat, and the worker is free": (
        "ESC-10",
        lambda: (
            impatient()
            .force(g.Refused(g.RefusalReason.UNRESOLVABLE))
            .look("draining", record=RECORD, leases=(lease(),))
        ),
    ),
    "resolved again": ("ESC-10", lambda: found(told_twice(), 8)),
    "unknown again": ("ESC-10", lambda: given_up(2)),
    "forced is listed twice": ("ESC-10", lambda: forced().look("draining", record=RECORD, forced=("worker", "worker"))),
}


def force_that_died() -> Story:
    """The first answer was lost."""
    story = stopped().at(GRACE_S)
    call = story.call(g.Escalate, worker="worker", level="kill")
    return story.answer(call, g.Indefinite()).died().force(g.AlreadyForced())


FINE: dict[str, Callable[[], Story]] = {
    "a probe found it gone": lambda: forced().probe("gone").look("draining", record=RECORD, stopping=SHOWN_GONE),
    "it said so itself": lambda: forced().says("handler_stopped").look("draining", record=RECORD, stopping=SHOWN_GONE),
    "descendants live, and it is not shown stopped": lambda: (
        forced().probe("descendants_live").look("draining", record=RECORD, leases=(lease(),))
    ),
    "a grace just longer than observation": lambda: short_grace(3),
    "allowed once": lambda: impatient().force(g.Forced()).force(g.AlreadyForced()),
    "force when the grace period of its class is over": lambda: irreversible(2 * GRACE_S, g.Forced()),
    "too early for its class": lambda: irreversible(GRACE_S, g.TooEarly(2 * GRACE_S * SECOND)),
    "two workers": lambda: forced().begin("other", 2).force(g.Forced(), "other"),
    "the answer was lost": force_that_died,
    "there is no force": lambda: impatient().force(g.Impossible()),
    "refused, because the worker is fenced": lambda: (
        impatient()
        .force(g.Refused(g.RefusalReason.UNRESOLVABLE))
        .look("draining", record=RECORD, leases=(lease("revoked"),))
    ),
    "refused after it may have stopped": lambda: (
        impatient().says("handler_stopped").force(g.TooEarly(2 * GRACE_S * SECOND))
    ),
    "the same revision": lambda: found(told_twice(), 7),
    "unknown once": lambda: given_up(1),
    "unknown again, because it was told so": lambda: given_up(2, told=1),
}


@pytest.mark.parametrize("name", BREAKS)
def test_broken(name: str) -> None:
    """The clause is violated, and was exercised."""
    clause, make = BREAKS[name]
    story = make()
    assert clause in story.broken
    assert clause in story.tried


@pytest.mark.parametrize("name", FINE)
def test_fine(name: str) -> None:
    """No right gate fails."""
    assert FINE[name]().broken & {"ESC-1", "ESC-8", "ESC-10"} == set()

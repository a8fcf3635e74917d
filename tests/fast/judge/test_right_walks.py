"""Walks off the roads of the bundled scenarios, on each of which a right gate was once failed.

One idea: one caller who may do everything asks one thing after the other, so that nothing is in doubt; whatever the
judge then says of the reference gates is the judge's fault.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import LoadedGate
from stopcheck.explore import make_trial
from stopcheck.gate import (
    SECOND_NS,
    Capability,
    Cause,
    Finding,
    GateFactory,
    ReceiptEvidence,
    Right,
    Scope,
    Stage,
    TaskRef,
    Trigger,
)
from stopcheck.judge import CHECKS
from stopcheck.kernel import DefaultChooser, sleep_until
from stopcheck.world import Granularity, Scenario, Variant, World
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_fixtures.reference.sqlite import SqliteGate
from stopcheck_fixtures.right.cutting_off import RecordsForAll

WORKER = "worker"


class Caller:
    """The caller, and what it asks about: ``claim`` owns ``letter``, which owns ``draft``, which owns ``comma``;
    ``index`` and ``cache`` are shared."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.claim, self.later = world.task("claim"), world.task("claim", incarnation=2)
        self.index = world.task("index", shared=True)
        self.cache = world.task("cache", shared=True)
        self.letter = world.child(self.claim, "letter")
        self.draft = world.child(self.letter.ref, "draft")
        self.comma = world.child(self.draft.ref, "comma")
        self.batch = world.effect(self.claim, "mails", world.receiver("mail"), items=("first", "second"))
        self.ask = world.client("caller", *Right)

    async def open(self, *tasks: TaskRef, ends_s: int | None = None) -> None:
        """Open tasks, with one deadline."""
        for task in tasks:
            await self.ask.open_task(task, None if ends_s is None else ends_s * SECOND_NS)

    async def begin(self, *tasks: TaskRef) -> None:
        """Take the first lease of each."""
        for task in tasks:
            await self.ask.begin_work(task, WORKER, f"delivery of {task.key.task_id}", Trigger.FIRST)

    async def own(self) -> None:
        """The claim is at work and owns a letter, which is at work and owns a draft."""
        await self.begin(self.claim)
        await self.ask.register_child(self.letter, 1)
        await self.begin(self.letter.ref)
        await self.ask.register_child(self.draft, 1)

    async def stop(self, task: TaskRef, scope: Scope = Scope.TASK, request_id: str = "stop") -> None:
        """Press Stop."""
        await self.ask.request_cancel(task, scope, request_id, Cause.POLICY)

    async def wait_until(self, at_s: int) -> None:
        """Let time pass."""
        await sleep_until("nap", at_s * SECOND_NS)


Walk = Callable[[Caller], Awaitable[None]]


async def shared_work_wants_itself(caller: Caller) -> None:
    await caller.open(caller.index, caller.cache)
    await caller.ask.subscribe(caller.index, "own", caller.index)
    await caller.ask.subscribe(caller.index, "other", caller.cache)
    await caller.ask.subscribe(caller.cache, "back", caller.index)
    await caller.ask.inspect(caller.index)


async def stopped_before_it_could_be_registered(caller: Caller) -> None:
    await caller.ask.register_child(caller.letter, 1)
    await caller.stop(caller.letter.ref)
    await caller.ask.measures(caller.claim)


async def subscriber_that_never_was(caller: Caller) -> None:
    await caller.open(caller.index, caller.cache)
    await caller.ask.subscribe(caller.index, "interest", caller.claim)
    await caller.stop(caller.claim)
    await caller.begin(caller.index)
    await caller.ask.subscribe(caller.index, "interest", caller.cache)


async def released_before_it_was_registered(caller: Caller) -> None:
    await caller.open(caller.index, caller.cache)
    await caller.ask.release(caller.index, "interest")
    await caller.ask.subscribe(caller.index, "interest", caller.cache)
    await caller.begin(caller.index)


async def subscribed_again_after_the_stop(caller: Caller) -> None:
    await caller.open(caller.claim, caller.index)
    await caller.ask.subscribe(caller.index, "interest", caller.claim)
    await caller.stop(caller.index, Scope.SUBTREE)
    await caller.ask.subscribe(caller.index, "interest", caller.claim)


async def completed_above_an_ended_child_that_owns_more(caller: Caller) -> None:
    await caller.open(caller.claim)
    await caller.own()
    await caller.ask.finish_child(caller.letter, Stage.FAILED)
    await caller.ask.complete(caller.claim, 1)


async def stopped_between_owner_and_owned(caller: Caller) -> None:
    await caller.open(caller.claim)
    await caller.own()
    await caller.ask.release_lease(caller.letter.ref, 1)
    await caller.stop(caller.letter.ref)
    await caller.ask.complete(caller.claim, 1)


async def stopped_above_a_child_that_failed_and_owns_more(caller: Caller) -> None:
    await caller.open(caller.claim)
    await caller.own()
    await caller.begin(caller.draft.ref)
    await caller.ask.register_child(caller.comma, 1)
    await caller.ask.fail(caller.draft.ref, 1)
    await caller.stop(caller.letter.ref)


async def measured_when_nobody_wanted_it(caller: Caller) -> None:
    await caller.open(caller.claim, caller.index)
    await caller.own()
    await caller.ask.subscribe(caller.index, "interest", caller.draft.ref)
    await caller.stop(caller.claim, Scope.SUBTREE)
    await caller.ask.measures(caller.index)


async def widened_under_one_request_id(caller: Caller) -> None:
    await caller.open(caller.claim)
    await caller.stop(caller.claim)
    await caller.stop(caller.claim, Scope.SUBTREE)
    await caller.ask.measures(caller.claim)


async def subscriber_expired_unseen(caller: Caller) -> None:
    await caller.open(caller.index)
    await caller.open(caller.claim, ends_s=40)
    await caller.own()
    await caller.ask.subscribe(caller.index, "interest", caller.claim)
    await caller.wait_until(200)
    await caller.ask.grant(caller.letter.ref, "grant")
    await caller.stop(caller.index, Scope.SUBTREE, "another stop")


async def subscribed_after_its_lifetime(caller: Caller) -> None:
    await caller.open(caller.index)
    await caller.open(caller.claim, ends_s=40)
    await caller.own()
    await caller.wait_until(200)
    await caller.ask.subscribe(caller.index, "interest", caller.letter.ref)


async def both_expire_at_once(caller: Caller) -> None:
    await caller.open(caller.index, caller.cache, ends_s=40)
    await caller.ask.subscribe(caller.index, "interest", caller.cache)


async def stopped_after_its_owner_expired(caller: Caller) -> None:
    await caller.open(caller.claim, ends_s=40)
    await caller.own()
    await caller.wait_until(70)
    await caller.stop(caller.letter.ref)


async def started_below_an_owner_that_failed(caller: Caller) -> None:
    await caller.open(caller.claim)
    await caller.own()
    await caller.ask.fail(caller.claim, 1)
    await caller.ask.start_child(caller.letter)
    await caller.ask.finish_child(caller.letter, Stage.CONFIRMED_CANCELLED)
    await caller.ask.start_child(caller.draft)


async def started_after_it_was_stopped_alone(caller: Caller) -> None:
    await caller.open(caller.claim)
    await caller.own()
    await caller.ask.request_cancel(caller.letter.ref, Scope.TASK, "stop")
    await caller.ask.request_cancel(caller.later, Scope.TASK, "stop of a later run")
    await caller.ask.start_child(caller.letter)


async def told_of_an_item_before_the_batch_was_admitted(caller: Caller) -> None:
    await caller.open(caller.claim)
    await caller.begin(caller.claim)
    batch = caller.batch
    receipt = batch.receiver.sign(batch.effect_id, batch.payload_digest, Finding.REJECTED, "second")
    await caller.ask.record_outcome(batch, ReceiptEvidence(receipt), item="second")
    await caller.ask.commit_effect(batch, 1)


async def stopped_with_its_owner_by_one_click(caller: Caller) -> None:
    await caller.open(caller.claim)
    await caller.own()
    await caller.stop(caller.claim, Scope.SUBTREE)
    await caller.stop(caller.letter.ref, Scope.SUBTREE)


async def failed_beside_a_stop_of_its_like(caller: Caller) -> None:
    await caller.open(caller.claim)
    await caller.own()
    await caller.ask.fail(caller.claim, 1)
    await caller.stop(caller.letter.ref)
    await caller.ask.renew_lease(caller.claim, 1)


WALKS: tuple[Walk, ...] = (
    shared_work_wants_itself,
    stopped_before_it_could_be_registered,
    subscriber_that_never_was,
    released_before_it_was_registered,
    subscribed_again_after_the_stop,
    completed_above_an_ended_child_that_owns_more,
    stopped_between_owner_and_owned,
    stopped_above_a_child_that_failed_and_owns_more,
    measured_when_nobody_wanted_it,
    widened_under_one_request_id,
    subscriber_expired_unseen,
    subscribed_after_its_lifetime,
    both_expire_at_once,
    stopped_after_its_owner_expired,
    started_below_an_owner_that_failed,
    started_after_it_was_stopped_alone,
    told_of_an_item_before_the_batch_was_admitted,
    stopped_with_its_owner_by_one_click,
    failed_beside_a_stop_of_its_like,
)


def scenario_of(walk: Walk) -> Scenario:
    def build(world: World) -> None:
        world.actor("caller", _walked(walk, Caller(world)))

    return Scenario(
        id="walk",
        title="A walk",
        sentence="Nothing is in doubt.",
        build=build,
        witnesses=(),
        needs=frozenset((Capability.CHILDREN,)),
    )


async def _walked(walk: Walk, caller: Caller) -> None:
    await walk(caller)


@pytest.mark.parametrize("gate", [MemoryGate, SqliteGate, RecordsForAll], ids=lambda gate: gate.__name__)
@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.__name__)
def test_nothing_is_said_of_a_right_gate(walk: Walk, gate: GateFactory) -> None:
    with ground(LoadedGate("test", gate), Granularity.CALLS) as interior:
        result = make_trial(scenario_of(walk), gate, Variant(), interior, CHECKS)(DefaultChooser())
    assert result.fault is None
    assert not result.violations, result.violations[0]
    assert result.rested
    assert not result.undecided

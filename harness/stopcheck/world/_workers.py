"""Workers: what they want to do, and how they behave when they are told to stop.

One idea: a worker is a plan and a temper. The plan is the same for all; the temper says what it does with a stop: a
right gate must contain every one of them.
"""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec

from stopcheck.gate import (
    AckStrength,
    Admitted,
    Busy,
    CancellationRecord,
    Done,
    Ended,
    ExistingChild,
    ExistingEffect,
    LeaseGranted,
    Lost,
    Right,
    Stage,
    StaleLease,
    Stopped,
    TaskRef,
    Trigger,
    Unverified,
    Won,
)
from stopcheck.kernel import OWN, sleep_until, wait_until
from stopcheck.world._client import CallerGone, Client
from stopcheck.world._effects import Child, Effect
from stopcheck.world._people import GIVEN_UP
from stopcheck.world._queue import Queue
from stopcheck.world._scenario import FaultKind

if TYPE_CHECKING:
    from stopcheck.world._world import World

#: How often a worker tries to complete before it gives the task up.
MAX_COMPLETIONS = 3
#: How often a worker that finds another's lease waits for that lease to end.
MAX_WAITS = 2
#: Where a crashing worker may die.
AFTER_BEGINNING = "after beginning"
AFTER_COMMITTING = "after committing"


class Temper(StrEnum):
    """How a worker behaves when it learns of a stop."""

    COOPERATIVE = "cooperative"
    #: Acknowledges only after the grace period and more.
    SLOW = "slow"
    #: Tries to go on, and never acknowledges.
    UNCOOPERATIVE = "uncooperative"
    #: Acknowledges, and then tries to go on.
    LYING = "lying"
    #: May die at any of its own steps.
    CRASHING = "crashing"
    #: Lost its lease to a replacement and does not know; goes on with the old epoch.
    PARTITIONED = "partitioned"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker wants: begin on ``task`` (told by ``queue``, or by itself), register ``children``, commit
    ``effects``, and complete.

    ``extra`` and ``late_child``: the effect and the child that an uncooperative or lying worker tries after it knows of
    the stop. ``completes_early``: it first tries to complete before there is evidence. ``then_inspects``: it reads the
    account at its end, so that what callers see belongs to the history. ``standby``: it takes only what the queue
    delivers again. ``as_child``: it works on that owned operation, and tells its parent when it starts and ends.
    """

    task: TaskRef
    effects: tuple[Effect, ...] = ()
    children: tuple[Child, ...] = ()
    extra: Effect | None = None
    late_child: Child | None = None
    queue: Queue | None = None
    standby: bool = False
    temper: Temper = Temper.COOPERATIVE
    trigger: Trigger = Trigger.FIRST
    completes: bool = True
    completes_early: bool = False
    then_inspects: bool = False
    as_child: Child | None = None


class _Over(Exception):
    """The worker has no more to do."""


class _Worker:
    def __init__(self, world: World, name: str, plan: Plan) -> None:
        self.world = world
        self.name = name
        self.plan = plan
        self.client: Client = world.client(name, Right.WORK, Right.INSPECT)
        self.client.alive = lambda: name not in world.gone
        self.epoch = 0
        self.record: CancellationRecord | None = None

    def _keeps(self, *place: Any) -> None:
        """Whatever it has heard: where it stands in its plan, its epoch and the record decide what it does next."""
        record = self.record
        known = None if record is None else (record.revision, record.causes[0].at_ns)
        self.world.remembers(*place, self.epoch, known)

    # -- the plan -----------------------------------------------------------------------------------------

    async def run(self) -> None:
        plan = self.plan
        delivery, trigger = f"direct to {self.name}", plan.trigger
        if plan.queue is not None:
            message = await plan.queue.receive(self.name, standby=plan.standby)
            delivery, trigger = message.delivery_id, message.trigger
        if plan.as_child is not None:
            await self._start_as_child(plan.as_child)
        await self._begin(delivery, trigger)
        self._may_die(AFTER_BEGINNING)
        self._keeps("began")
        for number, child in enumerate(plan.children):
            await self._register(child)
            self._keeps("registered", number)
        for number, effect in enumerate(plan.effects):
            await self._commit(effect)
            self._may_die(AFTER_COMMITTING)
            self._keeps("committed", number)
        if plan.completes:
            await self._complete()

    async def _start_as_child(self, child: Child) -> None:
        await wait_until("registered", lambda: child.ref in self.world.registered_children, OWN)
        reply = await self.client.start_child(child)
        if isinstance(reply, Stopped):
            await self._refused(reply.record)
        if not isinstance(reply, Done):
            raise _Over

    async def _begin(self, delivery: str, trigger: Trigger) -> None:
        for wait in range(MAX_WAITS + 1):
            reply = await self.client.begin_work(self.plan.task, self.name, delivery, trigger)
            if isinstance(reply, LeaseGranted):
                self.epoch = reply.epoch
                return
            if isinstance(reply, Stopped):
                await self._refused(reply.record)
            if not isinstance(reply, Busy) or wait == MAX_WAITS:
                break
            lease_ns = self.world.port.contract.lease_ns
            await sleep_until("other lease", self.world.now_ns() + lease_ns, f"{self.name}: the other's lease")
        raise _Over

    async def _register(self, child: Child) -> None:
        reply = await self.client.register_child(child, self.epoch)
        if isinstance(reply, Done | ExistingChild):
            self.world.registered_children.append(child.ref)
        else:
            await self._unwelcome(reply)

    async def _commit(self, effect: Effect) -> None:
        reply = await self.client.commit_effect(effect, self.epoch)
        if isinstance(reply, Admitted | ExistingEffect):
            self.world.post(effect)
        else:
            await self._unwelcome(reply)

    # -- completing ---------------------------------------------------------------------------------------

    async def _complete(self) -> None:
        if self.plan.completes_early and await self._completed():
            return
        for time in range(MAX_COMPLETIONS):
            self._keeps("completes", time)
            await wait_until("outcomes", self._nothing_open, OWN)
            if await self._completed():
                return
            if any(self.world.outcomes.get(e.effect_id) == GIVEN_UP for e in self.plan.effects):
                break
        await self.client.fail(self.plan.task, self.epoch)
        await self._end_as_child(Stage.FAILED)

    async def _completed(self) -> bool:
        reply = await self.client.complete(self.plan.task, self.epoch)
        if isinstance(reply, Won):
            await self._end_as_child(Stage.COMPLETED)
            return True
        if isinstance(reply, Unverified):
            return False
        await self._unwelcome(reply)
        raise _Over

    def _nothing_open(self) -> bool:
        """Whether waiting is over: nothing of its own is open, or it was told to stop. Once so, always so: when it
        goes on is nobody else's affair."""
        world, plan = self.world, self.plan
        owners = {plan.task, plan.as_child.parent if plan.as_child else plan.task}
        told = self.name in world.signalled or not owners.isdisjoint(world.records)
        return told or (
            all(e.effect_id in world.once_settled for e in plan.effects)
            and all(child.ref in world.finished_children for child in plan.children)
        )

    # -- the stop -----------------------------------------------------------------------------------------

    async def _unwelcome(self, reply: Any) -> None:
        """Something else than what the plan needs: a stop, an end, a lost lease."""
        if isinstance(reply, Stopped | Lost):
            await self._stop(reply.record)
        if isinstance(reply, StaleLease):
            self.world.worker_acted(self.name, self.plan.task, "noticed", "its lease is stale")
            if self.plan.temper is Temper.PARTITIONED:
                return
        if isinstance(reply, Ended):
            self.world.worker_acted(self.name, self.plan.task, "noticed", "ended")
        raise _Over

    async def _refused(self, record: CancellationRecord) -> None:
        self.record = record
        self.world.worker_acted(self.name, self.plan.task, "noticed", "before it began")
        self.world.stopped_workers.append(self.name)
        await self._end_as_child(Stage.CONFIRMED_CANCELLED)
        raise _Over

    async def _stop(self, record: CancellationRecord) -> None:
        self.record = record
        self._keeps("stops")
        self.world.worker_acted(self.name, self.plan.task, "noticed", "the stop")
        temper = self.plan.temper
        if temper is Temper.PARTITIONED:
            await self._acknowledge(AckStrength.HANDLER_STOPPED)
        if temper in (Temper.UNCOOPERATIVE, Temper.PARTITIONED):
            await self._try_on()
            raise _Over
        if temper is Temper.SLOW:
            late = record.causes[0].at_ns + 2 * self.world.port.contract.grace_ns
            await sleep_until("slow", max(late, self.world.now_ns()), f"{self.name}: slow acknowledgement")
        else:
            await self._acknowledge(AckStrength.OBSERVED)
        await self._acknowledge(AckStrength.HANDLER_STOPPED)
        self.world.stopped_workers.append(self.name)
        if temper is Temper.LYING:
            await self._try_on()
        else:
            await self._end_as_child(Stage.CONFIRMED_CANCELLED)
        raise _Over

    async def _acknowledge(self, strength: AckStrength) -> None:
        assert self.record is not None
        await self.client.acknowledge(self.plan.task, self.epoch, strength, self.record.revision)

    async def _try_on(self) -> None:
        """Go on although it knows better: the gate has to contain it."""
        plan = self.plan
        self._keeps("tries on")
        if plan.late_child is not None:
            reply = await self.client.register_child(plan.late_child, self.epoch)
            if isinstance(reply, Done | ExistingChild):
                self.world.registered_children.append(plan.late_child.ref)
        if plan.extra is not None:
            reply = await self.client.commit_effect(plan.extra, self.epoch)
            if isinstance(reply, Admitted | ExistingEffect):
                self.world.post(plan.extra)

    async def _end_as_child(self, stage: Stage) -> None:
        child = self.plan.as_child
        if child is not None:
            await self.client.finish_child(child, stage)
            self.world.finished_children.append(child.ref)

    def _may_die(self, when: str) -> None:
        world = self.world
        if self.plan.temper is not Temper.CRASHING or not world.purse.may(FaultKind.WORKER):
            return
        if world.kernel.fault(f"{self.name} {when}", ("lives", "dies")) == "dies":
            world.purse.spend(FaultKind.WORKER)
            world.worker_acted(self.name, self.plan.task, "died", when)
            world.lose(self.name)
            raise _Over


async def work(world: World, name: str, plan: Plan) -> None:
    """A worker's life. One that is gone no longer does anything: it neither gives its message back nor looks."""
    worker = _Worker(world, name, plan)
    with suppress(_Over, CallerGone):
        await worker.run()
    if name in world.gone:
        return
    world.remembers("over")
    if plan.queue is not None:
        plan.queue.done(name)
    if plan.then_inspects:
        with suppress(CallerGone):
            await worker.client.inspect(plan.task)


class Holder:
    """A worker that holds a lease: its caller, and the epoch that it was granted in setup."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.epoch = 0


async def get_under_way(
    world: World,
    holder: Holder,
    name: str,
    task: TaskRef,
    trigger: Trigger,
    children: tuple[Child, ...],
    effects: tuple[Effect, ...],
) -> None:
    """What a worker did in setup, where everything goes well."""
    client = holder.client
    lease = await client.begin_work(task, name, f"direct to {name}", trigger)
    holder.epoch = lease.epoch if isinstance(lease, LeaseGranted) else 0
    for child in children:
        await client.register_child(child, holder.epoch)
        world.registered_children.append(child.ref)
    for effect in effects:
        await client.commit_effect(effect, holder.epoch)
        world.post(effect)

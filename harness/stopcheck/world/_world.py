"""The simulated world of one run: what a scenario's ``build`` declares, and the state that its actors share.

One idea: everything that an actor learns from another goes through this object, and is *heard* by it, so that the
world's state is the sum of what stands here, what receivers hold, the gate's fingerprint and what actors have heard.
"""

from __future__ import annotations

import hashlib
from collections.abc import Coroutine, Sequence
from typing import Any

import msgspec

from stopcheck.gate import (
    Caller,
    CancellationClass,
    CancellationRecord,
    Capability,
    Cause,
    Evidence,
    GateFactory,
    OwnedKind,
    Receipt,
    Right,
    Scope,
    TaskKey,
    TaskRef,
    Trigger,
)
from stopcheck.kernel import Kernel, wait_until
from stopcheck.world import _people as people
from stopcheck.world import _workers as workers
from stopcheck.world._admitted import ANSWER_LABEL, UNANSWERED
from stopcheck.world._budget import Purse
from stopcheck.world._cast import Cast, cast_for
from stopcheck.world._client import Client
from stopcheck.world._effects import Child, Effect, Message
from stopcheck.world._events import EffectDeclared, Entry, Event, InnerPoint, Observer, TaskDeclared, WorkerActed
from stopcheck.world._gate_port import GatePort
from stopcheck.world._interior import Death, Interior
from stopcheck.world._queue import Queue
from stopcheck.world._receivers import MAIL, Abilities, Receiver
from stopcheck.world._scenario import FaultKind, Granularity, Scenario, Variant
from stopcheck.world._sights import Watched
from stopcheck.world._state import digest_of
from stopcheck.world._workers import Holder

_AT_REST = "others at rest"


class World:
    """What ``Scenario.build`` is given."""

    def __init__(
        self,
        scenario: Scenario,
        factory: GateFactory,
        variant: Variant,
        kernel: Kernel,
        interior: Interior,
        observers: Sequence[Observer],
    ) -> None:
        self.scenario = scenario
        self.variant = variant
        self.kernel = kernel
        self.cast: Cast = cast_for(scenario.id)
        self.purse = Purse(scenario.budget)
        self.tasks: list[TaskRef] = []
        self.effects: list[Effect] = []
        self.receivers: dict[str, Receiver] = {}
        self.queues: list[Queue] = []
        self.events: list[Event] = []
        self.plans: dict[str, workers.Plan] = {}
        self.watched: list[str] = []
        self.outboxes: dict[str, list[Effect]] = {}
        self.outcomes: dict[str, str] = {}
        self.once_settled: set[str] = set()
        self.records: dict[TaskRef, CancellationRecord] = {}
        self.signalled: list[str] = []
        self.gone: list[str] = []
        self.stopped_workers: list[str] = []
        self.registered_children: list[TaskRef] = []
        self.finished_children: list[TaskRef] = []
        self.phase = "setup"
        self._observers = observers
        self._clients = 0
        self._last_event_step = 0
        self.sights = Watched([witness.seen for witness in scenario.witnesses])
        self._setup: list[Coroutine[Any, Any, Any]] = []
        self._cast_of_actors: list[tuple[str, Coroutine[Any, Any, Any]]] = []
        self.port = GatePort(self, factory, interior, variant.handles)

    # -- declarations -------------------------------------------------------------------------------------

    def task(
        self,
        name: str,
        *,
        incarnation: int = 1,
        parent: TaskRef | None = None,
        shared: bool = False,
        tenant: str | None = None,
    ) -> TaskRef:
        """Declare a task. It is opened by ``opens`` (or, for a child, by its registration)."""
        ref = TaskRef(TaskKey(tenant or self.cast.tenant, name), incarnation)
        self.tasks.append(ref)
        self.emit(TaskDeclared(ref, parent, shared))
        return ref

    def receiver(self, name: str, abilities: Abilities = MAIL) -> Receiver:
        """Declare a receiver."""
        receiver = Receiver(self, name, abilities)
        self.receivers[name] = receiver
        return receiver

    def effect(
        self,
        task: TaskRef,
        effect_id: str,
        receiver: Receiver,
        cancellation_class: CancellationClass = CancellationClass.IRREVERSIBLE,
        payload: str | None = None,
        items: tuple[str, ...] = (),
    ) -> Effect:
        """Declare an effect that a worker may try to make; its payload is the cast's mail unless given. ``items``: it
        is a batch of these."""
        payload = payload or f"{effect_id} to {self.cast.recipient}: {self.cast.subject}"
        digest = hashlib.blake2b(payload.encode(), digest_size=8).hexdigest()
        effect = Effect(
            task, effect_id, digest, receiver, cancellation_class, effect_id.replace("-", "_"), payload, items
        )
        self.effects.append(effect)
        able = receiver.abilities
        self.emit(
            EffectDeclared(
                task, effect_id, digest, receiver.name, able.idempotent, able.lookup.value, able.can_fence, items
            )
        )
        return effect

    def queue(self, name: str) -> Queue:
        """Declare a queue."""
        queue = Queue(self, name)
        self.queues.append(queue)
        return queue

    def child(
        self,
        parent: TaskRef,
        name: str,
        kind: OwnedKind = OwnedKind.CHILD_TASK,
        *,
        cap_ns: int | None = None,
        minimum_ns: int = 0,
        reserve_ns: int = 0,
        cancellation_class: CancellationClass | None = None,
    ) -> Child:
        """Declare an owned operation of ``parent``; its task is opened by its registration."""
        ref = self.task(name, parent=parent)
        owner = f"worker of {parent.key.task_id}"
        return Child(parent, ref, kind, owner, cap_ns, minimum_ns, reserve_ns, cancellation_class)

    # -- who acts -----------------------------------------------------------------------------------------

    def client(self, principal: str, *rights: Right, handle: int | None = None) -> Client:
        """A caller of this tenant. With two handles, callers are spread over both in order of declaration."""
        if handle is None:
            handle = self._clients % self.variant.handles
            self._clients += 1
        return Client(self, Caller(principal, self.cast.tenant, tuple(rights)), handle)

    def prepare(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Something that has happened before the run's first choice."""
        self._setup.append(coroutine)

    def opens(self, task: TaskRef, deadline_ns: int | None = None) -> None:
        """The task is open when the run begins."""
        self.prepare(self.client("opener", Right.OPEN, handle=0).open_task(task, deadline_ns))

    def under_way(
        self,
        task: TaskRef,
        worker: str = "worker",
        *,
        trigger: Trigger = Trigger.FIRST,
        children: tuple[Child, ...] = (),
        effects: tuple[Effect, ...] = (),
    ) -> Holder:
        """A worker has begun on ``task``, registered ``children`` and committed ``effects`` before the run's first
        choice. It does nothing more; whoever is given the holder may act in its name."""
        holder = Holder(self.client(worker, Right.WORK))
        effects = effects if self.port.contract.ledger else ()
        self.prepare(workers.get_under_way(self, holder, worker, task, trigger, children, effects))
        return holder

    def actor(self, name: str, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Declare an actor; the order of declaration is the default order."""
        self._cast_of_actors.append((name, coroutine))

    def worker(self, name: str, plan: workers.Plan) -> None:
        """A worker that carries out ``plan``."""
        if not self.port.contract.ledger:
            plan = msgspec.structs.replace(plan, effects=(), extra=None)
        self.plans[name] = plan
        self.actor(name, workers.work(self, name, plan))

    def delivers(
        self, queue: Queue, task: TaskRef, delivery_id: str = "delivery-1", trigger: Trigger = Trigger.FIRST
    ) -> None:
        """A message for ``task`` waits on ``queue``."""
        queue.publish(Message(task, delivery_id, trigger))

    def dispatcher(self, name: str = "dispatcher", *, resends: bool = False) -> None:
        """Claims admitted effects, sends them and records what came of it."""
        self.outboxes[name] = []
        self.actor(name, people.dispatch(self, name, self.client(name, Right.DISPATCH), resends=resends))

    def reconciler(self, name: str = "reconciler") -> None:
        """Looks up effects in doubt, with read authority only."""
        self.actor(name, people.reconcile(self, self.client(name, Right.RECONCILE)))

    def person(
        self,
        name: str,
        task: TaskRef,
        scope: Scope = Scope.TASK,
        *,
        cause: Cause = Cause.USER,
        presses: int = 1,
        withdraws: tuple[Effect, ...] = (),
        then_inspects: bool = True,
    ) -> None:
        """Somebody who presses Stop, ``presses`` times, withdraws effects where the gate can, and then looks."""
        client = self.client(self.cast.person if name == "person" else name, Right.STOP, Right.INSPECT)
        wish = people.Wish(
            task=task,
            scope=scope,
            cause=cause,
            presses=presses,
            withdraws=withdraws if self.port.contract.has(Capability.SUPPRESSION) else (),
            then_inspects=then_inspects,
        )
        self.actor(name, people.press_stop(self, client, name, wish))

    def supervisor(self, task: TaskRef, watched: tuple[str, ...], *, killable: bool = True) -> None:
        """Signals after a stop; after the grace period uses force, and probes."""
        self.watched += watched
        client = self.client("supervisor", Right.SUPERVISE, Right.INSPECT)
        self.actor("supervisor", people.supervise(self, client, task, watched, killable=killable))

    async def others_at_rest(self) -> None:
        """Do not move before everybody else has finished or waits for something that has not come. What follows is
        cheap to explore: it does not interleave."""
        await wait_until(_AT_REST, self._others_rest)

    def _others_rest(self) -> bool:
        for actor in self.kernel.actors:
            park = actor.park
            rests = park.label == _AT_REST or (park.ready is not None and park.wake_ns is None and not park.ready())
            if not (actor.done or rests):
                return False
        return True

    # -- shared state -------------------------------------------------------------------------------------

    def now_ns(self) -> int:
        """Virtual time."""
        return self.kernel.now_ns

    def actor_name(self) -> str:
        """Who is moving."""
        current = self.kernel.current
        return current.name if current is not None else ""

    def hear(self, value: Any) -> None:
        """The moving actor learns something."""
        current = self.kernel.current
        if current is not None:
            current.hear(value)

    def remembers(self, *kept: Any) -> None:
        """Of all that the moving actor has heard and done, only ``kept`` decides what it does next. Saying so makes a
        search shorter; to leave out something that does decide makes it wrong, which its audit may find."""
        current = self.kernel.current
        if current is not None:
            current.remember(*kept)

    def emit(self, event: Event) -> None:
        """Write an event into the log and tell the observers."""
        entry = Entry(self.kernel.steps, self.kernel.now_ns, event)
        self.kernel.log.append(entry)
        if type(event) is not InnerPoint:
            self.events.append(event)
            self._last_event_step = self.kernel.steps
        for observer in self._observers:
            observer.observe(entry)

    def post(self, effect: Effect) -> None:
        """An admitted effect is ready to be sent: every dispatcher hears of it."""
        for outbox in self.outboxes.values():
            outbox.append(effect)

    def note_outcome(self, effect_id: str, what: str) -> None:
        """What a dispatcher or a reconciler leaves behind about an effect."""
        self.outcomes[effect_id] = what
        if what in (people.KNOWN, people.GIVEN_UP):
            self.once_settled.add(effect_id)

    def late_answer(self, effect: Effect, evidence: Evidence) -> None:
        """The receiver's answer arrives after its sender gave up."""
        client = self.client("dispatcher", Right.DISPATCH, handle=0)
        self.kernel.spawn("late", people.record_late(self, client, effect, evidence))

    def worker_acted(self, worker: str, task: TaskRef, what: str, detail: str = "") -> None:
        """A worker did something outside the gate."""
        self.emit(WorkerActed(self.actor_name(), worker, task, what, detail))

    def lose(self, worker: str) -> None:
        """A worker is gone: it makes no further call, and its message goes to another."""
        self.gone.append(worker)
        for queue in self.queues:
            queue.consumer_died(worker)

    def verify(self, receipt: Receipt) -> bool:
        """Whether a receipt is genuine."""
        receiver = self.receivers.get(receipt.receiver)
        return receiver is not None and receiver.verifies(receipt)

    def permit_is_genuine(self, permit: str, effect_id: str) -> bool:
        """Whether a claim gave this permit for this effect."""
        return self.port.permits.get(permit) == effect_id

    def may_crash(self) -> bool:
        """Whether the gate may die now."""
        return self.phase == "main" and self.port.contract.durable and self.purse.may(FaultKind.CRASH)

    def may_crash_now(self) -> bool:
        """Whether a death is worth trying at this scheduling point. Between whole calls the gate does nothing, so a
        death commutes with what comes after a call: it is offered after a call only, while nothing was seen and no time
        passed since. (Not only right after it: the order of a call and of a step that nobody sees would then decide
        whether a death is on offer.)"""
        if not self.may_crash():
            return False
        if self.variant.granularity is Granularity.INNER:
            return True
        return self.port.last_call == (self._last_event_step, self.kernel.now_ns)

    def crash_before_answer(self, operation: str) -> Death | None:
        """Ask whether, and how, the gate dies between its transition and its answer."""
        may_be_lost = self.scenario.budget.lost_answers
        if not self.may_crash() or (may_be_lost and operation not in may_be_lost):
            return None
        deaths = {UNANSWERED[death]: death for death in self.port.deaths}
        death = deaths.get(self.kernel.fault(ANSWER_LABEL + operation, ("answered", *deaths)))
        if death is not None:
            self.purse.spend(FaultKind.CRASH)
        return death

    # -- for the run --------------------------------------------------------------------------------------

    def start_setup(self) -> None:
        """Spawn what happened before."""

        async def setup() -> None:
            for coroutine in self._setup:
                await coroutine

        self.kernel.spawn("setup", setup())

    def start_actors(self) -> None:
        """Spawn the declared actors."""
        for name, coroutine in self._cast_of_actors:
            self.kernel.spawn(name, coroutine)

    def close(self) -> None:
        """The run is over: whoever was declared and never came to act is dismissed."""
        for coroutine in (*self._setup, *(coroutine for _, coroutine in self._cast_of_actors)):
            coroutine.close()

    def state(self) -> bytes:
        """The digest of everything from which this run goes on."""
        return digest_of(self, self._observers)

"""The port to the gate under test: its handles, its open calls, its death and its return.

One idea: the world talks to the gate only here, so that each call's interval, each reply's type and each crash is
seen in one place. A call is answered by the gate, or, where the gate died under it, by the harness with ``Indefinite``;
nothing else is an answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from stopcheck.gate import (
    AdapterFault,
    ClaimGranted,
    Durability,
    Gate,
    GateContract,
    GateFactory,
    HostKind,
    Indefinite,
    Receipt,
    Reply,
    Request,
    Resend,
    SerialisationRefuted,
    Snapshot,
    Unsupported,
)
from stopcheck.kernel import (
    Actor,
    HappensBefore,
    HungError,
    LoopCall,
    Park,
    branch,
    perform,
)
from stopcheck.world._adapter_faults import (
    call_raised,
    fingerprint_of,
    missing_operation,
    never_returned,
    open_gate,
    wrong_reply,
)
from stopcheck.world._code_places import operation_place, suspended_place
from stopcheck.world._environment import RunEnvironment
from stopcheck.world._events import Called, GateDied, InnerPoint, Returned
from stopcheck.world._interior import Death, Interior
from stopcheck.world._scenario import Granularity

if TYPE_CHECKING:
    from stopcheck.world._world import World


_encode = msgspec.msgpack.Encoder(order="deterministic").encode


class OpenCall:
    """A call whose interval is open."""

    __slots__ = ("actor", "call_id", "digest", "effect_id", "handle", "key", "operation", "promised", "where")

    def __init__(self, call_id: str, actor: Actor, handle: int, operation: str, effect_id: str) -> None:
        self.call_id = call_id
        self.actor = actor
        self.handle = handle
        self.operation = operation
        self.digest = b""
        self.where = ""
        self.key: object = None
        #: What the gate says that the call's next segment touches; empty: it may touch everything.
        self.promised: tuple[str, ...] = ()
        self.effect_id = effect_id

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.operation} (call {self.call_id})"


class GatePort:
    """Opens the gate's handles, makes calls on them, kills and reopens them."""

    def __init__(self, world: World, factory: GateFactory, interior: Interior, handles: int) -> None:
        self.contract: GateContract = factory.contract
        self.inner_operations: dict[str, int] = {}
        self.called_operations: dict[str, int] = {}
        self.generation = 0
        self.permits: dict[str, str] = {}
        self.bury: Callable[[], None] = _nothing
        self._world = world
        self._factory = factory
        self._interior = interior
        self._count = handles
        self._gates: list[Gate] = []
        self._environments: list[RunEnvironment] = []
        self._dead: list[Gate] = []
        self._counter: dict[str, int] = {}
        self._open: dict[str, OpenCall] = {}
        self._by_actor: dict[str, OpenCall] = {}
        self._ordinals: dict[str, int] = {}
        #: The step in which the latest call began, and the time.
        self.last_call = (0, 0)
        self._opaque = not factory.contract.fingerprint
        self._in_a_loop = factory.contract.host in {HostKind.TRIO, HostKind.ASYNCIO}
        self._waiting: list[OpenCall] = []
        self._unseen = b""
        self._history = HappensBefore()
        self._storage: Path | None = None
        self._old_storages: list[Path] = []

    # -- handles ------------------------------------------------------------------------------------------

    def open_handles(self) -> None:
        """Make the gate's handles on the current storage."""
        for _ in range(self._count):
            environment = RunEnvironment(
                storage=self._place,
                now=self._world.now_ns,
                verify=self._verify,
                counter=self._counter,
                inner=self._world.variant.granularity is Granularity.INNER,
                heard=self._heard,
            )
            with self._interior.opening():
                gate = open_gate(self._factory, environment)
            self._environments.append(environment)
            self._gates.append(gate)

    def _place(self) -> Path:
        """The gate's directory; made when somebody asks for it, since a volatile gate never does."""
        if self._storage is None:
            self._storage = self._interior.fresh_storage()
        return self._storage

    def _heard(self, value: object) -> None:
        """The gate learned something from its environment. What one call is told may depend on what another was (the
        next id is), so all of it is in one order."""
        self._interior.heard(value)
        if self._opaque:
            self._history.happened(self._world.actor_name(), repr(value).encode(), ("environment",))

    def _verify(self, receipt: Receipt) -> bool:
        return self._world.verify(receipt)

    def close(self) -> None:
        """The run is over."""
        self._interior.over()
        for gate in self._gates:
            with suppress(Exception):  # the run is over: what a gate's own clean-up raises breaks no clause
                gate.close()
        self._interior.end()
        for storage in [*self._old_storages, *([self._storage] if self._storage is not None else [])]:
            self._interior.discard(storage)

    # -- calls --------------------------------------------------------------------------------------------

    async def call(self, handle: int, operation: str, make: Callable[[str, int], Request]) -> Any:
        """Make one call: a branch point before it, then the call itself, then perhaps a death before its answer."""
        await branch(operation, ("gate",))
        actor = self._world.kernel.current
        assert actor is not None
        call_id = self._next_id(actor)
        request = make(call_id, self._world.now_ns())
        call = OpenCall(call_id, actor, handle, operation, getattr(request, "effect_id", ""))
        self.last_call = (self._world.kernel.steps, self._world.now_ns())
        self._open[call_id] = self._by_actor[actor.name] = call
        self.called_operations[operation] = self.called_operations.get(operation, 0) + 1
        if self._opaque:
            self._history.happened(actor.name, _encode(request) + bytes((handle,)))
        self._world.emit(Called(call_id, actor.name, handle, operation, request))
        generation = self.generation
        try:
            reply = await perform(lambda: self._invoke(handle, request))
        except (KeyboardInterrupt, GeneratorExit, HungError):
            raise
        except BaseException as error:  # a gate that calls sys.exit() must not end the kit
            raise call_raised(call.name, self.contract.host, error) from error
        if self.generation != generation:
            return reply
        self._check(call, request, reply)
        death = self._world.crash_before_answer(operation)
        if death is not None:
            del self._open[call_id]
            self.die(death)
            reply = Indefinite()
        self._close_call(call, reply)
        return reply

    def _next_id(self, actor: Actor) -> str:
        number = self._ordinals.get(actor.name, 0) + 1
        self._ordinals[actor.name] = number
        return f"{actor.name}#{number}"

    def _invoke(self, handle: int, request: Request) -> Any:
        return getattr(self._gates[handle], request.operation)(request)

    def _check(self, call: OpenCall, request: Request, reply: Any) -> None:
        fault: AdapterFault | None = wrong_reply(call.name, call.operation, reply)
        if fault is None and type(reply) is Unsupported:
            fault = missing_operation(call.name, request, reply, self._gates[call.handle])
        if fault is not None:
            raise fault

    def check_returned(self) -> None:
        """Nothing can happen any more: a call that is open now never returns."""
        if self._open:
            raise never_returned([(call.name, call.where) for call in self._open.values()])

    def _close_call(self, call: OpenCall, reply: Reply | Snapshot) -> None:
        self._open.pop(call.call_id, None)
        self._by_actor.pop(call.actor.name, None)
        if isinstance(reply, ClaimGranted | Resend):
            self.permits[reply.permit] = call.effect_id
        where = call.where or self._interior.place(call.key) or self._defined(call)
        self._world.emit(Returned(call.call_id, call.actor.name, call.operation, reply, where))

    def _defined(self, call: OpenCall) -> str:
        """Where the operation is written, for a call that never parked and one whose gate is dead."""
        gates = self._gates or self._dead
        return operation_place(type(gates[0]), call.operation) if gates else ""

    @property
    def step(self) -> int:
        """The step of the run that is being made."""
        return self._world.kernel.steps

    # -- inside a call ------------------------------------------------------------------------------------

    @property
    def digests_segments(self) -> bool:
        """Whether what a call does in each of its segments must be digested: where a call can park, and nobody else
        sees what it reads; and always for a gate without a fingerprint."""
        parks = self._in_a_loop or self._world.variant.granularity is Granularity.INNER
        return self._opaque or (parks and not self._interior.watches_reads)

    def before_segment(self, actor: Actor, key: object) -> None:
        """A call is about to run on. What it reads now may decide what it does, so it enters its digest, and that of
        each call that this step may release, which then runs on within it."""
        call = self._by_actor.get(actor.name)
        if call is None:
            return
        if self._opaque:
            self._history.happened(actor.name, f"{call.call_id}|{self._world.now_ns()}".encode(), call.promised)
            return
        print_ = fingerprint_of(self._gates[call.handle]) or b""
        call.digest = hashlib.blake2b(call.digest + print_, digest_size=16).digest()
        if isinstance(key, LoopCall):
            for other in self._waiting:
                if other is not call:
                    other.digest = hashlib.blake2b(other.digest + call.digest, digest_size=16).digest()
            if key.others_live:
                self._unseen = hashlib.blake2b(self._unseen + call.digest, digest_size=16).digest()

    def _note_waiting(self, call: OpenCall, *, waits: bool) -> None:
        """Of those who wait for one lock the first is served first, and no fingerprint says who that is."""
        ahead = [other for other in self._waiting if other is not call and other.call_id in self._open]
        self._waiting = [*ahead, call] if waits else ahead
        if waits:
            names = "|".join(other.call_id for other in ahead)
            call.digest = hashlib.blake2b(call.digest + names.encode(), digest_size=16).digest()

    def ran_through(self, actor: Actor, park: Park, key: object) -> None:
        """A call came to a point at which others could run, and is driven on, as whole calls are tried."""
        call = self._by_actor.get(actor.name)
        if call is not None and self.contract.serialised_calls:
            raise self._refuted(call, park, suspended_place(getattr(key, "coroutine", None)))

    def _refuted(self, call: OpenCall, park: Park, where: str) -> SerialisationRefuted:
        others = sorted(c.call_id for c in self._open.values() if c is not call)
        meanwhile = f"while {', '.join(others)} is open" if others else "inside the call, where another may begin"
        return SerialisationRefuted(
            f"{call.name} yields at {park.label!r}{where and f' ({where})'} {meanwhile}",
            cause="the gate declares serialised_calls, but its calls can overlap",
            hint="declare serialised_calls=False: the kit then explores what happens between them",
        )

    def at_inner_point(self, actor: Actor, park: Park, key: object) -> None:
        """A call parked inside the gate."""
        call = self._by_actor.get(actor.name)
        if call is None:
            return
        call.key = key
        call.promised = park.touches if park is self._environments[call.handle].promised else ()
        if isinstance(key, LoopCall):
            self._note_waiting(call, waits=key.waits)
        call.where = self._interior.place(key) or suspended_place(getattr(key, "coroutine", None))
        if self.contract.serialised_calls and len(self._open) > 1:
            raise self._refuted(call, park, call.where)
        if not park.blocked or park.wake_ns is not None:  # also one that sleeps: others move before it goes on
            self.inner_operations[call.operation] = self.inner_operations.get(call.operation, 0) + 1
        self._world.emit(InnerPoint(call.call_id, actor.name, call.operation, park.label, call.where))

    # -- death --------------------------------------------------------------------------------------------

    @property
    def deaths(self) -> tuple[Death, ...]:
        """How the gate may die: in each way that it claims to survive and that can be tried."""
        power = self.contract.durability is Durability.POWER_LOSS and self._interior.loses_power
        return (Death.PROCESS, Death.POWER) if power else (Death.PROCESS,)

    def die(self, death: Death) -> None:
        """Handles die, the storage is copied as it lies on the disk, or as the loss of power leaves it, and new handles
        open on the copy."""
        self.generation += 1
        for environment in self._environments:
            environment.dead = True
        self.bury()
        self._interior.kill()
        self._dead.extend(self._gates)
        self._gates.clear()
        self._environments.clear()
        victims = sorted(self._open.values(), key=lambda c: c.call_id)
        self._history.happened("", death.value.encode())
        self._world.emit(GateDied(death.value, self.generation))
        for call in victims:
            self._close_call(call, Indefinite())
            if call.actor.call is not None:
                self._world.kernel.abandon(call.actor, Indefinite())
        if self._storage is not None:
            self._old_storages.append(self._storage)
            self._storage = self._interior.survive(self._storage, death)
        self.open_handles()

    # -- state --------------------------------------------------------------------------------------------

    def digest(self) -> bytes | None:
        """The gate's state for the cache key: its fingerprint, or else all that it went through, in what order as far
        as that may matter. ``None`` when it declares a fingerprint and does not give it."""
        unsynced = b"" if self._storage is None else self._interior.unsynced(self._storage)
        if self._opaque:
            return self._history.digest() + unsynced
        digest = hashlib.blake2b(unsynced, digest_size=16)
        digest.update(self._interior.held())
        for gate in self._gates:
            print_ = fingerprint_of(gate)
            if print_ is None:
                return None
            digest.update(len(print_).to_bytes(4, "big") + print_)
        for call in self._open.values():
            digest.update(f"|{call.call_id}|".encode() + call.digest + self._interior.reads(call.key))
        digest.update(f"{self.generation}{sorted(self._counter.items())}".encode() + self._unseen)
        return digest.digest()


def _nothing() -> None:
    """There is no event loop to bury."""

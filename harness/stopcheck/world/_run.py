"""One run: a pure function of the scenario, the adapter and the answers of ``choose``.

One idea: a run has four phases. *setup* (no choices), *main* (everything is a choice), *final* (faults off, the
default order, ticks at the gate's own wake-up times until it names none), *account* (what ``inspect`` answers and
what receivers really hold). The judge follows as an observer; the record keeps what happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from stopcheck import kernel as hosts
from stopcheck.gate import (
    AdapterFault,
    GateFactory,
    GateHung,
    HostKind,
    HostMismatch,
    Right,
    Ticked,
)
from stopcheck.kernel import (
    Bounds,
    Cut,
    Ending,
    ForeignAwaitError,
    Host,
    HungError,
    InlineHost,
    Kernel,
    Point,
    ThreadHost,
    sleep_until,
)
from stopcheck.world._admitted import STRIKES, Admitted, admitted
from stopcheck.world._budget import NamedTimers, Purse
from stopcheck.world._events import Event, FinalAccount, LogLine, Observer, PhaseBegan, render_log
from stopcheck.world._forks import forks_refused, refused_fork
from stopcheck.world._in_turn import AtRest
from stopcheck.world._interior import Interior
from stopcheck.world._port_host import PortHost, Segments
from stopcheck.world._scenario import FaultKind, Granularity, Scenario, Variant
from stopcheck.world._world import World

#: How many ticks the final phase makes before it gives up on a gate that names ever further wake-ups.
MAX_TICKS = 64


class Record(msgspec.Struct):
    """What a run left: its log, how it ended, and what was seen.

    ``cut``: a strategy ended the run because what follows is known. ``fault``: the adapter broke the protocol.
    ``rested``: the final phase came to rest within its bounds. ``admitted``: all that the scenario admits.
    """

    scenario: str
    variant: Variant
    ending: Ending
    log: list[LogLine]
    events: list[Event]
    witnesses: frozenset[str]
    rested: bool
    fault: AdapterFault | None = None
    steps: int = 0
    called: dict[str, int] = {}
    inner: dict[str, int] = {}
    admitted: Callable[[], list[Admitted]] = list

    @property
    def cut(self) -> bool:
        """Whether the run was ended early by its strategy."""
        return self.ending is Ending.CUT

    def rendered(self) -> bytes:
        """The log as canonical JSON lines."""
        return render_log(self.log)


class _Death:
    """The gate's death, in each way in which it may die, as a peril at every scheduling point."""

    def __init__(self, world: World) -> None:
        self._world = world

    def options(self) -> tuple[str, ...]:
        return tuple(STRIKES[death] for death in self._world.port.deaths) if self._world.may_crash_now() else ()

    def strike(self, option: str) -> None:
        self._world.purse.spend(FaultKind.CRASH)
        self._world.port.die(next(death for death, name in STRIKES.items() if name == option))


def host_for(
    factory: GateFactory,
    granularity: Granularity,
    thread_host: ThreadHost | None,
    now_ns: Callable[[], int],
    real_time_s: float,
) -> Host:
    """The host for a gate at a granularity. Whole calls of blocking code need no threads; those of asynchronous code
    need their loop. ``real_time_s`` bounds how long a thread may stay out."""
    kind = factory.contract.host
    if kind in {HostKind.INLINE, HostKind.PROCESS}:  # what parks in another process, its coroutine here parks
        return InlineHost()
    if kind is HostKind.THREAD and granularity is Granularity.CALLS:
        return InlineHost()
    if kind is HostKind.THREAD:
        return thread_host or ThreadHost(real_time_s)
    if kind is HostKind.TRIO:
        return hosts.TrioHost(now_ns, real_time_s)
    return hosts.AsyncioHost(now_ns, real_time_s)


@forks_refused()
def run(  # noqa: PLR0913 - one for each thing that a run is a function of, and who follows it
    scenario: Scenario,
    factory: GateFactory,
    choose: Callable[[Point], int],
    *,
    variant: Variant,
    interior: Interior,
    observers: Sequence[Observer] = (),
    bounds: Bounds | None = None,
    thread_host: ThreadHost | None = None,
    at_rest: AtRest | None = None,
    segments: Segments | None = None,
) -> Record:
    """Run the scenario once and return its record. Adapter faults end the run and stand in ``Record.fault``.

    ``at_rest`` is called when nothing is left to choose, with what digests the state that the final phase and the
    account follow from. It may raise ``Cut``: they are known. ``segments`` is entered around whatever the gate does
    within a call, for whoever looks into it."""
    worlds: list[World] = []
    real_s = (bounds or Bounds()).real_s if thread_host is None else thread_host.real_time_s
    inside = host_for(factory, variant.granularity, thread_host, lambda: worlds[0].kernel.now_ns, real_s)
    host = PortHost(inside, variant.granularity, segments)
    kernel = Kernel(choose, host=host, bounds=bounds, state=lambda: worlds[0].state())  # noqa: PLW0108 - no world yet
    world = World(scenario, factory, variant, kernel, interior, observers)
    worlds.append(world)
    host.port = world.port
    world.port.bury = host.bury
    ending, rested, fault = Ending.REST, False, None
    interior.begin(world.now_ns, inner=variant.granularity is Granularity.INNER)
    try:
        world.port.open_handles()
        ending = _main(world, interior)
        if _is_over(world, ending):
            if at_rest is not None:
                at_rest(world.state)
            interior.pause(paused=True)
            rested = _settle(world)
            _account(world)
    except Cut:
        ending = Ending.CUT
    except AdapterFault as error:
        fault = error
    except HungError as error:
        fault = GateHung(
            f"a call did not come back: {error}",
            cause="it blocks on something that the kit does not see, or loops for ever",
            hint="wait through the environment (blocked, branch), or through locks the kit can substitute",
        )
    except ForeignAwaitError as error:
        fault = HostMismatch(
            f"{error}",
            cause=f"the gate declares host {factory.contract.host.value!r}",
            hint="await only what the environment gives (or asyncio.sleep(0)), or declare another host",
        )
    finally:
        kernel.close()
        if inside is not thread_host:
            host.close()
        world.close()
        world.port.close()
    return Record(
        scenario=scenario.id,
        variant=variant,
        ending=ending,
        log=kernel.log,
        events=world.events,
        witnesses=frozenset(w.name for w in scenario.witnesses if w.seen(world.events)),
        rested=rested,
        fault=refused_fork() or fault,
        steps=kernel.steps,
        called=world.port.called_operations,
        inner=world.port.inner_operations,
        admitted=lambda: admitted(world),
    )


def _main(world: World, interior: Interior) -> Ending:
    kernel = world.kernel
    world.emit(PhaseBegan("setup"))
    kernel.quiet = True
    interior.pause(paused=True)
    world.scenario.build(world)
    world.start_setup()
    _is_over(world, kernel.run())
    world.phase = "main"
    world.emit(PhaseBegan("main"))
    world.start_actors()
    kernel.prime()
    kernel.quiet = False
    interior.pause(paused=False)
    kernel.races = NamedTimers(world.scenario.budget, world.purse)
    if world.port.contract.durable:
        kernel.perils.append(_Death(world))
    return kernel.run()


def _is_over(world: World, ending: Ending) -> bool:
    """Whether nothing can happen any more, so that the next phase may begin. Raises an adapter fault when a call to the
    gate is still open."""
    if ending not in (Ending.REST, Ending.DEADLOCK):
        return False
    world.port.check_returned()
    return True


def _settle(world: World) -> bool:
    """Bring everything to rest: tick until the gate names no next wake-up and changes nothing."""
    world.phase = "final"
    world.kernel.quiet = True
    world.emit(PhaseBegan("final"))
    client = world.client("clock", Right.TICK, handle=0)
    task = world.tasks[0]
    replies: list[object] = []

    async def tick(wake_ns: int | None) -> None:
        if wake_ns is not None:
            await sleep_until("next wake", wake_ns, "next wake")
        replies.append(await client.tick(task))

    wake: int | None = None
    for number in range(1, MAX_TICKS + 1):
        world.kernel.spawn(f"clock-{number}", tick(wake))
        ending = world.kernel.run()
        if not _is_over(world, ending) or ending is Ending.DEADLOCK:
            return False
        reply = replies[-1]
        if not isinstance(reply, Ticked):
            return True
        wake = reply.next_wake_ns
        if wake is None and not reply.transitions:
            return True
    return False


def _account(world: World) -> None:
    """Read every task through every handle, and every receiver."""
    world.phase = "account"
    world.emit(PhaseBegan("account"))
    for handle in range(world.variant.handles):
        world.kernel.spawn(f"auditor-{handle}", _audit(world, handle))
        _is_over(world, world.kernel.run())
    effect_ids = {name: [e.effect_id for e in world.effects if e.receiver.name == name] for name in world.receivers}
    for name, receiver in world.receivers.items():
        for truth in receiver.truth(effect_ids[name]):
            world.emit(truth)


async def _audit(world: World, handle: int) -> None:
    client = world.client("auditor", Right.INSPECT, handle=handle)
    for task in world.tasks:
        world.emit(FinalAccount(handle, task, await client.inspect(task)))


__all__ = ["MAX_TICKS", "Purse", "Record", "host_for", "run"]

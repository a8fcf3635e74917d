"""Case 13. Grace before force.

A worker does not answer the stop. Two supervisors watch it, and somebody presses Stop again meanwhile: whoever asks for
force first after the grace period gets it, and the other learns that it was given. The kill ends the worker's own
process; what that had started lives on, until a second kill.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AlreadyForced,
    Capability,
    ExistingRecord,
    Forced,
    ProbeResult,
    Recorded,
    Right,
    Scope,
    TaskRef,
    TooEarly,
)
from stopcheck.world import Client, FaultBudget, Scenario, Witness, World, sleep_until, wait_until
from stopcheck_scenarios._seen import act, answer, both, call, in_order, saw

WORKER = "worker"
#: Of a time that is rounded, the grace period ends too early.
A_MOMENT_NS = 1_500_000


def build(world: World) -> None:
    """A worker under way that never answers, two supervisors, and a person at Stop who presses it again."""
    task = world.task("refund")
    world.opens(task)
    world.under_way(task, WORKER)
    for name in ("day watch", "night watch"):
        world.actor(name, watch(world, world.client(name, Right.SUPERVISE, Right.INSPECT), task))
    world.actor("person", press_twice(world, world.client(world.cast.person, Right.STOP), task))


async def press_twice(world: World, client: Client, task: TaskRef) -> None:
    """Press Stop, at no full second, and once more when the grace period is nearly over."""
    await sleep_until("some time", A_MOMENT_NS, "stop")
    reply = await client.request_cancel(task, Scope.TASK, "stop")
    if isinstance(reply, Accepted):
        world.records[task] = reply.record
        await sleep_until("almost grace", grace_end_ns(world, task) - 1, "stop again")
        await client.request_cancel(task, Scope.TASK, "stop-again")


def grace_end_ns(world: World, task: TaskRef) -> int:
    """When force may be used."""
    return world.records[task].causes[0].at_ns + world.port.contract.grace_ns


async def watch(world: World, client: Client, task: TaskRef) -> None:
    """Ask for force a moment too early and when it is time; who is given it kills, and looks."""
    await wait_until("stop", lambda: task in world.records, ("stop",))
    ends_ns = grace_end_ns(world, task)
    world.hear(ends_ns)
    await sleep_until("almost grace", ends_ns - 1, "almost grace")
    await client.escalate(task, WORKER)
    world.remembers("asked early")
    await sleep_until("grace", ends_ns, "grace")
    reply = await client.escalate(task, WORKER)
    world.remembers(type(reply).__name__)
    if isinstance(reply, Forced):
        await kill(world, client, task)


async def kill(world: World, client: Client, task: TaskRef) -> None:
    """The first kill ends one process, the second all of them."""
    for found in (ProbeResult.DESCENDANTS_LIVE, ProbeResult.GONE):
        world.worker_acted(WORKER, task, "killed", found.value)
        await client.record_probe(task, WORKER, found)
        await client.inspect(task)
        world.remembers(found)


SCENARIO = Scenario(
    id="grace-before-force",
    title="Force comes after the grace period, once, and is proved by a probe",
    sentence="Grace before force.",
    case=13,
    build=build,
    needs=frozenset((Capability.ESCALATION,)),
    budget=FaultBudget(crashes=0, provider=0),  # deaths: under force in uncooperative-worker, after it in over-and-over
    witnesses=(
        Witness(
            "force was asked for too early, then given",
            in_order(answer("request_cancel", Accepted), answer("escalate", TooEarly), answer("escalate", Forced)),
        ),
        Witness(
            "two supervisors asked, and one was told that force had been given",
            in_order(answer("escalate", Forced), answer("escalate", AlreadyForced)),
        ),
        Witness(
            "Stop was pressed again before force was asked for in time",
            in_order(answer("request_cancel", ExistingRecord), answer("escalate", Forced)),
        ),
        Witness(
            "the worker's own process had ended while its descendants lived",
            both(
                saw(act("killed", WORKER)),
                in_order(
                    call("record_probe", result=ProbeResult.DESCENDANTS_LIVE),
                    answer("record_probe", Recorded),
                    answer("inspect", object),
                    call("record_probe", result=ProbeResult.GONE),
                ),
            ),
        ),
    ),
    clauses=("ESC-1", "ESC-8", "ESC-10", "ESC-4", "ACK-3", "SCOPE-4", "LIVE-4"),
    points=("concurrently with another stop", "while a worker is disconnected"),
)

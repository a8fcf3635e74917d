"""Case 17. A slow acknowledger, and a completion that is reported after the stop: honest, and not hanging.

The mail went out before anybody pressed Stop. The worker takes its time: twice the grace period after the stop it
reports success, as if nothing had been, and then says that it has stopped. Somebody looks meanwhile, and afterwards.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    ClaimGranted,
    Lost,
    Recorded,
    Right,
    Snapshot,
    StaleLease,
    TaskRef,
)
from stopcheck.world import Client, Effect, FaultBudget, Holder, Scenario, Witness, World, sleep_until, wait_until
from stopcheck_scenarios._seen import Match, answer, in_order


def build(world: World) -> None:
    """A worker whose mail is out, a person at Stop, and somebody who looks."""
    task = world.task("refund")
    mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    holder = world.under_way(task, "worker", effects=(mail,))
    world.prepare(send(world.client("dispatcher", Right.DISPATCH), mail))
    world.actor("worker", take_time(world, holder, task))
    world.actor("onlooker", look(world, world.client("onlooker", Right.INSPECT), task))
    world.person("person", task, then_inspects=False)


async def send(client: Client, effect: Effect) -> None:
    """The mail goes out, and its receipt comes back."""
    claim = await client.claim_dispatch(effect)
    if isinstance(claim, ClaimGranted):
        evidence = await effect.receiver.submit(effect, claim.permit)
        await client.record_outcome(effect, evidence, claim.attempt)


async def take_time(world: World, holder: Holder, task: TaskRef) -> None:
    """Report success long after the stop, and then obey it."""
    await wait_until("stop", lambda: task in world.records, ("stop",))
    record = world.records[task]
    world.hear(record)
    late_ns = record.causes[0].at_ns + 2 * world.port.contract.grace_ns
    await sleep_until("slow", late_ns, "slow acknowledgement")
    await holder.client.complete(task, holder.epoch)
    await holder.client.acknowledge(task, holder.epoch, AckStrength.HANDLER_STOPPED, record.revision)


async def look(world: World, client: Client, task: TaskRef) -> None:
    """Look after the stop, and when nobody moves any more."""
    await wait_until("stop", lambda: task in world.records, ("stop",))
    await client.inspect(task)
    world.remembers("looked")
    await world.others_at_rest()
    await client.inspect(task)


STOP: Match = answer("request_cancel", Accepted)
LOOKED: Match = answer("inspect", Snapshot, actor="onlooker")

SCENARIO = Scenario(
    id="slow-acknowledger",
    title="A worker reports success after the stop, and acknowledges late",
    sentence="A slow acknowledger and a completion reported after the stop: honest, and not hanging.",
    case=17,
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("complete",), provider=0),
    witnesses=(
        Witness("success was reported after the stop", in_order(STOP, answer("complete", Lost, StaleLease))),
        Witness(
            "somebody looked while nobody had acknowledged, and again when the worker had",
            in_order(STOP, LOOKED, answer("acknowledge", Recorded, StaleLease), LOOKED),
        ),
        Witness("the stop came first", in_order(STOP, answer("acknowledge", Recorded, StaleLease))),
    ),
    clauses=("ACK-3", "CMP-3", "CMP-4", "RPT-1", "RPT-2", "LIVE-3", "LIVE-4"),
    points=("before final reporting", "concurrently with completion"),
)

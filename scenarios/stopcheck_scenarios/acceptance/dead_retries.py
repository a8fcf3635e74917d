"""Retries stay dead for a cancelled or expired run.

A worker gave its lease back and waits out its back-off. The stop comes before the retry fires, while it works, or when
it has armed another one. Another run comes to its deadline with a retry that is due later.
"""

from __future__ import annotations

from stopcheck.gate import (
    SECOND_NS,
    Accepted,
    Capability,
    Refused,
    RetryFired,
    Right,
    Scheduled,
    StaleLease,
    Stopped,
    TaskRef,
    Void,
)
from stopcheck.world import Client, Effect, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, call, died_under, in_order, saw

RETRY, NEXT_RETRY = "retry", "next-retry"
BACK_OFF_NS = SECOND_NS
DEADLINE_NS = 8 * SECOND_NS
LONG_BACK_OFF_NS = 10 * SECOND_NS


def cancelled(world: World) -> None:
    """A run in back-off, and a person at Stop."""
    task = world.task("refund")
    world.opens(task)
    world.prepare(back_off(world.under_way(task), task, BACK_OFF_NS))
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.actor("worker", retry(world, world.client("worker", Right.WORK), refund_mail))
    world.person("person", task, then_inspects=False)


def expired(world: World) -> None:
    """A run whose deadline passes while it waits out its back-off."""
    task = world.task("report")
    world.opens(task, DEADLINE_NS)
    world.prepare(back_off(world.under_way(task), task, LONG_BACK_OFF_NS))
    world.actor("worker", retry_late(world.client("worker", Right.WORK), task))


async def back_off(holder: Holder, task: TaskRef, at_ns: int) -> None:
    """An attempt failed: arm the next one and let go meanwhile."""
    await holder.client.schedule_retry(task, RETRY, at_ns)
    await holder.client.release_lease(task, holder.epoch)


async def retry(world: World, client: Client, effect: Effect) -> None:
    """Try again when the back-off is over, and arm another retry, which comes when everything else is done."""
    task = effect.task
    await sleep_until("back-off", BACK_OFF_NS, "the back-off")
    fired = await client.fire_retry(task, RETRY, "worker")
    if isinstance(fired, RetryFired):
        await client.commit_effect(effect, fired.epoch)
    await client.schedule_retry(task, NEXT_RETRY, BACK_OFF_NS)
    await world.others_at_rest()
    await client.fire_retry(task, NEXT_RETRY, "worker")


async def retry_late(client: Client, task: TaskRef) -> None:
    """Try again at the deadline, though nobody has told the gate that it has passed, and once more later."""
    await sleep_until("deadline", DEADLINE_NS, "the deadline")
    await client.schedule_retry(task, NEXT_RETRY, DEADLINE_NS)
    await client.fire_retry(task, NEXT_RETRY, "worker")
    await sleep_until("long back-off", LONG_BACK_OFF_NS, "the long back-off")
    await client.fire_retry(task, RETRY, "worker")


STOP = answer("request_cancel", Accepted)
DEAD = answer("fire_retry", Void, Refused)

CANCELLED = Scenario(
    id="dead-retries",
    title="Retries of a cancelled run",
    sentence="Retries stay dead for a cancelled or expired run.",
    case=12,
    races=True,
    build=cancelled,
    needs=frozenset((Capability.RETRIES,)),
    budget=FaultBudget(crashes=1, lost_answers=("fire_retry",), provider=0, time=1, timers=("the back-off",)),
    witnesses=(
        Witness("a retry fired before the stop", in_order(answer("fire_retry", RetryFired), STOP)),
        Witness(
            "the retry that was pending at the stop did not fire",
            in_order(STOP, call("fire_retry", retry_id=RETRY), DEAD),
        ),
        Witness(
            "a retry that had fired before the stop committed nothing after it",
            in_order(answer("fire_retry", RetryFired), STOP, answer("commit_effect", Stopped, StaleLease)),
        ),
        Witness(
            "the next retry was armed before the stop and did not fire after it",
            in_order(answer("schedule_retry", Scheduled, actor="worker"), STOP, DEAD),
        ),
        Witness(
            "a retry that was asked for after the stop did not fire",
            in_order(STOP, call("schedule_retry", retry_id=NEXT_RETRY), call("fire_retry", retry_id=NEXT_RETRY), DEAD),
        ),
        Witness("the gate died under a firing retry", died_under("fire_retry"), durable=True),
    ),
    clauses=("DLV-4", "ADM-1", "REC-4"),
    points=("during retry backoff", "immediately before a commitment", "immediately after a commitment"),
)

EXPIRED = Scenario(
    id="expired-retry",
    title="Retries of an expired run",
    sentence="A run that has expired is not tried again, whether or not its expiry was noticed before.",
    build=expired,
    needs=frozenset((Capability.RETRIES, Capability.DEADLINES)),
    budget=FaultBudget(crashes=1, provider=0),
    witnesses=(
        Witness(
            "no retry was armed at the deadline",
            in_order(call("fire_retry", retry_id=NEXT_RETRY), DEAD),
        ),
        Witness("the pending retry did not fire", in_order(call("fire_retry", retry_id=RETRY), DEAD)),
        Witness("the retry was pending", saw(answer("schedule_retry", Scheduled))),
    ),
    clauses=("DLV-4", "REC-4"),
    points=("during retry backoff",),
)

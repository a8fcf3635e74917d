"""A pending retry and an old checkpoint cannot restart the workflow.

A worker wrote a checkpoint and let go. Later it is resumed from that checkpoint, and its retry comes due, before or
after somebody has pressed Stop. It trusts its checkpoint: what it is not given it tries under the epoch of then.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    Busy,
    Capability,
    Ended,
    LeaseGranted,
    Refused,
    RetryFired,
    Right,
    StaleLease,
    Stopped,
    Trigger,
    Void,
    Won,
)
from stopcheck.world import Client, Effect, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, call, died_under, in_order, saw

RETRY = "next-step"


def build(world: World) -> None:
    """A worker that resumes, a timer where the gate has retries, and a person at Stop."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    holder = world.under_way(task)
    world.prepare(hibernate(world, holder, refund_mail))
    world.actor("worker", resume(holder, refund_mail))
    if world.port.contract.has(Capability.RETRIES):
        world.actor("timer", fire(world.client("timer", Right.WORK), refund_mail))
    world.person("person", task, then_inspects=False)


async def hibernate(world: World, holder: Holder, effect: Effect) -> None:
    """The checkpoint is written; nobody is at work until the next step."""
    if world.port.contract.has(Capability.RETRIES):
        await holder.client.schedule_retry(effect.task, RETRY, 0)
    await holder.client.release_lease(effect.task, holder.epoch)


async def resume(holder: Holder, effect: Effect) -> None:
    """Go on where the checkpoint says, under a new lease or else under the old one."""
    task, saved = effect.task, holder.epoch
    reply = await holder.client.begin_work(task, "worker", "checkpoint", Trigger.RESUME, saved)
    epoch = reply.epoch if isinstance(reply, LeaseGranted) else saved
    await holder.client.commit_effect(effect, epoch)


async def fire(client: Client, effect: Effect) -> None:
    """The pending retry comes due."""
    await client.fire_retry(effect.task, RETRY, "timer")


def replaced(world: World) -> None:
    """A worker with a checkpoint whose place another has taken; both go on, and nobody stops the task."""
    task = world.task("refund")
    mail = world.receiver("mail")
    refund_mail, old_mail = world.effect(task, "refund-mail", mail), world.effect(task, "old-mail", mail)
    world.opens(task)
    former = world.under_way(task)
    successor = world.under_way(task, "successor", trigger=Trigger.REPLACEMENT)
    world.actor("worker", resume(former, old_mail))
    world.actor("successor", finish(successor, refund_mail))


async def finish(holder: Holder, effect: Effect) -> None:
    """Commit, and give the task up: there is nobody to send the mail."""
    await holder.client.commit_effect(effect, holder.epoch)
    await holder.client.fail(effect.task, holder.epoch)


STOP = answer("request_cancel", Accepted)

STOPPED = Scenario(
    id="old-checkpoint",
    title="A pending retry and an old checkpoint after the stop",
    sentence="A pending retry and an old checkpoint cannot restart the workflow.",
    case=19,
    build=build,
    needs=frozenset((Capability.DELIVERY,)),
    budget=FaultBudget(crashes=1, lost_answers=("begin_work",), provider=0),
    witnesses=(
        Witness("it resumed before the stop", in_order(answer("begin_work", LeaseGranted, actor="worker"), STOP)),
        Witness(
            "the resumed worker was told of the stop",
            in_order(STOP, answer("begin_work", Stopped, actor="worker")),
        ),
        Witness(
            "the epoch of the checkpoint was worth nothing after the stop",
            in_order(STOP, answer("begin_work", Stopped, actor="worker"), answer("commit_effect", Stopped, StaleLease)),
        ),
        Witness(
            "the pending retry fired before the stop",
            in_order(answer("fire_retry", RetryFired), STOP),
            capability=Capability.RETRIES,
        ),
        Witness(
            "the pending retry was dead after the stop",
            in_order(STOP, answer("fire_retry", Void, Refused)),
            capability=Capability.RETRIES,
        ),
        Witness("the gate died under the resumption", died_under("begin_work"), durable=True),
    ),
    clauses=("DLV-5", "DLV-4", "DLV-3", "ADM-1", "ADM-6"),
    points=("during retry backoff", "while a worker is disconnected", "immediately before a commitment"),
)

REPLACED = Scenario(
    id="replaced-checkpoint",
    ledger=False,
    title="An old checkpoint after a replacement and after the end",
    sentence="A worker that resumes is told what has become of its task since, and acts on nothing older.",
    build=replaced,
    needs=frozenset((Capability.DELIVERY,)),
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "it resumed while its successor was at work",
            saw(answer("begin_work", Busy, LeaseGranted, Refused, actor="worker")),
        ),
        Witness(
            "it resumed after its task had ended",
            in_order(answer("fail", Won), call("begin_work", "worker"), answer("begin_work", Ended, Refused)),
        ),
    ),
    clauses=("DLV-5", "ADM-6"),
    points=("while a worker is disconnected", "after it ended"),
)

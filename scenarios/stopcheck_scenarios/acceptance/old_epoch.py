"""A lease that was superseded carries no authority: not to commit, not to complete, and not to say that it stopped.

Two workers in turn: the first gave its lease back and does not believe it. It tries everything under the old epoch
while the second works, and somebody presses Stop.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, AckStrength, StaleLease, TaskRef, Trigger
from stopcheck.world import Effect, FaultBudget, Holder, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order, keeps_ledger, saw


def build(world: World) -> None:
    """A former worker with an old epoch, its successor with one mail, a dispatcher, and a person at Stop."""
    task = world.task("refund")
    mail = world.receiver("mail")
    refund_mail, old_mail = world.effect(task, "refund-mail", mail), world.effect(task, "old-mail", mail)
    world.opens(task)
    former = world.under_way(task, "former worker")
    world.prepare(hand_over(former, task))
    world.worker("worker", Plan(task=task, effects=(refund_mail,), trigger=Trigger.REPLACEMENT, then_inspects=True))
    world.dispatcher()
    world.actor("former worker", go_on(world, former, task, old_mail))
    world.person("person", task, then_inspects=False)


async def hand_over(former: Holder, task: TaskRef) -> None:
    """The lease goes back."""
    await former.client.release_lease(task, former.epoch)


async def go_on(world: World, former: Holder, task: TaskRef, effect: Effect) -> None:
    """Act under the old epoch, and give back first what may be another's by now; when all is done and somebody has
    stopped the task, claim to have stopped too."""
    client, epoch = former.client, former.epoch
    await client.release_lease(task, epoch)
    await client.commit_effect(effect, epoch)
    await client.complete(task, epoch)
    await world.others_at_rest()
    await client.renew_lease(task, epoch)
    record = world.records.get(task)
    world.hear(record)
    if record is not None:
        await client.acknowledge(task, epoch, AckStrength.HANDLER_STOPPED, record.revision)


SCENARIO = Scenario(
    id="old-epoch",
    ledger=False,
    races=True,
    title="A former worker acts under its old lease",
    sentence="A worker whose lease was superseded cannot commit or complete, and its acknowledgement does not count.",
    build=build,
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "a commitment under the old epoch was refused", saw(answer("commit_effect", StaleLease)), given=keeps_ledger
        ),
        Witness("a completion under the old epoch was refused", saw(answer("complete", StaleLease))),
        Witness(
            "an acknowledgement under the old epoch did not count",
            in_order(answer("request_cancel", Accepted), answer("acknowledge", StaleLease, actor="former worker")),
        ),
    ),
    clauses=("ADM-6", "ACK-4", "REC-4"),
    points=("while a worker is disconnected", "immediately before a commitment"),
)

"""Whatever call the gate is busy with, a stop may come in the middle of it, and is not lost.

One caller makes one call after the other, of each operation that there is; somebody presses Stop at any point inside of
any of them. A call that read the task's account before the stop and writes it back afterwards undoes the stop, whatever
else the call is about: a heartbeat does that as well as a commitment. In the second page it is the other way about: all
these calls come in the middle of the stop. In the third the task has been stopped, what is left is told and proved, and
somebody else stops it for another reason.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    Capability,
    Cause,
    ClaimGranted,
    ExistingRecord,
    Halt,
    LeaseGranted,
    ProbeResult,
    Recorded,
    ResultPlace,
    Right,
    Scope,
    Snapshot,
    Stage,
    TaskRef,
    Trigger,
    ViewEnd,
    Widened,
)
from stopcheck.world import Child, Client, Effect, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, call, in_order

WORKER = "worker"
POOL = "browsers"

# -- before a stop ----------------------------------------------------------------------------------------


def before(world: World) -> None:
    """A worker that makes every kind of call, gives up in the end, and a person at Stop."""
    _both(world, person_first=False)


def amid(world: World) -> None:
    """The same, but the person is first."""
    _both(world, person_first=True)


def _both(world: World, *, person_first: bool) -> None:
    task, has = world.task("refund"), world.port.contract.has
    child = world.child(task, "letter") if has(Capability.CHILDREN) else None
    shared = world.task("export", shared=True) if has(Capability.SHARED) else None
    world.opens(task)
    if shared is not None:
        world.opens(shared)
    holder = world.under_way(task, WORKER)
    if person_first:
        world.person("person", task)
    world.actor(WORKER, every_call(world, holder, task, child, shared))
    if not person_first:
        world.person("person", task)


async def every_call(world: World, holder: Holder, task: TaskRef, child: Child | None, shared: TaskRef | None) -> None:
    """First what optional capabilities bring, then what every gate has."""
    every = world.client("somebody", *Right)
    await of_capabilities(world, holder, task, every)
    if child is not None:
        await holder.client.register_child(child, holder.epoch)
        await holder.client.start_child(child)
        await holder.client.finish_child(child, Stage.COMPLETED)
    if shared is not None:
        await every.subscribe(shared, "interest", task)
        await every.release(shared, "interest")
    await of_leases(holder, task, every)


async def of_capabilities(world: World, holder: Holder, task: TaskRef, every: Client) -> None:
    """Each can be made on one task, one after the other."""
    has, worker = world.port.contract.has, holder.client
    if has(Capability.PAUSE):
        await every.suspend(task, Halt.PAUSE)
        await every.resume(task)
    if has(Capability.APPROVALS):
        await every.grant(task, "approval")
        await every.use_grant(task, "approval")
    if has(Capability.CAPACITY):
        await worker.hold_slot(task, holder.epoch, POOL, 1)
        await worker.return_slot(task, holder.epoch, POOL)
    if has(Capability.CLEANUP):
        await worker.note_artefact(task, holder.epoch, "draft")
    if has(Capability.RESULTS):
        await every.ask_task(task, "question", "channel")
        await worker.answer(task, "question", holder.epoch, "an answer")
        await every.read_answer(task, "question")
        await every.withdraw(task, "question")
        await worker.offer_result(task, "search", ResultPlace.CACHE, holder.epoch, "a finding")
        await every.recall(task, ResultPlace.CACHE)
        await worker.hand_over(task, "item")
        await worker.take_item(task, holder.epoch)
        await worker.confirm_item(task, "item")
    if has(Capability.RETRIES):
        await worker.schedule_retry(task, "retry", 0)
        await worker.release_lease(task, holder.epoch)
        fired = await worker.fire_retry(task, "retry", WORKER)
        holder.epoch = getattr(fired, "epoch", holder.epoch)


async def of_leases(holder: Holder, task: TaskRef, every: Client) -> None:
    """A heartbeat, a look, a lease given back, one taken away, and the end."""
    worker = holder.client
    await worker.renew_lease(task, holder.epoch)
    await every.close_view(task, "stream", ViewEnd.CLIENT_DROPPED)
    await every.record_signal(task, WORKER, "bus", Cause.USER)
    await every.tick(task)
    await every.open_task(task)
    await worker.release_lease(task, holder.epoch)
    again = await worker.begin_work(task, WORKER, "delivery-2", Trigger.REDELIVERY)
    await every.revoke_lease(task, getattr(again, "epoch", holder.epoch))
    last = await worker.begin_work(task, WORKER, "delivery-3", Trigger.REDELIVERY)
    await worker.fail(task, getattr(last, "epoch", holder.epoch))
    await every.inspect(task)


# -- after a stop -----------------------------------------------------------------------------------------


def after(world: World) -> None:
    """A stopped task with a mail on its way: what is left is told, while somebody else stops it too."""
    task = world.task("refund")
    mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    holder = world.under_way(task, WORKER, effects=(mail,))
    revision = [0]
    world.prepare(stopped(world, task, revision))
    world.actor(WORKER, tells_all(world, holder, mail, revision))
    world.person("operator", task, cause=Cause.POLICY)


async def stopped(world: World, task: TaskRef, revision: list[int]) -> None:
    """Somebody stops it."""
    reply = await world.client("person", Right.STOP, handle=0).request_cancel(task, Scope.TASK, "first stop")
    revision[0] = reply.record.revision if isinstance(reply, Accepted) else 0


async def tells_all(world: World, holder: Holder, mail: Effect, revision: list[int]) -> None:
    """What every gate is told after a stop, then what optional capabilities bring."""
    has, worker, task = world.port.contract.has, holder.client, mail.task
    every = world.client("somebody", *Right)
    await every.record_signal(task, WORKER, "bus", Cause.USER)
    if world.port.contract.ledger:
        claim = await every.claim_dispatch(mail)
        if isinstance(claim, ClaimGranted):
            evidence = await mail.receiver.submit(mail, claim.permit)
            await every.record_outcome(mail, evidence, claim.attempt)
        if has(Capability.SUPPRESSION):
            await every.suppress(mail)
    if has(Capability.ESCALATION):
        await every.escalate(task, WORKER)
        await every.record_probe(task, WORKER, ProbeResult.ALIVE)
    await worker.acknowledge(task, holder.epoch, AckStrength.HANDLER_STOPPED, revision[0])
    await every.tick(task)
    if has(Capability.CLEANUP):
        cleaner = await every.begin_cleanup(task, "cleaner")
        await every.clean_up(task, getattr(cleaner, "epoch", 0), "draft")
    if has(Capability.MEASURES):
        await every.measures(task)
    await every.inspect(task)


SCENARIOS = (
    Scenario(
        id="overtaken-calls",
        ledger=False,
        races=True,
        title="A stop comes in the middle of any call",
        sentence="A stop that comes while the gate is busy with another call, whatever it is about, is not lost.",
        build=before,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "a stop came before the last lease was given",
                in_order(answer("renew_lease", object), answer("request_cancel", Accepted), call("fail")),
            ),
            Witness(
                "a lease was given anew before the stop",
                in_order(answer("begin_work", LeaseGranted, actor=WORKER), answer("request_cancel", Accepted)),
            ),
        ),
        clauses=("ADM-3", "CMP-1", "REC-3", "RPT-6"),
        points=("concurrently with completion",),
    ),
    Scenario(
        id="overtaken-stop",
        ledger=False,
        races=True,
        title="Other calls come in the middle of a stop",
        sentence="Whatever calls come while the gate is busy with a stop, the stop is seen whole or not at all.",
        build=amid,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "a lease was asked for after the stop",
                in_order(answer("request_cancel", Accepted), call("begin_work", actor=WORKER)),
            ),
            Witness(
                "somebody looked before the stop",
                in_order(answer("inspect", Snapshot, actor=WORKER), answer("request_cancel", object)),
            ),
        ),
        clauses=("ADM-3", "CMP-1", "REC-3", "RPT-5"),
        points=("concurrently with completion",),
    ),
    Scenario(
        id="overtaken-account",
        ledger=False,
        races=True,
        title="Another stop comes while what is left is told",
        sentence="A second reason to stop that comes while what is left is told is not lost, nor is what was told.",
        build=after,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "the second reason came before the acknowledgement was taken",
                in_order(
                    answer("request_cancel", ExistingRecord, Widened, actor="operator"),
                    answer("acknowledge", Recorded),
                    answer("inspect", Snapshot, actor=WORKER),
                ),
            ),
        ),
        clauses=("REC-3", "REC-8", "ACK-1"),
        points=("concurrently with another stop",),
    ),
)

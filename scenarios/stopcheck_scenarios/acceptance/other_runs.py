"""What a stop leaves alone: the next run of the same task, and a run whose worker happens to have the same name.

In the first, a run is stopped with everything that belongs to it, its worker says that it has stopped, and the same
worker begins the next run with the same message. In the second, two runs have workers, epochs and deliveries of the
same name, and somebody stops one of them by all the handles that it has.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    Capability,
    Cause,
    LeaseGranted,
    ProbeResult,
    Recorded,
    Renewed,
    Right,
    Scope,
    Snapshot,
    TaskRef,
    Trigger,
    Won,
)
from stopcheck.world import FaultBudget, Holder, Scenario, Witness, World, wait_until
from stopcheck_scenarios._seen import answer, call, in_order

WORKER, DELIVERY = "worker", "direct to worker"


# -- the next run -----------------------------------------------------------------------------------------


def next_run(world: World) -> None:
    """A run under way and the next one, one worker for both, and a person at Stop."""
    stopped, following = (world.task("nightly", incarnation=number) for number in (1, 2))
    world.opens(stopped)
    holder = world.under_way(stopped, WORKER)
    world.actor(WORKER, stop_and_begin_again(world, holder, stopped, following))
    world.person("person", stopped, then_inspects=False)


async def stop_and_begin_again(world: World, holder: Holder, stopped: TaskRef, following: TaskRef) -> None:
    """Obey the stop, report too late, and begin the next run as if nothing had been."""
    await wait_until("stop", lambda: stopped in world.records, ("stop",))
    record = world.records[stopped]
    world.hear(record)
    await world.client("supervisor", Right.SUPERVISE, handle=0).record_signal(stopped, WORKER, "bus", Cause.USER)
    await holder.client.acknowledge(stopped, holder.epoch, AckStrength.HANDLER_STOPPED, record.revision)
    await holder.client.complete(stopped, holder.epoch)
    await world.client("opener", Right.OPEN, handle=0).open_task(following)
    lease = await holder.client.begin_work(following, WORKER, DELIVERY, Trigger.FIRST)
    await world.client("auditor", Right.INSPECT, handle=0).inspect(following)
    if isinstance(lease, LeaseGranted):
        await holder.client.complete(following, lease.epoch)


# -- another run with the same handles --------------------------------------------------------------------


def same_handles(world: World) -> None:
    """Two runs whose workers, epochs and deliveries have the same names, and a night watch that stops one of them."""
    stopped, other = world.task("refund"), world.task("report")
    world.opens(stopped)
    world.opens(other)
    epoch_of = world.under_way(stopped, WORKER)
    world.actor(WORKER, go_on(world, world.under_way(other, WORKER), other))
    world.actor("night watch", stop_by_every_handle(world, epoch_of, stopped))


async def stop_by_every_handle(world: World, holder: Holder, task: TaskRef) -> None:
    """Stop the run, and its worker by epoch and by name."""
    watch = world.client("night watch", Right.STOP, Right.SUPERVISE)
    await watch.request_cancel(task, Scope.TASK, "watch-stop")
    await watch.revoke_lease(task, holder.epoch)
    if world.port.contract.has(Capability.ESCALATION):
        await watch.escalate(task, WORKER)
        await watch.record_probe(task, WORKER, ProbeResult.GONE)


async def go_on(world: World, holder: Holder, task: TaskRef) -> None:
    """The run that nobody stopped."""
    await holder.client.renew_lease(task, holder.epoch)
    await world.others_at_rest()
    await world.client("auditor", Right.INSPECT, handle=0).inspect(task)
    await holder.client.renew_lease(task, holder.epoch)
    await holder.client.complete(task, holder.epoch)


STOP = answer("request_cancel", Accepted)

SCENARIOS = (
    Scenario(
        id="next-run",
        ledger=False,
        title="The next run of a task that was stopped",
        sentence="The next run is clean: its worker, session, specification and input carry nothing of the old stop.",
        build=next_run,
        needs=frozenset((Capability.DELIVERY,)),
        budget=FaultBudget(crashes=1, lost_answers=("begin_work",), provider=0),
        witnesses=(
            Witness(
                "the worker of the stopped run began the next one",
                in_order(STOP, answer("begin_work", LeaseGranted, actor=WORKER)),
            ),
            Witness(
                "the account of the next run was read",
                in_order(answer("begin_work", LeaseGranted, actor=WORKER), answer("inspect", Snapshot, actor=WORKER)),
            ),
            Witness("the next run completed", in_order(STOP, answer("complete", Won))),
        ),
        clauses=("DLV-7", "SCOPE-2", "REC-3", "CMP-3"),
        points=("after it ended",),
    ),
    Scenario(
        id="same-handles",
        ledger=False,
        title="Two runs whose workers have the same name",
        sentence="Execution identity is apart from task identity: a stop through a recycled handle harms no other run.",
        build=same_handles,
        needs=frozenset((Capability.DELIVERY,)),
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "the other run went on after the stop and the revocation",
                in_order(STOP, call("revoke_lease"), answer("renew_lease", Renewed), answer("complete", Won)),
            ),
            Witness(
                "the other run went on after a worker of the same name was found gone",
                in_order(answer("record_probe", Recorded), answer("renew_lease", Renewed)),
                capability=Capability.ESCALATION,
            ),
        ),
        clauses=("DLV-8", "SCOPE-5", "SCOPE-7", "LIVE-2"),
        points=("while a worker is disconnected",),
    ),
)

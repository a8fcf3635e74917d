"""A stop names its whole target, by a handle that is still good, and its caller may stop just that run.

In the first scenario somebody leaves out what to stop; in the second a supervisor stops by old and by invented handles;
in the third a night watch who may stop two runs does so with one request id, and tries the same on another.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    Capability,
    Cause,
    NotAdmitted,
    Recorded,
    Refused,
    Renewed,
    RequestCancel,
    Right,
    Scope,
    StaleLease,
    TaskKey,
    TaskRef,
    Trigger,
    Won,
)
from stopcheck.world import Effect, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, call, in_order, saw

WORKER = "worker"
#: Higher than any epoch of so short a run.
NEVER = 1_000_003


# -- what to stop is left out -----------------------------------------------------------------------------


def unclear(world: World) -> None:
    """A worker under way, and somebody who leaves out what to stop."""
    task = world.task("refund")
    world.opens(task)
    holder = world.under_way(task, WORKER)
    world.actor("caller", leave_out(world, task))
    world.actor(WORKER, goes_on(world, holder, task))


async def leave_out(world: World, task: TaskRef) -> None:
    """One stop without an incarnation, one without a task id, one without a tenant."""
    client = world.client("caller", Right.STOP)
    common = {"scope": Scope.TASK, "cause": Cause.USER, "reason": "Stop pressed"}
    nameless = TaskRef(TaskKey(task.key.tenant, ""), task.incarnation)
    nobodys = TaskRef(TaskKey("", task.key.task_id), task.incarnation)
    await client.insist(RequestCancel, task, incarnation=None, request_id="stop-of-some-run", **common)
    await client.insist(RequestCancel, nameless, request_id="stop-of-something", **common)
    await client.insist(RequestCancel, nobodys, request_id="stop-of-somebodys", **common)


async def goes_on(world: World, holder: Holder, task: TaskRef) -> None:
    """The run that nobody stopped."""
    await world.others_at_rest()
    await world.client("auditor", Right.INSPECT, handle=0).inspect(task)
    await holder.client.renew_lease(task, holder.epoch)
    await holder.client.complete(task, holder.epoch)


# -- handles that are stale -------------------------------------------------------------------------------


def stale(world: World) -> None:
    """Two attempts at one task, and a supervisor who knows the first, and some that never were."""
    task = world.task("refund")
    ghost = world.effect(task, "ghost-mail", world.receiver("mail"))
    world.opens(task)
    first = world.under_way(task, "first worker")
    second = world.under_way(task, "second worker", trigger=Trigger.REPLACEMENT)
    world.actor("supervisor", stop_by_old_handles(world, first, second, task, ghost))


async def stop_by_old_handles(world: World, first: Holder, second: Holder, task: TaskRef, ghost: Effect) -> None:
    """By an earlier attempt, by one that never was; after the stop by an effect and a worker that never were."""
    client = world.client("supervisor", Right.STOP, Right.SUPERVISE)
    contract = world.port.contract
    await client.revoke_lease(task, first.epoch)
    await client.revoke_lease(task, NEVER)
    await second.client.renew_lease(task, second.epoch)
    await client.request_cancel(task, Scope.TASK, "stop")
    if contract.has(Capability.SUPPRESSION):
        await client.suppress(ghost)
    if contract.has(Capability.ESCALATION):
        await sleep_until("grace", world.now_ns() + contract.grace_ns, "grace")
        await client.escalate(task, "a worker of another backend")


# -- the right to stop one run ----------------------------------------------------------------------------


def one_of_two(world: World) -> None:
    """Two runs whose workers have the same name, one that nobody has begun, and a night watch who may not stop all."""
    named, other, waiting = world.task("refund"), world.task("report"), world.task("reminder")
    mail = world.effect(other, "report-mail", world.receiver("mail"))
    for task in (named, other, waiting):
        world.opens(task)
    mine = world.under_way(named, WORKER)
    theirs = world.under_way(other, WORKER)
    world.actor("night watch", stop_both(world, (mine, theirs), (named, other, waiting), mail))
    world.actor(WORKER, goes_on(world, theirs, other))


async def stop_both(world: World, holders: tuple[Holder, Holder], runs: tuple[TaskRef, ...], mail: Effect) -> None:
    """Stop the run with every means, and with one click the one that waits; then try each on the other, with no right
    to."""
    named, other, waiting = runs
    contract = world.port.contract
    watch = world.client("night watch", Right.STOP, Right.SUPERVISE)
    for stopped in (named, waiting):
        await watch.request_cancel(stopped, Scope.TASK, "watch-stop")
    await watch.record_signal(named, WORKER, "bus", Cause.USER)
    await watch.revoke_lease(named, holders[0].epoch)
    without_right = world.client("night watch")
    if contract.has(Capability.ESCALATION):
        await sleep_until("grace", world.now_ns() + contract.grace_ns, "grace")
        await watch.escalate(named, WORKER)
        await without_right.escalate(other, WORKER)
    if contract.has(Capability.SUPPRESSION):
        await without_right.suppress(mail)
    await without_right.request_cancel(other, Scope.TASK, "other-stop")
    await without_right.revoke_lease(other, holders[1].epoch)


SCENARIOS = (
    Scenario(
        id="unclear-stops",
        ledger=False,
        title="Stops that do not say what to stop",
        sentence="A cancellation names tenant, task id, incarnation and scope; without one of them it is refused.",
        build=unclear,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "a stop without an incarnation was refused",
                in_order(call("request_cancel", incarnation=None), answer("request_cancel", Refused)),
            ),
            Witness(
                "the run went on and completed", in_order(answer("request_cancel", Refused), answer("complete", Won))
            ),
        ),
        clauses=("SCOPE-1", "LIVE-1"),
    ),
    Scenario(
        id="stale-handles",
        ledger=False,
        title="Stops by handles of what is not there",
        sentence="A stop with a malformed or stale handle is an error to its caller, never silence.",
        build=stale,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "the revocation of an epoch that never was is an error",
                in_order(call("revoke_lease", epoch=NEVER), answer("revoke_lease", StaleLease, Refused)),
            ),
            Witness(
                "the suppression of an effect that never was is an error",
                saw(answer("suppress", NotAdmitted, Refused)),
                capability=Capability.SUPPRESSION,
            ),
            Witness(
                "force against a worker that never was is refused",
                saw(answer("escalate", Refused)),
                capability=Capability.ESCALATION,
            ),
        ),
        clauses=("SCOPE-8", "ADM-6"),
    ),
    Scenario(
        id="one-of-two-runs",
        ledger=False,
        title="Somebody who may stop one of two runs",
        sentence="A stop reaches exactly the runs that it names; the right to stop is checked for each run.",
        build=one_of_two,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "the named run was stopped, and a stop of the other refused",
                in_order(answer("request_cancel", Accepted), answer("request_cancel", Refused)),
            ),
            Witness(
                "one request stopped two runs",
                in_order(answer("request_cancel", Accepted), answer("request_cancel", Accepted)),
            ),
            Witness("a revocation on the other was refused", saw(answer("revoke_lease", Refused))),
            Witness(
                "a signal was recorded, and the other run went on and completed",
                in_order(answer("record_signal", Recorded), answer("renew_lease", Renewed), answer("complete", Won)),
            ),
            Witness(
                "force against the other was refused",
                saw(answer("escalate", Refused)),
                capability=Capability.ESCALATION,
            ),
        ),
        clauses=("SCOPE-3", "SCOPE-5", "SCOPE-7", "DLV-8", "ESC-1", "LIVE-1"),
    ),
)

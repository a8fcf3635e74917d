"""What a run has once it does not get again, and what one run had no other has: lifetimes, leave to use force, grants.

In the first page a task is opened again, paused, taken over and tried again, and its deadline stays where it was. In
the second the next run of a stopped task finds neither its grants nor its retries nor its deadline. In the third a
supervisor uses force on both workers of a task and on a namesake in another, while the stop is repeated and widened.
"""

from __future__ import annotations

import msgspec

from stopcheck.gate import (
    SECOND_NS,
    Accepted,
    AckStrength,
    AlreadyForced,
    Assigner,
    Capability,
    ClaimGranted,
    ExistingEffect,
    Finding,
    Forced,
    GrantKind,
    Halt,
    LeaseGranted,
    PayloadMismatch,
    ReceiptEvidence,
    Refused,
    RetryFired,
    Right,
    Scope,
    Snapshot,
    TaskRef,
    Trigger,
    Void,
    Won,
)
from stopcheck.world import Child, Effect, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, call, in_order, saw

LIFETIME_NS = 8 * SECOND_NS
WORKER, OTHER_WORKER = "worker", "second worker"


# -- one lifetime -----------------------------------------------------------------------------------------


def one_lifetime(world: World) -> None:
    """A task with eight seconds, and whoever would like it to have more."""
    task = world.task("answer")
    world.opens(task, LIFETIME_NS)
    world.actor("runtime", try_for_more(world, world.under_way(task, WORKER), task))


async def try_for_more(world: World, holder: Holder, task: TaskRef) -> None:
    """Open it again with more time; pause it; replace the worker; try again; look after each."""
    contract, auditor = world.port.contract, world.client("auditor", Right.INSPECT, handle=0)
    opener, operator = world.client("opener", Right.OPEN, handle=0), world.client("operator", Right.SUPERVISE, handle=0)
    await sleep_until("one second", SECOND_NS, "one second")
    if contract.incarnations is Assigner.CALLER:
        await opener.open_task(task, 2 * LIFETIME_NS)
        await auditor.inspect(task)
        await opener.open_task(task)
        await auditor.inspect(task)
    if contract.has(Capability.PAUSE):
        await operator.suspend(task, Halt.PAUSE)
    await sleep_until("two seconds", 2 * SECOND_NS, "two seconds")
    if contract.has(Capability.PAUSE):
        await operator.resume(task)
        await auditor.inspect(task)
    lease = await holder.client.begin_work(task, OTHER_WORKER, "take-over", Trigger.REPLACEMENT)
    await auditor.inspect(task)
    if contract.has(Capability.RETRIES) and isinstance(lease, LeaseGranted):
        await holder.client.schedule_retry(task, "retry", 0)
        await holder.client.release_lease(task, lease.epoch)
        await holder.client.fire_retry(task, "retry", WORKER)
        await auditor.inspect(task)


# -- the next run has nothing of the last -----------------------------------------------------------------


def following_run(world: World) -> None:
    """A run with a deadline, a grant, a retry and a mail, paused and stopped; then the next, which has none of it."""
    stopped, following = (world.task("nightly", incarnation=number) for number in (1, 2))
    world.opens(stopped, LIFETIME_NS)
    mail = world.effect(stopped, "nightly-mail", world.receiver("mail"))
    world.prepare(leave_things_behind(world, world.under_way(stopped, WORKER, effects=(mail,)), stopped))
    world.opens(following)
    world.actor(WORKER, find_nothing(world, following, mail))


async def leave_things_behind(world: World, holder: Holder, task: TaskRef) -> None:
    """Everything that a run can have, and a stop."""
    contract = world.port.contract
    if contract.has(Capability.APPROVALS):
        await holder.client.grant(task, "prepared-write", GrantKind.PREPARED_WRITE)
    if contract.has(Capability.RETRIES):
        await holder.client.schedule_retry(task, "retry", 0)
    if contract.has(Capability.PAUSE):
        await world.client("operator", Right.SUPERVISE, handle=0).suspend(task, Halt.SHUTDOWN)
    stop = await world.client("night watch", Right.STOP, handle=0).request_cancel(task, Scope.TASK, "stop")
    if isinstance(stop, Accepted):
        await holder.client.acknowledge(task, holder.epoch, AckStrength.HANDLER_STOPPED, stop.record.revision)


async def find_nothing(world: World, task: TaskRef, mail: Effect) -> None:
    """Use what the last run left, then work until after its deadline; meanwhile somebody hears of its mail."""
    contract, client = world.port.contract, world.client(WORKER, Right.WORK)
    auditor = world.client("auditor", Right.INSPECT, handle=0)
    await auditor.inspect(task)
    if contract.has(Capability.RETRIES):
        await client.fire_retry(task, "retry", WORKER)
    if contract.has(Capability.APPROVALS):
        await client.use_grant(task, "prepared-write")
    await sleep_until("later", LIFETIME_NS, "the old deadline")
    lease = await client.begin_work(task, WORKER, "next", Trigger.FIRST)
    await auditor.inspect(task)
    if isinstance(lease, LeaseGranted):
        await client.commit_effect(msgspec.structs.replace(mail, task=task), lease.epoch)
    await hear_of(world, mail)
    if isinstance(lease, LeaseGranted):
        await client.complete(task, lease.epoch)


async def hear_of(world: World, mail: Effect) -> None:
    """The mail of the last run, of which its receiver now says that it will not take it."""
    dispatcher = world.client("dispatcher", Right.DISPATCH, handle=0)
    claim = await dispatcher.claim_dispatch(mail)
    if isinstance(claim, ClaimGranted):
        receipt = mail.receiver.sign(mail.effect_id, mail.payload_digest, Finding.REJECTED)
        await dispatcher.record_outcome(mail, ReceiptEvidence(receipt), claim.attempt)


# -- force by name ----------------------------------------------------------------------------------------


def force_by_name(world: World) -> None:
    """Two workers of a task, one of which replaced the other, and another task with a worker of the same name, which
    may own a third."""
    task, other = world.task("refund"), world.task("report")
    for each in (task, other):
        world.opens(each)
    world.under_way(task, WORKER)
    world.under_way(task, OTHER_WORKER, trigger=Trigger.REPLACEMENT)
    owned = world.child(other, "survey") if world.port.contract.has(Capability.CHILDREN) else None
    world.under_way(other, WORKER, children=() if owned is None else (owned,))
    if owned is not None:
        world.under_way(owned.ref, WORKER)
    world.actor("supervisor", force(world, task, other, owned))


async def force(world: World, task: TaskRef, other: TaskRef, owned: Child | None) -> None:
    """Stop both tasks, and widen one stop meanwhile; when it is time use force on each worker, and once more after a
    later cause and a widening. What was reached by the widening has a grace period from then on."""
    client = world.client("supervisor", Right.STOP, Right.SUPERVISE, Right.INSPECT)
    for each in (task, other):
        await client.request_cancel(each, Scope.TASK, "stop")
    cutoff_ns, grace_ns = world.now_ns(), world.port.contract.grace_ns
    await sleep_until("half", cutoff_ns + grace_ns // 2, "half of the grace period")
    if Scope.SUBTREE in world.port.contract.scopes:
        await client.request_cancel(other, Scope.SUBTREE, "stop more")
        await client.escalate(other, WORKER)
    await sleep_until("grace", cutoff_ns + grace_ns, "grace")
    await client.escalate(task, WORKER)
    await client.escalate(task, OTHER_WORKER)
    await client.escalate(other, WORKER)
    for scope, request_id in ((Scope.TASK, "stop again"), (Scope.SUBTREE, "stop more")):
        if scope in world.port.contract.scopes:
            await client.request_cancel(task, scope, request_id)
            await client.escalate(task, WORKER)
    await client.inspect(task)
    await client.inspect(other)
    if owned is not None:
        await client.escalate(owned.ref, WORKER)
        await sleep_until("grace again", cutoff_ns + grace_ns // 2 + grace_ns, "grace from the widening on")
        await client.escalate(owned.ref, WORKER)


STOP = answer("request_cancel", Accepted)
FORCED = answer("escalate", Forced)

SCENARIOS = (
    Scenario(
        id="one-lifetime",
        title="A task tries to get more time",
        sentence="A deadline is never later: not by another opening, a pause, a replacement or a retry.",
        build=one_lifetime,
        needs=frozenset((Capability.DEADLINES,)),
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "the worker was replaced, and the account read",
                in_order(answer("begin_work", LeaseGranted), answer("inspect", Snapshot, actor="runtime")),
            ),
            Witness(
                "a retry fired, and the account was read",
                in_order(answer("fire_retry", RetryFired), answer("inspect", Snapshot, actor="runtime")),
                capability=Capability.RETRIES,
            ),
        ),
        clauses=("DDL-1",),
        points=("during retry backoff",),
    ),
    Scenario(
        id="following-run",
        title="The next run looks for what the last one left",
        sentence="The next run has nothing of a stopped one: no grant, no retry, no effect, no pause and no deadline.",
        build=following_run,
        needs=frozenset((Capability.DEADLINES,)),
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness("the next run completed after the deadline of the last one", saw(answer("complete", Won))),
            Witness(
                "an old prepared write fired nothing",
                saw(answer("use_grant", Void, Refused)),
                capability=Capability.APPROVALS,
            ),
            Witness(
                "an old retry fired nothing", saw(answer("fire_retry", Void, Refused)), capability=Capability.RETRIES
            ),
            Witness(
                "what the last run had admitted was not admitted again",
                saw(answer("commit_effect", PayloadMismatch, ExistingEffect, actor=WORKER)),
            ),
        ),
        clauses=("DLV-7", "DLV-4", "ADM-8", "ADM-5", "EFF-4"),
        points=("after it ended",),
    ),
    Scenario(
        id="force-by-name",
        title="Force on two workers of a task and a namesake in another",
        sentence="Force is allowed once for each worker of each task; repeats do not switch it off.",
        build=force_by_name,
        needs=frozenset((Capability.ESCALATION,)),
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness("force was allowed on three workers", in_order(STOP, FORCED, FORCED, FORCED)),
            Witness(
                "it was asked for again after a later cause",
                in_order(FORCED, call("request_cancel", request_id="stop again"), answer("escalate", AlreadyForced)),
            ),
        ),
        clauses=("ESC-1", "ESC-10", "DLV-8"),
        points=("while a worker is disconnected", "concurrently with another stop"),
    ),
)

"""Tenants are apart in every operation that a gate has, the optional ones too.

A task has everything that one can have: a lease, a mail, a child, an interest, a retry, an approval, results, a request
that waits for its answer, an item in hand-over. Two others are where nothing but the tenant stands in the way: one is
idle and has a retry that is due, one is stopped, its mail sent and its grace period over. Somebody of another tenant,
who is called like the worker and may do everything there, tries each operation, once; then reads what the cache holds
for a task of his own, whose name and tenant give those of the idle one when they are joined. So does a colleague of the
same tenant, called like the worker too, who has no right at all; and then one who has each time every right but those
that the operation takes.
"""

from __future__ import annotations

from collections.abc import Awaitable

from stopcheck.gate import (
    AckStrength,
    Capability,
    Cause,
    ClaimGranted,
    GrantKind,
    Halt,
    NoEvidence,
    ProbeResult,
    Recalled,
    Refused,
    ResultPlace,
    Right,
    Scope,
    Snapshot,
    Stage,
    TaskRef,
    Trigger,
    ViewEnd,
)
from stopcheck.world import Child, Client, Effect, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, in_order, saw

WORKER = "worker"


def build(world: World) -> None:
    """A task with everything, a stranger with a task of his own, and a colleague without any right."""
    task = world.task("refund")
    mail = world.effect(task, "refund-mail", world.receiver("mail"))
    strangers_mail = world.effect(task, "strangers-mail", mail.receiver)
    letter, strangers_child = world.child(task, "letter"), world.child(task, "strangers-letter")
    others_tenant = f"{world.cast.tenant}-late"
    own = world.task("report", tenant=others_tenant)
    world.opens(task)
    has_children = world.port.contract.has(Capability.CHILDREN)
    keeps_ledger = world.port.contract.ledger
    idle, stopped = world.task("late-report"), world.task("claim")
    paid = world.effect(stopped, "claim-mail", mail.receiver)
    for each in (idle, stopped):
        world.opens(each)
    holder = world.under_way(
        task, WORKER, children=(letter,) if has_children else (), effects=(mail,) if keeps_ledger else ()
    )
    world.prepare(leave_open(world, world.under_way(idle, WORKER), idle))
    world.under_way(stopped, WORKER, effects=(paid,))
    world.prepare(leave_stopped(world, paid, task))
    stranger = world.client(WORKER, *Right).as_tenant(others_tenant)
    world.prepare(furnish(world, holder, task))
    world.prepare(move_in(stranger, own))
    colleague = world.client(WORKER)
    busybody = world.client(WORKER).without_the_right()
    everything = (letter, strangers_child), (mail, strangers_mail)
    world.actor(
        "stranger",
        try_all(
            try_open_doors(world, stranger, idle, strangers_mail, paid),
            try_everything(world, stranger, *everything, own),
            stranger.inspect(own),
            try_open_doors(world, colleague, idle, strangers_mail, paid),
            try_everything(world, colleague, *everything, task),
            colleague.tick(task),
            try_open_doors(world, busybody, idle, strangers_mail, paid),
            try_everything(world, busybody, *everything, task),
            busybody.tick(task),
        ),
    )
    world.actor(WORKER, go_on(world, holder, task, idle))


async def furnish(world: World, holder: Holder, task: TaskRef) -> None:
    """Whatever the gate lets a task have."""
    contract, worker = world.port.contract, holder.client
    if contract.has(Capability.SHARED):
        await worker.subscribe(task, "interest", task)
    if contract.has(Capability.RETRIES):
        await worker.schedule_retry(task, "retry", 0)
    if contract.has(Capability.APPROVALS):
        await worker.grant(task, "prepared-write", GrantKind.PREPARED_WRITE)
    if contract.has(Capability.RESULTS):
        await worker.offer_result(task, "search", ResultPlace.CACHE, holder.epoch, "finding")
        await world.client(WORKER, Right.INSPECT, handle=0).ask_task(task, "question", "channel")
        for item in ("item", "second-item"):
            await worker.hand_over(task, item)
        await worker.take_item(task, holder.epoch)
    if contract.has(Capability.CAPACITY):
        await worker.hold_slot(task, holder.epoch, "pool", 1)


async def leave_open(world: World, holder: Holder, idle: TaskRef) -> None:
    """Nobody is at work on the task, and a retry of it is due."""
    if world.port.contract.has(Capability.RETRIES):
        await holder.client.schedule_retry(idle, "retry", 0)
    await holder.client.release_lease(idle, holder.epoch)


async def leave_stopped(world: World, paid: Effect, task: TaskRef) -> None:
    """Send the mail, stop its task, allow another to answer it, and wait until force may be used."""
    contract, person = world.port.contract, world.client("person", Right.STOP, handle=0)
    if contract.ledger:
        dispatcher = world.client("dispatcher", Right.DISPATCH, handle=0)
        claim = await dispatcher.claim_dispatch(paid)
        if isinstance(claim, ClaimGranted):
            evidence = await paid.receiver.submit(paid, claim.permit)
            await dispatcher.record_outcome(paid, evidence, claim.attempt)
    if contract.has(Capability.APPROVALS) and contract.has(Capability.COMPENSATION):
        await person.grant(task, "authority", GrantKind.COMPENSATION, paid.effect_id)
    if contract.has(Capability.ESCALATION):
        await person.request_cancel(paid.task, Scope.TASK, "stop")
        await sleep_until("grace", world.now_ns() + contract.grace_ns, "grace")


async def try_all(*attempts: Awaitable[object]) -> None:
    """One after the other."""
    for attempt in attempts:
        await attempt


async def try_open_doors(world: World, stranger: Client, idle: TaskRef, own: Effect, paid: Effect) -> None:
    """What any caller of the tenant with these rights would be given."""
    contract = world.port.contract
    if contract.has(Capability.RETRIES):
        await stranger.fire_retry(idle, "retry", WORKER)
    if contract.has(Capability.ESCALATION):
        await stranger.escalate(paid.task, WORKER)
    if contract.has(Capability.APPROVALS) and contract.has(Capability.COMPENSATION):
        await stranger.compensate(own, 1, paid, "authority")
    if contract.has(Capability.MEASURES):
        await stranger.measures(own.task)
    if contract.has(Capability.CLEANUP):
        await stranger.note_artefact(own.task, 1, "strangers-draft")
        await stranger.begin_cleanup(paid.task, WORKER)
        await stranger.clean_up(paid.task, 2, "draft")
    if contract.has(Capability.CAPACITY):
        await stranger.hold_slot(own.task, 1, "strangers-pool", 1)
        await stranger.return_slot(own.task, 1, "pool")


async def move_in(stranger: Client, own: TaskRef) -> None:
    """The stranger has a task, too."""
    await stranger.open_task(own)


async def try_everything(
    world: World, stranger: Client, children: tuple[Child, Child], mails: tuple[Effect, Effect], own: TaskRef
) -> None:
    """Each operation once."""
    task = mails[0].task
    await try_leases(stranger, task)
    if world.port.contract.ledger:
        await try_ledger(world, stranger, *mails)
    await try_the_rest(world, stranger, task)
    if world.port.contract.has(Capability.CHILDREN):
        await try_children(stranger, *children)
    if world.port.contract.has(Capability.RESULTS):
        await try_results(stranger, task, own)


async def try_leases(stranger: Client, task: TaskRef) -> None:
    """Authority, ends and accounts."""
    await stranger.open_task(task)
    await stranger.begin_work(task, WORKER, "strangers-delivery", Trigger.REPLACEMENT)
    await stranger.renew_lease(task, 1)
    await stranger.acknowledge(task, 1, AckStrength.HANDLER_STOPPED, 1)
    await stranger.record_signal(task, WORKER, "bus", Cause.USER)
    await stranger.release_lease(task, 1)
    await stranger.revoke_lease(task, 1)
    await stranger.complete(task, 1)
    await stranger.fail(task, 1)
    await stranger.request_cancel(task, Scope.TASK, "strangers-stop")
    await stranger.close_view(task, "strangers-view", ViewEnd.ROW_HIDDEN)
    await stranger.inspect(task)


async def try_ledger(world: World, stranger: Client, mail: Effect, own: Effect) -> None:
    """Effects."""
    contract = world.port.contract
    await stranger.commit_effect(own, 1)
    await stranger.claim_dispatch(mail)
    await stranger.record_outcome(mail, NoEvidence("says a stranger"))
    if contract.has(Capability.SUPPRESSION):
        await stranger.suppress(mail)
    if contract.has(Capability.COMPENSATION):
        await stranger.compensate(own, 1, mail, "prepared-write")


async def try_the_rest(world: World, stranger: Client, task: TaskRef) -> None:
    """Interests, retries, approvals, force and pauses."""
    contract = world.port.contract
    if contract.has(Capability.SHARED):
        await stranger.subscribe(task, "strangers-interest", task)
        await stranger.release(task, "interest")
    if contract.has(Capability.RETRIES):
        await stranger.schedule_retry(task, "strangers-retry", 0)
        await stranger.fire_retry(task, "retry", WORKER)
    if contract.has(Capability.APPROVALS):
        await stranger.grant(task, "strangers-approval")
        await stranger.grant(task, "strangers-write", GrantKind.PREPARED_WRITE)
        await stranger.use_grant(task, "prepared-write")
    if contract.has(Capability.ESCALATION):
        await stranger.escalate(task, WORKER)
        await stranger.record_probe(task, WORKER, ProbeResult.GONE)
    if contract.has(Capability.PAUSE):
        await stranger.suspend(task, Halt.PAUSE)
        await stranger.resume(task)


async def try_children(stranger: Client, letter: Child, own: Child) -> None:
    """What the task owns."""
    await stranger.register_child(own, 1)
    await stranger.start_child(letter)
    await stranger.finish_child(letter, Stage.FAILED)


async def try_results(stranger: Client, task: TaskRef, own: TaskRef) -> None:
    """Results, answers and items; and the cache of the other tenant."""
    await stranger.offer_result(task, "strangers-search", ResultPlace.RESPONSE, 1, "strangers-finding")
    await stranger.recall(task, ResultPlace.CACHE)
    await stranger.ask_task(task, "strangers-question", "channel")
    await stranger.read_answer(task, "question")
    await stranger.withdraw(task, "question")
    await stranger.hand_over(task, "strangers-item")
    await stranger.take_item(task, 1)
    await stranger.confirm_item(task, "item")
    await stranger.recall(own, ResultPlace.CACHE)


async def go_on(world: World, holder: Holder, task: TaskRef, idle: TaskRef) -> None:
    """The worker finds its task as it was, and so is the idle one."""
    await world.others_at_rest()
    auditor = world.client("auditor", Right.INSPECT, handle=0)
    await auditor.inspect(idle)
    await auditor.inspect(task)
    await holder.client.renew_lease(task, holder.epoch)
    await holder.client.complete(task, holder.epoch)


SCENARIO = Scenario(
    id="foreign-reach",
    ledger=False,
    title="A stranger tries every operation",
    sentence="Tenants are apart in every operation, and in what their tasks share; so is whoever lacks the right.",
    build=build,
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness("a foreign lease was refused", saw(answer("begin_work", Refused, actor="stranger"))),
        Witness("a foreign look was refused", saw(answer("inspect", Refused, actor="stranger"))),
        Witness(
            "a colleague without rights was refused after the stranger",
            in_order(answer("inspect", Snapshot, actor="stranger"), answer("tick", Refused, actor="stranger")),
        ),
        Witness(
            "so was one with the wrong rights after the colleague",
            in_order(
                answer("tick", Refused, actor="stranger"),
                answer("inspect", Refused, actor="stranger"),
                answer("tick", Refused, actor="stranger"),
            ),
        ),
        Witness(
            "the stranger looked into a cache of his own",
            in_order(answer("recall", Refused), answer("recall", Recalled, actor="stranger")),
            capability=Capability.RESULTS,
        ),
    ),
    clauses=("SCOPE-9", "SCOPE-3", "SCOPE-7"),
)

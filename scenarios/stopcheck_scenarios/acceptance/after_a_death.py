"""After a death of the gate everything is as it was: what was spent, withdrawn, released, forced, parked and answered.

In the first page a task has used up whatever can be used once, and goes on. In the second page tasks are over, each in
another way, with all that belongs to it. The gate may die before any of the questions that follow; one that kept
something in memory only answers them otherwise than before.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    AlreadyForced,
    AlreadyReleased,
    Assigner,
    BoundaryAnswer,
    Capability,
    Cause,
    ClaimGranted,
    CleanupGranted,
    EarlyStop,
    Ended,
    Finding,
    GateContract,
    GrantKind,
    LookupAnswer,
    LookupEvidence,
    NoEvidence,
    PreCancelled,
    ProbeResult,
    Quarantined,
    ReceiptEvidence,
    Refused,
    ResultPlace,
    RetryFired,
    Right,
    Scope,
    Snapshot,
    TaskRef,
    Void,
)
from stopcheck.world import EXPORT, Effect, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, death, in_order, keeps_ledger, saw

WORKER = "worker"
ONE_DEATH = FaultBudget(crashes=1, lost_answers=("inspect",), provider=0)


# -- what was used up -------------------------------------------------------------------------------------


def used_up(world: World) -> None:
    """A task that has used everything once, and goes on; and another that wants what it gave back."""
    task, other = world.task("refund"), world.task("report")
    mail = world.receiver("mail")
    doubtful, early = world.effect(task, "refund-mail", mail), world.effect(task, "survey-mail", mail)
    refused = world.effect(other, "statement-mail", mail)
    cut_short = world.effect(other, "statement-file", world.receiver("files", EXPORT))
    world.opens(task)
    world.opens(other)
    holder = world.under_way(task, WORKER, effects=(doubtful,))
    second = world.under_way(other, "other worker", effects=(refused, cut_short))
    world.prepare(use_up(world, holder, task))
    if world.port.contract.ledger:
        world.prepare(leave_in_doubt(world, doubtful, early))
        world.prepare(be_told(world, refused, Finding.REJECTED, Finding.EXECUTED))
        world.prepare(be_told(world, cut_short, Finding.PARTIAL))
    world.actor(WORKER, use_again(world, (holder, task), (second, other), doubtful))


async def use_up(world: World, holder: Holder, task: TaskRef) -> None:
    """Use each thing that can be used once."""
    has, worker = world.port.contract.has, holder.client
    if has(Capability.APPROVALS):
        await worker.grant(task, "prepared-write", GrantKind.PREPARED_WRITE)
        await worker.use_grant(task, "prepared-write")
    if has(Capability.RETRIES):
        await worker.schedule_retry(task, "retry", 0)
        await worker.release_lease(task, holder.epoch)
        fired = await worker.fire_retry(task, "retry", WORKER)
        holder.epoch = fired.epoch if isinstance(fired, RetryFired) else holder.epoch
    if has(Capability.CAPACITY):
        for pool in ("given back", "held"):
            await worker.hold_slot(task, holder.epoch, pool, 1)
        await worker.return_slot(task, holder.epoch, "given back")
    if has(Capability.RESULTS):
        await ask_and_hand_over(world, holder, task)


async def ask_and_hand_over(world: World, holder: Holder, task: TaskRef) -> None:
    """A question that was withdrawn and one that was answered; an item that somebody took."""
    asker = world.client("asker", Right.INSPECT, handle=0)
    for request_id in ("withdrawn", "answered"):
        await asker.ask_task(task, request_id, "channel")
    await asker.withdraw(task, "withdrawn")
    await holder.client.answer(task, "answered", holder.epoch, "the answer")
    await holder.client.hand_over(task, "item")
    await holder.client.take_item(task, holder.epoch)


async def leave_in_doubt(world: World, doubtful: Effect, early: Effect) -> None:
    """A mail of which nobody knows, and a receipt for one that nobody has admitted yet."""
    dispatcher = world.client("dispatcher", Right.DISPATCH, handle=0)
    claim = await dispatcher.claim_dispatch(doubtful)
    if isinstance(claim, ClaimGranted):
        await dispatcher.record_outcome(doubtful, NoEvidence("timeout"), claim.attempt)
    receipt = early.receiver.sign(early.effect_id, early.payload_digest, Finding.REJECTED)
    await dispatcher.record_outcome(early, ReceiptEvidence(receipt))


async def be_told(world: World, effect: Effect, *findings: Finding) -> None:
    """Its receiver says this of it: that it will not take a mail, then that it took it; that a file is cut short."""
    dispatcher = world.client("dispatcher", Right.DISPATCH, handle=0)
    claim = await dispatcher.claim_dispatch(effect)
    for finding in findings:
        receipt = effect.receiver.sign(effect.effect_id, effect.payload_digest, finding)
        await dispatcher.record_outcome(effect, ReceiptEvidence(receipt), getattr(claim, "attempt", None))


async def use_again(
    world: World, mine: tuple[Holder, TaskRef], others: tuple[Holder, TaskRef], doubtful: Effect
) -> None:
    """Look, and try to use each thing once more."""
    has, (holder, task) = world.port.contract.has, mine
    worker, auditor = holder.client, world.client("auditor", Right.INSPECT)
    await auditor.inspect(task)
    for epoch in range(1, holder.epoch + 1):
        await worker.renew_lease(task, epoch)
    if has(Capability.APPROVALS):
        await worker.use_grant(task, "prepared-write")
    if has(Capability.CAPACITY):
        for pool in ("given back", "held"):
            await others[0].client.hold_slot(others[1], others[0].epoch, pool, 1)
    if has(Capability.RESULTS):
        await listen_again(world, holder, task)
    if has(Capability.RETRIES):
        await worker.release_lease(task, holder.epoch)
        await worker.fire_retry(task, "retry", WORKER)
    if world.port.contract.ledger:
        await account_for(world, doubtful)
    await world.client("person", Right.STOP).request_cancel(task, Scope.TASK, "stop")
    for each in (task, others[1]):
        await auditor.inspect(each)


async def listen_again(world: World, holder: Holder, task: TaskRef) -> None:
    """Answer what was withdrawn, read both answers, take what waits, and say that the item has come."""
    asker = world.client("asker", Right.INSPECT)
    await holder.client.answer(task, "withdrawn", holder.epoch, "too late an answer")
    for request_id in ("withdrawn", "answered"):
        await asker.read_answer(task, request_id)
    await holder.client.take_item(task, holder.epoch)
    await holder.client.confirm_item(task, "item")


async def account_for(world: World, doubtful: Effect) -> None:
    """Whoever finds an effect to be sent may send it; of the doubtful one its receiver knows nothing."""
    dispatcher = world.client("dispatcher", Right.DISPATCH)
    await dispatcher.claim_dispatch(doubtful)
    await dispatcher.record_outcome(doubtful, LookupEvidence(LookupAnswer.ABSENT))


# -- what was over ----------------------------------------------------------------------------------------


def over(world: World) -> None:
    """A stopped task with a child, one that was completed before its stop, and one stopped before it opened."""
    stopped, completed, early = (world.task(name) for name in ("refund", "report", "letter"))
    has = world.port.contract.has
    child = world.child(stopped, "translation")
    for task in (stopped, completed):
        world.opens(task)
    holder = world.under_way(stopped, WORKER, children=(child,) if has(Capability.CHILDREN) else ())
    done = world.under_way(completed, "other worker")
    world.prepare(end_all(world, (holder, stopped), (done, completed), early))
    world.actor("auditor", look_again(world, (stopped, completed, early)))


async def end_all(
    world: World, refund: tuple[Holder, TaskRef], report: tuple[Holder, TaskRef], letter: TaskRef
) -> None:
    """Stop the refund for two reasons, and as far as the gate can; complete the report; stop it, and the letter."""
    contract, client = world.port.contract, world.client("person", Right.STOP, Right.SUPERVISE, handle=0)
    (holder, stopped), (done, completed) = refund, report
    if contract.has(Capability.CLEANUP):
        await holder.client.note_artefact(stopped, holder.epoch, "draft")
        await holder.client.note_artefact(stopped, holder.epoch, "letter", finished=True)
    first = await client.request_cancel(stopped, Scope.TASK, "stop")
    if Scope.SUBTREE in contract.scopes:
        await client.request_cancel(stopped, Scope.SUBTREE, "stop more")
    await client.request_cancel(stopped, Scope.TASK, "by the rules", Cause.POLICY)
    if isinstance(first, Accepted):
        await holder.client.acknowledge(stopped, holder.epoch, AckStrength.OBSERVED, first.record.revision)
    await client.record_signal(stopped, WORKER, "bus", Cause.USER)
    await holder.client.complete(stopped, holder.epoch, "a late report")
    if contract.has(Capability.RESULTS):
        await holder.client.offer_result(stopped, "search", ResultPlace.CACHE, holder.epoch, "a late finding")
    await done.client.complete(completed, done.epoch)
    await client.request_cancel(completed, Scope.TASK, "too late")
    if stops_early(contract):
        await client.request_cancel(letter, Scope.TASK, "early")
    if contract.has(Capability.ESCALATION):
        await sleep_until("grace", world.now_ns() + contract.grace_ns, "grace")
        await client.escalate(stopped, WORKER)
        await client.record_probe(stopped, WORKER, ProbeResult.ALIVE)


def stops_early(contract: GateContract) -> bool:
    """A stop can come before its task opens."""
    return contract.early_stop is EarlyStop.TOMBSTONE and contract.incarnations is Assigner.CALLER


async def look_again(world: World, tasks: tuple[TaskRef, TaskRef, TaskRef]) -> None:
    """Read the accounts; ask for the same once more; read again."""
    contract, (stopped, completed, letter) = world.port.contract, tasks
    client = world.client("auditor", Right.INSPECT, Right.STOP, Right.SUPERVISE, Right.OPEN)
    for task in (stopped, completed):
        await client.inspect(task)
    if contract.has(Capability.CLEANUP):
        await clear_away(world, stopped)
    await client.request_cancel(stopped, Scope.TASK, "stop")
    await client.request_cancel(completed, Scope.TASK, "too late")
    if contract.has(Capability.ESCALATION):
        await client.escalate(stopped, WORKER)
    if stops_early(contract):
        await client.open_task(letter)
    for task in (stopped, completed):
        await client.inspect(task)


async def clear_away(world: World, task: TaskRef) -> None:
    """Ask what of the stopped task's artefacts may go."""
    cleaner = world.client("cleaner", Right.WORK)
    granted = await cleaner.begin_cleanup(task, "cleaner")
    if isinstance(granted, CleanupGranted):
        for artefact in ("draft", "letter"):
            await cleaner.clean_up(task, granted.epoch, artefact)


# -- what was shared --------------------------------------------------------------------------------------


def shared(world: World) -> None:
    """An export for which two orders wait and a third did."""
    export = world.task("export", shared=True)
    orders = [world.task(f"{name}-order") for name in ("first", "second", "third")]
    for task in (export, *orders):
        world.opens(task)
    world.under_way(export, "exporter")
    owner = world.client("owner", Right.WORK, Right.STOP, Right.INSPECT)
    for order in orders:
        world.prepare(owner.subscribe(export, order.key.task_id, order))
    world.prepare(owner.release(export, "third-order"))
    world.actor("owner", release_again(world, export))


async def release_again(world: World, export: TaskRef) -> None:
    """Release the third again, then the second."""
    owner = world.client("owner", Right.WORK, Right.STOP, Right.INSPECT)
    await owner.inspect(export)
    for name in ("third-order", "second-order", "second-order"):
        await owner.release(export, name)
    await owner.inspect(export)


DIED = Witness("the gate died before it was asked again", saw(death()), durable=True)

SCENARIOS = (
    Scenario(
        id="used-once",
        ledger=False,
        title="A death after everything was used once",
        sentence="What was spent, withdrawn, taken or given back before a death is so after it.",
        build=used_up,
        budget=ONE_DEATH,
        witnesses=(
            DIED,
            Witness(
                "a write that had fired fired no more",
                saw(answer("use_grant", Void, Refused, actor=WORKER)),
                capability=Capability.APPROVALS,
            ),
            Witness(
                "a retry that had fired fired no more",
                saw(answer("fire_retry", Void, Refused, actor=WORKER)),
                capability=Capability.RETRIES,
            ),
            Witness(
                "a withdrawn request was not answered, and an answer was read again",
                in_order(
                    answer("offer_result", Quarantined, actor=WORKER),
                    answer("read_answer", BoundaryAnswer, actor=WORKER),
                ),
                capability=Capability.RESULTS,
            ),
            Witness("an effect stayed in doubt", saw(answer("inspect", Snapshot)), given=keeps_ledger),
        ),
        clauses=("ADM-8", "DLV-4", "RES-4", "RES-5", "ESC-9", "EFF-3", "EFF-10", "EFF-12"),
        points=("during retry backoff",),
    ),
    Scenario(
        id="over-and-over",
        ledger=False,
        title="A death after tasks have ended in different ways",
        sentence="How a task ended, by whom, and what had come too late is known after a death as before it.",
        build=over,
        budget=ONE_DEATH,
        witnesses=(
            DIED,
            Witness("a late stop was told the same again", saw(answer("request_cancel", Ended, actor="auditor"))),
            Witness(
                "force had been allowed",
                saw(answer("escalate", AlreadyForced, actor="auditor")),
                capability=Capability.ESCALATION,
            ),
            Witness(
                "a task that was stopped before it opened did not open",
                saw(answer("open_task", PreCancelled)),
                given=stops_early,
            ),
        ),
        clauses=("REC-2", "REC-3", "CMP-6", "ESC-10", "RES-1", "RPT-6", "SCOPE-6"),
        points=("after it ended",),
    ),
    Scenario(
        id="released-before",
        ledger=False,
        title="A death after an interest was released",
        sentence="A release is counted once, also across a death.",
        build=shared,
        needs=frozenset((Capability.SHARED,)),
        budget=ONE_DEATH,
        witnesses=(DIED, Witness("it was released again", saw(answer("release", AlreadyReleased)))),
        clauses=("SHR-3", "SHR-1"),
        points=("after it ended",),
    ),
)

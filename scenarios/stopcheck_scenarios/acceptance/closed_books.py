"""What is settled is asked for once more: effects that are accounted for, and tasks that are over.

A receiver has refused a mail, fenced off another, and a third, a batch of one, was withdrawn. All are committed,
claimed and withdrawn again, and are what they were. Then the task completes and another is stopped, and a receiver
takes back what it said; of a mail that nobody has admitted a receipt comes.
"""

from __future__ import annotations

from typing import NamedTuple

from stopcheck.gate import (
    Accepted,
    AckStrength,
    Capability,
    ClaimGranted,
    Contradicted,
    Finding,
    LookupAnswer,
    LookupEvidence,
    NoEvidence,
    Parked,
    ReceiptEvidence,
    Recorded,
    Right,
    Scope,
    TaskRef,
    Won,
)
from stopcheck.world import Client, Effect, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, call, in_order, saw

WORKER = "worker"


class Mails(NamedTuple):
    """One of each kind, and one that nobody admits."""

    refused: Effect
    fenced: Effect
    withdrawn: Effect
    unknown: Effect


def build(world: World) -> None:
    """A worker whose mails will all be accounted for, another whose task is stopped."""
    task, other = world.task("refund"), world.task("report")
    mail = world.receiver("mail")
    items = {"withdrawn": ("page",)}
    mails = Mails(*(world.effect(task, f"{name}-mail", mail, items=items.get(name, ())) for name in Mails._fields))
    last = world.effect(other, "report-mail", mail)
    for each in (task, other):
        world.opens(each)
    holder = world.under_way(task, WORKER, effects=mails[:3])
    second = world.under_way(other, "other worker", effects=(last,))
    dispatcher = world.client("dispatcher", Right.DISPATCH, handle=0)
    world.prepare(account_for(world, dispatcher, mails, last))
    world.actor(WORKER, ask_again(world, (holder, second), dispatcher, (mails, last)))


async def account_for(world: World, dispatcher: Client, mails: Mails, last: Effect) -> None:
    """Two are refused; one is in doubt until its receiver fences it off; one is withdrawn."""
    for effect in (mails.refused, last):
        claim = await dispatcher.claim_dispatch(effect)
        await dispatcher.record_outcome(effect, says(effect, Finding.REJECTED), getattr(claim, "attempt", None))
    claim = await dispatcher.claim_dispatch(mails.fenced)
    attempt = claim.attempt if isinstance(claim, ClaimGranted) else None
    await dispatcher.record_outcome(mails.fenced, NoEvidence("timeout"), attempt)
    receipt = says(mails.fenced, Finding.FENCED).receipt
    for evidence in (LookupEvidence(LookupAnswer.ABSENT), LookupEvidence(LookupAnswer.FENCED, receipt)):
        await dispatcher.record_outcome(mails.fenced, evidence, attempt)
    if world.port.contract.has(Capability.SUPPRESSION):
        await world.client("person", Right.STOP, handle=0).suppress(mails.withdrawn)
    else:
        await dispatcher.claim_dispatch(mails.withdrawn)
        await dispatcher.record_outcome(mails.withdrawn, says(mails.withdrawn, Finding.REJECTED))


def says(effect: Effect, finding: Finding) -> ReceiptEvidence:
    """Its receiver's own word."""
    return ReceiptEvidence(effect.receiver.sign(effect.effect_id, effect.payload_digest, finding))


async def ask_again(
    world: World,
    holders: tuple[Holder, Holder],
    dispatcher: Client,
    effects: tuple[Mails, Effect],
) -> None:
    """Commit, claim and withdraw what is accounted for; end both tasks; tell what comes afterwards; look."""
    (holder, second), (mails, last) = holders, effects
    for effect in mails[:3]:
        await holder.client.commit_effect(effect, holder.epoch)
        await dispatcher.claim_dispatch(effect)
        if world.port.contract.has(Capability.SUPPRESSION):
            await world.client("person", Right.STOP, handle=0).suppress(effect)
    await holder.client.complete(mails.refused.task, holder.epoch)
    await stop_at_once(world, second, last.task)
    for effect in (mails.refused, last):
        await dispatcher.record_outcome(effect, says(effect, Finding.EXECUTED))
    await dispatcher.record_outcome(mails.unknown, says(mails.unknown, Finding.REJECTED))
    auditor = world.client("auditor", Right.INSPECT)
    for task in (mails.refused.task, last.task):
        await auditor.inspect(task)


async def stop_at_once(world: World, holder: Holder, task: TaskRef) -> None:
    """Stop it; its worker obeys, and nothing is left to account for."""
    stop = await world.client("night watch", Right.STOP, handle=0).request_cancel(task, Scope.TASK, "stop")
    if isinstance(stop, Accepted):
        await holder.client.acknowledge(task, holder.epoch, AckStrength.HANDLER_STOPPED, stop.record.revision)


SCENARIO = Scenario(
    id="closed-books",
    title="What is accounted for is asked for and told again",
    sentence="An outcome stands, whoever asks again and whatever is told afterwards.",
    build=build,
    budget=FaultBudget(crashes=1, provider=0),
    witnesses=(
        Witness(
            "what had been accounted for was committed again, and claimed",
            in_order(
                answer("commit_effect", object, actor=WORKER),
                call("claim_dispatch"),
                answer("commit_effect", object, actor=WORKER),
                call("claim_dispatch"),
                answer("commit_effect", object, actor=WORKER),
            ),
        ),
        Witness(
            "a receipt was contradicted after the task had completed, and one was parked",
            in_order(answer("complete", Won), answer("record_outcome", Contradicted), answer("record_outcome", Parked)),
        ),
        Witness("the other task was stopped after its mail was refused", saw(answer("acknowledge", Recorded))),
    ),
    clauses=("ADM-5", "ADM-7", "SUP-3", "EFF-7", "EFF-10", "EFF-11"),
    points=("after it ended",),
)

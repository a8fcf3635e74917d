"""Case 14. Committed effects keep an identifier and a recovery route.

A refund is stopped, and its mail goes out all the same, or not, or nobody knows for a while. When all is at rest a
clerk looks at what became of it and answers it, in a task of its own and by an authorisation that names it: neither the
stop, nor an approval of something else, nor an authorisation that was used already is enough.

The probe beside it has two clerks who share one authorisation and race, with each other and with a stop of their task.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    Admitted,
    Capability,
    Disposition,
    Finding,
    GrantKind,
    NotCompleted,
    ReceiptEvidence,
    RefusalReason,
    Refused,
    Right,
    Snapshot,
    Stopped,
    TaskRef,
    Unauthorised,
    Won,
)
from stopcheck.world import Client, Effect, Event, FaultBudget, Holder, Returned, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, call, commit, died_under, fault, in_order, saw

APPROVAL, OTHERS, AUTHORITY = "approval", "authority-for-another", "authority"
OWN, EARLY, FOR_NOTHING = "own-authority", "early-authority", "authority-for-nothing"
NEEDS = frozenset((Capability.COMPENSATION, Capability.APPROVALS))


def build(world: World) -> None:
    """A refund under way, whose mail is being sent; a correction that waits for a clerk; a person at Stop."""
    refund, correction = world.task("refund"), world.task("correction")
    mail = world.receiver("mail")
    sent = world.effect(refund, "refund-mail", mail)
    answers = (world.effect(correction, "correction-mail", mail), world.effect(correction, "second-correction", mail))
    world.opens(refund)
    world.opens(correction)
    world.under_way(refund, effects=(sent,))
    clerk = world.under_way(correction, "clerk")
    world.prepare(authorise(world.client("approver", Right.STOP), correction, sent))
    world.dispatcher()
    world.reconciler()
    world.person("person", refund, then_inspects=False)
    world.actor("clerk", put_right(world, clerk, sent, answers))


async def authorise(approver: Client, task: TaskRef, sent: Effect) -> None:
    """What the correction was allowed: something, to answer something else, and to answer this."""
    await approver.grant(task, APPROVAL)
    await approver.grant(task, OTHERS, GrantKind.COMPENSATION, "invoice-mail")
    await approver.grant(task, AUTHORITY, GrantKind.COMPENSATION, sent.effect_id)


async def put_right(world: World, clerk: Holder, sent: Effect, answers: tuple[Effect, Effect]) -> None:
    """Look, try what is not enough, answer it once, try again, and see both to their end."""
    correction, second = answers
    auditor = world.client("auditor", Right.INSPECT)
    dispatcher = world.client("second dispatcher", Right.DISPATCH)
    await world.others_at_rest()
    await auditor.inspect(sent.task)
    for effect, grant_id in (
        (correction, APPROVAL),
        (correction, OTHERS),
        (correction, AUTHORITY),
        (second, AUTHORITY),
    ):
        await clerk.client.compensate(effect, clerk.epoch, sent, grant_id)
    await send(dispatcher, correction)
    await auditor.inspect(sent.task)
    await auditor.inspect(correction.task)
    await clerk.client.complete(correction.task, clerk.epoch)


async def send(client: Client, effect: Effect) -> None:
    """Claim the effect, send it and tell what came of it."""
    claim = await client.claim_dispatch(effect)
    permit = getattr(claim, "permit", None)
    if permit is not None:
        evidence = await effect.receiver.submit(effect, permit)
        await client.record_outcome(effect, evidence, claim.attempt)


def shown_completed(event: Event) -> bool:
    """The account names an effect that was done, with what proves it."""
    return (
        isinstance(event, Returned)
        and isinstance(event.reply, Snapshot)
        and any(e.disposition is Disposition.COMPLETED and e.evidence for e in event.reply.effects)
    )


STOP = answer("request_cancel", Accepted)
ANSWERED = answer("compensate", Admitted)
NOT_ENOUGH = answer("compensate", Unauthorised)

SCENARIO = Scenario(
    id="recovery-route",
    title="What was done in spite of the stop is answered",
    sentence="Committed effects keep an identifier and a recovery route; a stop authorises no compensation.",
    case=14,
    build=build,
    needs=NEEDS,
    budget=FaultBudget(crashes=0, provider=1, provider_faults=("drop_answer",)),  # deaths: in one-authorisation
    witnesses=(
        Witness(
            "a mail that went out after the stop was answered",
            in_order(STOP, commit("refund-mail"), shown_completed, ANSWERED, commit("correction-mail")),
        ),
        Witness("the stop authorised nothing", in_order(STOP, commit("refund-mail"), call("compensate"), NOT_ENOUGH)),
        Witness(
            "an authorisation was spent once",
            in_order(ANSWERED, call("compensate", effect_id="second-correction"), NOT_ENOUGH),
        ),
        Witness("the way was found after the answer was lost", in_order(fault("drop_answer"), ANSWERED)),
        Witness("the correction came to its own end", in_order(ANSWERED, answer("complete", Won))),
    ),
    clauses=("RCN-3", "EFF-1", "EFF-4", "RPT-2", "RPT-6", "CMP-4"),
    points=("between commitment and send", "while the answer is in flight"),
)


# -- one authorisation, two clerks ------------------------------------------------------------------------


def build_shared(world: World) -> None:
    """A refund of which one mail has gone out, one may have and one was refused; two clerks with one authorisation; a
    person at Stop. Before that a clerk has tried what is not enough."""
    refund, correction = world.task("refund"), world.task("correction")
    mail = world.receiver("mail")
    sent = world.effect(refund, "refund-mail", mail)
    first, second = (world.effect(correction, name, mail) for name in ("first-correction", "second-correction"))
    claimed = world.effect(refund, "statement-mail", mail)
    refused = world.effect(refund, "refused-mail", mail)
    misplaced = world.effect(refund, "misplaced-correction", mail)
    world.opens(refund)
    world.opens(correction)
    worker = world.under_way(refund, effects=(sent, claimed, refused))
    clerk = world.under_way(correction, "clerk")
    approver = world.client("approver", Right.STOP)
    dispatcher = world.client("dispatcher", Right.DISPATCH)
    world.prepare(send(dispatcher, sent))
    world.prepare(dispatcher.claim_dispatch(claimed))
    world.prepare(be_refused(dispatcher, refused))
    world.prepare(approver.grant(correction, AUTHORITY, GrantKind.COMPENSATION, sent.effect_id))
    world.prepare(approver.grant(refund, OWN, GrantKind.COMPENSATION, sent.effect_id))
    world.prepare(approver.grant(correction, EARLY, GrantKind.COMPENSATION, claimed.effect_id))
    world.prepare(approver.grant(correction, FOR_NOTHING, GrantKind.COMPENSATION, refused.effect_id))
    world.prepare(answer_it(clerk, claimed, second, EARLY))
    world.prepare(answer_it(clerk, refused, second, FOR_NOTHING))
    world.prepare(answer_it(clerk, sent, second, OWN))
    world.prepare(answer_it(worker, sent, misplaced, OWN))
    world.actor("first clerk", answer_it(clerk, sent, first, AUTHORITY))
    world.actor("second clerk", answer_it(clerk, sent, second, AUTHORITY))
    world.person("person", correction, then_inspects=False)


async def be_refused(client: Client, effect: Effect) -> None:
    """Claim the effect, and learn that its receiver will not do it."""
    claim = await client.claim_dispatch(effect)
    receipt = effect.receiver.sign(effect.effect_id, effect.payload_digest, Finding.REJECTED)
    await client.record_outcome(effect, ReceiptEvidence(receipt), getattr(claim, "attempt", None))


async def answer_it(holder: Holder, sent: Effect, effect: Effect, grant_id: str) -> None:
    """Make ``effect`` the answer to what was sent; the worker tries it in the task that sent it."""
    await holder.client.compensate(effect, holder.epoch, sent, grant_id)


def turned_away(event: Event) -> bool:
    """It was said that a compensation stands elsewhere."""
    return (
        isinstance(event, Returned)
        and event.operation == "compensate"
        and isinstance(event.reply, Refused | Unauthorised)
        and getattr(event.reply, "reason", None) is not RefusalReason.FORBIDDEN
        and event.actor == "setup"
    )


SHARED = Scenario(
    id="one-authorisation",
    title="Two clerks race for one authorisation",
    sentence="A compensation spends its authorisation, which dies at the cutoff of the compensation's own task.",
    build=build_shared,
    needs=NEEDS,
    races=True,
    budget=FaultBudget(crashes=1, lost_answers=("compensate",), provider=0),
    witnesses=(
        Witness("the first clerk won", in_order(answer("compensate", Admitted, actor="first clerk"), NOT_ENOUGH)),
        Witness("the second clerk won", in_order(answer("compensate", Admitted, actor="second clerk"), NOT_ENOUGH)),
        Witness("after the stop nothing was answered", in_order(STOP, answer("compensate", Stopped))),
        Witness("an effect was not answered in its own task", saw(turned_away)),
        Witness("what nobody knew to be done was not answered", saw(answer("compensate", NotCompleted))),
        Witness("the gate died under a compensation", died_under("compensate"), durable=True),
    ),
    clauses=("RCN-3", "ADM-1", "ADM-8"),
    points=("immediately before a commitment", "immediately after a commitment"),
)

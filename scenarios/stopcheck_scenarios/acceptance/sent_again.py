"""Sending again under the same id: before the stop, and only where the receiver knows it by its id.

The request or its answer is lost, and the dispatcher asks whether it may send again. Somebody presses Stop.
"""

from __future__ import annotations

from collections.abc import Callable

from stopcheck.gate import (
    Accepted,
    AlreadyClaimed,
    CancellationClass,
    ClaimGranted,
    GateContract,
    NoEvidence,
    Recorded,
    Resend,
    Right,
    Scope,
)
from stopcheck.world import Abilities, Client, Effect, FaultBudget, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, commit, died_under, fault, in_order, saw


def with_receiver(abilities: Abilities) -> Callable[[World], None]:
    """The situation with a receiver of these abilities."""

    def build(world: World) -> None:
        """An admitted mail, a dispatcher that would send it again, a reconciler, and a person at Stop."""
        task = world.task("refund")
        refund_mail = world.effect(task, "refund-mail", world.receiver("mail", abilities))
        world.opens(task)
        world.under_way(task, effects=(refund_mail,))
        world.dispatcher(resends=True)
        world.person("person", task)

    return build


def resends(contract: GateContract) -> bool:
    """A gate that only looks up what is in doubt sends nothing twice."""
    return contract.resends


def never(world: World) -> None:
    """A mail in doubt, of a class that may or may not be sent again, and a dispatcher that would do it."""
    task = world.task("refund")
    mail = world.effect(task, "refund-mail", world.receiver("mail"), CancellationClass.PROVIDER_CANCELLABLE)
    world.opens(task)
    world.under_way(task, effects=(mail,))
    world.actor("dispatcher", ask_again(world.client("dispatcher", Right.DISPATCH, Right.STOP, Right.INSPECT), mail))


async def ask_again(client: Client, mail: Effect) -> None:
    """Take it, hear nothing, ask again, and give it up."""
    claim = await client.claim_dispatch(mail)
    if isinstance(claim, ClaimGranted):
        await client.record_outcome(mail, NoEvidence("timeout"), claim.attempt)
    await client.claim_dispatch(mail)
    await client.request_cancel(mail.task, Scope.TASK, "stop")
    await client.inspect(mail.task)


BUDGET = FaultBudget(crashes=1, provider=1, provider_faults=("drop", "drop_answer"))

SCENARIOS = (
    Scenario(
        id="sent-again",
        title="The mail is sent again to an idempotent receiver",
        sentence="Sending again under the same id is allowed before the cutoff; after it there are only look-ups.",
        build=with_receiver(Abilities()),
        budget=BUDGET,
        witnesses=(
            Witness(
                "the stop came too late to keep it from being sent again",
                in_order(fault("drop_answer"), answer("claim_dispatch", Resend), answer("request_cancel", Accepted)),
                given=resends,
            ),
            Witness(
                "after the stop it was not sent again",
                in_order(answer("request_cancel", Accepted), answer("claim_dispatch", AlreadyClaimed)),
            ),
            Witness("it arrived the second time", in_order(fault("drop"), commit("refund-mail")), given=resends),
            Witness("the gate died under the second claim", died_under("claim_dispatch"), durable=True),
        ),
        clauses=("ADM-7", "EFF-2", "EFF-3", "EFF-9"),
        points=("while the answer is in flight", "during retry backoff"),
    ),
    Scenario(
        id="not-sent-again",
        title="The receiver does not know a mail by its id",
        sentence="Nothing is sent again to a receiver that is not idempotent by effect id.",
        build=with_receiver(Abilities(idempotent=False)),
        budget=BUDGET,
        witnesses=(
            Witness("a second send was refused", saw(answer("claim_dispatch", AlreadyClaimed))),
            Witness("the answer was lost after the commit", in_order(commit("refund-mail"), fault("drop_answer"))),
        ),
        clauses=("ADM-7", "EFF-2", "EFF-3"),
        points=("while the answer is in flight",),
    ),
    Scenario(
        id="sent-by-class",
        title="Whether a mail in doubt is sent again is declared for its class",
        sentence="What a class declares of retries its effects get: sent again under the same id, or looked up.",
        build=never,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness(
                "a second claim came while the mail was in doubt",
                in_order(answer("record_outcome", Recorded), answer("claim_dispatch", AlreadyClaimed, Resend)),
            ),
        ),
        clauses=("ADM-7", "EFF-3"),
        points=("during retry backoff",),
    ),
)

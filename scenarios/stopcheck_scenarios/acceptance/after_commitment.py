"""Case 2. The stop arrives before a delayed send; the declared contract permits and reports the delivery, or proves the
suppression.

A mail is admitted and lies in the outbox when somebody presses Stop and tries to withdraw it. Two dispatchers want
to send it. A gate with suppression lets exactly one of the three win; one without delivers, and says so.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, AlreadyClaimed, Capability, SuppressedAlready, SuppressionDone, TooLate
from stopcheck.world import FaultBudget, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, both, commit, died_under, in_order, never, saw


def build(world: World) -> None:
    """An admitted mail; two dispatchers; a person who stops the task and withdraws the mail."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    world.under_way(task, effects=(refund_mail,))
    world.dispatcher("dispatcher")
    world.dispatcher("second dispatcher")
    world.person("person", task, withdraws=(refund_mail,))


SCENARIO = Scenario(
    id="after-commitment",
    title="Stop after commitment, before the send",
    sentence="The stop arrives before a delayed send; the declared contract permits and reports the delivery, or "
    "proves the suppression.",
    case=2,
    races=True,
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("claim_dispatch", "suppress"), provider=0),
    witnesses=(
        Witness(
            "the mail was claimed after the stop and delivered",
            in_order(answer("request_cancel", Accepted), commit("refund-mail")),
        ),
        Witness("two dispatchers wanted the same mail", saw(answer("claim_dispatch", AlreadyClaimed))),
        Witness(
            "the suppression won, and nothing was sent",
            both(saw(answer("suppress", SuppressionDone)), never(commit("refund-mail"))),
            Capability.SUPPRESSION,
        ),
        Witness(
            "a dispatcher came after the suppression",
            in_order(answer("suppress", SuppressionDone), answer("claim_dispatch", SuppressedAlready)),
            Capability.SUPPRESSION,
        ),
        Witness(
            "the claim won, and the mail was still on its way",
            in_order(answer("suppress", TooLate), commit("refund-mail")),
            Capability.SUPPRESSION,
        ),
        Witness("the gate died under the claim", died_under("claim_dispatch"), durable=True),
        Witness("the gate died under the suppression", died_under("suppress"), Capability.SUPPRESSION, durable=True),
    ),
    clauses=("SUP-1", "SUP-2", "SUP-3", "SUP-4", "ADM-2", "ADM-4", "ADM-7", "EFF-6", "EFF-9", "RPT-2"),
    points=("immediately after a commitment", "between commitment and send", "at the receiver before its commit"),
)

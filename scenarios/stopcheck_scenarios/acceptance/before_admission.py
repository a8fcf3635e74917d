"""Case 1. Cancellation wins the commitment race; nothing is admitted afterwards.

A worker is about to commit a mail when somebody presses Stop, twice. Whichever is first, the worker does not take no
for an answer: once it knows of the stop it tries to commit another mail.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Admitted, ExistingRecord, Stopped
from stopcheck.world import FaultBudget, Plan, Scenario, Temper, Witness, World
from stopcheck_scenarios._seen import answer, both, died_under, in_order, keeps_ledger, saw


def build(world: World) -> None:
    """A stubborn worker with one mail to commit and one in reserve; a dispatcher; a person who presses Stop twice."""
    task = world.task("refund")
    mail = world.receiver("mail")
    world.opens(task)
    world.worker(
        "worker",
        Plan(
            task=task,
            effects=(world.effect(task, "refund-mail", mail),),
            extra=world.effect(task, "second-mail", mail),
            temper=Temper.UNCOOPERATIVE,
            then_inspects=True,
        ),
    )
    world.dispatcher()
    world.person("person", task, presses=2)


SCENARIO = Scenario(
    id="before-admission",
    ledger=False,
    title="Stop before admission",
    sentence="Cancellation wins the commitment race; nothing is admitted afterwards.",
    case=1,
    races=True,
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("commit_effect", "request_cancel"), provider=0),
    witnesses=(
        Witness(
            "the stop won against the commitment",
            in_order(answer("request_cancel", Accepted), answer("commit_effect", Stopped)),
            given=keeps_ledger,
        ),
        Witness(
            "the commitment won against the stop",
            in_order(answer("commit_effect", Admitted), answer("request_cancel", Accepted)),
            given=keeps_ledger,
        ),
        Witness(
            "an admitted mail did not open the door to a second one",
            in_order(
                answer("commit_effect", Admitted),
                answer("request_cancel", Accepted),
                answer("commit_effect", Stopped),
            ),
            given=keeps_ledger,
        ),
        Witness("the stop was repeated", saw(answer("request_cancel", ExistingRecord))),
        Witness("the gate died under the stop", died_under("request_cancel"), durable=True),
        Witness(
            "the gate died under the commitment, and the stop came",
            both(died_under("commit_effect"), saw(answer("request_cancel", Accepted))),
            durable=True,
            given=keeps_ledger,
        ),
    ),
    clauses=("ADM-1", "ADM-3", "ADM-4", "SCOPE-1", "SCOPE-4", "REC-1", "REC-2", "REC-4", "REC-5", "LIVE-2", "RPT-5"),
    points=("immediately before a commitment", "immediately after a commitment", "between commitment and send"),
)

"""Case 5. A queued message is redelivered; the replacement reads the cancellation and does no ordinary work.

The worker may die after it began or after it committed, and the queue may deliver its message twice. A standby takes
what is delivered again, knows nothing of what was before, and starts the same plan from the top.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Capability, ExistingEffect, LeaseGranted, Stopped
from stopcheck.world import FaultBudget, Plan, Scenario, Temper, Witness, World
from stopcheck_scenarios._seen import act, answer, died_under, fault, in_order, keeps_ledger, saw


def build(world: World) -> None:
    """A queue with one message, a worker that may die, a standby, a dispatcher, and a person at Stop."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    jobs = world.queue("jobs")
    world.opens(task)
    world.delivers(jobs, task)
    world.worker("worker", Plan(task=task, queue=jobs, effects=(refund_mail,), temper=Temper.CRASHING))
    world.worker("standby", Plan(task=task, queue=jobs, effects=(refund_mail,), standby=True, then_inspects=True))
    world.dispatcher()
    world.person("person", task, then_inspects=False)


SCENARIO = Scenario(
    id="worker-restart",
    ledger=False,
    title="A worker dies and its message is redelivered",
    sentence="A queued message is redelivered; the replacement reads the cancellation and does no ordinary work.",
    case=5,
    races=True,
    build=build,
    needs=frozenset((Capability.DELIVERY,)),
    budget=FaultBudget(crashes=1, lost_answers=("begin_work",), provider=0, queue=1, worker=1),
    witnesses=(
        Witness(
            "the worker died, and its replacement met the stop",
            in_order(act("died"), answer("begin_work", Stopped, actor="standby")),
        ),
        Witness(
            "the worker died, and its replacement took over",
            in_order(act("died"), answer("begin_work", LeaseGranted, actor="standby")),
        ),
        Witness(
            "a duplicate met the stop",
            in_order(fault("duplicate"), answer("request_cancel", Accepted), answer("begin_work", Stopped)),
        ),
        Witness(
            "the replacement committed the same mail again",
            saw(answer("commit_effect", ExistingEffect)),
            given=keeps_ledger,
        ),
        Witness("the gate died under a begin", died_under("begin_work"), durable=True),
    ),
    clauses=("DLV-1", "DLV-2", "DLV-3", "DLV-6", "DLV-8", "ADM-5", "ADM-6", "ADM-7", "REC-3", "REC-4", "LIVE-3"),
    points=("immediately after a commitment", "while a worker is disconnected", "before the task starts"),
)

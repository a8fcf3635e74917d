"""Case 8. The acknowledgement never comes; escalation keeps the ledger and invents no proof.

The worker takes no notice of the stop while its mail is on the way, and the mail's answer may be lost. A supervisor
signals (which may be lost too), waits out the grace period, asks for force a moment too early, then in time, and looks
whether the worker is really gone.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Capability, Forced, NoEvidence, Stopped, TooEarly
from stopcheck.world import Answered, Event, FaultBudget, Plan, Scenario, Temper, Witness, World
from stopcheck_scenarios._seen import act, answer, died_under, fault, in_order, saw


def build(world: World) -> None:
    """A worker that never acknowledges, its mail, a supervisor with force, and a person at Stop."""
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
        ),
    )
    world.dispatcher()
    world.supervisor(task, ("worker",))
    world.person("person", task, then_inspects=False)


def answer_lost(event: Event) -> bool:
    """The dispatcher learned nothing."""
    return isinstance(event, Answered) and isinstance(event.evidence, NoEvidence)


SCENARIO = Scenario(
    id="uncooperative-worker",
    title="A worker never acknowledges the stop",
    sentence="The acknowledgement never comes; escalation keeps the ledger and invents no proof.",
    case=8,
    races=True,
    build=build,
    needs=frozenset((Capability.ESCALATION,)),
    budget=FaultBudget(crashes=1, lost_answers=("escalate",), provider=1, provider_faults=("drop_answer",), signal=1),
    witnesses=(
        Witness(
            "the worker was killed after the grace period",
            in_order(answer("request_cancel", Accepted), answer("escalate", Forced), act("killed")),
        ),
        Witness("force was asked for too early", saw(answer("escalate", TooEarly))),
        Witness("the worker tried another mail after the stop", saw(answer("commit_effect", Stopped))),
        Witness("the signal was lost", saw(fault("lost"))),
        Witness(
            "the worker was killed while its mail was in doubt",
            in_order(answer_lost, act("killed")),
        ),
        Witness("the gate died under the escalation", died_under("escalate"), durable=True),
    ),
    clauses=("ESC-1", "ESC-2", "ESC-3", "ESC-4", "ESC-8", "ESC-10", "ACK-1", "ACK-3", "REC-7", "RPT-1", "LIVE-4"),
    points=("while the answer is in flight", "immediately before a commitment", "before final reporting"),
)

"""Workers that lie, are slow, or cannot be killed: what a gate says of them is what was proved.

One says that it stopped and acts. One acknowledges long after the grace period. One survives the force that was used
on it, until its lease runs out.
"""

from __future__ import annotations

from collections.abc import Callable

from stopcheck.gate import Accepted, Capability, Forced, Recorded, Stopped, TooEarly
from stopcheck.world import FaultBudget, Plan, Scenario, Temper, Witness, World
from stopcheck_scenarios._seen import Match, act, answer, both, in_order, never, saw


def worker_with(temper: Temper, *, supervised: bool) -> Callable[[World], None]:
    """The situation with a worker of this temper."""

    def build(world: World) -> None:
        """A worker with one mail and one in reserve, a dispatcher, a person at Stop, perhaps a powerless supervisor."""
        task = world.task("refund")
        mail = world.receiver("mail")
        refund_mail, extra = world.effect(task, "refund-mail", mail), world.effect(task, "second-mail", mail)
        world.opens(task)
        world.worker("worker", Plan(task=task, effects=(refund_mail,), extra=extra, temper=temper))
        world.dispatcher()
        if supervised:
            world.supervisor(task, ("worker",), killable=False)
        world.person("person", task, then_inspects=not supervised)

    return build


STOPPED: Match = answer("request_cancel", Accepted)
FORCED: Match = answer("escalate", Forced)

SCENARIOS = (
    Scenario(
        id="lying-worker",
        title="A worker says that it stopped, and acts",
        sentence="A worker that says it stopped and then acts is contained, and the contradiction is recorded.",
        build=worker_with(Temper.LYING, supervised=False),
        budget=FaultBudget(crashes=1, lost_answers=("acknowledge",), provider=0),
        witnesses=(
            Witness(
                "the worker acknowledged and then tried to commit",
                in_order(STOPPED, answer("acknowledge", Recorded), answer("commit_effect", Stopped)),
            ),
        ),
        clauses=("ACK-1", "ACK-2", "ACK-5", "ADM-1"),
        points=("immediately before a commitment",),
    ),
    Scenario(
        id="slow-worker",
        title="A worker acknowledges long after the grace period",
        sentence="The acknowledgement comes after force was used: each is recorded for what it is.",
        build=worker_with(Temper.SLOW, supervised=True),
        budget=FaultBudget(crashes=1, lost_answers=("acknowledge",), provider=0),
        needs=frozenset((Capability.ESCALATION,)),
        witnesses=(
            Witness("force was asked for too early", in_order(STOPPED, answer("escalate", TooEarly), FORCED)),
            Witness("the acknowledgement came after force", in_order(FORCED, answer("acknowledge", Recorded))),
        ),
        clauses=("ACK-2", "ACK-3", "ESC-1", "ESC-8", "ESC-10"),
    ),
    Scenario(
        id="unkillable-worker",
        title="A worker survives force",
        sentence="If a worker can be neither stopped nor fenced, the status says so.",
        build=worker_with(Temper.UNCOOPERATIVE, supervised=True),
        budget=FaultBudget(crashes=1, lost_answers=("record_probe",), provider=0, signal=1),
        needs=frozenset((Capability.ESCALATION,)),
        witnesses=(
            Witness(
                "force was used, the worker lived, and somebody looked",
                both(
                    in_order(FORCED, answer("record_probe", Recorded), answer("inspect", object)), never(act("killed"))
                ),
            ),
            Witness("the worker tried another mail", saw(answer("commit_effect", Stopped))),
        ),
        clauses=("ESC-1", "ESC-4", "ESC-6", "ESC-8", "ESC-10", "ACK-3", "RPT-1", "LIVE-4"),
    ),
)

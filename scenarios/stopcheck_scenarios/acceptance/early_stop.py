"""Before the task starts: the stop is answered definitely. It is refused, or the task never starts.

A stop races with the opening of its task; the one who opened it also queues its first message.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, LeaseGranted, PreCancelled, Refused, Right, TaskRef, Tombstoned
from stopcheck.world import Client, FaultBudget, Plan, Queue, Scenario, Witness, World
from stopcheck_scenarios._seen import Seen, answer, died_under, either, in_order


def build(world: World) -> None:
    """Somebody who opens a task and queues it, its worker with one mail, and a person at Stop."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    jobs = world.queue("jobs")
    world.actor("opener", open_and_queue(world, world.client("opener", Right.OPEN), task, jobs))
    world.worker("worker", Plan(task=task, queue=jobs, effects=(refund_mail,)))
    world.dispatcher()
    world.person("person", task)


async def open_and_queue(world: World, opener: Client, task: TaskRef, jobs: Queue) -> None:
    """Open the task; whatever the answer, its message is on its way."""
    await opener.open_task(task)
    world.delivers(jobs, task)


ANSWERED_EARLY: Seen = either(
    in_order(answer("request_cancel", Tombstoned), answer("open_task", PreCancelled)),
    in_order(answer("request_cancel", Refused), answer("begin_work", LeaseGranted)),
)

SCENARIO = Scenario(
    id="early-stop",
    ledger=False,
    title="A stop before the task is open",
    sentence="A cancellation for a task that is unknown, or not started yet, is answered definitely.",
    build=build,
    budget=FaultBudget(crashes=1, lost_answers=("open_task", "request_cancel"), provider=0),
    witnesses=(
        Witness("the stop came before the task was open", ANSWERED_EARLY),
        Witness(
            "the stop came before the task started",
            in_order(answer("open_task", object), answer("request_cancel", Accepted), answer("begin_work", object)),
        ),
        Witness(
            "the stop came after the task started",
            in_order(answer("begin_work", LeaseGranted), answer("request_cancel", Accepted)),
        ),
        Witness("the gate died under the early stop", died_under("request_cancel"), durable=True),
    ),
    clauses=("SCOPE-6", "SCOPE-1", "DLV-1", "REC-2", "REC-4"),
    points=("before the task starts",),
)

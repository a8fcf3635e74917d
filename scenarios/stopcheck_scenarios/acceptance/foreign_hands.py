"""Tenants are apart, and a right is checked for each call: strangers are refused and change nothing.

Another tenant's principal who has every right, and one of this tenant who has none, try everything while the task
runs, and stop it; it goes on as it would have.
"""

from __future__ import annotations

from stopcheck.gate import AckStrength, Capability, NoEvidence, Refused, Right, Scope, TaskRef, Trigger, Won
from stopcheck.world import Client, Effect, FaultBudget, Plan, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order, saw


def running(world: World) -> None:
    """A worker with one mail, its dispatcher, and two strangers."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    intruders_mail = world.effect(task, "intruders-mail", refund_mail.receiver)
    world.opens(task)
    world.worker("worker", Plan(task=task, effects=(refund_mail,), then_inspects=True))
    world.dispatcher()
    foreigner = world.client("foreigner", *Right).as_tenant(world.cast.other_tenant)
    world.actor("foreigner", meddle(world, foreigner, task, refund_mail, intruders_mail))
    world.actor("nobody", only_stop(world.client("nobody"), task))


def stopped(world: World) -> None:
    """The task was stopped while its mail was claimed; strangers meddle with what is left of it."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    intruders_mail = world.effect(task, "intruders-mail", refund_mail.receiver)
    world.opens(task)
    world.under_way(task, effects=(refund_mail,))
    world.dispatcher()
    world.person("person", task)
    nobody = world.client("nobody")
    world.actor("nobody", meddle(world, nobody, task, refund_mail, intruders_mail))


async def only_stop(client: Client, task: TaskRef) -> None:
    """Press Stop without the right to."""
    await client.request_cancel(task, Scope.TASK, "nobodys-stop")


async def meddle(world: World, client: Client, task: TaskRef, theirs: Effect, own: Effect) -> None:
    """Everything that a caller can try."""
    contract = world.port.contract
    await client.request_cancel(task, Scope.TASK, "foreign-stop")
    await client.begin_work(task, "intruder", "foreign delivery", Trigger.REPLACEMENT)
    await client.commit_effect(own, 1)
    await client.claim_dispatch(theirs)
    await client.record_outcome(theirs, NoEvidence("says a stranger"))
    await client.acknowledge(task, 1, AckStrength.HANDLER_STOPPED, 1)
    await client.revoke_lease(task, 1)
    await client.complete(task, 1)
    if contract.has(Capability.SUPPRESSION):
        await client.suppress(theirs)
    if contract.has(Capability.ESCALATION):
        await client.escalate(task, "worker")
    await client.inspect(task)


REFUSED = (
    Witness("a foreign stop was refused", saw(answer("request_cancel", Refused))),
    Witness("a foreign commitment was refused", saw(answer("commit_effect", Refused))),
    Witness("a foreign claim was refused", saw(answer("claim_dispatch", Refused))),
    Witness("a foreign outcome was refused", saw(answer("record_outcome", Refused))),
    Witness("a foreign look was refused", saw(answer("inspect", Refused))),
)

SCENARIOS = (
    Scenario(
        id="foreign-hands",
        title="Strangers meddle with a running task",
        sentence="Calls of another tenant, or without the right, are refused and leave the task as it was.",
        build=running,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            *REFUSED,
            Witness("the task completed nevertheless", in_order(answer("inspect", Refused), answer("complete", Won))),
        ),
        clauses=("SCOPE-3", "SCOPE-7", "SCOPE-9", "LIVE-1"),
    ),
    Scenario(
        id="foreign-hands-after-stop",
        title="Strangers meddle with a stopped task",
        sentence="Calls without the right are refused and change nothing of a task that was stopped.",
        build=stopped,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=REFUSED,
        clauses=("SCOPE-3", "SCOPE-7", "SCOPE-9", "REC-3"),
    ),
)

"""The reconciliation budget counts from the cutoff, and somebody looks when it has ended.

A mail was sent and nobody will ever know what became of it. Somebody presses Stop, presses it again half-way through
the budget and widens it, and looks once more when budget and grace are over.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, ClaimGranted, ExistingRecord, NoEvidence, Right, Scope, Snapshot, TaskRef
from stopcheck.world import Abilities, Client, Effect, FaultBudget, Lookup, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, in_order


def build(world: World) -> None:
    """A mail in doubt, a person at Stop, and the same person much later."""
    task = world.task("refund")
    mail = world.receiver("mail", Abilities(lookup=Lookup.NONE, can_fence=False))
    refund_mail = world.effect(task, "refund-mail", mail)
    world.opens(task)
    world.under_way(task, effects=(refund_mail,))
    world.prepare(fall_silent(world.client("dispatcher", Right.DISPATCH), refund_mail))
    world.person("person", task, then_inspects=False)
    later = world.client(world.cast.person, Right.STOP, Right.INSPECT, Right.TICK)
    world.actor("person later", come_back(world, later, task))


async def fall_silent(client: Client, effect: Effect) -> None:
    """Take the mail to send it, and never learn what became of it."""
    claim = await client.claim_dispatch(effect)
    if isinstance(claim, ClaimGranted):
        await client.record_outcome(effect, NoEvidence("timeout"), claim.attempt)


async def come_back(world: World, client: Client, task: TaskRef) -> None:
    """Press Stop again half-way, and look when all time that the gate allows itself is over."""
    contract = world.port.contract
    await sleep_until("half", contract.reconciliation_budget_ns // 2, "half of the budget")
    await client.request_cancel(task, Scope.TASK, "once-more")
    if Scope.SUBTREE in contract.scopes:
        await client.request_cancel(task, Scope.SUBTREE, "stop-more")
    await sleep_until("over", contract.reconciliation_budget_ns + contract.grace_ns, "end of the budget")
    await client.tick(task)
    await client.inspect(task)


SCENARIO = Scenario(
    id="budget-ends",
    title="The reconciliation budget ends",
    sentence="When the budget ends, which counts from the cutoff, a stopped task is settled or unresolved.",
    build=build,
    budget=FaultBudget(crashes=1, provider=0),
    witnesses=(
        Witness(
            "somebody looked when the budget had ended",
            in_order(
                answer("request_cancel", Accepted),
                answer("request_cancel", ExistingRecord, actor="person later"),
                answer("inspect", Snapshot, actor="person later"),
            ),
        ),
    ),
    clauses=("ESC-4", "LIVE-4", "EFF-5"),
)

"""Several that do the same: two reconcilers find out the same of one mail, and two clocks tick at the budget's end.

The mail was sent and its answer lost; a remote job runs, of which nobody will ever hear. Both are accounted for once.
"""

from __future__ import annotations

from stopcheck.gate import (
    Capability,
    ClaimGranted,
    NoEvidence,
    OwnedKind,
    Recorded,
    Right,
    Same,
    Scope,
    Snapshot,
    TaskRef,
    Ticked,
)
from stopcheck.world import Child, Client, Effect, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, in_order


def build(world: World) -> None:
    """A mail in doubt and a remote job under way when the task was stopped; two reconcilers and two clocks."""
    task = world.task("refund")
    refund_mail = world.effect(task, "refund-mail", world.receiver("mail"))
    job = world.child(task, "remote-job", OwnedKind.REMOTE_JOB)
    world.opens(task)
    holder = world.under_way(task, children=(job,), effects=(refund_mail,))
    world.prepare(set_going(holder, world.client("dispatcher", Right.DISPATCH), refund_mail, job))
    world.prepare(world.client(world.cast.person, Right.STOP).request_cancel(task, Scope.SUBTREE, "stop"))
    for number in ("one", "two"):
        client = world.client(f"reconciler {number}", Right.RECONCILE, Right.INSPECT)
        world.actor(f"reconciler {number}", find_out(world, client, refund_mail, looks=number == "one"))
    for number in ("one", "two"):
        client = world.client(f"clock {number}", Right.TICK)
        world.actor(f"clock {number}", tick_at_the_end(world, client, task))


async def set_going(holder: Holder, dispatcher: Client, effect: Effect, job: Child) -> None:
    """The job runs; the mail goes out, and nobody hears of it."""
    await holder.client.start_child(job)
    claim = await dispatcher.claim_dispatch(effect)
    if isinstance(claim, ClaimGranted):
        await effect.receiver.submit(effect, claim.permit)
        await dispatcher.record_outcome(effect, NoEvidence("timeout"), claim.attempt)


async def find_out(world: World, client: Client, effect: Effect, *, looks: bool) -> None:
    """Look the mail up, tell what was found, and perhaps read the account."""
    evidence = await effect.receiver.look_up(effect)
    await client.record_outcome(effect, evidence)
    world.remembers("told")
    if looks:
        await client.inspect(effect.task)


async def tick_at_the_end(world: World, client: Client, task: TaskRef) -> None:
    """Tick when the budget has ended."""
    await world.others_at_rest()
    await sleep_until("over", world.port.contract.reconciliation_budget_ns, "end of the budget")
    await client.tick(task)


SCENARIO = Scenario(
    id="two-reconcilers",
    title="Two reconcilers and two clocks do the same",
    sentence="Several reconcilers, and ticks that are due at the same time, yield one transition.",
    build=build,
    needs=frozenset((Capability.ESCALATION, Capability.RECONCILIATION, Capability.CHILDREN)),
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "the same evidence was told again after somebody had looked",
            in_order(answer("record_outcome", Recorded), answer("inspect", Snapshot), answer("record_outcome", Same)),
        ),
        Witness(
            "two clocks ticked when the budget had ended",
            in_order(answer("tick", Ticked, actor="clock one"), answer("tick", Ticked, actor="clock two")),
        ),
    ),
    clauses=("ESC-10", "ESC-4", "EFF-4", "RCN-1", "LIVE-4"),
    points=("before final reporting",),
)

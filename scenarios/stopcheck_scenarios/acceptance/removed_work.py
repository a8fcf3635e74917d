"""Removing what stood for the work proves nothing: not that the worker stopped, not that the mail was never sent.

A worker took a message and is at it, a dispatcher took a mail, a remote job runs. After the stop somebody clears away
the message, the mail's place in the outbox and the job's row, and tells the gate.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Capability, Cause, OwnedKind, Recorded, Right, Scope, Snapshot, TaskRef
from stopcheck.world import Child, Client, Effect, FaultBudget, Holder, Scenario, Witness, World, wait_until
from stopcheck_scenarios._seen import answer, call, in_order

WORKER, MAIL, JOB = "worker", "refund-mail", "remote-job"


def build(world: World) -> None:
    """A worker, a claimed mail and, where the gate keeps an inventory, a remote job; a janitor; a person at Stop."""
    task = world.task("refund")
    refund_mail = world.effect(task, MAIL, world.receiver("mail"))
    world.opens(task)
    contract = world.port.contract
    owns = contract.has(Capability.CHILDREN)
    children = (world.child(task, JOB, OwnedKind.REMOTE_JOB),) if owns else ()
    holder = world.under_way(task, WORKER, children=children, effects=(refund_mail,))
    world.prepare(set_going(holder, world.client("dispatcher", Right.DISPATCH), refund_mail, children))
    scope = Scope.SUBTREE if Scope.SUBTREE in contract.scopes else Scope.TASK
    targets = (WORKER, MAIL, *(child.ref.key.task_id for child in children))
    world.actor("janitor", clear_away(world, world.client("janitor", Right.SUPERVISE, Right.INSPECT), task, targets))
    world.person("person", task, scope, then_inspects=False)


async def set_going(holder: Holder, dispatcher: Client, effect: Effect, children: tuple[Child, ...]) -> None:
    """The mail is in somebody's hands, and the job runs."""
    await dispatcher.claim_dispatch(effect)
    for child in children:
        await holder.client.start_child(child)


async def clear_away(world: World, client: Client, task: TaskRef, targets: tuple[str, ...]) -> None:
    """After the stop remove all that stands about, say so, and look."""
    await wait_until("stop", lambda: task in world.records, ("stop",))
    for target in targets:
        await client.record_signal(task, target, "removal", Cause.USER, removal=True)
    await client.inspect(task)


STOP = answer("request_cancel", Accepted)


def removed(target: str, capability: Capability | None = None) -> Witness:
    """Its removal was told, and somebody looked."""
    told = call("record_signal", target=target, removal=True)
    looked = in_order(STOP, told, answer("record_signal", Recorded), answer("inspect", Snapshot))
    return Witness(f"{target} was removed, and the account read", looked, capability=capability)


SCENARIO = Scenario(
    id="removed-work",
    ledger=False,
    title="What stood for the work is removed",
    sentence="Removing a message, row or object is not recorded as proof that its work ended.",
    build=build,
    needs=frozenset((Capability.DELIVERY,)),
    budget=FaultBudget(crashes=1, lost_answers=("record_signal",), provider=0),
    witnesses=(removed(WORKER), removed(MAIL), removed(JOB, Capability.CHILDREN)),
    clauses=("DLV-6", "ACK-3", "RPT-1"),
    points=("between commitment and send",),
)

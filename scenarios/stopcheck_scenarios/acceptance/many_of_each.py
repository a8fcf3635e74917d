"""Numbers of two digits, and more entries than a page holds.

A task has had so many workers that the number of its lease has two digits, where a comparison of texts puts 9 above 10.
It owns more children and has more effects than a store gives back at a time, and is stopped for more reasons than
anybody expects. The worker before the last but one, the last children, and the last effects are tried, and all are to
stand in the account.
"""

from __future__ import annotations

from stopcheck.gate import Admitted, Capability, Cause, Right, Scope, Snapshot, Stage, StaleLease, TaskRef
from stopcheck.world import Child, Effect, Event, FaultBudget, Holder, Scenario, Witness, World
from stopcheck_scenarios._seen import answer, in_order, saw

#: Leases of the task before the stop; 9 and the newest differ in their number of digits.
LEASES = 11
#: More than the usual sizes of a page: 10, 20, 25, 50.
MANY = 60
REASONS = 12


def build(world: World) -> None:
    """A task with a long history, and whoever stops it."""
    contract = world.port.contract
    task, mail = world.task("report"), world.receiver("mail")
    has_children = contract.has(Capability.CHILDREN)
    children = [world.child(task, f"part-{number}") for number in range(1, MANY + 1)] if has_children else []
    effects = [world.effect(task, f"mail-{number}", mail) for number in range(1, MANY + 1)] if contract.ledger else []
    late = [world.effect(child.ref, f"late-mail-{at}", mail) for at, child in enumerate(children[-2:])]
    stale = world.effect(task, "stale-mail", mail)
    world.opens(task)
    holders: list[Holder] = []
    for number in range(1, LEASES):
        holders.append(world.under_way(task, f"worker-{number}"))
        world.prepare(give_back(holders[-1], task))
    newest = world.under_way(task, f"worker-{LEASES}", children=tuple(children), effects=tuple(effects))
    world.prepare(finish_all(newest, children[:-2]))
    workers = [world.under_way(child.ref, f"worker-of-{child.ref.key.task_id}") for child in children[-2:]]
    world.actor("auditor", go_through(world, task, holders[8], newest, list(zip(workers, late, strict=True)), stale))


async def give_back(holder: Holder, task: TaskRef) -> None:
    """Let the next one begin."""
    await holder.client.release_lease(task, holder.epoch)


async def finish_all(holder: Holder, children: list[Child]) -> None:
    """They start, and end."""
    for child in children:
        await holder.client.start_child(child)
        await holder.client.finish_child(child, Stage.COMPLETED)


async def go_through(
    world: World,
    task: TaskRef,
    former: Holder,
    newest: Holder,
    last: list[tuple[Holder, Effect]],
    stale: Effect,
) -> None:
    """The former worker commits, in vain; the task is stopped, again and again; the last of its children commit, in
    vain; the account is read before that and after it."""
    contract = world.port.contract
    auditor = world.client("auditor", Right.STOP, Right.INSPECT, Right.TICK)
    if contract.ledger:
        await former.client.commit_effect(stale, former.epoch)
    await former.client.complete(task, former.epoch)
    await auditor.inspect(task)
    scope = Scope.SUBTREE if Scope.SUBTREE in contract.scopes else Scope.TASK
    for number in range(1, REASONS + 1):
        cause = Cause.USER if number == 1 else Cause.POLICY
        await auditor.request_cancel(task, scope, f"stop-{number}", cause, f"reason {number}")
    for holder, effect in last:
        if contract.ledger:
            await holder.client.commit_effect(effect, holder.epoch)
    if contract.ledger:
        await newest.client.commit_effect(stale, newest.epoch)
    await auditor.inspect(task)
    await auditor.tick(task)
    await auditor.inspect(task)


def long_account(event: Event) -> bool:
    """An account with as many effects as were committed was read."""
    reply = getattr(event, "reply", None)
    return isinstance(reply, Snapshot) and len(reply.effects) >= MANY


SCENARIO = Scenario(
    id="many-of-each",
    title="Numbers of two digits, and more entries than a page holds",
    sentence="The tenth lease is newer than the ninth, and what stands at the end of a long account is in it.",
    build=build,
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "a former worker's commitment was refused after so many that were admitted",
            in_order(*[answer("commit_effect", Admitted)] * MANY, answer("commit_effect", StaleLease)),
        ),
        Witness("an account of more than a page was read", saw(long_account)),
    ),
    clauses=("ADM-6", "CHILD-3", "CHILD-7", "EFF-9", "REC-3", "RPT-6"),
)

"""A lease can be lost in more ways than to a successor: it runs out, it is taken away, or the stop ends it.

A worker that does not believe it goes on under the old epoch: it tries to commit, to renew, to complete and to give
the task up. Nobody has taken its place. Before a lease is taken away, the worker also tries numbers that no lease had.
"""

from __future__ import annotations

from stopcheck.gate import Accepted, Done, Right, StaleLease, Stopped, TaskRef
from stopcheck.world import Effect, FaultBudget, Holder, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import answer, in_order, keeps_ledger, saw


def expired(world: World) -> None:
    """A lease that nobody renews, and a person who may press Stop before or after its end."""
    task = world.task("refund")
    late_mail = world.effect(task, "late-mail", world.receiver("mail"))
    world.opens(task)
    holder = world.under_way(task)
    world.actor("worker", oversleep(world, holder, late_mail))
    world.person("person", task, then_inspects=False)


async def oversleep(world: World, holder: Holder, effect: Effect) -> None:
    """Go on when the lease has run out."""
    await sleep_until("lease", world.port.contract.lease_ns, "the lease")
    await go_on(holder, effect)


def revoked(world: World) -> None:
    """A supervisor who takes the lease away while its worker goes on."""
    task = world.task("refund")
    late_mail = world.effect(task, "late-mail", world.receiver("mail"))
    world.opens(task)
    holder = world.under_way(task)
    world.actor("supervisor", take_away(world, holder, task))
    world.actor("worker", guess_and_go_on(holder, late_mail))
    world.person("person", task, then_inspects=False)


async def guess_and_go_on(holder: Holder, effect: Effect) -> None:
    """An epoch that is none, and one that nobody has been given yet; then its own."""
    await holder.client.commit_effect(effect, 0)
    await holder.client.commit_effect(effect, holder.epoch + 1)
    await holder.client.complete(effect.task, holder.epoch + 1)
    await go_on(holder, effect)


async def take_away(world: World, holder: Holder, task: TaskRef) -> None:
    """Fence the worker."""
    supervisor = world.client("supervisor", Right.SUPERVISE)
    await supervisor.revoke_lease(task, holder.epoch)


async def go_on(holder: Holder, effect: Effect) -> None:
    """Everything for which a lease is needed."""
    client, epoch = holder.client, holder.epoch
    await client.commit_effect(effect, epoch)
    await client.renew_lease(effect.task, epoch)
    await client.complete(effect.task, epoch)
    await client.fail(effect.task, epoch)


SCENARIOS = (
    Scenario(
        id="expired-lease",
        ledger=False,
        title="A worker goes on after its lease has run out",
        sentence="A lease that expired counts as revoked: under it nothing is committed, renewed or completed.",
        build=expired,
        budget=FaultBudget(crashes=1, provider=0, time=1, timers=("the lease",)),
        witnesses=(
            Witness(
                "a commitment under the expired lease was refused",
                saw(answer("commit_effect", StaleLease)),
                given=keeps_ledger,
            ),
            Witness("it was not renewed", saw(answer("renew_lease", StaleLease))),
            Witness("it ended nothing", saw(answer("complete", StaleLease))),
        ),
        clauses=("ADM-6", "REC-4"),
        points=("while a worker is disconnected", "immediately before a commitment"),
    ),
    Scenario(
        id="revoked-lease",
        ledger=False,
        title="A worker goes on after its lease was taken away",
        sentence="A worker whose lease was revoked commits and completes nothing, and no stop lets a lease be renewed.",
        build=revoked,
        budget=FaultBudget(crashes=1, provider=0),
        witnesses=(
            Witness(
                "a commitment under the revoked lease was refused",
                in_order(answer("revoke_lease", Done), answer("commit_effect", StaleLease)),
                given=keeps_ledger,
            ),
            Witness(
                "epochs that nobody had been given carried no authority",
                in_order(
                    answer("commit_effect", StaleLease),
                    answer("commit_effect", StaleLease),
                    answer("revoke_lease", Done),
                ),
                given=keeps_ledger,
            ),
            Witness(
                "a completion under the revoked lease was refused",
                in_order(answer("revoke_lease", Done), answer("complete", StaleLease)),
            ),
            Witness(
                "nothing was renewed after the stop",
                in_order(answer("request_cancel", Accepted), answer("renew_lease", Stopped, StaleLease)),
            ),
        ),
        clauses=("ADM-6", "REC-4"),
        points=("while a worker is disconnected", "immediately before a commitment"),
    ),
)

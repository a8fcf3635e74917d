"""A gate tells its own measures, and they are those of what happened.

A refund is stopped for two reasons after one second, is seen to by its worker a second later, sends what it had
admitted, and has stopped after four. Beside it the deadline of a report passes, of whose mail nobody knows. Whoever
asks for the figures gets them of both.
"""

from __future__ import annotations

from stopcheck.gate import (
    SECOND_NS,
    Accepted,
    AckStrength,
    Capability,
    Cause,
    ExistingRecord,
    MeasuresReport,
    NoEvidence,
    Recorded,
    Right,
    Scope,
    TaskRef,
)
from stopcheck.world import Client, Effect, Event, FaultBudget, Holder, Returned, Scenario, Witness, World, sleep_until
from stopcheck_scenarios._seen import Seen, answer, commit, in_order, saw
from stopcheck_scenarios.acceptance.recovery_route import send

STOPPED_NS, EXPIRES_NS, OBSERVED_NS, ENDED_NS = SECOND_NS, 3 * SECOND_NS // 2, 2 * SECOND_NS, 4 * SECOND_NS


def build(world: World) -> None:
    """Two tasks under way, each with a mail; a person and a policy that stop one of them; a deadline on the other."""
    refund, report = world.task("refund"), world.task("report")
    mail = world.receiver("mail")
    sent, lost = world.effect(refund, "refund-mail", mail), world.effect(report, "report-mail", mail)
    world.opens(refund)
    world.opens(report, EXPIRES_NS)
    holder = world.under_way(refund, effects=(sent,))
    world.under_way(report, "reporter", effects=(lost,))
    dispatcher = world.client("dispatcher", Right.DISPATCH)
    world.prepare(lose(dispatcher, lost))
    world.actor("worker", stop_slowly(world, holder, dispatcher, sent))
    world.actor("person", stop_twice(world, world.client("person", Right.STOP), refund))
    world.actor("auditor", ask(world, world.client("auditor", Right.INSPECT), (refund, report)))


async def lose(dispatcher: Client, effect: Effect) -> None:
    """It was sent, and nobody answered."""
    claim = await dispatcher.claim_dispatch(effect)
    await dispatcher.record_outcome(effect, NoEvidence("timeout"), getattr(claim, "attempt", None))


async def stop_twice(world: World, client: Client, task: TaskRef) -> None:
    """Somebody presses Stop, and a rule wants it too."""
    await sleep_until("stop", STOPPED_NS, "the stop")
    reply = await client.request_cancel(task, Scope.TASK, "pressed")
    if isinstance(reply, Accepted):
        world.records[task] = reply.record
    await client.request_cancel(task, Scope.TASK, "by-rule", Cause.POLICY, "spending limit")


async def stop_slowly(world: World, holder: Holder, dispatcher: Client, effect: Effect) -> None:
    """Observe the stop, see the mail off, and stop."""
    await sleep_until("observation", OBSERVED_NS, "the worker looks")
    record = world.records.get(effect.task)
    world.hear(record)
    revision = 0 if record is None else record.revision
    await holder.client.acknowledge(effect.task, holder.epoch, AckStrength.OBSERVED, revision)
    await send(dispatcher, effect)
    await sleep_until("end", ENDED_NS, "the worker stops")
    await holder.client.acknowledge(effect.task, holder.epoch, AckStrength.HANDLER_STOPPED, revision)


async def ask(world: World, client: Client, tasks: tuple[TaskRef, ...]) -> None:
    """Look at both, and ask for the figures, when nobody acts any more."""
    await sleep_until("end", ENDED_NS, "the worker stops")
    await world.others_at_rest()
    for task in tasks:
        await client.inspect(task)
    await client.measures(tasks[0])


def told(operation: str, **figures: int) -> Seen:
    """The figures were told of that operation."""

    def match(event: Event) -> bool:
        reply = event.reply if isinstance(event, Returned) else None
        return isinstance(reply, MeasuresReport) and any(
            row.operation == operation and all(getattr(row, name) == figure for name, figure in figures.items())
            for row in reply.operations
        )

    return saw(match)


SCENARIO = Scenario(
    id="measured-stop",
    title="A gate is asked for its measures",
    sentence="From its own records a gate yields the measures of its stops, by operation.",
    build=build,
    needs=frozenset((Capability.MEASURES, Capability.DEADLINES)),
    budget=FaultBudget(crashes=0, provider=0),
    witnesses=(
        Witness(
            "a stop had two reasons",
            in_order(answer("request_cancel", Accepted), answer("request_cancel", ExistingRecord)),
        ),
        Witness(
            "a mail went out after the cutoff",
            in_order(answer("request_cancel", Accepted), answer("acknowledge", Recorded), commit("refund-mail")),
        ),
        Witness("the figures were told", told("task", stopped=2)),
        Witness("what was done after the cutoff is among them", told("refund_mail", after_cutoff=1)),
        Witness("what is not known is among them", told("report_mail", unknown=1)),
    ),
    clauses=("MET-1",),
    points=("before final reporting",),
)

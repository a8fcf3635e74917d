"""Somebody may look at any step: what is shown is true then, and not only at rest.

A mail is on its way when the task is stopped. A signal is sent, the worker answers, and the mail is first in doubt and
then proved; one reading comes at any moment of it. In the second, a rule and a person stop a task that may have ended.
"""

from __future__ import annotations

from stopcheck.gate import (
    Accepted,
    AckStrength,
    Cause,
    Ended,
    ExistingRecord,
    Finding,
    NoEvidence,
    ReceiptEvidence,
    Right,
    Snapshot,
    Status,
    TaskRef,
)
from stopcheck.world import Client, Effect, Event, FaultBudget, Holder, Scenario, Witness, World, wait_until
from stopcheck_scenarios._seen import Match, answer, in_order, saw


def draining(world: World) -> None:
    """A worker under way with a mail that was claimed, and everybody who has a word after the stop."""
    task = world.task("refund")
    mail = world.effect(task, "refund-mail", world.receiver("mail"))
    world.opens(task)
    holder = world.under_way(task, effects=(mail,))
    dispatcher = world.client("dispatcher", Right.DISPATCH)
    world.prepare(dispatcher.claim_dispatch(mail))
    world.person("person", task, then_inspects=False)
    world.actor("supervisor", signal(world, world.client("supervisor", Right.SUPERVISE), task))
    world.actor("worker", obey(world, holder, task))
    world.actor("dispatcher", learn(dispatcher, mail))
    world.actor("auditor", look(world.client("auditor", Right.INSPECT), task))


async def signal(world: World, client: Client, task: TaskRef) -> None:
    """Tell the worker."""
    await wait_until("stop", lambda: task in world.records, ("stop",))
    await client.record_signal(task, "worker", "bus", Cause.USER)
    world.signalled.append("worker")


async def obey(world: World, holder: Holder, task: TaskRef) -> None:
    """Say that the handler has stopped, when told."""
    await wait_until("signal", lambda: "worker" in world.signalled, ("signal",))
    record = world.records[task]
    world.hear(record)
    await holder.client.acknowledge(task, holder.epoch, AckStrength.HANDLER_STOPPED, record.revision)


async def learn(client: Client, mail: Effect) -> None:
    """Nothing first, and then the receiver's word."""
    await client.record_outcome(mail, NoEvidence("timeout"), 1)
    receipt = mail.receiver.sign(mail.effect_id, mail.payload_digest, Finding.EXECUTED)
    await client.record_outcome(mail, ReceiptEvidence(receipt), 1)


async def look(client: Client, task: TaskRef) -> None:
    """Look once."""
    await client.inspect(task)


def ended(world: World) -> None:
    """A worker that completes, a rule that wants the task stopped, and a person who stops it too and looks."""
    task = world.task("refund")
    world.opens(task)
    holder = world.under_way(task)
    world.actor("worker", complete(holder, task))
    world.person("rule", task, cause=Cause.POLICY, then_inspects=False)
    world.person("person", task, then_inspects=True)


async def complete(holder: Holder, task: TaskRef) -> None:
    """Say that it is done."""
    await holder.client.complete(task, holder.epoch)


def shown_as(status: Status) -> Match:
    """Somebody was shown this status."""
    shown = answer("inspect", Snapshot)
    return lambda event: shown(event) and _status(event) is status


def _status(event: Event) -> Status | None:
    return getattr(getattr(event, "reply", None), "status", None)


SCENARIOS = (
    Scenario(
        id="seen-while-draining",
        title="Somebody looks while a stopped task drains",
        sentence="The status is true at every step, and not only at rest.",
        build=draining,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=tuple(
            Witness(f"it was shown as {status.value}", saw(shown_as(status)))
            for status in (
                Status.RUNNING,
                Status.CANCELLATION_UNSUPPORTED,
                Status.STOP_REQUESTED,
                Status.CANCELLATION_PENDING,
                Status.OUTCOME_UNKNOWN,
                Status.CANCELLED,
            )
        ),
        clauses=("RPT-1", "RPT-2", "RPT-5", "RPT-6", "ACK-1", "EFF-2", "EFF-4"),
        points=("before final reporting",),
    ),
    Scenario(
        id="seen-after-the-end",
        ledger=False,
        title="Somebody stops what has completed, and looks",
        sentence="A stop that came after completion is kept, and shown as such.",
        build=ended,
        budget=FaultBudget(crashes=0, provider=0),
        witnesses=(
            Witness("it had completed before", saw(shown_as(Status.COMPLETED_BEFORE_CANCELLATION))),
            Witness(
                "the rule came first, and the person second",
                in_order(
                    answer("request_cancel", Accepted, actor="rule"),
                    answer("request_cancel", ExistingRecord, actor="person"),
                    answer("inspect", Snapshot),
                ),
            ),
            Witness("the stop was told so", saw(answer("request_cancel", Ended))),
        ),
        clauses=("RPT-5", "REC-8", "CMP-2", "CMP-6"),
        points=("concurrently with completion", "concurrently with another stop", "after it ended"),
    ),
)

"""What a scenario admits, spelt out: each fault, lost answer and named timer at each place where it may strike.

One idea: a budget says how many faults of which kind; where they may strike follows from the receivers, queues and
workers that were declared. A coverage ledger compares this list with what runs were really offered and took.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stopcheck.world._interior import Death
from stopcheck.world._receivers import ANSWER_FAULTS, RECEIVE_FAULTS, WRITE_FAULTS
from stopcheck.world._scenario import FaultKind
from stopcheck.world._workers import AFTER_BEGINNING, AFTER_COMMITTING, Temper

if TYPE_CHECKING:
    from stopcheck.world._world import World

#: The label of the fault point between a call's transition and its answer.
ANSWER_LABEL = "answer to "
#: What each death is called among what may happen at a scheduling point, and there.
STRIKES = {Death.PROCESS: "gate", Death.POWER: "power"}
UNANSWERED = {Death.PROCESS: "crash", Death.POWER: "power loss"}


class Admitted(msgspec.Struct, frozen=True):
    """One thing that may happen: ``what`` at ``label``, the fault point's label without the actor, or the timer's
    name."""

    kind: FaultKind
    label: str
    what: str


def admitted(world: World) -> list[Admitted]:
    """All that the scenario admits in this world. Deaths at scheduling points have no place of their own: each step is
    one."""
    budget = world.scenario.budget
    found: list[Admitted] = []
    if budget.provider:
        for name, receiver in world.receivers.items():
            writing = [("write", WRITE_FAULTS)] if receiver.abilities.steps else []
            for at, faults in (("receive", RECEIVE_FAULTS), *writing, ("answer", ANSWER_FAULTS)):
                admits = [fault for fault in faults if fault in budget.provider_faults]
                found += [Admitted(FaultKind.PROVIDER, f"{name}.{at}", fault) for fault in admits]
    if budget.queue:
        found += [Admitted(FaultKind.QUEUE, f"{queue.name}.deliver", "duplicate") for queue in world.queues]
    if budget.worker:
        for name, worker in world.plans.items():
            if worker.temper is Temper.CRASHING:
                whens = [AFTER_BEGINNING, *([AFTER_COMMITTING] if worker.effects else [])]
                found += [Admitted(FaultKind.WORKER, f"{name} {when}", "dies") for when in whens]
    if budget.signal:
        found += [Admitted(FaultKind.SIGNAL, f"signal to {worker}", "lost") for worker in world.watched]
    if budget.crashes and world.port.contract.durable:
        deaths = [UNANSWERED[death] for death in world.port.deaths]
        labels = [ANSWER_LABEL + operation for operation in budget.lost_answers]
        found += [Admitted(FaultKind.CRASH, label, death) for label in labels for death in deaths]
    if budget.time:
        found += [Admitted(FaultKind.TIME, timer, how) for timer in budget.timers for how in ("before", "at", "after")]
    return found

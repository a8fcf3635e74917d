"""Where a call takes effect: the state, the task that it names and the rules that hold there.

One idea: everything that several operations ask (is the task stopped, does this epoch hold, may the gate have made a
transition of its own) is answered here, each as *may be* and *must be*, because a lease may expire and a deadline may
pass while a call is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from stopcheck.gate import Assigner, Capability, EarlyStop, GateContract, Request, Sender, TaskRef
from stopcheck.judge.linearisability._outcome import Outcome
from stopcheck.judge.linearisability._state import CUT_OF, Cut, GateState, Lease, Phase, Task

#: The ways in which a call may take effect.
Steps = Iterator[tuple[Outcome, GateState]]


class Rules:
    """What a gate's contract settles."""

    def __init__(self, contract: GateContract) -> None:
        self.caller_assigns = contract.incarnations is Assigner.CALLER
        self.tombstones = contract.early_stop is EarlyStop.TOMBSTONE
        self.suppression = contract.has(Capability.SUPPRESSION)
        self.deadlines = contract.has(Capability.DEADLINES)
        self.sends = contract.sender is Sender.GATE
        self.cuts = tuple(sorted(CUT_OF[scope] for scope in contract.scopes))


class Place(msgspec.Struct, frozen=True):
    """One state, the known task that a request names in it, and the span of time in which the call takes effect."""

    rules: Rules
    state: GateState
    ref: TaskRef
    task: Task
    now: int
    latest: int

    @property
    def stopped(self) -> tuple[TaskRef, ...]:
        """The tasks whose records may be shown because this one is cancelled."""
        return self.state.stopped_by(self.ref)

    @property
    def executions(self) -> tuple[str, ...]:
        """The execution states that an answer may show."""
        return self.state.executions(self.ref, self.task)

    def may_be_over(self, child: TaskRef) -> bool:
        """Whether a child's own task is over or cut off, or may be by now."""
        return self.state.may_be_over(child, self.latest)

    def put(self, **changes: Any) -> GateState:
        """The state with the task changed."""
        return self.state.with_task(self.ref, replace(self.task, **changes))

    def expiry(self) -> tuple[bool, bool]:
        """Whether the latest lease may still be active, and whether it may not be."""
        lease = self.task.lease
        if lease is None or not lease.live:
            return False, True
        if lease.expires is None:
            return True, True
        return self.now < lease.expires, lease.doubtful or self.latest >= lease.expires

    def epoch(self, epoch: int) -> tuple[bool, bool]:
        """Whether ``epoch`` may be the task's current authority, and whether it may not be."""
        active, inactive = self.expiry()
        lease = self.task.lease
        if lease is None or (lease.epoch is not None and lease.epoch != epoch) or epoch == lease.previous:
            return False, True
        return active, inactive or lease.epoch is None


def grant(place: Place, worker: str, call_id: str) -> GateState:
    """A new lease, whose epoch only the reply will tell."""
    old = place.task.lease
    previous = None if old is None else old.previous if old.epoch is None else old.epoch
    return place.put(phase=Phase.RUNNING, lease=Lease(worker=worker, grant=call_id, previous=previous))


def grant_again(place: Place, worker: str, call_id: str) -> Iterator[GateState]:
    """A worker that begins again while its lease is active may be given the lease that it has."""
    lease = place.task.lease
    if lease is not None and lease.worker == worker and place.expiry()[0]:
        yield place.put(lease=lease if lease.epoch is None else replace(lease, grant=call_id))


def settled_places(rules: Rules, state: GateState, ref: TaskRef, request: Request, latest: int) -> Iterator[Place]:
    """The states in which the call may find the task, after what the gate may have done by itself and unseen: a record
    may appear by a deadline, for work that nobody wants any more, below a task that failed, or on a child whose end was
    entered in its parent's inventory; and evidence that was parked may have been applied.

    Deferring these transitions to the first call that can see them loses nothing, since no other call depends on them.
    Owners come first: what an owner's record covers needs none of its own.
    """
    states = list(_with_evidence_applied(state, ref)) if state.parked else [state]
    for at, _ in reversed(tuple(state.lineage(ref))):
        states = [after for before in states for after in unseen(rules, before, at, request.now_ns, latest, at == ref)]
    for after in states:
        task = after.task(ref)
        assert task is not None
        yield Place(rules, after, ref, task, request.now_ns, latest)


def told_apart(before: GateState, tried: Iterable[tuple[GateState, Steps]]) -> Steps:
    """The steps from each state in which a call may find the gate, without what need not be decided by them: whether
    the gate made a transition unseen is left open for as long as the call is answered alike and does the same. So few
    states are told apart, however many tasks are below a stop."""
    undecided: set[tuple[Outcome, GateState]] = set()
    for state, steps in tried:
        for outcome, reached in steps:
            if state == before:
                undecided.add((outcome, reached))
            elif (outcome, _without(reached, state, before)) in undecided:
                continue
            yield outcome, reached


def _without(reached: GateState, state: GateState, before: GateState) -> GateState:
    """What would have been reached without the unseen transitions that led from ``before`` to ``state``."""
    if reached == state:
        return before
    undone = reached if reached.effects != state.effects else replace(reached, effects=before.effects)
    for (ref, was), (_, found) in zip(before.tasks, state.tasks, strict=True):
        after = undone.task(ref)
        if was is not found and after is not None:
            undone = undone.with_task(ref, replace(after, phase=was.phase, cut=was.cut))
    return undone


def _with_evidence_applied(state: GateState, ref: TaskRef) -> Iterator[GateState]:
    """What waits may have been applied by now, each piece or not, to the effects of this task that are still open."""
    yield state
    for tenant, effect_id, told in state.parked:
        effect = state.effect(tenant, effect_id)
        if effect is not None and effect.task == ref and not effect.definitive:
            yield from _with_evidence_applied(state.with_effect(tenant, effect_id, replace(effect, stage=told)), ref)


def unseen(rules: Rules, state: GateState, ref: TaskRef, now: int, latest: int, asked: bool) -> list[GateState]:
    """The states that are left by what the gate may have done to one task by itself; first, where it may, nothing.
    ``asked``: it is the task that the call names."""
    task = state.task(ref)
    assert task is not None
    if task.cut is not Cut.NONE or task.ended:
        return [state]
    covered = bool(state.stopped_by(ref))
    must = rules.deadlines and asked and task.due is not None and now >= task.due and not covered
    may = must or (
        (rules.deadlines and task.maybe_due is not None and latest >= task.maybe_due)
        or (bool(task.interests) and state.interests_range(task, latest)[0] == 0)
        or any(above.phase is Phase.FAILED for _, above in state.lineage(ref))
    )
    # One that is covered may show a record of its own as well.
    stopped = [] if covered else [state.with_task(ref, replace(task, cut=cut)) for cut in rules.cuts]
    if state.given_up(ref, task):
        ends = [state.with_task(ref, replace(task, phase=phase)) for phase in (Phase.COMPLETED, Phase.FAILED)]
        return [state, *ends, *stopped]
    if must:
        return stopped
    return [state, *stopped] if may else [state]

"""What the judge keeps of a gate's state while it orders the calls.

One idea: only what decides which answers are allowed, as small immutable values. What the gate alone chooses (an
epoch, a record's id, an incarnation, an expiry) is unknown until some reply reveals it, and is then held against it.
What a gate may do by itself and unseen is left open until an answer shows it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from enum import IntEnum, StrEnum

import msgspec
from msgspec.structs import replace

from stopcheck.gate import Execution, Scope, TaskKey, TaskRef

#: The execution states of a cancelled task, in a fixed order.
CANCELLED = (
    Execution.CANCELLATION_REQUESTED,
    Execution.DRAINING,
    Execution.CANCELLED_SETTLED,
    Execution.STOPPED_UNRESOLVED,
)


class Phase(StrEnum):
    """How far a task has come, its cancellation apart."""

    TOMBSTONE = "tombstone"  # stopped before it opened
    OPEN = "open"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class Cut(IntEnum):
    """The reach of a task's own cancellation record."""

    NONE = 0
    TASK = 1
    SUBTREE = 2


CUT_OF = {Scope.TASK: Cut.TASK, Scope.SUBTREE: Cut.SUBTREE}
SCOPE_OF = {cut: scope for scope, cut in CUT_OF.items()}

# Stages of an effect: the two before any disposition, then ``unknown`` and the definitive dispositions by their names.
ADMITTED = "admitted"
CLAIMED = "claimed"
UNKNOWN = "unknown"
SUPPRESSED = "suppressed"


class _Value(msgspec.Struct, frozen=True, array_like=True, cache_hash=True):
    """An immutable part of the state."""


class Lease(_Value, frozen=True, array_like=True):
    """The latest lease of a task. ``epoch`` and ``expires`` are ``None`` while no reply has told them; then
    ``grant`` names the call that will. ``previous`` is an epoch known to be stale; ``doubtful``: it may have been
    taken away (its worker was probed and found gone)."""

    worker: str
    epoch: int | None = None
    expires: int | None = None
    grant: str = ""
    live: bool = True
    previous: int | None = None
    doubtful: bool = False


class Effect(_Value, frozen=True, array_like=True):
    """An admitted effect of ``task``."""

    task: TaskRef
    digest: str
    receiver: str
    stage: str = ADMITTED

    @property
    def definitive(self) -> bool:
        """Whether the effect has a definitive disposition."""
        return self.stage not in (ADMITTED, CLAIMED, UNKNOWN)


class Owned(_Value, frozen=True, array_like=True):
    """A child in its parent's inventory. ``end``: ``live``, ``unknown`` or ``ended``."""

    child: TaskRef
    started: bool = False
    end: str = "live"


class Interest(_Value, frozen=True, array_like=True):
    """A subscriber's interest in a shared task. ``live`` is false once it was released explicitly."""

    interest_id: str
    subscriber: TaskRef
    live: bool = True


class Task(_Value, frozen=True, array_like=True):
    """One incarnation. ``record_id`` and ``revision`` identify its record once a reply has shown it (a task that is
    covered by an ancestor's cutoff may have one of its own without ``cut``); ``admitted`` is the greatest revision
    of an admission. From ``due`` on its deadline has passed, from ``maybe_due`` on it may have. ``halted``: its work
    was suspended and not resumed."""

    phase: Phase = Phase.OPEN
    cut: Cut = Cut.NONE
    record_id: str | None = None
    revision: int | None = None
    admitted: int = -1
    lease: Lease | None = None
    parent: TaskRef | None = None
    children: tuple[Owned, ...] = ()
    interests: tuple[Interest, ...] = ()
    due: int | None = None
    maybe_due: int | None = None
    halted: bool = False

    @property
    def ended(self) -> bool:
        """Whether the task completed or failed."""
        return self.phase in (Phase.COMPLETED, Phase.FAILED)

    def owned(self, child: TaskRef) -> Owned | None:
        """The inventory's entry of ``child``."""
        return next((entry for entry in self.children if entry.child == child), None)

    def with_owned(self, entry: Owned) -> Task:
        """With this entry of the inventory added or replaced."""
        others = [other for other in self.children if other.child != entry.child]
        return replace(self, children=tuple(sorted((*others, entry), key=lambda owned: owned.child)))


class GateState(_Value, frozen=True, array_like=True):
    """The whole gate: tasks by incarnation, effects by tenant and effect id, parked evidence; each sorted."""

    tasks: tuple[tuple[TaskRef, Task], ...] = ()
    effects: tuple[tuple[str, str, Effect], ...] = ()
    parked: tuple[tuple[str, str, str], ...] = ()

    def task(self, ref: TaskRef) -> Task | None:
        """The task, if it is known."""
        return next((task for known, task in self.tasks if known == ref), None)

    def with_task(self, ref: TaskRef, task: Task) -> GateState:
        """With this task added or replaced."""
        at = bisect_left(self.tasks, ref, key=lambda entry: entry[0])
        end = at + 1 if at < len(self.tasks) and self.tasks[at][0] == ref else at
        return replace(self, tasks=(*self.tasks[:at], (ref, task), *self.tasks[end:]))

    def effect(self, tenant: str, effect_id: str) -> Effect | None:
        """The effect, if it was admitted."""
        return next((effect for owner, name, effect in self.effects if name == effect_id and owner == tenant), None)

    def with_effect(self, tenant: str, effect_id: str, effect: Effect) -> GateState:
        """With this effect added or replaced."""
        key = (tenant, effect_id)
        others = [entry for entry in self.effects if entry[:2] != key]
        return replace(self, effects=tuple(sorted((*others, (*key, effect)), key=lambda entry: entry[:2])))

    def effects_of(self, ref: TaskRef) -> Iterator[tuple[str, Effect]]:
        """The task's ledger."""
        return ((name, effect) for _, name, effect in self.effects if effect.task == ref)

    def incarnations(self, key: TaskKey) -> list[TaskRef]:
        """The known incarnations of a task, those that no reply has named first (numbers below zero)."""
        return [ref for ref, _ in self.tasks if ref.key == key]

    def newest(self, key: TaskKey) -> TaskRef | None:
        """The latest known incarnation: the latest without a number, else the one with the greatest."""
        known = self.incarnations(key)
        return None if not known else known[0] if known[0].incarnation < 0 else known[-1]

    def lineage(self, ref: TaskRef) -> Iterator[tuple[TaskRef, Task]]:
        """The task and its ancestors, nearest first."""
        at: TaskRef | None = ref
        while at is not None and (task := self.task(at)) is not None:
            yield at, task
            at = task.parent

    def stopped_by(self, ref: TaskRef) -> tuple[TaskRef, ...]:
        """The tasks whose records an answer may show because ``ref`` is cancelled; none if it is not.

        Under an ancestor's subtree record that is any task on the way up to it: the gate may show the ancestor's
        record or one that its cascade made.
        """
        way: list[TaskRef] = []
        shown: list[TaskRef] = []
        for at, task in self.lineage(ref):
            way.append(at)
            if task.cut is Cut.SUBTREE:
                shown = list(way)
            elif task.cut is Cut.TASK and at == ref:
                shown = [at]
        return tuple(shown)

    def executions(self, ref: TaskRef, task: Task) -> tuple[Execution, ...]:
        """The execution states that an answer may show of the task."""
        if task.cut is not Cut.NONE or task.phase is Phase.TOMBSTONE:
            return CANCELLED
        if task.phase is Phase.COMPLETED:
            return (Execution.COMPLETED,)
        if task.phase is Phase.FAILED:
            return (Execution.FAILED,)
        now = (Execution.RUNNING,) if task.phase is Phase.RUNNING else (Execution.UNSTARTED, Execution.RUNNING)
        return (*CANCELLED, *now) if self.stopped_by(ref) else now

    def may_be_over(self, ref: TaskRef, latest: int, through: frozenset[TaskRef] = frozenset()) -> bool:
        """Whether the task is over or cut off, or may be by now though nobody was told: by a deadline, because it or
        an owner failed or was given up, or for want of interest. ``through``: for whose sake it is asked, since
        shared work may want itself."""
        through |= {ref}
        return any(
            task.cut is Cut.SUBTREE
            or task.ended
            or (at == ref and task.cut is not Cut.NONE)
            or (task.maybe_due is not None and latest >= task.maybe_due)
            or self.given_up(at, task)
            or self._may_be_unwanted(task, latest, through)
            for at, task in self.lineage(ref)
        )

    def given_up(self, ref: TaskRef, task: Task) -> bool:
        """Whether the task's end stands in its owner's inventory."""
        owner = None if task.parent is None else self.task(task.parent)
        entry = None if owner is None else owner.owned(ref)
        return entry is not None and entry.end == "ended"

    def _may_be_unwanted(self, task: Task, latest: int, through: frozenset[TaskRef]) -> bool:
        """Whether the last interest in the task may have been released."""
        return bool(task.interests) and not any(
            one.live and (one.subscriber in through or not self.may_be_over(one.subscriber, latest, through))
            for one in task.interests
        )

    def interest_life(self, interest: Interest, latest: int) -> tuple[bool, bool]:
        """Whether the interest is live for certain, and whether it may be.

        A cancelled subscriber's interests are released within its own cutoff. One that is covered only by an
        ancestor may still wait for the cascade, one whose subscriber may be over may be released already, and of one
        that ended the contract says nothing.
        """
        if not interest.live:
            return False, False
        subscriber = self.task(interest.subscriber)
        if subscriber is None:
            return True, True
        if subscriber.cut is not Cut.NONE:
            return False, False
        return not self.may_be_over(interest.subscriber, latest), True

    def interests_range(self, task: Task, latest: int) -> tuple[int, int]:
        """The least and the greatest number of live interests."""
        lives = [self.interest_life(interest, latest) for interest in task.interests]
        return sum(sure for sure, _ in lives), sum(maybe for _, maybe in lives)

    def renamed(self, old: TaskRef, new: TaskRef) -> GateState:
        """The same state where the incarnation ``old`` is found to be ``new``."""

        def name(ref: TaskRef) -> TaskRef:
            return new if ref == old else ref

        tasks = [
            (
                name(ref),
                replace(
                    task,
                    parent=task.parent and name(task.parent),
                    children=tuple(replace(owned, child=name(owned.child)) for owned in task.children),
                    interests=tuple(replace(one, subscriber=name(one.subscriber)) for one in task.interests),
                ),
            )
            for ref, task in self.tasks
        ]
        effects = [(owner, key, replace(effect, task=name(effect.task))) for owner, key, effect in self.effects]
        return replace(self, tasks=tuple(sorted(tasks, key=lambda entry: entry[0])), effects=tuple(effects))

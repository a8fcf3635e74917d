"""What the contract allows of a task's own life: opening, leases, completion and the stop.

One idea: when several reasons hold, any of them may be answered; a right gate chooses its order of checks.
"""

from __future__ import annotations

from msgspec.structs import replace

from stopcheck.gate import (
    BeginWork,
    Complete,
    Fail,
    FireRetry,
    OpenTask,
    ProbeResult,
    RecordProbe,
    ReleaseLease,
    RenewLease,
    RequestCancel,
    Resume,
    RevokeLease,
    Suspend,
    TaskRef,
)
from stopcheck.judge.linearisability._outcome import ANY, DONE, REFUSED, STALE, Outcome
from stopcheck.judge.linearisability._rules import Place, Rules, Steps, grant, grant_again, settled_places
from stopcheck.judge.linearisability._state import CUT_OF, SCOPE_OF, Cut, GateState, Phase, Task


def open_task(rules: Rules, state: GateState, request: OpenTask, latest: int) -> Steps:
    """``Opened`` once; then ``Exists``; ``PreCancelled`` where a tombstone waits."""
    known = state.incarnations(request.task)
    due = request.deadline_ns if rules.deadlines else None
    task = Task(due=due, maybe_due=due)
    if rules.caller_assigns:
        ref = request.ref
        if ref is None:
            yield REFUSED, state
        elif state.task(ref) is None:
            number = ref.incarnation
            yield Outcome("Opened", least=number, most=number, task=ref), state.with_task(ref, task)
            if known and known[-1] > ref:
                yield REFUSED, state
        else:
            yield from _opened_before(rules, state, ref, request, latest)
        return
    over = True
    last = state.newest(request.task)
    if last is not None:
        yield from _opened_before(rules, state, last, request, latest)
        task_before = state.task(last)
        over = task_before is not None and (task_before.ended or bool(state.stopped_by(last)))
    if over:
        # The gate's own number is told by the reply; until then numbers below zero stand for it.
        ref = TaskRef(request.task, min([0, *(one.incarnation for one in known)]) - 1)
        yield Outcome("Opened", task=ref), state.with_task(ref, task)


def _opened_before(rules: Rules, state: GateState, ref: TaskRef, request: OpenTask, latest: int) -> Steps:
    for place in settled_places(rules, state, ref, request, latest):
        if place.task.phase is Phase.TOMBSTONE:
            yield Outcome("PreCancelled", records=place.stopped), place.state
        yield Outcome("Exists", values=place.executions), place.state


def _stopped(place: Place, kind: str = "Stopped") -> Steps:
    if stopped := place.stopped:
        yield Outcome(kind, records=stopped), place.state


def _ended(place: Place) -> Steps:
    if place.task.ended:
        yield Outcome("Ended", values=place.executions), place.state


def begin_work(place: Place, request: BeginWork) -> Steps:
    """``LeaseGranted`` unless the task is stopped or over; ``Busy`` while a lease may be active. A child that nobody
    has started yet may be refused, or told to come later."""
    yield from _stopped(place)
    yield from _ended(place)
    if place.stopped or place.task.ended:
        return
    granted = Outcome("LeaseGranted")
    yield granted, grant(place, request.worker, request.call_id)
    for same in grant_again(place, request.worker, request.call_id):
        yield granted, same
    waits = place.task.parent is not None and place.task.phase is Phase.OPEN
    if place.expiry()[0] or place.task.halted or waits:
        yield Outcome("Busy"), place.state
    if waits:
        yield REFUSED, place.state


def fire_retry(place: Place, request: FireRetry) -> Steps:
    """A new lease, but never after the end or the cutoff. Whether the retry was armed, due or spent is not followed, so
    ``Void`` and ``Refused`` are always allowed."""
    for kind in ("Void", "Refused"):
        yield Outcome(kind), place.state
    if not place.stopped and not place.task.ended:
        yield Outcome("RetryFired"), grant(place, request.worker, request.call_id)


def renew_lease(place: Place, request: RenewLease) -> Steps:
    """``Renewed`` while the epoch holds; never after the cutoff."""
    holds, stale = place.epoch(request.epoch)
    yield from _stopped(place)
    if stale or place.stopped or place.task.ended:
        yield STALE, place.state
    if holds and not place.stopped:
        lease = place.task.lease
        assert lease is not None
        yield Outcome("Renewed"), place.put(lease=replace(lease, expires=None))


def return_lease(place: Place, request: ReleaseLease | RevokeLease) -> Steps:
    """``Done``, and the epoch is stale; of a stale one ``StaleLease``, or ``Done`` again."""
    holds, stale = place.epoch(request.epoch)
    over = bool(place.stopped) or place.task.ended
    yield from _stopped(place)
    if stale or over:
        yield STALE, place.state
        if not (holds and over):  # whether it was given back then makes no difference any more
            yield DONE, place.state
        if isinstance(request, RevokeLease):
            yield REFUSED, place.state  # a stale handle is an error to its caller
    if holds:
        lease = place.task.lease
        assert lease is not None
        yield DONE, place.put(lease=replace(lease, live=False))


def suspend(place: Place, _: Suspend) -> Steps:
    """Work is halted: the lease may be taken, and whoever begins may be told to wait. On a stopped task it says
    nothing."""
    yield from _stopped(place)
    yield from _ended(place)
    lease = place.task.lease
    if not place.task.ended:
        yield DONE, place.put(halted=True, lease=lease and replace(lease, doubtful=True))


def resume(place: Place, _: Resume) -> Steps:
    """``Done`` unless a cutoff or an end came before."""
    yield from _stopped(place)
    yield from _ended(place)
    if not place.stopped and not place.task.ended:
        yield DONE, place.put(halted=False)


def record_probe(place: Place, request: RecordProbe) -> Steps:
    """A gate may take the lease of a worker that was found gone."""
    lease = place.task.lease
    state = place.state
    if request.result is ProbeResult.GONE and lease is not None and lease.worker == request.worker:
        state = place.put(lease=replace(lease, doubtful=True))
    yield ANY, state


def finish(place: Place, request: Complete | Fail) -> Steps:
    """``Won`` once, before the cutoff, and for a completion only with evidence for everything that was admitted."""
    yield from _stopped(place, "Lost")
    yield from _ended(place)
    holds, stale = place.epoch(request.epoch)
    over = bool(place.stopped) or place.task.ended
    if stale or over:
        yield STALE, place.state
    if not holds or over:
        return
    if isinstance(request, Fail):
        yield Outcome("Won"), place.put(phase=Phase.FAILED)
        return
    missing, doubtful = _unfinished(place)
    if missing or doubtful:
        yield Outcome("Unverified"), place.state
    if not missing:
        yield Outcome("Won"), place.put(phase=Phase.COMPLETED)


def _unfinished(place: Place) -> tuple[bool, bool]:
    """Whether something is missing for a completion, and whether a gate may think so.

    A child that ended as ``unknown``, or whose own task is over while the inventory does not say so yet, may be
    counted either way; so may what goes on below a child that ended. So may the ledger of a gate that sends by itself.
    """
    missing = doubtful = False
    for _, effect in place.state.effects_of(place.ref):
        doubtful = doubtful or not effect.definitive
        missing = missing or not (effect.definitive or place.rules.sends)
    for owned in place.task.children:
        missing = missing or (owned.end == "live" and not place.may_be_over(owned.child))
    return missing, doubtful or _owns_open_work(place.state, place.task)


def _owns_open_work(state: GateState, task: Task) -> bool:
    """Whether something below the task, at any depth, has no entry of its end."""
    below = ((owned, state.task(owned.child)) for owned in task.children)
    return any(owned.end != "ended" or (child and _owns_open_work(state, child)) for owned, child in below)


def cancel_unopened(rules: Rules, state: GateState, request: RequestCancel) -> Steps:
    """A stop for a task that is not open: a tombstone, or refused."""
    ref = request.ref
    if ref is None or not (rules.caller_assigns and rules.tombstones):
        yield REFUSED, state
        return
    tombstone = Task(phase=Phase.TOMBSTONE, cut=CUT_OF[request.scope])
    yield Outcome("Tombstoned", records=(ref,), values=(str(request.scope),)), state.with_task(ref, tombstone)
    blank = not (request.task.tenant.strip() and request.task.task_id.strip())
    if blank or CUT_OF[request.scope] not in rules.cuts or state.incarnations(request.task):
        yield REFUSED, state


def request_cancel(place: Place, request: RequestCancel) -> Steps:
    """``Accepted`` once, then the same record, which a wider scope widens; ``Ended`` on a task that is over."""
    task, cut = place.task, CUT_OF[request.scope]
    if cut not in place.rules.cuts:
        yield REFUSED, place.state
    yield from _ended(place)
    above = tuple(ref for ref in place.stopped if ref != place.ref)
    if above:
        # Covered from above: the record shown may be the ancestor's, or one that the cascade made here.
        yield Outcome("ExistingRecord", records=place.stopped), place.state
        yield Outcome("Widened", records=(place.ref,)), place.put(cut=Cut.SUBTREE)
    if task.ended:
        return
    own = (place.ref,)
    if task.cut is Cut.NONE:
        if not (above and task.record_id is not None):
            yield Outcome("Accepted", records=own, values=(str(request.scope),)), place.put(cut=cut)
    elif cut > task.cut:
        yield Outcome("Widened", records=own, values=(str(request.scope),)), place.put(cut=cut)
    else:
        yield Outcome("ExistingRecord", records=own, values=(str(SCOPE_OF[task.cut]),)), place.state
        if task.phase is Phase.TOMBSTONE:
            yield Outcome("Tombstoned", records=own, values=(str(SCOPE_OF[task.cut]),)), place.state

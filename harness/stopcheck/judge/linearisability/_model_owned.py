"""What the contract allows of owned and of shared work.

One idea: a child stands in its parent's inventory or was rejected, and an interest is live or was released once;
what a gate does to either within a cutoff is seen only in later answers, and both readings stay open until then.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from stopcheck.gate import FinishChild, RegisterChild, Release, StartChild, Subscribe, TaskRef
from stopcheck.judge.linearisability._outcome import DONE, NO_TIME, REFUSED, STALE, Outcome, end_of
from stopcheck.judge.linearisability._rules import Place, Steps, settled_places, told_apart
from stopcheck.judge.linearisability._state import GateState, Interest, Owned, Phase, Task


def ends_shown(place: Place, owned: Owned) -> tuple[str, ...]:
    """The classes of stages in which a child may be shown.

    The gate may end the entry by itself once the child's own task is over or cut off.
    """
    if place.may_be_over(owned.child) and owned.end != "ended":
        return (owned.end, "ended", "unknown") if owned.end == "live" else (owned.end, "ended")
    return (owned.end,)


def _refusals(place: Place, *, stopped: bool) -> Steps:
    if stopped and place.stopped:
        yield Outcome("Stopped", records=place.stopped), place.state
    if place.task.ended:
        yield Outcome("Ended", values=place.executions), place.state


def register_child(place: Place, request: RegisterChild) -> Steps:
    """``Done`` and in the inventory, or rejected and not."""
    if request.child.key.tenant != place.ref.key.tenant:
        yield REFUSED, place.state
        return
    yield from _refusals(place, stopped=True)
    holds, stale = place.epoch(request.epoch)
    over = bool(place.stopped) or place.task.ended
    if stale or over:
        yield STALE, place.state
    owned = place.task.owned(request.child)
    if owned is not None:
        yield from _seen(place, owned, Outcome("ExistingChild", values=ends_shown(place, owned)))
        if not over:
            yield DONE, place.state  # the same answer to the same request
    elif (other := place.state.task(request.child)) is not None:
        yield REFUSED, place.state  # it was opened as a task of its own, or has another parent
        if other.phase is Phase.TOMBSTONE:
            yield from _over_tombstone(place, request.child, other, holds=holds and not over)
    elif holds and not over:
        fits, late = _time_left(place, request)
        if fits:
            reached = place.put(children=place.task.with_owned(Owned(request.child)).children)
            yield Outcome("Done"), reached.with_task(request.child, _child_task(place, request))
        if late:
            yield NO_TIME, place.state


def _over_tombstone(place: Place, child: TaskRef, tombstone: Task, *, holds: bool) -> Steps:
    """A child that was stopped before it came to be never runs: told so, or taken in as it is, stopped."""
    yield Outcome("Stopped", records=(child,)), place.state
    if holds:
        reached = place.put(children=place.task.with_owned(Owned(child)).children)
        yield DONE, reached.with_task(child, replace(tombstone, parent=place.ref))


def _time_left(place: Place, request: RegisterChild) -> tuple[bool, bool]:
    """Whether the child's minimum useful time may fit before the reserve, and whether it may not. A cap that is no
    longer than the minimum, and a minimum that just fits, may be taken either way."""
    if not place.rules.deadlines:
        return True, False
    needed = request.minimum_ns + request.reserve_ns
    due, maybe_due = place.task.due, place.task.maybe_due
    useless = request.cap_ns is not None and request.cap_ns <= request.minimum_ns
    fits = due is None or place.now + needed <= due
    return fits, useless or (maybe_due is not None and place.latest + needed >= maybe_due)


def _child_task(place: Place, request: RegisterChild) -> Task:
    """The child inherits its parent's deadline, perhaps less the reserve; a cap ends it earlier."""
    if not place.rules.deadlines:
        return Task(parent=place.ref)
    due, maybe_due = place.task.due, place.task.maybe_due
    if maybe_due is not None:
        maybe_due -= request.reserve_ns
    if request.cap_ns is not None:
        due = _earlier(due, place.latest + request.cap_ns)
        maybe_due = _earlier(maybe_due, place.now + request.cap_ns)
    return Task(parent=place.ref, due=due, maybe_due=maybe_due)


def _earlier(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def _seen(place: Place, owned: Owned, outcome: Outcome) -> Steps:
    """An answer that shows a child's stage also settles what the gate had made of it by itself."""
    for end in outcome.values:
        reached = place.state
        if end == "ended" and owned.end != end:
            reached = place.put(children=place.task.with_owned(replace(owned, end=end)).children)
        yield replace(outcome, values=(end,)), reached


def start_child(place: Place, request: StartChild) -> Steps:
    """``Done``, or a cutoff came first: also the end of the child's own lifetime."""
    owned = place.task.owned(request.child)
    if owned is None:
        yield REFUSED, place.state
        return
    found = _found_with(place, request.child, request)
    yield from told_apart(place.state, ((at.state, _start(at, request, owned)) for at in found))


def _found_with(place: Place, second: TaskRef, request: StartChild | Subscribe) -> Iterator[Place]:
    """The states in which a call may find the second task that it names."""
    for found in settled_places(place.rules, place.state, second, request, place.latest):
        task = found.state.task(place.ref)
        assert task is not None
        yield replace(place, state=found.state, task=task)


def _start(place: Place, request: StartChild, owned: Owned) -> Steps:
    covering = place.state.stopped_by(request.child)
    shown = tuple(dict.fromkeys((*covering, *place.stopped)))
    if shown:
        yield Outcome("Stopped", records=shown), place.state
    if place.task.ended:
        yield Outcome("Ended", values=place.executions), place.state
    child = place.state.task(request.child)
    if "ended" in ends_shown(place, owned):
        yield Outcome("Ended"), place.state
    completed = place.task.phase is Phase.COMPLETED  # an owner that failed may leave its children to themselves
    if covering or completed or owned.end == "ended" or (child is not None and child.ended):
        if owned.started:
            yield DONE, place.state
        return
    yield DONE, place.put(children=place.task.with_owned(replace(owned, started=True)).children)


def finish_child(place: Place, request: FinishChild) -> Steps:
    """The end is entered once. An ``unknown`` one may still be replaced."""
    owned = place.task.owned(request.child)
    if owned is None:
        yield REFUSED, place.state
        return
    told = end_of(request.stage)
    shown = ends_shown(place, owned)
    if owned.end != "ended":
        yield DONE, place.put(children=place.task.with_owned(replace(owned, end=told)).children)
        if owned.end != "live" or len(shown) > 1:
            yield from _seen(place, owned, Outcome("ExistingChild", values=shown))
    else:
        yield Outcome("ExistingChild", values=shown), place.state
        yield DONE, place.state


def subscribe(place: Place, request: Subscribe) -> Steps:
    """An interest is registered once; ``Live`` tells how many are live. A cutoff of the subscriber may come first, also
    the end of its lifetime."""
    found = [place]
    if place.state.task(request.subscriber) is not None:
        found += _found_with(place, request.subscriber, request)
    yield from told_apart(place.state, ((at.state, _subscribe(at, request)) for at in found))


def _subscribe(place: Place, request: Subscribe) -> Steps:
    stopped = tuple(dict.fromkeys((*place.stopped, *place.state.stopped_by(request.subscriber))))
    if stopped:
        yield Outcome("Stopped", records=stopped), place.state
    if request.subscriber != place.state.newest(request.subscriber.key):
        yield REFUSED, place.state  # nobody is there who could want it
    yield from _refusals(place, stopped=False)
    if _interest(place, request.interest_id) is not None:
        least, most = place.state.interests_range(place.task, place.latest)
        yield Outcome("Live", least=least, most=most), place.state
    elif not place.stopped and not place.task.ended:
        yield from _take_interest(place, request)


def _take_interest(place: Place, request: Subscribe) -> Steps:
    interest = Interest(request.interest_id, request.subscriber)
    state = _with_interest(place, interest)
    task = state.task(place.ref)
    assert task is not None
    least, most = state.interests_range(task, place.latest)
    yield Outcome("Live", least=least, most=most), state


def release(place: Place, request: Release) -> Steps:
    """Given up once, counted once; the last one tells what happens to the work."""
    interest = _interest(place, request.interest_id)
    released = Outcome("AlreadyReleased")
    if interest is None:
        yield released, place.state
        yield REFUSED, place.state
        return
    sure, maybe = place.state.interest_life(interest, place.latest)
    state = _with_interest(place, replace(interest, live=False))
    if not sure:
        yield released, state
    if not maybe:
        return
    task = state.task(place.ref)
    assert task is not None
    least, most = state.interests_range(task, place.latest)
    if most > 0:
        yield Outcome("Live", least=max(least, 1), most=most), state
    if least == 0:
        yield Outcome("LastReleased"), state


def _interest(place: Place, interest_id: str) -> Interest | None:
    return next((one for one in place.task.interests if one.interest_id == interest_id), None)


def _with_interest(place: Place, interest: Interest) -> GateState:
    others = [one for one in place.task.interests if one.interest_id != interest.interest_id]
    return place.put(interests=tuple(sorted((*others, interest), key=lambda one: one.interest_id)))


def children_shown(place: Place) -> Iterator[tuple[Owned, tuple[str, ...]]]:
    """The inventory with the stages that a snapshot may show."""
    for owned in place.task.children:
        yield owned, ends_shown(place, owned)

"""What the contract allows of owned and of shared work.

One idea: a child stands in its parent's inventory or was rejected, and an interest is live or was released once;
what a gate does to either within a cutoff is seen only in later answers, and both readings stay open until then.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from stopcheck.gate import FinishChild, RegisterChild, Release, StartChild, Subscribe
from stopcheck.judge.linearisability._outcome import DONE, REFUSED, STALE, Outcome, end_of
from stopcheck.judge.linearisability._rules import Place, Steps
from stopcheck.judge.linearisability._state import GateState, Interest, Owned, Task


def ends_shown(state: GateState, owned: Owned) -> tuple[str, ...]:
    """The classes of stages in which a child may be shown.

    The gate may end the entry by itself once the child's own task is over or cut off.
    """
    child = state.task(owned.child)
    over = child is not None and (child.ended or bool(state.stopped_by(owned.child)))
    if over and owned.end != "ended":
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
        yield from _seen(place, owned, Outcome("ExistingChild", values=ends_shown(place.state, owned)))
    elif place.state.task(request.child) is not None:
        yield REFUSED, place.state  # it was opened as a task of its own, or has another parent
    elif holds and not over:
        reached = place.put(children=place.task.with_owned(Owned(request.child)).children)
        yield Outcome("Done"), reached.with_task(request.child, _child_task(place, request))
        if place.rules.deadlines and (request.cap_ns is not None or place.task.maybe_due is not None):
            yield Outcome("NoTime"), place.state


def _child_task(place: Place, request: RegisterChild) -> Task:
    """The child inherits its parent's deadline; a cap may end it earlier."""
    due, maybe_due = place.task.due, place.task.maybe_due
    if place.rules.deadlines and request.cap_ns is not None:
        maybe_due = min(request.cap_ns, place.now + request.cap_ns, *(() if maybe_due is None else (maybe_due,)))
    return Task(parent=place.ref, due=due, maybe_due=maybe_due)


def _seen(place: Place, owned: Owned, outcome: Outcome) -> Steps:
    """An answer that shows a child's stage also settles what the gate had made of it by itself."""
    for end in outcome.values:
        reached = place.state
        if end == "ended" and owned.end != end:
            reached = place.put(children=place.task.with_owned(replace(owned, end=end)).children)
        yield replace(outcome, values=(end,)), reached


def start_child(place: Place, request: StartChild) -> Steps:
    """``Done``, or a cutoff came first."""
    owned = place.task.owned(request.child)
    if owned is None:
        yield REFUSED, place.state
        return
    covering = place.state.stopped_by(request.child)
    shown = tuple(dict.fromkeys((*covering, *place.stopped)))
    if shown:
        yield Outcome("Stopped", records=shown), place.state
    if place.task.ended:
        yield Outcome("Ended", values=place.executions), place.state
    child = place.state.task(request.child)
    if "ended" in ends_shown(place.state, owned):
        yield Outcome("Ended"), place.state
    if covering or place.task.ended or owned.end == "ended" or (child is not None and child.ended):
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
    shown = ends_shown(place.state, owned)
    if owned.end != "ended":
        yield DONE, place.put(children=place.task.with_owned(replace(owned, end=told)).children)
        if owned.end != "live" or len(shown) > 1:
            yield from _seen(place, owned, Outcome("ExistingChild", values=shown))
    else:
        yield Outcome("ExistingChild", values=shown), place.state
        yield DONE, place.state


def subscribe(place: Place, request: Subscribe) -> Steps:
    """An interest is registered once; ``Live`` tells how many are live."""
    stopped = tuple(dict.fromkeys((*place.stopped, *place.state.stopped_by(request.subscriber))))
    if stopped:
        yield Outcome("Stopped", records=stopped), place.state
    yield from _refusals(place, stopped=False)
    if place.stopped or place.task.ended:
        return
    if _interest(place, request.interest_id) is not None:
        least, most = place.state.interests_range(place.task)
        yield Outcome("Live", least=least, most=most), place.state
        return
    interest = Interest(request.interest_id, request.subscriber)
    state = _with_interest(place, interest)
    task = state.task(place.ref)
    assert task is not None
    least, most = state.interests_range(task)
    yield Outcome("Live", least=least, most=most), state


def release(place: Place, request: Release) -> Steps:
    """Given up once, counted once; the last one tells what happens to the work."""
    interest = _interest(place, request.interest_id)
    released = Outcome("AlreadyReleased")
    if interest is None:
        yield released, place.state
        yield REFUSED, place.state
        return
    sure, maybe = place.state.interest_life(interest)
    state = _with_interest(place, replace(interest, live=False))
    if not sure:
        yield released, state
    if not maybe:
        return
    task = state.task(place.ref)
    assert task is not None
    least, most = state.interests_range(task)
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
        yield owned, ends_shown(place.state, owned)

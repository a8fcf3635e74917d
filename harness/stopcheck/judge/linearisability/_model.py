"""The judge's own transition relation of a gate: every answer that the contract allows.

One idea: the relation is nondeterministic wherever right gates may differ, and is written from the contract alone; it
never imports a gate. Here stand the rules that hold for all operations: who may ask, which incarnation is meant, and
what the gate may have done by itself before; the operations' own rules stand in the modules beside.

Where the contract leaves a choice:

* When several reasons hold (stopped, ended, stale, mismatched) any may be answered.
* ``Refused`` is for callers without the right or of another tenant, for tasks that are unknown, superseded by a later
  incarnation or not opened yet, and for handles and names that mean nothing; a rightful caller that names a known task
  is owed the operation's own answer.
* Leases may be taken at the cutoff, unclaimed effects suppressed, children that are cut off ended, interests released,
  deadlines and unwanted work turned into records: unseen transitions, open until an answer shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from stopcheck.gate import (
    BeginWork,
    ClaimDispatch,
    CommitEffect,
    Compensate,
    Complete,
    Fail,
    FinishChild,
    FireRetry,
    GateContract,
    Inspect,
    OpenTask,
    RecordOutcome,
    RecordProbe,
    RegisterChild,
    Release,
    ReleaseLease,
    RenewLease,
    Reply,
    Request,
    RequestCancel,
    Resume,
    Retry,
    RevokeLease,
    Snapshot,
    StartChild,
    Subscribe,
    Suppress,
    Suspend,
    TaskRef,
    Unsupported,
)
from stopcheck.judge._rights import has_right
from stopcheck.judge.linearisability import _model_effects as effects
from stopcheck.judge.linearisability import _model_owned as owned
from stopcheck.judge.linearisability import _model_tasks as tasks
from stopcheck.judge.linearisability._bind import bind
from stopcheck.judge.linearisability._checker import Model
from stopcheck.judge.linearisability._model_reading import inspect
from stopcheck.judge.linearisability._outcome import REFUSED, Outcome, matches
from stopcheck.judge.linearisability._rules import Place, Rules, Steps, settled_places, told_apart
from stopcheck.judge.linearisability._state import GateState, Phase

_Handler = Callable[[Place, Any], Steps]

#: The operations that belong to the order. The others may be answered in any way that the protocol knows and change
#: nothing here.
_HANDLERS: dict[type[Request], _Handler] = {
    BeginWork: tasks.begin_work,
    RenewLease: tasks.renew_lease,
    ReleaseLease: tasks.return_lease,
    RevokeLease: tasks.return_lease,
    CommitEffect: effects.commit_effect,
    Compensate: effects.compensate,
    ClaimDispatch: effects.claim_dispatch,
    RecordOutcome: effects.record_outcome,
    Complete: tasks.finish,
    Fail: tasks.finish,
    RequestCancel: tasks.request_cancel,
    Inspect: inspect,
    Suppress: effects.suppress,
    RegisterChild: owned.register_child,
    StartChild: owned.start_child,
    FinishChild: owned.finish_child,
    Subscribe: owned.subscribe,
    Release: owned.release,
    RecordProbe: tasks.record_probe,
    Suspend: tasks.suspend,
    Resume: tasks.resume,
    FireRetry: tasks.fire_retry,
}


class GateModel(Model[GateState, Request, Outcome, Reply | Snapshot]):
    """The transition relation for gates that declare ``contract``."""

    def __init__(self, contract: GateContract) -> None:
        self.rules = Rules(contract)
        self._encode = msgspec.msgpack.Encoder().encode

    def follows(self, request: Request) -> bool:
        """Whether the operation belongs to the order at all."""
        return isinstance(request, OpenTask) or type(request) in _HANDLERS

    def initial(self) -> GateState:
        """A gate that nobody has asked anything."""
        return GateState()

    def outcomes(self, state: GateState, operation: Request, latest: int, /) -> Iterable[tuple[Outcome, GateState]]:
        """Every way in which ``operation`` may take effect in ``state``."""
        if operation.caller.tenant != operation.task.tenant or not has_right(operation):
            return ((REFUSED, state),)
        handler = _HANDLERS.get(type(operation))
        if handler is None:
            assert isinstance(operation, OpenTask)
            return tasks.open_task(self.rules, state, operation, latest)
        return self._on_task(state, operation, latest, handler)

    def _on_task(self, state: GateState, request: Request, latest: int, handler: _Handler) -> Steps:
        named = list(_named(state, request))
        if request.incarnation is None or not named or named[0][0] is not state:
            # No task is meant for certain. That includes a number which the gate may have given unheard.
            if isinstance(request, RequestCancel):
                yield from tasks.cancel_unopened(self.rules, state, request)
            else:
                yield REFUSED, state
        for before, ref in named:
            if ref != before.newest(request.task):
                yield REFUSED, before  # a stale handle
            places = settled_places(self.rules, before, ref, request, latest)
            yield from told_apart(before, ((place.state, _at(place, request, handler)) for place in places))

    def matches(self, outcome: Outcome, reply: Reply | Snapshot, /) -> bool:
        """Whether ``reply`` is an answer that ``outcome`` allows."""
        return matches(outcome, reply)

    def bind(
        self, state: GateState, operation: Request, outcome: Outcome, reply: Reply | Snapshot, /
    ) -> GateState | None:
        """``state`` with the gate's own choices that ``reply`` reveals."""
        return bind(state, operation, outcome, reply)

    def no_effect(self, reply: Reply | Snapshot, /) -> bool:
        """``Retry`` and ``Unsupported`` promise that nothing happened."""
        return isinstance(reply, Retry | Unsupported)

    def encode(self, value: Any, /) -> bytes:
        """Canonical bytes: all values are arrays of plain values in a fixed order."""
        return self._encode(value)


def _at(place: Place, request: Request, handler: _Handler) -> Steps:
    if place.task.phase is Phase.TOMBSTONE:
        yield REFUSED, place.state
    yield from handler(place, request)


def _named(state: GateState, request: Request) -> Iterator[tuple[GateState, TaskRef]]:
    """The incarnation that the request means; where its number was not told yet, the state in which it is that."""
    ref = request.ref
    if ref is None:
        newest = state.newest(request.task)
        if newest is not None:
            yield state, newest
    elif state.task(ref) is not None:
        yield state, ref
    else:
        for unnumbered in state.incarnations(request.task):
            if unnumbered.incarnation < 0:
                yield state.renamed(unnumbered, ref), ref

"""Follows a run and says when its calls have no order left.

One idea: an observer of the run's log that feeds the checker at each call and answer, and turns the first return that
has no explanation into one record. After it (or after an ``unknown``) nothing more is checked.

A gate's death is no event of the order: callers in flight were answered ``Indefinite``, and what a durable gate had
answered stands. What a volatile gate keeps is anybody's guess, so its death ends the check as ``unknown``.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from stopcheck.gate import Durability, GateContract, Indefinite, Reply, Request, Snapshot
from stopcheck.judge.linearisability._checker import DEFAULT_LIMIT, HistoryVerdict, Memo, OnlineChecker, Position
from stopcheck.judge.linearisability._clauses import broken_clauses
from stopcheck.judge.linearisability._describe import describe_outcome, describe_reply, describe_state
from stopcheck.judge.linearisability._model import GateModel
from stopcheck.judge.linearisability._outcome import Outcome
from stopcheck.judge.linearisability._state import GateState
from stopcheck.world import Called, Entry, GateDied, Returned

#: Earlier calls that settled something: they are named beside the one that had no place.
_SETTLING = frozenset(
    ("Accepted", "Widened", "Tombstoned", "Won", "Admitted", "ClaimGranted", "SuppressionDone", "LeaseGranted")
)
_MOST_NAMED = 8
_CONTRADICTED = "; this answer too, but its ids or revisions contradict an earlier one"

GateMemo = Memo[GateState, Request, Outcome, Reply | Snapshot]


def gate_memo(contract: GateContract, *, limit: int = DEFAULT_LIMIT) -> GateMemo:
    """What the monitors of many runs of one gate may share; it makes the later ones many times quicker."""
    return Memo(GateModel(contract), limit=limit)


class NotLinearisable(msgspec.Struct, frozen=True, kw_only=True):
    """The first return for which no order of the calls is left.

    ``calls``: the call without a place first, then those open beside it, then earlier ones that settled something.
    ``clauses``: the most specific first. ``allowed`` and ``states`` say what it could have been answered, and where.
    """

    step: int
    now_ns: int
    call_id: str
    calls: tuple[str, ...]
    clauses: tuple[str, ...]
    message: str
    allowed: tuple[str, ...]
    states: tuple[str, ...]


class Followed(NamedTuple):
    """How far a monitor has come."""

    position: Position[GateState, Request, Outcome]
    requests: dict[str, Request]
    settled: tuple[str, ...]
    told: tuple[bool, NotLinearisable | None, str]


class LinearisabilityMonitor:
    """An :class:`~stopcheck.world.Observer` of one run. ``memo`` must come from the same contract."""

    def __init__(self, contract: GateContract, memo: GateMemo | None = None) -> None:
        self._survives = _survived(contract)
        memo = gate_memo(contract) if memo is None else memo
        assert isinstance(memo.model, GateModel)
        self._model = memo.model
        self._checker = OnlineChecker(memo)
        self._requests: dict[str, Request] = {}
        self._settled: list[str] = []
        self._lost = False
        self.illegal: NotLinearisable | None = None
        self.why_unknown = ""

    @property
    def verdict(self) -> HistoryVerdict:
        """``ok``, ``illegal`` or ``unknown`` (``why_unknown`` tells why)."""
        return HistoryVerdict.UNKNOWN if self._lost else self._checker.verdict

    def observe(self, entry: Entry) -> None:
        """A call went out, an answer came, or the gate died."""
        if self.verdict is not HistoryVerdict.OK:
            return
        event = entry.event
        if isinstance(event, Called):
            if self._model.follows(event.request):
                self._requests[event.call_id] = event.request
                self._checker.call(event.call_id, event.request)
        elif isinstance(event, Returned):
            if event.call_id in self._requests:
                self._returned(entry, event)
        elif isinstance(event, GateDied) and event.kind not in self._survives:
            self._lose(f"the gate does not claim to survive {event.kind}")

    def _returned(self, entry: Entry, event: Returned) -> None:
        if isinstance(event.reply, Indefinite):
            self._checker.give_up(event.call_id, entry.now_ns)
        else:
            reply = _hashable(event.reply)
            if reply is None:
                self._lose(f"the answer to {event.call_id} holds values of the wrong type")
                return
            self._checker.ret(event.call_id, reply, entry.now_ns)
            if type(reply).__name__ in _SETTLING:
                self._settled.append(event.call_id)
        if self._checker.verdict is HistoryVerdict.UNKNOWN:
            self.why_unknown = "more ways to order the calls than the limit"
        elif self._checker.verdict is HistoryVerdict.ILLEGAL:
            self.illegal = self._explain(entry, event)

    def _lose(self, why: str) -> None:
        self._lost = True
        self.why_unknown = why

    def _explain(self, entry: Entry, event: Returned) -> NotLinearisable:
        found = self._checker.illegal
        assert found is not None
        request = self._requests[event.call_id]
        others = [
            other
            for call_id, other in self._requests.items()
            if call_id != event.call_id and other.task.tenant == request.task.tenant
        ]
        earlier = [call_id for call_id in self._settled if call_id != event.call_id][-_MOST_NAMED:]
        allowed, contradicted = self._possible(found.allowed, event.reply)
        reply = describe_reply(event.reply)
        return NotLinearisable(
            step=entry.step,
            now_ns=entry.now_ns,
            call_id=event.call_id,
            calls=tuple(dict.fromkeys((event.call_id, *found.concurrent, *earlier))),
            clauses=broken_clauses(request, event.reply, found.allowed, others),
            message=f"no order of the calls explains that {event.call_id} ({event.operation}) was answered {reply}; "
            f"possible: {'; '.join(allowed) or 'nothing'}{_CONTRADICTED if contradicted else ''}",
            allowed=allowed,
            states=tuple(dict.fromkeys(describe_state(state) for state in found.states)),
        )

    def _possible(self, outcomes: tuple[Outcome, ...], reply: Reply | Snapshot) -> tuple[tuple[str, ...], bool]:
        """The answers that were possible, in words, and whether this one was but for what it reveals."""
        others = [outcome for outcome in outcomes if not self._model.matches(outcome, reply)]
        return tuple(dict.fromkeys(describe_outcome(one) for one in others)), len(others) < len(outcomes)

    def digest(self) -> bytes:
        """Everything on which later verdicts depend: equal digests, equal judgements of equal futures."""
        return b"lost" if self._lost else self._checker.digest()

    def saved(self) -> Followed:
        """All that was followed so far, apart from what follows."""
        told = (self._lost, self.illegal, self.why_unknown)
        return Followed(self._checker.saved(), dict(self._requests), tuple(self._settled), told)

    def resume(self, saved: Followed) -> None:
        """Go on from what was saved; that may be done any number of times."""
        self._checker.resume(saved.position)
        self._requests = dict(saved.requests)
        self._settled = list(saved.settled)
        self._lost, self.illegal, self.why_unknown = saved.told


def _survived(contract: GateContract) -> frozenset[str]:
    """The kinds of death after which a gate must know what it answered."""
    deaths = {
        Durability.VOLATILE: (),
        Durability.PROCESS_DEATH: ("process_death",),
        Durability.POWER_LOSS: ("process_death", "power_loss"),
    }
    return frozenset(deaths[contract.durability])


def _hashable(reply: Reply | Snapshot) -> Reply | Snapshot | None:
    """The reply with tuples for the lists that an adapter may have put into it; ``None`` if it is not a valid one."""
    try:
        hash(reply)
    except TypeError:
        try:
            return msgspec.convert(msgspec.to_builtins(reply), type(reply))
        except (msgspec.ValidationError, TypeError):
            return None
    return reply

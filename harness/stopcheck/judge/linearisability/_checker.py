"""An online linearisability checker for any nondeterministic model.

One idea: keep every way in which the calls so far may have taken effect, and go on only while one is left. A
*configuration* is a model state together with the open calls that have already taken effect in it, each with what it
was answered. Calls take effect as late as possible: only when some call returns are open calls put in order, until
the returning one has taken effect with an outcome that its reply allows (Wing & Gong 1993, with the memoisation and
the just-in-time order of Lowe 2017). No configuration left: no order explains the history.

We deviate in two points. The checker is an automaton whose nodes are sets of configurations, kept in a
:class:`Memo` that runs may share, since explored runs repeat one another's prefixes. And a caller may give up on a
call (its gate died): the call took effect before that moment or never.

What ``ok`` does not prove: that a call still open has been answered rightly, or anything about a reply that promises
no effect; and ``unknown`` (more configurations than the limit) is never ``ok``.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from enum import StrEnum
from itertools import islice
from typing import Any, Generic, TypeVar

import msgspec

#: More configurations than that after one event make the verdict ``unknown``.
DEFAULT_LIMIT = 5_000
#: A memo keeps no more nodes than that; what comes later is computed and forgotten.
DEFAULT_NODES = 50_000

S = TypeVar("S", bound=Hashable)
P = TypeVar("P", bound=Hashable)
O = TypeVar("O", bound=Hashable)  # noqa: E741 - the letters stand for state, operation, outcome, reply
R = TypeVar("R", bound=Hashable)


class HistoryVerdict(StrEnum):
    """What is known of the history so far."""

    OK = "ok"
    ILLEGAL = "illegal"
    UNKNOWN = "unknown"


class Model(ABC, Generic[S, P, O, R]):
    """A sequential specification. All its values are hashable, and equal ones behave alike."""

    @abstractmethod
    def initial(self) -> S:
        """The state before the first call."""

    @abstractmethod
    def outcomes(self, state: S, operation: P, latest: int, /) -> Iterable[tuple[O, S]]:
        """Every way in which ``operation`` may take effect in ``state``. ``latest`` is the time by which it has."""

    @abstractmethod
    def matches(self, outcome: O, reply: R, /) -> bool:
        """Whether a call with this outcome may be answered with ``reply``."""

    @abstractmethod
    def bind(self, state: S, operation: P, outcome: O, reply: R, /) -> S | None:
        """The state with what ``reply`` reveals filled in (an id that the system chose), ``None`` if that
        contradicts what is known."""

    @abstractmethod
    def no_effect(self, reply: R, /) -> bool:
        """Whether ``reply`` promises that the call took no effect; it is then always allowed."""

    @abstractmethod
    def encode(self, value: Any, /) -> bytes:
        """Canonical bytes of a state, an outcome or an operation, or of tuples of them."""


class Illegal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a history has no explanation: at the return of ``call_id`` nothing was left that allows its reply.

    ``states`` are the states in which the call could have taken effect, ``allowed`` the outcomes that they
    allow, ``concurrent`` the calls that were open beside it.
    """

    call_id: str
    operation: Any
    reply: Any
    concurrent: tuple[str, ...]
    states: tuple[Any, ...]
    allowed: tuple[Any, ...]


#: Outcomes of the open calls that have taken effect, by call id in order.
_Taken = tuple[tuple[str, O], ...]
_Config = tuple[S, _Taken[O]]


class _LimitError(Exception):
    """More configurations than the limit."""


class _Node(Generic[S, P, O]):
    """One state of the automaton: open calls and configurations, and where known events lead."""

    __slots__ = ("configs", "digest", "open", "successors", "verdict")

    def __init__(self, open_calls: dict[str, P], configs: tuple[_Config[S, O], ...], verdict: HistoryVerdict) -> None:
        self.open = open_calls
        self.configs = configs
        self.verdict = verdict
        self.digest: bytes | None = None
        self.successors: dict[Hashable, _Node[S, P, O]] = {}


class Memo(Generic[S, P, O, R]):
    """The part of the automaton that is known, for one model. Share it between the checkers of many runs."""

    def __init__(self, model: Model[S, P, O, R], *, limit: int = DEFAULT_LIMIT, nodes: int = DEFAULT_NODES) -> None:
        self.model = model
        self.limit = limit
        self._room = nodes
        self._interned: dict[Hashable, _Node[S, P, O]] = {}
        self._steps: dict[tuple[S, P, int], tuple[tuple[O, S], ...]] = {}
        self.root = self._node({}, ((model.initial(), ()),), HistoryVerdict.OK)

    def _node(
        self, open_calls: dict[str, P], configs: tuple[_Config[S, O], ...], verdict: HistoryVerdict
    ) -> _Node[S, P, O]:
        key = (frozenset(open_calls.items()), frozenset(configs), verdict)
        node = self._interned.get(key)
        if node is None:
            node = _Node(open_calls, configs, verdict)
            if len(self._interned) < self._room:
                self._interned[key] = node
        return node

    def _remember(self, node: _Node[S, P, O], event: Hashable, target: _Node[S, P, O]) -> _Node[S, P, O]:
        if len(self._interned) < self._room:
            node.successors[event] = target
        return target

    def call(self, node: _Node[S, P, O], call_id: str, operation: P) -> _Node[S, P, O]:
        """``call_id`` opens."""
        event = (call_id, operation)
        known = node.successors.get(event)
        if known is not None:
            return known
        if call_id in node.open:
            raise ValueError(f"call {call_id!r} is open already")
        return self._remember(node, event, self._node({**node.open, call_id: operation}, node.configs, node.verdict))

    def close(self, node: _Node[S, P, O], call_id: str, reply: R | None, latest: int) -> _Node[S, P, O]:
        """``call_id`` closes with ``reply``; ``None``: its caller gave up."""
        event = (call_id, reply, latest)
        known = node.successors.get(event)
        if known is not None:
            return known
        if call_id not in node.open:
            raise ValueError(f"call {call_id!r} is not open")
        rest = {name: operation for name, operation in node.open.items() if name != call_id}
        try:
            configs = tuple(self._after(node, call_id, reply, latest))
            verdict = HistoryVerdict.OK if configs else HistoryVerdict.ILLEGAL
        except _LimitError:
            configs, verdict = (), HistoryVerdict.UNKNOWN
        return self._remember(node, event, self._node(rest, configs, verdict))

    def _after(self, node: _Node[S, P, O], call_id: str, reply: R | None, latest: int) -> dict[_Config[S, O], None]:
        """The configurations in which ``call_id`` has been answered. A dict, for its order."""
        after: dict[_Config[S, O], None] = {}
        if reply is None or self.model.no_effect(reply):
            # Where it has not taken effect yet, it never will.
            after.update((config, None) for config in node.configs if all(name != call_id for name, _ in config[1]))
            if reply is not None:
                return after
        for state, outcome, taken in self.candidates(node, call_id, latest):
            if reply is None:
                after[state, taken] = None
            elif self.model.matches(outcome, reply):
                bound = self.model.bind(state, node.open[call_id], outcome, reply)
                if bound is not None:
                    after[bound, taken] = None
            if len(after) > self.limit:
                raise _LimitError
        return after

    def candidates(self, node: _Node[S, P, O], call_id: str, latest: int) -> Iterator[tuple[S, O, _Taken[O]]]:
        """Every way in which ``call_id`` may have taken effect by now: the state reached, its outcome, and the other
        open calls that took effect before. Open calls that would come after it wait for a later return."""
        outcomes, operation = self._outcomes, node.open[call_id]
        others = [(name, op) for name, op in sorted(node.open.items(), key=_first) if name != call_id]
        seen: set[_Config[S, O]] = set(node.configs)
        stack = list(reversed(node.configs))
        while stack:
            state, taken = stack.pop()
            own = [entry for entry in taken if entry[0] == call_id]
            if own:
                yield state, own[0][1], tuple(entry for entry in taken if entry[0] != call_id)
                continue
            for outcome, reached in outcomes(state, operation, latest):
                yield reached, outcome, taken
            done = {name for name, _ in taken}
            for name, other in others:
                if name in done:
                    continue
                for outcome, reached in outcomes(state, other, latest):
                    config = (reached, tuple(sorted((*taken, (name, outcome)), key=_first)))
                    if config not in seen:
                        seen.add(config)
                        stack.append(config)
                    if len(seen) > self.limit:
                        raise _LimitError

    def _outcomes(self, state: S, operation: P, latest: int) -> tuple[tuple[O, S], ...]:
        """The model's answer. Nodes differ in few of their configurations, so most questions come again."""
        key = (state, operation, latest)
        steps = self._steps.get(key)
        if steps is None:
            steps = tuple(islice(self.model.outcomes(state, operation, latest), self.limit + 1))
            if len(self._steps) >= self._room:
                self._steps.clear()
            self._steps[key] = steps
        return steps

    def digest(self, node: _Node[S, P, O]) -> bytes:
        """A hash of a node's canonical bytes."""
        if node.digest is None:
            encode = self.model.encode
            calls = sorted((name, encode(operation)) for name, operation in node.open.items())
            configs = sorted(
                encode((encode(state), tuple((name, encode(outcome)) for name, outcome in taken)))
                for state, taken in node.configs
            )
            whole = encode((node.verdict, tuple(calls), tuple(configs)))
            node.digest = hashlib.blake2b(whole, digest_size=16).digest()
        return node.digest

    def explain(self, node: _Node[S, P, O], call_id: str, reply: R, latest: int) -> Illegal:
        """What the configurations before an illegal return would have allowed."""
        states: dict[S, None] = {}
        allowed: dict[O, None] = {}
        for state, outcome, _ in self.candidates(node, call_id, latest):
            states[state] = None
            allowed[outcome] = None
        return Illegal(
            call_id=call_id,
            operation=node.open[call_id],
            reply=reply,
            concurrent=tuple(sorted(name for name in node.open if name != call_id)),
            states=tuple(sorted(states, key=self.model.encode)),
            allowed=tuple(sorted(allowed, key=self.model.encode)),
        )


#: Where an online checker stands. Nodes do not change, but for what is remembered in them.
Position = tuple[_Node[S, P, O], Illegal | None]


def _first(entry: tuple[str, Any]) -> str:
    return entry[0]


class OnlineChecker(Generic[S, P, O, R]):
    """Follows one history. ``call_id`` should name actor and ordinal: it enters the digest.

    After the first verdict that is not ``ok`` the checker takes no more events: they are ignored.
    """

    def __init__(self, memo: Memo[S, P, O, R]) -> None:
        self._memo = memo
        self._node = memo.root
        self.illegal: Illegal | None = None

    @property
    def verdict(self) -> HistoryVerdict:
        """What is known so far."""
        return self._node.verdict

    @property
    def size(self) -> int:
        """The number of configurations."""
        return len(self._node.configs)

    def call(self, call_id: str, operation: P) -> None:
        """A call opens."""
        if self._node.verdict is HistoryVerdict.OK:
            self._node = self._memo.call(self._node, call_id, operation)

    def ret(self, call_id: str, reply: R, latest: int = 0) -> HistoryVerdict:
        """A call is answered, at time ``latest``."""
        before = self._node
        if before.verdict is HistoryVerdict.OK:
            self._node = self._memo.close(before, call_id, reply, latest)
            if self._node.verdict is HistoryVerdict.ILLEGAL:
                self.illegal = self._memo.explain(before, call_id, reply, latest)
        return self._node.verdict

    def give_up(self, call_id: str, latest: int = 0) -> HistoryVerdict:
        """A call will not be answered: it took effect before this moment, or never."""
        if self._node.verdict is HistoryVerdict.OK:
            self._node = self._memo.close(self._node, call_id, None, latest)
        return self._node.verdict

    def digest(self) -> bytes:
        """A hash of everything on which later verdicts depend: open calls and configurations, in canonical order."""
        return self._memo.digest(self._node)

    def saved(self) -> Position[S, P, O]:
        """Where the history stands."""
        return self._node, self.illegal

    def resume(self, saved: Position[S, P, O]) -> None:
        """Go on from there, in another history that began alike."""
        self._node, self.illegal = saved

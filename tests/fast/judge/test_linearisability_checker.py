"""The online checker agrees with trying every order, on every history of a small model."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stopcheck.judge.linearisability._checker import HistoryVerdict, Memo, Model, OnlineChecker

State = tuple[int, frozenset[int]]
Op = tuple[str, int]
NO_EFFECT = "retry"
GAVE_UP = "gave up"


class RegisterAndSet(Model[State, Op, str, str]):
    """A register, a set, and one operation (``flip``) that may do either of two things."""

    def initial(self) -> State:
        return (0, frozenset())

    def outcomes(self, state: State, operation: Op, _latest: int, /) -> Iterable[tuple[str, State]]:
        value, members = state
        name, argument = operation
        match name:
            case "write":
                yield "ok", (argument, members)
            case "read":
                yield str(value), state
            case "add":
                yield "known" if argument in members else "new", (value, members | {argument})
            case "flip":
                yield "ok", (1 - value, members)
                yield "ok", (value, members)
            case _:
                yield str(sorted(members)), state

    def matches(self, outcome: str, reply: str, /) -> bool:
        return outcome == reply

    def bind(self, state: State, operation: Op, outcome: str, reply: str, /) -> State | None:
        return state

    def no_effect(self, reply: str, /) -> bool:
        return reply == NO_EFFECT

    def encode(self, value: Any, /) -> bytes:
        return msgspec.msgpack.encode(value, order="deterministic")


MODEL = RegisterAndSet()
Event = tuple[str, str, Any]  # ("call", id, op) | ("ret", id, reply)


def online(events: Iterable[Event], memo: Memo[State, Op, str, str] | None = None) -> HistoryVerdict:
    checker = OnlineChecker(memo or Memo(MODEL))
    for kind, call_id, payload in events:
        if kind == "call":
            checker.call(call_id, payload)
        elif payload == GAVE_UP:
            checker.give_up(call_id)
        else:
            checker.ret(call_id, payload)
    return checker.verdict


def brute_force(events: list[Event]) -> bool:
    """Whether some subset of the indefinite and open calls, in some order that respects real time, explains all."""
    called = {call_id: at for at, (kind, call_id, _) in enumerate(events) if kind == "call"}
    ended = {call_id: (at, reply) for at, (kind, call_id, reply) in enumerate(events) if kind == "ret"}
    operations = {call_id: operation for kind, call_id, operation in events if kind == "call"}
    forever = len(events)
    must = [c for c, (_, reply) in ended.items() if reply not in (NO_EFFECT, GAVE_UP)]
    may = [c for c in called if c not in ended or ended[c][1] == GAVE_UP]

    def in_order(order: tuple[str, ...]) -> bool:
        return all(
            ended.get(later, (forever, ""))[0] > called[earlier]
            for at, earlier in enumerate(order)
            for later in order[at + 1 :]
        )

    def explains(order: tuple[str, ...], state: State) -> bool:
        if not order:
            return True
        first, rest = order[0], order[1:]
        wanted = ended[first][1] if first in must else None
        return any(
            explains(rest, reached)
            for outcome, reached in MODEL.outcomes(state, operations[first], 0)
            if wanted is None or outcome == wanted
        )

    return any(
        in_order(order) and explains(order, MODEL.initial())
        for mask in range(2 ** len(may))
        for order in permutations([*must, *(c for bit, c in enumerate(may) if mask >> bit & 1)])
    )


operations = st.one_of(
    st.tuples(st.just("write"), st.integers(0, 2)),
    st.tuples(st.just("read"), st.just(0)),
    st.tuples(st.just("add"), st.integers(0, 1)),
    st.tuples(st.just("flip"), st.just(0)),
    st.tuples(st.just("members"), st.just(0)),
)
REPLIES = {
    "write": ["ok"],
    "read": ["0", "1", "2"],
    "add": ["new", "known"],
    "flip": ["ok"],
    "members": ["[]", "[0]", "[1]", "[0, 1]"],
}


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    events: list[Event] = []
    live: dict[str, Op] = {}
    begun: dict[str, int] = {}
    for _ in range(draw(st.integers(1, 6))):
        actor = draw(st.sampled_from("abc"))
        if actor not in live:
            begun[actor] = begun.get(actor, 0) + 1
            live[actor] = draw(operations)
            events.append(("call", f"{actor}.{begun[actor]}", live[actor]))
        for other in sorted(live):
            if draw(st.booleans()):
                special = st.sampled_from([NO_EFFECT, GAVE_UP])
                reply = draw(st.one_of(st.sampled_from(REPLIES[live.pop(other)[0]]), special))
                events.append(("ret", f"{other}.{begun[other]}", reply))
    return events


@settings(max_examples=600, deadline=None)
@given(histories())
def test_online_verdict_equals_trying_every_order(events: list[Event]) -> None:
    expected = HistoryVerdict.OK if brute_force(events) else HistoryVerdict.ILLEGAL
    assert online(events) is expected


SHARED: Memo[State, Op, str, str] = Memo(MODEL, nodes=400)


@settings(max_examples=200, deadline=None)
@given(histories())
def test_a_shared_memo_changes_no_verdict_even_when_it_is_full(events: list[Event]) -> None:
    assert online(events, SHARED) is online(events)


def call(call_id: str, name: str, argument: int = 0) -> Event:
    return ("call", call_id, (name, argument))


def ret(call_id: str, reply: str) -> Event:
    return ("ret", call_id, reply)


def test_a_call_that_was_given_up_may_have_taken_effect_before() -> None:
    history = [call("a.1", "write", 1), ret("a.1", GAVE_UP), call("b.1", "read"), ret("b.1", "1")]
    assert online(history) is HistoryVerdict.OK


def test_a_call_that_was_given_up_never_takes_effect_later() -> None:
    history = [call("a.1", "write", 1), ret("a.1", GAVE_UP), call("b.1", "read"), ret("b.1", "0")]
    history += [call("b.2", "read"), ret("b.2", "1")]
    assert online(history) is HistoryVerdict.ILLEGAL


def test_an_open_call_may_take_effect_at_any_time() -> None:
    history = [call("a.1", "write", 1), call("b.1", "read"), ret("b.1", "0"), call("b.2", "read"), ret("b.2", "1")]
    assert online(history) is HistoryVerdict.OK


def test_too_many_configurations_are_unknown_and_stay_so() -> None:
    events = [call(f"{name}.1", "write", at) for at, name in enumerate("abcdef")]
    checker = OnlineChecker(Memo(MODEL, limit=50))
    for _, call_id, operation in events:
        checker.call(call_id, operation)
    assert checker.ret("a.1", "ok") is HistoryVerdict.UNKNOWN
    checker.call("a.2", ("read", 0))
    assert checker.ret("a.2", "never an answer") is HistoryVerdict.UNKNOWN


def test_an_illegal_return_is_explained() -> None:
    checker = OnlineChecker(Memo(MODEL))
    checker.call("a.1", ("write", 2))
    checker.call("b.1", ("read", 0))
    assert checker.ret("b.1", "1") is HistoryVerdict.ILLEGAL
    assert checker.illegal is not None
    assert checker.illegal.call_id == "b.1"
    assert checker.illegal.concurrent == ("a.1",)
    assert set(checker.illegal.allowed) == {"0", "2"}


def test_equal_sets_of_configurations_have_equal_digests_whatever_the_way_there() -> None:
    one, other, third = (OnlineChecker(Memo(MODEL)) for _ in range(3))
    for checker, order in ((one, "ab"), (other, "ba"), (third, "ab")):
        for actor in order:
            checker.call(f"{actor}.1", ("add", "ab".index(actor)))
    assert one.digest() == other.digest()
    third.ret("a.1", "new")
    assert third.digest() != one.digest()


@pytest.mark.parametrize("method", ["call", "ret", "give_up"])
def test_a_history_that_is_not_well_formed_is_an_error(method: str) -> None:
    checker = OnlineChecker(Memo(MODEL))
    checker.call("a.1", ("read", 0))
    arguments: dict[str, tuple[Any, ...]] = {"call": ("a.1", ("read", 0)), "ret": ("b.1", "0"), "give_up": ("b.1",)}
    with pytest.raises(ValueError, match="open"):
        getattr(checker, method)(*arguments[method])

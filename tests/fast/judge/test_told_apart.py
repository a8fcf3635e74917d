"""What a gate may have done unseen is left undecided while it makes no difference: the same verdicts as with every way
tried, and not a way more for each child below a stop."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from stopcheck.gate import TaskRef
from stopcheck.judge.linearisability import HistoryVerdict, _model, _model_owned, _rules
from stopcheck.judge.linearisability._rules import Rules, Steps
from stopcheck.judge.linearisability._state import Cut, GateState
from tests.fast.judge.test_linearisability_gate import FULL, observe

OWNED = "begin=granted register:c1=done c1.begin=granted register:c2=done "
SHARED = "s.open=opened s.subscribe:i1:c1=live:1 "
BEGINNINGS = (
    "open=opened " + OWNED + SHARED,
    "open:20=opened " + OWNED + SHARED + "@25 ",
    "open=opened " + OWNED + SHARED + "cancel:subtree=accepted:subtree ",
    "open=opened " + OWNED + "finish:c1:failed=done ",
    "open=opened " + OWNED + SHARED + "fail=won ",
)
STOPPED = ("stopped", "stopped:t", "stopped:c1", "ended", "ended:failed")
ACCOUNTS = ("running", "draining,rec=task", "draining,rec=subtree/t", "cancelled,rec=subtree", "completed", "failed")
#: Calls, and what each may be answered, rightly or not.
ASKED: dict[str, tuple[str, ...]] = {
    "c1.renew": ("renewed", "stale", *STOPPED),
    "c1.give": ("done", "stale", "stopped:t"),
    "c1.commit:e1": ("admitted", "admitted:90", "existing", "stale", *STOPPED),
    "c1.begin": ("granted:2", "busy", *STOPPED),
    "c1.complete": ("won", "unverified", "lost", "stale", "ended", "ended:failed"),
    "c1.cancel": ("accepted", "record", "record:subtree", "recordof:t", "widened", "ended", "ended:failed"),
    "c1.inspect": tuple(f"snap:{account}" for account in ACCOUNTS),
    "c2.give": ("done", "stale", "stopped:t"),
    "c2.begin": ("granted", "busy", "stopped", "stopped:t", "ended:failed"),
    "start:c1": ("done", *STOPPED),
    "finish:c1:failed": ("done", "child:failed", "child:requested"),
    "fail": ("won", "stale", "lost", "ended:failed"),
    "cancel:subtree": ("accepted:subtree", "record:subtree", "ended:failed"),
    "inspect": tuple(f"snap:{account},c1={end},c2=requested" for account in ACCOUNTS for end in ("accepted", "failed")),
    "s.subscribe:i2:c1": ("live:2", "live:1", "live:0", "stopped", *STOPPED[1:3]),
    "s.cancel": ("accepted", "record", "record:subtree"),
    "s.inspect": (
        *(f"snap:{a},i1={life}" for a in ACCOUNTS for life in ("live", "released")),
        "snap:unstarted,i1=live",
    ),
}
LENGTH = 7


def every_way(_: GateState, tried: list[tuple[GateState, Steps]]) -> Steps:
    """Each way in which a call may find the gate, alike or not."""
    for _state, steps in tried:
        yield from steps


def every_transition(
    rules: Rules, state: GateState, ref: TaskRef, now: int, latest: int, asked: bool
) -> list[GateState]:
    """As in the model, and what is covered from above may have a record of its own."""
    found = _UNSEEN(rules, state, ref, now, latest, asked)
    task = state.task(ref)
    if task is not None and task.cut is Cut.NONE and not task.ended and state.stopped_by(ref):
        found += [state.with_task(ref, replace(task, cut=cut)) for cut in rules.cuts]
    return found


_UNSEEN = _rules.unseen


def verdict_with_all(text: str) -> HistoryVerdict:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_model, "told_apart", every_way)
        patch.setattr(_model_owned, "told_apart", every_way)
        patch.setattr(_rules, "unseen", every_transition)
        return observe(text, FULL).verdict


@pytest.mark.parametrize("seed", range(30))
def test_nothing_else_is_allowed_or_forbidden(seed: int) -> None:
    """A walk that asks at random, tries the answers at random, and goes on with one that is allowed."""
    rolls = random.Random(seed)
    text, waiting = rolls.choice(BEGINNINGS), ""
    for _ in range(LENGTH):
        call = rolls.choice([one for one in ASKED if one != waiting])
        if not waiting and rolls.random() < 0.3:
            text, waiting = f"{text}{call}< ", call
            continue
        answered, waiting = (f"{waiting}>", "") if waiting and rolls.random() < 0.3 else (f"{call}=", waiting)
        answers = list(ASKED[answered[:-1]])
        rolls.shuffle(answers)
        for answer in answers:
            tried = f"{text}{answered}{answer} "
            verdict = observe(tried, FULL).verdict
            assert verdict is verdict_with_all(tried), tried
            if verdict is HistoryVerdict.OK:
                text = tried
                break


MANY = 20
CHILDREN = [f"c{number}" for number in range(MANY)]
TREE = "begin=granted " + "".join(f"register:{child}=done {child}.begin=granted " for child in CHILDREN)
DOWN = "".join(f"{child}.give=done {child}.renew=stopped:t start:{child}=stopped:t " for child in CHILDREN)
SHOWN = "inspect=snap:draining,rec=subtree," + ",".join(f"{child}=confirmed_cancelled" for child in CHILDREN) + " "
LATER = "".join(f"{child}.renew=stopped:t {child}.inspect=snap:cancelled,rec=subtree/t " for child in CHILDREN)


@pytest.mark.parametrize(
    "stop", ["open=opened " + TREE + "cancel:subtree=accepted:subtree ", "open:20=opened " + TREE + "@20 "]
)
def test_many_children_below_a_stop(stop: str) -> None:
    assert observe(stop + DOWN + SHOWN + LATER, FULL).verdict is HistoryVerdict.OK
    assert observe(stop + DOWN + SHOWN + "c7.commit:e1=admitted", FULL).verdict is HistoryVerdict.ILLEGAL

"""A trace is what viewers of the trace-event format take: by the rules of each event; slices nest, flows bind."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pytest
from msgspec.structs import replace

from stopcheck.report import trace_of
from tests.fast.report.stories import story


def _problems(events: list[dict[str, Any]]) -> list[str]:
    """What breaks the rules; times are in microseconds."""
    found: list[str] = []
    slices: dict[int, list[tuple[int, int]]] = defaultdict(list)
    last: dict[int, int] = defaultdict(int)
    for event in events:
        kinds = {"name": str, "ph": str, "pid": int, "tid": int, "ts": int}
        found += [f"{key} of {event}" for key, kind in kinds.items() if type(event.get(key)) is not kind]
        if event["ph"] not in {"M", "X", "i", "s", "f"}:
            found.append(f"unknown phase {event['ph']}")
        if event["ph"] == "i" and event.get("s") not in {"g", "p", "t"}:
            found.append(f"scope of {event}")
        if event["ph"] == "X":
            slices[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
            found += [f"negative duration of {event}"] if event["dur"] < 0 else []
            found += [f"slice of {event['tid']} goes back"] if event["ts"] < last[event["tid"]] else []
            last[event["tid"]] = event["ts"]
    for thread, spans in slices.items():
        pairs = [(one, other) for at, one in enumerate(spans) for other in spans[at + 1 :]]
        found += [f"{one} and {other} cross in {thread}" for one, other in pairs if other[0] < one[1] < other[1]]
    named = {event["tid"] for event in events if event["name"] == "thread_name"}
    found += [f"lane {thread} has no name" for thread in slices if thread not in named]
    flows: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        if event["ph"] in {"s", "f"}:
            flows[event["id"]].append(event)
            bound = any(begins <= event["ts"] <= ends for begins, ends in slices[event["tid"]])
            found += [] if bound else [f"{event} binds to no slice"]
    for flow in flows.values():
        fits = [one["ph"] for one in flow] == ["s", "f"] and flow[0]["ts"] <= flow[1]["ts"]
        found += [] if fits else [f"no pair: {flow}"]
    return found


def _events() -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(trace_of(story()))["traceEvents"]
    return events


def test_the_trace_of_a_run_keeps_the_rules() -> None:
    assert _problems(_events()) == []
    longer = replace(story(), moves=story().moves * 3)
    assert _problems(json.loads(trace_of(longer))["traceEvents"]) == []


@pytest.mark.parametrize(
    ("phase", "change", "problem"),
    [
        ("X", {"dur": -1}, "negative duration"),
        ("i", {"ts": "0"}, "ts of"),
        ("X", {"ts": 10**9}, "goes back"),
        ("X", {"tid": 99}, "has no name"),
        ("s", {"id": 10**6}, "no pair"),
        ("f", {"ts": 10**9}, "binds to no slice"),
        ("i", {"s": "x"}, "scope of"),
    ],
)
def test_what_breaks_a_rule_is_noticed(phase: str, change: dict[str, Any], problem: str) -> None:
    events = _events()
    next(event for event in events if event["ph"] == phase).update(change)
    assert any(problem in one for one in _problems(events))


def test_slices_that_cross_are_noticed() -> None:
    whole = {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "ts": 0}
    slices = [whole | {"name": "call", "ph": "X", "ts": ts, "dur": 1_000} for ts in (0, 500)]
    assert _problems([whole, *slices]) == ["(0, 1000) and (500, 1500) cross in 1"]

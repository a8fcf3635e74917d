"""The determinism check: make a run again by its choices and compare the logs.

One idea: everything that the kit says rests on a run being a function of its choices. So that is tried, not believed,
and where two runs part, the first event that differs is named, since its cause stands next to it in the gate's code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import msgspec

from stopcheck.explore._exploration import Nondeterminism
from stopcheck.explore._trial import Trial
from stopcheck.kernel import Chooser, DivergedError, Guide, Schedule, first_difference, run_twice

USUAL_CAUSES = (
    "usual causes: the order of a set, a clock other than the environment's, random numbers, fresh ids or id(), "
    "threads of the gate's own, files outside of environment.storage, and what one run leaves in a module or a class "
    "for the next"
)
#: How much of a value is shown.
_SHOWN = 60
_RUNS = ("in the first run", "in the second")


def find_nondeterminism(trial: Trial, schedules: Iterable[Schedule]) -> Nondeterminism | None:
    """The first of the schedules that does not make the same run twice, and how; ``None`` when all do."""

    def log_lines(chooser: Chooser) -> Sequence[bytes]:
        return trial(chooser).log().splitlines()

    for schedule in schedules:
        try:
            difference = run_twice(log_lines, schedule)
        except DivergedError as error:
            event = made_again(trial, schedule, trial(_guide(schedule)).log())
            return Nondeterminism(event or str(error), schedule)
        if difference is not None:
            return Nondeterminism(in_words(difference.position, difference.first, difference.second), schedule)
    return None


def made_again(trial: Trial, schedule: Schedule, log: bytes) -> str:
    """Make a run again that had this schedule and this log. In words, the first event that differs; empty if none does.

    The schedule is followed by name as far as it can be, so that the event shows, and not what it leads to.
    """
    difference = first_difference(log.splitlines(), trial(_guide(schedule)).log().splitlines())
    return "" if difference is None else in_words(difference.position, difference.first, difference.second)


def _guide(schedule: Schedule) -> Guide:
    return Guide([choice.option for choice in schedule.choices])


# -- in words ---------------------------------------------------------------------------------------------


def in_words(position: int, first: bytes | None, second: bytes | None) -> str:
    """Two different lines of logs at one position (from 0), ``None`` where a log has ended."""
    one, other = _event(first), _event(second)
    if one.name == other.name and one.what == other.what:  # all that differs is the place in the gate's code
        one.what, other.what = {"place": one.place.strip(" ()")}, {"place": other.place.strip(" ()")}
    if one.name == other.name and one.what is not None and other.what is not None:
        where, a, b = _parting(one.what, other.what)
        a, b = _shown(a, b)
        where = f": its {where}" if where else ""
        return f"event {position}, {one.name}{where} is {a} {_RUNS[0]} and {b} {_RUNS[1]}{one.place or other.place}"
    return f"event {position}: {one.name} {_RUNS[0]}{one.place} and {other.name} {_RUNS[1]}{other.place}"


class _Event(msgspec.Struct):
    """A line of a log: what it is, for people; what it says, as data; and the place in the gate's code, if known."""

    name: str
    what: Any = None
    place: str = ""


def _event(line: bytes | None) -> _Event:
    if line is None:
        return _Event("the end")
    try:
        step, at_ns, what = msgspec.json.decode(line, type=tuple[int, int, Any])
    except msgspec.MsgspecError:  # the log of a trial that is no world
        return _Event(_short(line.decode(errors="backslashreplace")))
    if not isinstance(what, dict):
        return _Event(f"step {step}, {what}")
    said = cast("dict[str, Any]", what)
    place = f" (at {said['where']})" if said.get("where") else ""
    left = {key: value for key, value in said.items() if key not in {"where", "type", "actor", "operation"}}
    return _Event(f"step {step}, {_name(said)}", {"at_ns": at_ns, **left}, place)


def _name(said: dict[str, Any]) -> str:
    actor, operation = said.get("actor", ""), said.get("operation", "")
    if said["type"] == "Called":
        return f"{actor}'s call of {operation}"
    if said["type"] == "Returned":
        return f"the answer to {actor}'s {operation}"
    return f"{said['type']} of {actor}" if actor else str(said["type"])


def _parting(one: Any, other: Any) -> tuple[str, Any, Any]:
    """Where two pieces of data part first, and what stands there in each."""
    a, b = _parts(one), _parts(other)
    if a is not None and b is not None and type(one) is type(other):
        for key in sorted({*a, *b}, key=lambda key: (key != "type", len(key), key)):
            if a.get(key) != b.get(key):
                where, *values = _parting(a.get(key), b.get(key))
                return (f"{key}.{where}" if where else key, *values)
    return "", one, other


def _parts(value: Any) -> dict[str, Any] | None:
    """What an object or an array consists of, by name."""
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    if isinstance(value, list):
        return {str(at): item for at, item in enumerate(cast("list[object]", value))}
    return None


def _shown(one: Any, other: Any) -> tuple[str, str]:
    """Both in short, from a little before where they part."""
    a, b = (msgspec.json.encode(value).decode() for value in (one, other))
    parting = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    begin = max(0, parting - _SHOWN // 2) if max(len(a), len(b)) > _SHOWN else 0
    return _short(a, begin), _short(b, begin)


def _short(text: str, begin: int = 0) -> str:
    end = begin + _SHOWN
    return ("..." if begin else "") + text[begin:end] + ("..." if end < len(text) else "")

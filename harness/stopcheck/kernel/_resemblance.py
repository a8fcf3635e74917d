"""Which of the options on offer is most like one that is not.

One idea: who edits a program renames a label or an actor, or puts a step in between; so the same actor at another label
is likelier what was meant than another actor, and after that the spelling decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from stopcheck.kernel._points import CRASH_PREFIX, TIME_PREFIX

#: Strings that agree in less than this part have nothing to do with each other.
_ALIKE = 0.6


def nearest_option(wanted: str, options: Sequence[str]) -> str:
    """The option most like ``wanted``: of the same kind (step, time, death or fault), then of the same actor, then at
    the same label, then by spelling; the first of equals. Empty when none is like it."""
    best, best_likeness = "", (False, False, _ALIKE)
    for option in options:
        likeness = _likeness(wanted, option)
        if likeness > best_likeness:
            best, best_likeness = option, likeness
    return best


def _likeness(wanted: str, option: str) -> tuple[bool, bool, float]:
    kind, who, where = _parts(wanted)
    other_kind, other_who, other_where = _parts(option)
    if kind != other_kind:
        return False, False, 0.0
    spelling = SequenceMatcher(None, f"{who} {where}", f"{other_who} {other_where}", autojunk=False).ratio()
    return bool(who) and who == other_who, kind == "@" and where == other_where, spelling


def _parts(option: str) -> tuple[str, str, str]:
    """Kind, who and where: of a step its actor and label, of a passage of time its timer and when."""
    for prefix in (TIME_PREFIX, CRASH_PREFIX):
        if option.startswith(prefix):
            when, _, timer = option.removeprefix(prefix).partition(":")
            return prefix, timer, when
    actor, at, label = option.partition("@")
    return at, actor, label

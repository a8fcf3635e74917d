"""Footprints: what a step touches, and when two steps are independent.

One idea: two steps whose footprints are disjoint lead to the same state in either order, so a search need not try both.
A footprint is what an actor declared where it parked (``Point.touches``), read by a *rule*. What is not known is taken
to touch everything: a step that declares nothing, a passage of time, and (but for the rule for worlds) a death.

**What the judge sees must stay in order.** A gate may serve one handle from a stale cache: the write on one handle and
the read on the other touch nothing in common, and yet it is a violation only if the write was answered before the read
began. Left to what the gate touches alone, a reduction keeps one of the two orders and may lose the one that breaks the
clause. So each step that emits an event of which the judge could ask *before or after* touches :data:`JUDGE`: all of
them depend on each other, and their order is never reduced. What is left to gain are the steps of which the judge
learns nothing.

The rule for worlds, :func:`in_world`, says which those are. Each other step counts as a call of the gate: it may emit,
and it may change what the harness itself keeps (outcomes, registered children, who is gone), :data:`BOOKS`.

* A receiver's and a queue's steps emit, and share a fault budget, but end at the next branch point without touching
  the harness's books.
* ``outbox`` (a dispatcher takes its next effect) emits nothing and ends at the claim's branch point. It takes the head
  of a list of its own to which others only append, and nobody else can disable it.
* ``outcomes`` and ``doubt`` look at the books and emit nothing; a call that is answered may disable them.
* ``registered`` looks at a list that only grows.
* A death of the gate touches what a call touches, and nothing that only the harness knows.

Inside of calls (granularity ``inner``) labels and footprints are the gate's, and any segment may be the call's last. So
the rule for worlds is refused there. A call that ends *blocked* may look again after whatever step comes next, so it
commutes with none; where a gate blocks between whole calls the audit says so.

Enabling counts as touching for a search that reverses races (``_dpor``), not for sleep sets, which only ever hold steps
that are enabled already. So :func:`in_world_enabling` adds the books to what waits for them.
"""

from __future__ import annotations

from collections.abc import Callable

from stopcheck.explore._sampling import is_step, mover
from stopcheck.explore._trial import Trial
from stopcheck.kernel import CRASH_PREFIX, SCHEDULE, Point

#: What a step touches; ``None``: not known, so it depends on all others.
Footprint = frozenset[str] | None
#: Reads an option and what it declared as a footprint.
Rule = Callable[[str, tuple[str, ...]], Footprint]

#: Touched by every step of which the judge could ask whether it was before or after another.
JUDGE = "judge"
#: What the harness itself keeps.
BOOKS = "books"

_READS_BOOKS = frozenset({"outcomes", "doubt"})
_OWN = frozenset({"outbox", "registered"})


def as_given(_option: str, touches: tuple[str, ...]) -> Footprint:
    """The declared footprint as it stands: for kernel programs, which name what their judge sees themselves."""
    return frozenset(touches) if touches else None


def in_world(option: str, touches: tuple[str, ...]) -> Footprint:
    """The footprint of a world's step at granularity ``calls``."""
    if option.startswith(CRASH_PREFIX):
        return frozenset({"gate", JUDGE, BOOKS})
    if not touches:
        return None
    actor, label = option.split("@", 1)
    if label in _OWN and set(touches) <= {"outbox", "children"}:
        return frozenset({f"{label} of {actor}"})
    if label in _READS_BOOKS and "outbox" in touches:
        return frozenset({*touches, BOOKS})
    if len(touches) == 1 and label.startswith(f"{touches[0]}."):
        return frozenset({*touches, JUDGE})
    return frozenset({*touches, JUDGE, BOOKS})


def in_world_enabling(option: str, touches: tuple[str, ...]) -> Footprint:
    """As :func:`in_world`, but whoever waits for what a call may bring depends on calls."""
    given = in_world(option, touches)
    return given if given is None or JUDGE in given else given | {BOOKS}


def known_rule(trial: Trial) -> Rule | None:
    """The rule by which a trial's footprints are known: of worlds, where whole calls are tried; else none is."""
    return in_world if trial.variant.get("granularity") == "calls" else None


def independent(one: str, its: Footprint, other: str, others: Footprint) -> bool:
    """Whether two options at one point may be taken in either order: steps of two actors, known to touch nothing in
    common."""
    if its is None or others is None or mover(one) == mover(other):
        return False
    return its.isdisjoint(others)


def footprints_of(point: Point, rule: Rule) -> tuple[Footprint, ...]:
    """The footprint of each option; those that are no step declare nothing. Raises ``ValueError`` for a point that
    somebody narrowed, as a bound of disruptions does: independent steps then do not cost the same in both orders."""
    if point.kind != SCHEDULE:
        return (None,) * len(point.options)
    steps = sum(map(is_step, point.options))
    if steps != len(point.touches):
        raise ValueError("a reduction by independence was given a narrowed point: it is not sound with a bound")
    declared = (*point.touches, *((),) * (len(point.options) - steps))
    return tuple(rule(option, touches) for option, touches in zip(point.options, declared, strict=True))


def refuse_unsound(trial: Trial, rule: Rule) -> None:
    """Raises ``ValueError`` for a trial with a bound of disruptions (the order that the bound leaves possible may be
    the one that the reduction leaves out), and for the rule for worlds inside of calls, where labels are the gate's."""
    if hasattr(trial, "bound"):
        raise ValueError("a reduction by independence is not sound together with a bound of disruptions")
    if rule in (in_world, in_world_enabling) and trial.variant.get("granularity") != "calls":
        raise ValueError("the footprints of a world are known for whole calls only")


__all__ = [
    "BOOKS",
    "JUDGE",
    "Footprint",
    "Rule",
    "as_given",
    "footprints_of",
    "in_world",
    "in_world_enabling",
    "independent",
    "known_rule",
    "refuse_unsound",
]

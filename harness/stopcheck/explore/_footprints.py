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
* Where a dispatcher takes its next effect, the head of a list of its own to which others only append, or a worker has
  waited for what, once so, is always so, nothing is emitted and nobody can disable it: it is *private*
  (:data:`~stopcheck.kernel.OWN`).
* A reconciler that takes an effect in doubt looks at the books and emits nothing; others may disable it.
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
from stopcheck.kernel import CRASH_PREFIX, OWN, SCHEDULE, Point

#: What a step touches; ``None``: not known, so it depends on all others.
Footprint = frozenset[str] | None
#: Reads an option and what it declared as a footprint.
Rule = Callable[[str, tuple[str, ...]], Footprint]

#: Touched by every step of which the judge could ask whether it was before or after another.
JUDGE = "judge"
#: What the harness itself keeps.
BOOKS = "books"

_OUTCOMES = ("outcomes",)
_OWN_OF = "own of "


def unknown(_option: str, _touches: tuple[str, ...]) -> Footprint:
    """No footprint is known: every step depends on all others."""
    return None


def as_given(option: str, touches: tuple[str, ...]) -> Footprint:
    """The declared footprint as it stands: for kernel programs, which name what their judge sees themselves."""
    if touches == OWN:
        return frozenset({_OWN_OF + mover(option)})
    return frozenset(touches) if touches else None


def in_world(option: str, touches: tuple[str, ...]) -> Footprint:
    """The footprint of a world's step at granularity ``calls``."""
    if option.startswith(CRASH_PREFIX):
        return frozenset({"gate", JUDGE, BOOKS})
    if not touches:
        return None
    if touches == OWN:
        return frozenset({_OWN_OF + mover(option)})
    if touches == _OUTCOMES:
        return frozenset({BOOKS})
    if len(touches) == 1 and f"@{touches[0]}." in option:
        return frozenset({*touches, JUDGE})
    return frozenset({*touches, JUDGE, BOOKS})


def in_world_enabling(option: str, touches: tuple[str, ...]) -> Footprint:
    """As :func:`in_world`, but whoever waits for what a call may bring depends on calls."""
    given = in_world(option, touches)
    return given if given is None or JUDGE in given else given | {BOOKS}


def known_rule(trial: Trial) -> Rule | None:
    """The rule by which a trial's footprints are known: of worlds, where whole calls are tried; else none is."""
    return in_world if trial.variant.get("granularity") == "calls" else None


def is_private(footprint: Footprint) -> bool:
    """Whether a step touches only what is its actor's own. It can be taken at any time, once it is on offer: nothing
    that others do decides what it does, or whether it can."""
    return bool(footprint) and all(name.startswith(_OWN_OF) for name in footprint or ())


def independent(one: str, its: Footprint, other: str, others: Footprint) -> bool:
    """Whether two options at one point may be taken in either order: steps of two actors, known to touch nothing in
    common. What is private is touched by nobody else, known or not."""
    if mover(one) == mover(other):
        return False
    if is_private(its) or is_private(others):
        return True
    return its is not None and others is not None and its.isdisjoint(others)


def footprints_of(point: Point, rule: Rule) -> tuple[Footprint, ...]:
    """The footprint of each option; those that are no step declare nothing. Raises ``ValueError`` for a point that
    somebody narrowed, as a bound of disruptions does: independent steps then do not cost the same in both orders."""
    if point.kind != SCHEDULE or rule is unknown:
        return (None,) * len(point.options)
    steps = sum(map(is_step, point.options))
    if steps != len(point.touches):
        raise ValueError("a reduction by independence was given a narrowed point: it is not sound with a bound")
    declared = (*point.touches, *((),) * (len(point.options) - steps))
    return tuple(rule(option, touches) for option, touches in zip(point.options, declared, strict=True))


def refuse_unsound(trial: Trial, rule: Rule) -> None:
    """Raises ``ValueError`` for the rule for worlds inside of calls, where labels are the gate's."""
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
    "is_private",
    "known_rule",
    "refuse_unsound",
    "unknown",
]

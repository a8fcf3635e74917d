"""When a task's lifetime ends, as far as it is certain.

One idea: a deadline has two bounds. A gate may count a parent's deadline with the reserve or without, and a cap from
any moment of the registration, so a child's own deadline lies between ``due_from_ns`` and ``due_by_ns``. Before the
first, nothing may expire; from the second on, everything must have.
"""

from __future__ import annotations

from stopcheck.gate import RegisterChild
from stopcheck.judge._known import TaskFacts


def earlier(one: int | None, other: int | None) -> int | None:
    """The earlier of two times, of which either may be missing."""
    return min((at_ns for at_ns in (one, other) if at_ns is not None), default=None)


def may_be_due(parent: TaskFacts, child: TaskFacts, request: RegisterChild) -> None:
    """A registration begins: from when on the child's lifetime may be over."""
    if parent.due_from_ns is not None:
        child.due_from_ns = earlier(child.due_from_ns, parent.due_from_ns - request.reserve_ns)
    if request.cap_ns is not None:
        child.due_from_ns = earlier(child.due_from_ns, request.now_ns + request.cap_ns)


def is_due(parent: TaskFacts, child: TaskFacts, request: RegisterChild | None, now_ns: int) -> None:
    """The child is registered, by ``request`` if that is certain: when its lifetime is over at last."""
    cap_ns = None if request is None else request.cap_ns
    cap_ends_ns = None if cap_ns is None else now_ns + cap_ns
    child.due_by_ns = earlier(child.due_by_ns, earlier(parent.due_by_ns, cap_ends_ns))


__all__ = ["earlier", "is_due", "may_be_due"]

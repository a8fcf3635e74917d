"""How tasks and times are written in findings, and in whatever else people read.

One idea: a thing has one notation, so that what a finding names is found again in the timeline beside it.
"""

from __future__ import annotations

from stopcheck.gate import SECOND_NS, TaskRef


def label(ref: TaskRef) -> str:
    """A task incarnation: ``task-1/1``; ``task-1/?`` where it is not known which."""
    return f"{ref.key.task_id}/{ref.incarnation if ref.incarnation >= 0 else '?'}"


def seconds(time_ns: int | None) -> str:
    """A point or a length of virtual time, exactly: ``30s``, ``0.000000001s``; ``none`` where there is none."""
    if time_ns is None:
        return "none"
    whole, rest = divmod(abs(time_ns), SECOND_NS)
    return f"{'-' * (time_ns < 0)}{whole}.{rest:09d}".rstrip("0").rstrip(".") + "s"


def deadline(at_ns: int | None) -> str:
    """A deadline, or that there is none."""
    return "no deadline" if at_ns is None else f"the deadline {seconds(at_ns)}"

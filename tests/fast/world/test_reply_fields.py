"""A reply with a field of a wrong type is the adapter's fault, with the field, its value and the expected type."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from stopcheck.gate import (
    OPERATIONS,
    Accepted,
    CancellationRecord,
    Cause,
    CauseEntry,
    LeaseEntry,
    LeaseGranted,
    LeaseState,
    RefusalReason,
    Refused,
    Reply,
    Scope,
    Snapshot,
    TaskKey,
    TaskRef,
    WrongReply,
)
from stopcheck.kernel import DefaultChooser
from stopcheck.world import PlainInterior, Variant, run
from stopcheck.world._reply_fields import expected_fields, misfit
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import NoStorage

TASK = TaskRef(TaskKey("acme", "refund"), 1)
CAUSE = CauseEntry(1, Cause.USER, "ann", "stop-1", "", Scope.TASK, 5)
RECORD = CancellationRecord("r1", TASK, 1, Scope.TASK, (CAUSE,))
LEASE = LeaseEntry("w", 1, 10, LeaseState.ACTIVE)


def wrong(kind: Any, *values: Any, **more: Any) -> Any:
    """A struct that a type checker would not let through."""
    return kind(*values, **more)


@pytest.mark.parametrize(
    ("reply", "field", "value", "expected"),
    [
        (wrong(LeaseGranted, "1", 5), "epoch", "1", "int"),
        (wrong(LeaseGranted, 1, 5.0), "expires_ns", 5.0, "int"),
        (wrong(Accepted, None), "record", None, "CancellationRecord"),
        (wrong(Refused, "forbidden"), "reason", "forbidden", "RefusalReason"),
        (Accepted(replace(RECORD, scope="task")), "record.scope", "task", "Scope"),
        (Accepted(replace(RECORD, causes=[CAUSE])), "record.causes", [CAUSE], "tuple[CauseEntry, ...]"),
        (Accepted(replace(RECORD, causes=(CAUSE, RECORD))), "record.causes[1]", RECORD, "CauseEntry"),
        (Accepted(replace(RECORD, causes=(replace(CAUSE, at_ns="5"),))), "record.causes[0].at_ns", "5", "int"),
        (Accepted(replace(RECORD, subtree_revision="1")), "record.subtree_revision", "1", "int | None"),
    ],
)
def test_a_wrong_field_is_found(reply: Any, field: str, value: object, expected: str) -> None:
    for _ in range(2):  # the second time from the table
        assert misfit(reply) == (field, value, expected)


@pytest.mark.parametrize(
    "reply",
    [
        LeaseGranted(1, 5),
        Accepted(RECORD),
        Refused(RefusalReason.UNKNOWN, "who?"),
        Accepted(replace(RECORD, causes=())),
    ],
)
def test_a_right_reply_passes(reply: Reply) -> None:
    assert misfit(reply) is None


def test_the_fields_of_every_reply_can_be_looked_at() -> None:
    for spec in OPERATIONS.values():
        for kind in spec.replies:
            for field in expected_fields(kind):
                assert all(isinstance(known, type) for known in (*field.kinds, *field.elements)), (kind, field.name)


def faulty(operation: str, change: Any) -> Any:
    """The gate in memory with one changed answer."""

    def answer(self: MemoryGate, request: Any) -> Any:
        return change(getattr(MemoryGate, operation)(self, request))

    return type("Faulty", (MemoryGate,), {operation: answer})


@pytest.mark.parametrize(
    ("operation", "change", "what"),
    [
        (
            "begin_work",
            lambda r: replace(r, epoch="1") if isinstance(r, LeaseGranted) else r,
            "answered LeaseGranted with epoch = '1', which is str and not int",
        ),
        (
            "inspect",
            lambda r: replace(r, execution="running") if isinstance(r, Snapshot) else r,
            "answered Snapshot with execution = 'running', which is str and not Execution",
        ),
        (
            "inspect",
            lambda r: replace(r, leases=(replace(LEASE, state="active"),)) if isinstance(r, Snapshot) else r,
            "answered Snapshot with leases[0].state = 'active', which is str and not LeaseState",
        ),
        (
            "begin_work",
            lambda r: replace(r, epoch=2**70) if isinstance(r, LeaseGranted) else r,
            "answered LeaseGranted(epoch=1180591620717411303424, expires_ns=",
        ),
        (
            "begin_work",
            lambda _: Refused(RefusalReason.UNKNOWN, "half of \ud800"),
            "detail='half of \\ud800'), which cannot be written down",
        ),
    ],
)
def test_a_run_ends_with_the_field_its_value_and_the_expected_type(operation: str, change: Any, what: str) -> None:
    record = run(
        SCENARIOS[0],
        faulty(operation, change),
        DefaultChooser().choose,
        variant=Variant(1),
        interior=PlainInterior(NoStorage()),
    )
    assert isinstance(record.fault, WrongReply)
    assert what in record.fault.what

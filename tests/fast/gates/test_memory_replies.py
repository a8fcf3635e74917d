"""The memory gate: each reply of each operation once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stopcheck.gate import (
    OPERATIONS,
    AckStrength,
    Busy,
    Caller,
    CancellationClass,
    Cause,
    Halt,
    Impossible,
    OwnedKind,
    ProbeResult,
    RefusalReason,
    Refused,
    ResultPlace,
    Retry,
    Right,
    Scope,
    Stage,
    StaleLease,
    Stopped,
    Unsupported,
    Unverified,
    ViewEnd,
)
from tests.fast.gates.capability_replies import CAPABILITIES
from tests.fast.gates.core_replies import CORE
from tests.fast.gates.gate_bench import (
    CHILD,
    TASK,
    Bench,
    told,
)
from tests.fast.gates.gate_starts import (
    admitted,
    fresh,
)

CASES = [*CORE, *CAPABILITIES]

#: Permitted by the protocol, and never answered by this gate.
NEVER = {
    *((operation, reply) for operation in OPERATIONS for reply in (Retry, Unsupported)),
    ("fail", Unverified),
    ("release_lease", Stopped),
    ("revoke_lease", Stopped),
    ("start_child", StaleLease),
    ("finish_child", StaleLease),
    ("escalate", Impossible),
    ("begin_cleanup", Busy),
}


@pytest.mark.parametrize(("operation", "expected", "start", "act"), CASES)
def test_reply(operation: str, expected: type[Any], start: Callable[[], Bench], act: Callable[[Bench], Any]) -> None:
    reply = act(start())
    assert isinstance(reply, expected), reply
    assert isinstance(reply, OPERATIONS[operation].replies)


def test_the_table_has_every_reply_that_the_gate_gives() -> None:
    permitted = {(spec.name, reply) for spec in OPERATIONS.values() if not spec.provisional for reply in spec.replies}
    covered = {(operation, expected) for operation, expected, _, _ in CASES}
    assert permitted - covered - NEVER == set()


@pytest.mark.parametrize("spec", [s for s in OPERATIONS.values() if not s.provisional], ids=lambda s: s.name)
@pytest.mark.parametrize("caller", [Caller("eve", "evil", tuple(Right)), Caller("eve", "acme", ())])
def test_a_stranger_is_refused_before_anything_else(spec: Any, caller: Caller) -> None:
    needed: dict[str, Any] = {
        "worker": "w1", "delivery_id": "d", "epoch": 1, "effect_id": "mail", "payload_digest": "p1",
        "receiver": "mailer", "cancellation_class": CancellationClass.ABORTABLE, "kind": OwnedKind.TOOL_CALL,
        "evidence": told(), "target": "w1", "channel": "inbox", "cause": Cause.USER,
        "strength": AckStrength.OBSERVED, "record_revision": 1, "result_digest": "r", "scope": Scope.TASK,
        "request_id": "r1", "reason": "", "child": CHILD, "owner": "w1", "stage": Stage.COMPLETED,
        "interest_id": "i1", "subscriber": TASK, "level": "kill", "result": ProbeResult.GONE,
        "retry_id": "t1", "at_ns": 0, "grant_id": "g1", "target_effect_id": "mail",
        "place": ResultPlace.CACHE, "authority_version": 1,
        "item_id": "i1", "artefact": "a1", "cleaner": "w2", "pool": "p1", "limit": 1,
        "halt": Halt.PAUSE, "view": "tab", "how": ViewEnd.ROW_HIDDEN,
    }  # fmt: skip
    fields = {name: value for name, value in needed.items() if name in spec.request.__struct_fields__}
    for bench in (fresh(), admitted()):
        before = bench.gate.fingerprint()
        assert bench.ask(spec.request, caller=caller, **fields) == Refused(RefusalReason.FORBIDDEN)
        assert bench.gate.fingerprint() == before

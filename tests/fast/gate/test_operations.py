"""The table of operations: what the wire, the reply check and the documentation are made from."""

from __future__ import annotations

import functools
import inspect
import operator
import re
import typing
from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec
import pytest

from stopcheck.gate import (
    OPERATIONS,
    Caller,
    Capability,
    CloseView,
    CommonReply,
    Done,
    Gate,
    GateContract,
    OperationSpec,
    RefusalReason,
    Refused,
    Request,
    Retry,
    Right,
    Unsupported,
)
from tests.fast.gate.samples import sample

SPECS = list(OPERATIONS.values())
by_name = pytest.mark.parametrize("spec", SPECS, ids=[spec.name for spec in SPECS])

ALL_REPLIES = sorted({reply for spec in SPECS for reply in spec.replies}, key=lambda reply: reply.__name__)

#: The protocol's table of replies by the names of their types, without the common ones.
TABLE = {
    "open_task": "Opened Exists PreCancelled",
    "begin_work": "LeaseGranted Busy Stopped Ended",
    "renew_lease": "Renewed StaleLease Stopped",
    "release_lease": "Done StaleLease Stopped",
    "revoke_lease": "Done StaleLease Stopped",
    "commit_effect": "Admitted ExistingEffect PayloadMismatch Stopped StaleLease Ended",
    "claim_dispatch": "ClaimGranted Resend AlreadyClaimed SuppressedAlready Resolved NotAdmitted",
    "record_outcome": "Recorded Same Contradicted Parked BadEvidence",
    "record_signal": "Recorded",
    "acknowledge": "Recorded StaleLease Contradicted",
    "complete": "Won Unverified Lost Ended StaleLease",
    "fail": "Won Unverified Lost Ended StaleLease",
    "request_cancel": "Accepted ExistingRecord Widened Tombstoned Ended",
    "inspect": "Snapshot",
    "close_view": "Done",
    "tick": "Ticked",
    "suppress": "SuppressionDone TooLate Resolved NotAdmitted",
    "register_child": "Done ExistingChild Stopped Ended NoTime StaleLease",
    "start_child": "Done Stopped Ended StaleLease",
    "finish_child": "Done ExistingChild StaleLease",
    "subscribe": "Live Stopped Ended",
    "release": "Live AlreadyReleased LastReleased",
    "escalate": "TooEarly Forced AlreadyForced Impossible",
    "record_probe": "Recorded",
    "suspend": "Done Stopped Ended",
    "resume": "Done Stopped Ended",
    "schedule_retry": "Scheduled Void",
    "fire_retry": "RetryFired Void",
    "offer_result": "Taken Quarantined StaleLease",
    "recall": "Recalled",
    "ask": "Done Stopped Ended",
    "withdraw": "Done BoundaryAnswer",
    "read_answer": "BoundaryAnswer NoAnswer",
    "hand_over": "Done Stopped Ended",
    "take_item": "Handed NothingWaits Stopped Ended StaleLease",
    "confirm_item": "Done",
    "compensate": "Admitted ExistingEffect PayloadMismatch Unauthorised NotCompleted Stopped StaleLease Ended",
    "grant": "Done Void",
    "use_grant": "Done Void",
    "note_artefact": "Done Stopped Ended StaleLease",
    "begin_cleanup": "CleanupGranted Busy Void Ended",
    "clean_up": "Removable Kept NotOwned StaleLease",
    "hold_slot": "SlotHeld PoolFull Stopped Ended StaleLease",
    "return_slot": "SlotReturned AlreadyReturned",
    "measures": "MeasuresReport",
}


def request_of(spec: OperationSpec) -> Request:
    return typing.cast(Request, sample(spec.request))


def union_of(kinds: Iterable[type[Any]]) -> Any:
    return functools.reduce(operator.or_, kinds)


class Bare(Gate):
    contract: ClassVar[GateContract] = GateContract(name="bare", version="1")


def test_every_operation_answers_exactly_the_replies_of_the_table() -> None:
    common = set(typing.get_args(CommonReply))
    assert common == {Refused, Retry, Unsupported}
    assert all(common <= set(spec.replies) for spec in SPECS)
    found = {spec.name: {reply.__name__ for reply in spec.replies if reply not in common} for spec in SPECS}
    assert found == {name: set(replies.split()) for name, replies in TABLE.items()}


def test_operations_stand_in_the_protocols_order() -> None:
    optional = [spec.name for spec in SPECS if spec.capability is not None]
    assert [spec.name for spec in SPECS][-len(optional) :] == optional
    assert [spec.name for spec in SPECS][: len(SPECS) - len(optional)] == list(TABLE)[: len(SPECS) - len(optional)]


@by_name
def test_a_gate_that_overrides_nothing_answers_unsupported(spec: OperationSpec) -> None:
    request = request_of(spec)
    request = msgspec.structs.replace(request, caller=Caller("somebody", request.task.tenant, tuple(Right)))
    right_as_it_is = {"close_view": Done()}
    assert getattr(Bare(), spec.name)(request) == right_as_it_is.get(spec.name, Unsupported())


@pytest.mark.parametrize(
    "caller", [Caller("somebody", "text", (Right.WORK,)), Caller("stranger", "other", tuple(Right))]
)
def test_nobody_closes_a_view_that_is_not_his(caller: Caller) -> None:
    request = msgspec.structs.replace(request_of(OPERATIONS["close_view"]), caller=caller)
    assert isinstance(request, CloseView)
    assert Bare().close_view(request) == Refused(RefusalReason.FORBIDDEN)


def test_the_gate_has_no_operation_beside_the_table() -> None:
    public = {name for name, _ in inspect.getmembers(Gate, inspect.isfunction) if not name.startswith("_")}
    assert public - {"fingerprint", "close"} == set(OPERATIONS)


@by_name
def test_signature_and_table_agree(spec: OperationSpec) -> None:
    hints = typing.get_type_hints(getattr(Gate, spec.name))
    assert hints["request"] is spec.request
    now, awaitable = (arm for arm in _arms(hints["return"]))
    assert set(now) == set(awaitable) == set(spec.replies)


def _arms(answer: Any) -> tuple[list[Any], list[Any]]:
    """The reply types of an ``Answer``: given at once, and awaited."""
    arms = typing.get_args(answer)
    awaitable = [arm for arm in arms if typing.get_origin(arm) is not None]
    assert len(awaitable) == 1
    return [arm for arm in arms if arm not in awaitable], list(typing.get_args(typing.get_args(awaitable[0])[0]))


@by_name
def test_a_request_names_its_operation_and_the_right_it_needs(spec: OperationSpec) -> None:
    assert spec.request.operation == spec.name
    named = re.findall(r"``(\w+)``", re.search(r"\(right ([^)]*)\)", inspect.getdoc(spec.request) or "")[1])  # type: ignore[index]
    assert named
    assert all(Right(name) for name in named)


@by_name
def test_requests_survive_the_wire(spec: OperationSpec) -> None:
    request = request_of(spec)
    data = msgspec.json.encode(request)
    assert msgspec.json.decode(data)["type"] == spec.request.__name__
    assert msgspec.json.decode(data, type=union_of([s.request for s in SPECS])) == request


@pytest.mark.parametrize("kind", ALL_REPLIES, ids=lambda kind: kind.__name__)
def test_replies_survive_the_wire_by_their_tag(kind: type[Any]) -> None:
    reply = sample(kind)
    data = msgspec.json.encode(reply)
    assert msgspec.json.decode(data)["type"] == kind.__name__
    for spec in SPECS:
        if kind in spec.replies:
            assert msgspec.json.decode(data, type=union_of(spec.replies)) == reply


@by_name
def test_a_reply_of_another_operation_is_not_read_as_one_of_this(spec: OperationSpec) -> None:
    union = union_of(spec.replies)
    for kind in ALL_REPLIES:
        if kind not in spec.replies:
            with pytest.raises(msgspec.ValidationError):
                msgspec.json.decode(msgspec.json.encode(sample(kind)), type=union)


@by_name
def test_what_is_provisional_says_so(spec: OperationSpec) -> None:
    docs = [inspect.getdoc(spec.request) or "", inspect.getdoc(getattr(Gate, spec.name)) or ""]
    assert all(doc.startswith("Provisional") == spec.provisional for doc in docs)


@by_name
def test_an_operations_docstring_names_its_capability(spec: OperationSpec) -> None:
    doc = inspect.getdoc(getattr(Gate, spec.name)) or ""
    named = re.findall(r"``\[(\w+)\]``", doc)
    assert named == ([] if spec.capability is None else [spec.capability.value])


def test_capabilities_without_an_operation_of_their_own_are_known() -> None:
    own = {spec.capability for spec in SPECS}
    assert set(Capability) - own == {Capability.DELIVERY, Capability.RECONCILIATION, Capability.DEADLINES}

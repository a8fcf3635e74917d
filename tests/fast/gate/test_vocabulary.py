"""The contract's words: what each type may say, in the contract's own order."""

from enum import StrEnum

import pytest

from stopcheck.gate import (
    CANCELLED_STATES,
    EXECUTION_EDGES,
    TERMINAL_STATES,
    AckStrength,
    Assigner,
    Background,
    CancellationClass,
    Capability,
    Cause,
    Disposition,
    Durability,
    EarlyStop,
    Execution,
    Gate,
    GateContract,
    Halt,
    HostKind,
    Scope,
    Sender,
    Stage,
    Status,
    TaskKey,
    TaskRef,
    ViewEnd,
)

WORDS: list[tuple[type[StrEnum], str]] = [
    (AckStrength, "signal_queued observed stopped_scheduling handler_stopped process_terminated"),
    (Disposition, "pending unknown suppressed rejected completed provider_cancelled not_executed"),
    (CancellationClass, "abortable cooperative discardable provider_cancellable irreversible"),
    (Cause, "user deadline parent policy"),
    (Scope, "task subtree"),
    (
        Execution,
        "unstarted running cancellation_requested draining cancelled_settled stopped_unresolved completed failed",
    ),
    (
        Stage,
        "requested observed accepted confirmed_cancelled completed completed_after_cancel failed force_stopped unknown",
    ),
    (
        Status,
        "running stop_requested cancellation_pending cancelled completed_before_cancellation "
        "cancellation_unsupported outcome_unknown completed failed unstarted",
    ),
    (
        Capability,
        "suppression children delivery shared retries results escalation reconciliation compensation approvals "
        "deadlines measures pause cleanup capacity",
    ),
    (Halt, "pause shutdown"),
    (ViewEnd, "stream_closed client_dropped row_hidden"),
    (Assigner, "gate caller"),
    (EarlyStop, "tombstone refuse"),
    (Sender, "harness gate"),
    (Background, "none driven autonomous"),
    (Durability, "volatile process_death power_loss"),
    (HostKind, "inline thread trio asyncio process"),
]


@pytest.mark.parametrize(("kind", "words"), WORDS, ids=[kind.__name__ for kind, _ in WORDS])
def test_a_type_has_exactly_the_contracts_words(kind: type[StrEnum], words: str) -> None:
    assert [member.value for member in kind] == words.split()


#: Section 1 of the contract, closed under "states in between may be skipped".
EDGES = {
    "unstarted": "running cancellation_requested draining cancelled_settled stopped_unresolved completed failed",
    "running": "cancellation_requested draining cancelled_settled stopped_unresolved completed failed",
    "cancellation_requested": "draining cancelled_settled stopped_unresolved",
    "draining": "cancelled_settled stopped_unresolved",
    "stopped_unresolved": "cancelled_settled",
    "cancelled_settled": "",
    "completed": "",
    "failed": "",
}


def test_execution_moves_along_these_edges_and_no_other() -> None:
    assert {state.value: {to.value for to in edges} for state, edges in EXECUTION_EDGES.items()} == {
        state: set(edges.split()) for state, edges in EDGES.items()
    }


def test_skipping_states_never_reaches_what_single_steps_do_not() -> None:
    for edges in EXECUTION_EDGES.values():
        for middle in edges:
            assert EXECUTION_EDGES[middle] <= edges


def test_nothing_leads_back_and_nothing_leads_out_of_an_end() -> None:
    assert all(state not in EXECUTION_EDGES[to] for state, edges in EXECUTION_EDGES.items() for to in edges)
    ends = {state for state, edges in EXECUTION_EDGES.items() if not edges}
    assert ends == TERMINAL_STATES - {Execution.STOPPED_UNRESOLVED}


def test_a_cancelled_task_stays_among_the_cancelled_states() -> None:
    assert all(EXECUTION_EDGES[state] <= CANCELLED_STATES for state in CANCELLED_STATES)


def test_all_dispositions_but_two_are_definitive() -> None:
    assert {d for d in Disposition if not d.definitive} == {Disposition.PENDING, Disposition.UNKNOWN}


def test_acknowledgements_are_ordered_by_strength() -> None:
    assert [strength.rank for strength in AckStrength] == [0, 1, 2, 3, 4]
    assert [strength.value for strength in AckStrength if strength.means_stopped] == [
        "handler_stopped",
        "process_terminated",
    ]


def test_stages_that_are_no_end() -> None:
    open_stages = {stage for stage in Stage if not stage.terminal}
    assert open_stages == {Stage.REQUESTED, Stage.OBSERVED, Stage.ACCEPTED, Stage.UNKNOWN}


def test_a_reused_key_under_another_incarnation_is_another_task() -> None:
    key = TaskKey("acme", "refund")
    assert TaskRef(key, 1) != TaskRef(key, 2)
    assert TaskRef(key, 1) < TaskRef(key, 2)


def test_a_declaration_that_says_nothing_promises_nothing() -> None:
    contract = GateContract(name="bare", version="1")
    assert not contract.durable
    assert not any(contract.has(capability) for capability in Capability)
    assert not contract.serialised_calls
    assert not contract.fingerprint


def test_a_gate_offers_no_fingerprint_and_closes_quietly_unless_it_says_otherwise() -> None:
    gate = Gate()
    gate.close()
    assert gate.fingerprint() is None

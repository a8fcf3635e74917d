"""Whatever a gate's process does wrong is one clear fault of the adapter, and no process is left behind."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from pathlib import Path

import pytest

from stopcheck.gate import AdapterFault
from stopcheck.remote import Limits, RemoteFactory, RemoteGate
from tests.fast.remote.support import (
    HASTY,
    PATIENT,
    advance,
    claim,
    commit,
    environment,
    factory_of,
    finish,
    left_behind,
)

#: By what it does: the kind of fault, and words of what, why and where to read that a reader needs.
AT_THE_START = {
    "exits at once": ("GateDied", "ended by itself with exit status 0", "last words: cannot find the configuration"),
    "greets on standard output": ("WireFault", "line 1 of the gate: it is not JSON", "Server listening on port 8080"),
    "declares nonsense": ("WrongReply", "kit/initialize", "$.contract.version"),
    "speaks another version": ("HandshakeFault", "speaks version 2 of the wire", "this kit version 1"),
    "never parks": ("HandshakeFault", "kit/probe with park was answered 'first' at once", "no race would ever be seen"),
    "reads one line at a time": (
        "HandshakeFault",
        "does not serve a call while another stands",
        "every race would be hidden",
    ),
    "echoes nonsense": ("HandshakeFault", "was answered 'something else'", "its result is its text"),
    "leaves a process behind": ("ProcessLeftBehind", "left 1 running: 'sleep 1000'", "killed now"),
}
IN_A_CALL = {
    "ends by itself": ("GateDied", "exit status 0, while commit_effect (call worker#1)", "Error: out of memory"),
    "is killed": ("GateDied", "died of SIGKILL, while commit_effect (call worker#1)", "nothing on standard error"),
    "closes its input": ("GateDied", "closed its standard input and lives on, while commit_effect", "nothing on"),
    "dies of a signal without a name": ("GateDied", "died of signal 40, while commit_effect", "nothing on standard"),
    "is survived by a child without a mark": ("GateDied", "exit status 6", "last words: its child is"),
    "asks without end": ("WireFault", "asked back 10,000 times while commit_effect (call worker#1) ran", "by env/now"),
    "nests too deeply": ("WireFault", "it is nested too deeply", "maximum recursion depth"),
    "begins what it never closes": ("WireFault", "it is no message of JSON-RPC 2.0", "batches are not spoken here"),
    "answers with no number": ("WireFault", "it is not JSON", "invalid character"),
    "answers with a number that is too large": ("WrongReply", "Number out of range - at `$.revision`", "replies of"),
    "answers with a number that not every language has": (
        "WireFault",
        "no message",
        "9007199254740992 is not below 2^53",
    ),
    "answers with a number without end": ("WireFault", "it is no message", "9999 is not below 2^53"),
    "says a key twice": ("WireFault", "it is no message of JSON-RPC", "the key 'revision' stands twice in one object"),
    "answers twice in one message": (
        "WireFault",
        "it is no message of JSON-RPC",
        "the key 'id' stands twice in one obj",
    ),
    "answers with half a character": ("WireFault", "it is not JSON", "only messages go to standard output"),
    "answers by a number that is none of ours": ("WireFault", "it is no message", "Expected `int`, got `float`"),
    "answers by a truth": ("WireFault", "it is no message", "Expected `int`, got `bool` - at `$.id`"),
    "begins with a mark of byte order": ("WireFault", "it is not JSON", "invalid character (byte 0)"),
    "floods its log without a line": ("WireFault", "more than 8,388,608 bytes to its log", "read the gate's log: /"),
    "raises at length": ("GateRaised", "ended with error -32603: boom \\x1b[31mred", "data: xxx"),
    "floods its log": ("WireFault", "more than 8,388,608 bytes to its log", "read the gate's log: /"),
    "floods its output": ("WireFault", "it answers 1, while commit_effect", "that was answered before"),
    "answers twice": ("WireFault", "while claim_dispatch (call dispatcher#1)", "that was answered before"),
    "answers what was not asked": ("WireFault", "it answers 10", "the kit never asked that"),
    "answers by a text": ("WireFault", "it is no message of JSON-RPC 2.0", "Expected `int`, got `str` - at `$.id`"),
    "answers without an id": ("WireFault", "it has no id", "asks for an answer or is one"),
    "answers and fails": ("WireFault", "neither a request nor an answer", "exactly one of method, result and error"),
    "says nothing": ("WireFault", "neither a request nor an answer", "exactly one of method, result and error"),
    "speaks another protocol": ("WireFault", "it is no message of JSON-RPC 2.0", "missing required field `jsonrpc`"),
    "answers with another operation's reply": ("WrongReply", "Invalid value 'Ticked'", "replies of commit_effect: Adm"),
    "answers with a wrong field": ("WrongReply", "Expected `int`, got `str` - at `$.revision`", "stopcheck.gate.Gate"),
    "answers nothing": ("WrongReply", "Expected `object`, got `null`", "replies of commit_effect: Admitted"),
    "raises": ("GateRaised", "commit_effect (call worker#1) ended with error -32603: boom", "data: gate.py:1"),
    "writes garbage": ("WireFault", "it is not JSON: 'Server listening on port 8080'", "only messages go to standard"),
    "writes no text": ("WireFault", "it is not JSON", "only messages go to standard output"),
    "writes an empty line": ("WireFault", "it is empty", "a message is one line of JSON"),
    "writes a batch": ("WireFault", "it is no message", "batches are not spoken here"),
    "dies in a line": ("GateDied", "exit status 3", "it left half a line"),
    "writes a huge line": ("WireFault", "is longer than 1,048,576 bytes", "it begins"),
    "asks for what there is not": (
        "WireFault",
        "it asks for 'env/random', which there is not",
        "call-backs: env/branch",
    ),
    "asks with wrong params": ("WireFault", "its params are not those of env/fresh_id", "at `$.prefix`"),
    "asks in another's name": ("WireFault", "4711, which is no open call", "a call that stands does nothing"),
}
WITHOUT_A_WORD = {
    "never answers": ("GateHung", "said nothing for 1 s, while commit_effect (call worker#1)", "waits in real time"),
    "writes half a line": ("GateHung", "said nothing for 1 s", "it began a line"),
    "is survived by a child": ("GateDied", "ended by itself with exit status 5", "nothing on standard error"),
    "stops itself": ("GateHung", "said nothing for 1 s, while commit_effect (call worker#1)", "waits in real time"),
    "closes its output": ("GateDied", "closed its standard output and lives on", "nothing on standard error"),
}
WHILE_ONE_STANDS = {
    "answers a call that stands": ("WireFault", "while claim_dispatch (call dispatcher#1)", "stands at 'the store'"),
    "asks in the name of a call that stands": (
        "WireFault",
        "it asks for commit_effect",
        "before its call-back is answered",
    ),
}


def check(fault: AdapterFault, expected: tuple[str, str, str]) -> None:
    """The fault is of that kind, in one sentence, and says why and where to read."""
    kind, what, more = expected
    assert type(fault).__name__ == kind, fault.what
    assert what in fault.what
    assert more in f"{fault.what}|{fault.cause}|{fault.hint}"
    assert "\n" not in fault.what + fault.cause + fault.hint
    assert fault.cause
    assert len(fault.what) + len(fault.cause) < 2_000
    assert fault.hint


@pytest.mark.parametrize("wrong", AT_THE_START)
def test_before_the_first_run(wrong: str) -> None:
    limits = PATIENT if wrong != "leaves a process behind" else HASTY
    with factory_of(wrong, limits) as factory, pytest.raises(AdapterFault) as caught:
        _ = factory.contract
    check(caught.value, AT_THE_START[wrong])


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ("never speaks", "said nothing for 1 s, while kit/initialize"),
        ("outlives its input", "did not end within 0.5 s"),
    ],
)
def test_a_process_that_does_not_do_its_part_in_time(wrong: str, what: str) -> None:
    start_s = HASTY.answer_s if wrong == "never speaks" else HASTY.start_s
    limits = Limits(start_s=start_s, answer_s=60, stop_s=0.5)
    with factory_of(wrong, limits) as factory, pytest.raises(AdapterFault) as caught:
        _ = factory.contract
    check(caught.value, ("GateHung", what, ""))


@pytest.mark.parametrize("wrong", [*IN_A_CALL, *WITHOUT_A_WORD])
def test_in_a_call(wrong: str, tmp_path: Path) -> None:
    expected = (WITHOUT_A_WORD if wrong in WITHOUT_A_WORD else IN_A_CALL)[wrong]
    with factory_of(wrong, HASTY if wrong in WITHOUT_A_WORD else PATIENT) as factory:
        _ = factory.contract
        gate = factory(environment(tmp_path))
        with pytest.raises(AdapterFault) as caught:
            both(gate)
        assert left_behind() == []
        gate.close()
        again_from_the_start(factory, tmp_path)
    check(caught.value, expected)


def test_when_it_is_opened() -> None:
    with factory_of("cannot be opened") as factory, pytest.raises(AdapterFault) as caught:
        _ = factory.contract
    check(caught.value, ("GateRaised", "kit/open ended with error -32603: no such table", "data: store.py:16"))
    assert caught.value.hint == "open the gate on the storage that it is given, new or not, without raising"


@pytest.mark.parametrize("wrong", WHILE_ONE_STANDS)
def test_out_of_turn(wrong: str, tmp_path: Path) -> None:
    with factory_of(wrong) as factory:
        _ = factory.contract
        gate = factory(environment(tmp_path))
        standing = gate.call(commit())
        advance(standing)
        with pytest.raises(AdapterFault) as caught:
            finish(gate.call(claim()))
        standing.close()
        gate.close()
    check(caught.value, WHILE_ONE_STANDS[wrong])


def test_the_group_of_a_process_that_died_ends_with_it(tmp_path: Path) -> None:
    with factory_of("is survived by a child without a mark") as factory:
        _ = factory.contract
        with pytest.raises(AdapterFault) as caught:
            both(factory(environment(tmp_path)))
    child = int(caught.value.cause.rpartition(" ")[2])
    with suppress(ProcessLookupError):  # it is gone already
        assert select.select([os.pidfd_open(child)], [], [], PATIENT.answer_s)[0]


def test_a_call_that_does_not_give_up_when_its_run_is_over_is_named_at_the_next(tmp_path: Path) -> None:
    with factory_of("does not give up", HASTY) as factory:
        _ = factory.contract
        gate = factory(environment(tmp_path))
        standing = gate.call(commit())
        advance(standing)
        standing.close()
        gate.close()
        with pytest.raises(AdapterFault) as caught:
            factory(environment(tmp_path))
        again_from_the_start(factory, tmp_path)
    check(caught.value, ("GateHung", "said nothing for 1 s, while commit_effect (call worker#1)", ""))


def both(gate: RemoteGate) -> None:
    """Two calls, one after the other."""
    finish(gate.call(commit()))
    finish(gate.call(claim()))


def again_from_the_start(factory: RemoteFactory, folder: Path) -> None:
    """A fault costs its process, and no more than that."""
    started = factory.started
    factory(environment(folder)).close()
    assert factory.started == started + 1


def test_a_program_that_cannot_be_started() -> None:
    factory = RemoteFactory(["/no/such/program", "gate.js"])
    with pytest.raises(AdapterFault) as caught:
        _ = factory.contract
    assert "cannot be started: No such file or directory: /no/such/program" in caught.value.what

"""The handshake: who the gate is, what it declares, and whether its calls can overlap.

One idea: what would make every verdict worthless is found before the first run. A gate that reads a line only when it
has answered the one before hides every race; so the kit leaves one call standing and asks for another.
"""

from __future__ import annotations

import msgspec

from stopcheck.gate import AdapterFault, HostKind
from stopcheck.remote._faults import HandshakeFault
from stopcheck.remote._session import Parked, Session
from stopcheck.remote._wire import PROTOCOL, Initialize, Initialized, Probe

_PARKED, _OTHER = Probe(text="first", park=True), Probe(text="second", park=False)
_PROBE = "kit/probe"


def introduce(session: Session, kit: str) -> Initialized:
    """Say who is there and be told. The contract's host is ``process``, whatever it says."""
    told = session.ask(Initialize(protocol=PROTOCOL, kit=kit))
    assert isinstance(told, Initialized)
    if told.protocol != PROTOCOL:
        raise HandshakeFault(
            f"the gate speaks version {told.protocol} of the wire, and this kit version {PROTOCOL}",
            cause="one of the two is older than the other",
            hint="bring the gate's wire up to date: stopcheck init --lang node writes this kit's",
        )
    contract = msgspec.structs.replace(told.contract, host=HostKind.PROCESS)
    return msgspec.structs.replace(told, contract=contract)


def try_overlap(session: Session) -> None:
    """Whether a call is served while another stands. Not asked of a gate that declares its calls serialised."""
    first = session.note(f"{_PROBE} (with park)", _PROBE, _PARKED)
    outcome = session.go_on(first, None)
    if not isinstance(outcome, Parked):
        raise HandshakeFault(
            f"{_PROBE} with park was answered {outcome!r} at once, and not parked by env/branch first",
            cause="no call of this gate can stand while another is served, so no race would ever be seen",
            hint="ask back env/branch first; or declare serialised_calls, if calls of this gate never overlap",
        )
    try:
        second = session.note(f"{_PROBE} (while another stands)", _PROBE, _OTHER)
        _echoed(session.go_on(second, None), _OTHER)
    except HandshakeFault:
        raise
    except AdapterFault as error:
        raise HandshakeFault(
            f"the gate does not serve a call while another stands: {error.what}",
            cause="it reads the next line only when it has answered the one before, or takes it for the answer to its "
            "call-back: every race would be hidden",
            hint=f"read lines all the time and tell them apart by id and method; {error.hint}",
        ) from error
    _echoed(session.go_on(first, None), _PARKED)


def _echoed(outcome: object, probe: Probe) -> None:
    if outcome != probe.text:
        raise HandshakeFault(
            f"{_PROBE} with text {probe.text!r} was answered {outcome!r}",
            cause="its result is its text, and each answer carries the id of what it answers",
            hint="answer each request by its own id",
        )

"""Errors about adapters: what happened, the offending value, the likely cause, the next command."""

from __future__ import annotations

#: Characters of each part of a fault; what an adapter raises or answers may be of any size.
_MOST = 800


class AdapterFault(Exception):
    """The adapter broke the protocol itself (exit 4); it says nothing about the gate's clauses.

    ``what`` is one sentence with the offending value; ``cause`` the likely reason; ``hint`` what to do next. Each is
    made one bounded line that any terminal and any file can take.
    """

    def __init__(self, what: str, *, cause: str = "", hint: str = "") -> None:
        self.what = _line(what)
        self.cause = _line(cause)
        self.hint = _line(hint)
        super().__init__(self.what)


def _line(text: str) -> str:
    if len(text) > _MOST:
        text = f"{text[:_MOST]}…"
    if text.isprintable():
        return text
    text = " ".join(text.splitlines())
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class GateRaised(AdapterFault):
    """A gate call raised. Replies are values; an exception is not an answer."""


class GateHung(AdapterFault):
    """A gate call did not come back within the real-time bound."""


class GateForked(AdapterFault):
    """A gate forked the process that it runs in. The fork was refused."""


class CallNeverReturned(AdapterFault):
    """A gate call waits for what nobody will ever bring about: nothing in the run can happen any more."""


class MissingOperation(AdapterFault):
    """A gate answered ``Unsupported`` to an operation without which nothing can be tried."""


class WrongReply(AdapterFault):
    """A gate call returned something that is not a reply of that operation."""


class SerialisationRefuted(AdapterFault):
    """A gate that declares its calls serialised yielded inside a call while another was open."""


class NotAGate(AdapterFault):
    """The factory made something that is not a gate, or has no readable contract."""


class HostMismatch(AdapterFault):
    """The gate awaited something that its declared host does not provide."""

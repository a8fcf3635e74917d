"""What happened, up to the order of what is independent: a state for what shows none.

One idea: whoever can't be asked for its state still has one, and that is a function of what it went through. Two steps
that touch nothing in common may have come in either order. So each step is hashed with the last steps of its actor and
of whatever it touches, and the last hashes of all stand for the state (as in CHESS; Musuvathi and Qadeer, PLDI 2007).

That is sound only if *touches* says everything: what is asked about the order of two steps (a judge of real time asks)
is something that both touch. A step of which nothing is said touches everything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


class HappensBefore:
    """The partial order of the steps so far, as hashes."""

    __slots__ = ("_last", "_since")

    def __init__(self) -> None:
        #: The last step that touched everything, and what was touched last since then.
        self._since = b""
        self._last: dict[str, bytes] = {}

    def happened(self, actor: str, what: bytes, touches: Sequence[str] = ()) -> None:
        """``actor`` made a step, of which ``what`` says everything but when it was."""
        if not touches:
            self._since = _hash(self.digest(), what)
            self._last = {}
            return
        names = [*sorted(touches), f"@{actor}"]
        step = _hash(what, *(self._last.get(name, self._since) for name in names))
        self._last.update(dict.fromkeys(names, step))

    def digest(self) -> bytes:
        """The same for all orders of independent steps, and for no others."""
        if not self._last:
            return self._since
        return _hash(self._since, *(name.encode() + step for name, step in sorted(self._last.items())))


def _hash(*parts: bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(4, "big") + part)
    return digest.digest()


__all__ = ["HappensBefore"]

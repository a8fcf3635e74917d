"""The host as the gate port sees it: it watches each call run on and park.

One idea: granularity is a matter of who may move where a call parks, so it is decided here, once for all hosts: whole
calls are driven through their inner points, and what parks otherwise is reported to the port.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from stopcheck.kernel import Actor, Finished, Host, LoopHost, NestedCall, Park
from stopcheck.world._forks import end_copies
from stopcheck.world._scenario import Granularity

if TYPE_CHECKING:
    from stopcheck.world._gate_port import GatePort


#: Entered while a call runs on, up to where it parks or ends; it is given the step and the actor.
Segments = Callable[[int, str], AbstractContextManager[object]]


def _can_go_on(park: Park) -> bool:
    """Whether a call waits for nothing; a timer of its own may run meanwhile."""
    return not park.blocked and (park.wake_ns is None or (park.ready is not None and park.ready()))


class PortHost:
    """Wraps the host, so that the port sees each nested call run on and park. At granularity ``calls`` it drives a
    call through its inner points. ``segments`` is entered around each segment of a call."""

    __slots__ = ("_host", "_segments", "_through", "port")

    def __init__(self, host: Host, granularity: Granularity, segments: Segments | None = None) -> None:
        self._host = host
        self._segments = segments
        self._through = granularity is Granularity.CALLS
        self.port: GatePort | None = None

    def open(self, actor: Actor, call: Callable[[], Any]) -> NestedCall:
        """Prepare a nested call."""
        return _WatchedCall(self, actor, self._host.open(actor, call), through=self._through)

    def advance(self, actor: Actor, inner: NestedCall) -> Park | Finished:
        """Let a call run on."""
        if self._segments is None or self.port is None:
            outcome = inner.advance()
        else:
            with self._segments(self.port.step, actor.name):
                outcome = inner.advance()
        end_copies()
        return outcome

    def bury(self) -> None:
        """The gate's process died, and with it the event loop that its calls are in."""
        if isinstance(self._host, LoopHost):
            self._host.bury()

    def close(self) -> None:
        """Close the wrapped host."""
        self._host.close()


class _WatchedCall:
    __slots__ = ("_actor", "_host", "_inner", "_through")

    def __init__(self, host: PortHost, actor: Actor, inner: NestedCall, *, through: bool) -> None:
        self._host = host
        self._actor = actor
        self._inner = inner
        self._through = through

    def advance(self) -> Park | Finished:
        port = self._host.port
        digests = port is not None and port.digests_segments
        while True:
            if digests and port is not None:
                port.before_segment(self._actor, self._inner)
            outcome = self._host.advance(self._actor, self._inner)
            if isinstance(outcome, Finished):
                return outcome
            if self._through and _can_go_on(outcome):
                if port is not None:
                    port.ran_through(self._actor, outcome, self._inner)
                continue
            if port is not None:
                port.at_inner_point(self._actor, outcome, self._inner)
            return outcome

    def close(self) -> None:
        self._inner.close()

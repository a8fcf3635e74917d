"""Errors of the kernel."""

from __future__ import annotations

import msgspec

from stopcheck.kernel._points import SCHEDULE


class Divergence(msgspec.Struct, frozen=True):
    """Where a replay left its schedule: the first choice (from 0) at which the recorded option was not on offer, after
    ``step`` steps.

    ``expected_point`` and ``expected_option`` are empty where a token says only that the default was taken, and
    ``found_point`` where the run had ended. ``nearest`` is the option on offer that is most like the expected one;
    where a token says only "the default", the one that the token's digest fits; empty when there is none.
    """

    position: int
    expected_point: str
    expected_option: str
    found_point: str
    found_options: tuple[str, ...]
    step: int = 0
    nearest: str = ""

    def __str__(self) -> str:
        says = f"choice {self.position}, after step {self.step}: the schedule says {self.expected}, but {self.found}"
        return f"{says}; the nearest on offer is {self.nearest!r}" if self.nearest else says

    @property
    def expected(self) -> str:
        """What the schedule says, in words."""
        expected = "the default" if not self.expected_option else repr(self.expected_option)
        return expected + (f" at {self.expected_point!r}" if self.expected_point not in ("", SCHEDULE) else "")

    @property
    def found(self) -> str:
        """What the run did instead, in words."""
        if not self.found_point:
            return "the run had ended"
        offered = ", ".join(self.found_options)
        if not self.expected_option:
            return f"the run asks at {self.found_point!r}, offers {offered}, and that is another default"
        return f"the run asks at {self.found_point!r} and offers {offered}"


class DivergedError(Exception):
    """A schedule does not fit the run: another kit version, scenario or gate, or a gate that is not deterministic."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(str(divergence))
        self.divergence = divergence


class TokenError(ValueError):
    """A token that cannot be read; the message says what is wrong with it."""


class HungError(BaseException):
    """A step did not come back within the real-time bound. ``where`` names the frame that was running.

    A ``BaseException``, because the watchdog raises it inside the hung code, whose ``except Exception`` must not
    swallow it.
    """

    def __init__(self, actor: str, where: str, seconds: float) -> None:
        super().__init__(f"{actor} did not come back within {seconds:g} s of real time; it was at {where}")
        self.actor = actor
        self.where = where
        self.seconds = seconds


class ForeignAwaitError(Exception):
    """Code in the ``inline`` host awaited something that only an event loop can answer."""

    def __init__(self, actor: str, awaited: object) -> None:
        super().__init__(
            f"{actor} awaited {type(awaited).__module__}.{type(awaited).__qualname__}, which needs an event loop"
        )
        self.actor = actor
        self.awaited = awaited


class Killed(BaseException):
    """Raised in abandoned code at the end of a run, so that its thread ends. Never caught by ``except Exception``."""

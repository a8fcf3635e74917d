"""Gates of which it is known what must become of them: wrong ones that must fail, and right ones that must not.

One idea: a check is worth what it catches, and costs what it accuses. Each wrong gate names the one clause that it
breaks, so that a self-test can see that it dies, and for that reason; each right gate says what it decides otherwise
than others, where the contract leaves that open. Found through the entry-point groups ``stopcheck.faults`` and
``stopcheck.right``.
"""

from __future__ import annotations

from typing import Any

import msgspec


class KnownFault(msgspec.Struct, frozen=True, kw_only=True):
    """``factory`` makes the wrong gate, which breaks ``clause``; ``about`` says in one sentence what was changed.

    ``scenarios`` are those in which it is expected to show (empty: any). ``inner``: it shows only at granularity
    ``inner``. ``sigkill``: it shows only when a real process is killed. ``handles``: it needs two handles on one
    storage."""

    name: str
    factory: Any
    clause: str
    about: str
    scenarios: tuple[str, ...] = ()
    inner: bool = False
    sigkill: bool = False
    handles: int = 1


class KnownRight(msgspec.Struct, frozen=True, kw_only=True):
    """``factory`` makes a right gate, which no run may accuse of anything; ``about`` says in one sentence what it
    decides otherwise than the reference gates. ``open``: clauses that stay without a verdict, since no strategy can put
    such a gate to the test there."""

    name: str
    factory: Any
    about: str
    open: tuple[str, ...] = ()

"""A deliberately wrong gate, and the clause for which it must be failed.

One idea: a check is worth what it catches. Each wrong gate names the one clause that it breaks, so that a self-test
can see that it dies, and for that reason. Found through the entry-point group ``stopcheck.faults``.
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

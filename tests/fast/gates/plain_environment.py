"""An environment for gates that are asked without a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stopcheck.gate import Receipt


class PlainEnvironment:
    """An environment without a world: ids by counter, receipts genuine when they say so."""

    def __init__(self, storage: Path) -> None:
        self.storage = storage
        self.now = 0
        self._counters: dict[str, int] = {}

    def now_ns(self) -> int:
        return self.now

    def fresh_id(self, prefix: str) -> str:
        number = self._counters[prefix] = self._counters.get(prefix, 0) + 1
        return f"{prefix}-{number}"

    def verify(self, receipt: Receipt) -> bool:
        return receipt.signature == "genuine"

    def branch(self, label: str, touches: tuple[str, ...] = ()) -> Any:
        raise AssertionError("not used")

    def blocked(self, label: str) -> Any:
        raise AssertionError("not used")

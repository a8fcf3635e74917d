"""The durable reference gate without a fingerprint, so that nobody knows which of its states are the same."""

from __future__ import annotations

import msgspec

from stopcheck_fixtures.reference.sqlite import SqliteGate


class Gate(SqliteGate):
    """Right, durable and opaque."""

    contract = msgspec.structs.replace(SqliteGate.contract, name="opaque", fingerprint=False)

    def fingerprint(self) -> bytes | None:  # type: ignore[override]  # the store always has one
        """Not offered."""
        return None

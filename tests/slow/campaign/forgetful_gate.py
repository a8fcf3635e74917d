"""A gate that says it is durable, and keeps all in its process."""

from __future__ import annotations

import msgspec

from stopcheck.gate import Durability
from stopcheck_fixtures.reference.memory import MemoryGate


class Gate(MemoryGate):
    """Wrong: what it keeps dies with its process."""

    contract = msgspec.structs.replace(MemoryGate.contract, name="forgetful", durability=Durability.PROCESS_DEATH)

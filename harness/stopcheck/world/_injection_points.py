"""The named points at which a stop is injected, and what is meant by each.

One idea: a stop may land at every branch point that there is, and these are those of which the contract (section 3)
wants each in at least one scenario by name. A scenario says which of them it was written for (``Scenario.points``).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

INJECTION_POINTS: Mapping[str, str] = MappingProxyType(
    {
        "before a child is dispatched": "its owner was granted work, and the child has not been started",
        "during retrieval": "an owned operation has been started, and its end was not told",
        "between model completion and validation": "a result is there, and what follows from it was not asked for",
        "immediately before a commitment": "the next call about the task is the commitment of an effect",
        "immediately after a commitment": "the last call about the task admitted an effect",
        "between commitment and send": "an effect is admitted, and its receiver has not heard of it",
        "at the receiver before its commit": "the receiver has the request, and has done nothing",
        "after its commit and before its answer": "the receiver has done it, and nobody was told",
        "while the answer is in flight": "the receiver has done it, and the gate was not told",
        "during retry backoff": "a retry is armed, and was not fired",
        "while a worker is disconnected": "a worker has lost its lease, or cannot be reached, and will act again",
        "while clean-up hangs": "clean-up was begun, and does not end",
        "before final reporting": "all is known, and nobody has looked",
        "concurrently with completion": "a worker says that the goal is reached",
        "concurrently with another stop": "somebody else asks for a stop of the same task",
        "before the task starts": "the task is not open, or no worker has begun on it",
        "after it ended": "the task is completed or failed",
    }
)
"""Each point by its name, in the contract's order, with what is so when the stop lands there."""

__all__ = ["INJECTION_POINTS"]

"""What parent and child of a campaign say to each other: one JSON document per line."""

from __future__ import annotations

from typing import IO

import msgspec

from stopcheck.campaign._audit import Differs, Sampled
from stopcheck.campaign._results import FaultReport, Finding, GateIdentity, JobResult, JobSpec
from stopcheck.gate import GateContract

#: Real seconds that one execution may take before it counts as hung.
EXECUTION_S = 10.0


class Open(msgspec.Struct, frozen=True, tag=True):
    """To the child: load the gate and make the plan."""

    reference: str
    scenarios: tuple[str, ...]
    seed: int
    budget: int | None
    granularity: str | None
    strategy: str | None = None
    execution_s: float = EXECUTION_S
    clauses: tuple[str, ...] = ()


class Run(msgspec.Struct, frozen=True, tag=True):
    """To the child: do this job."""

    index: int
    spec: JobSpec


class Compare(msgspec.Struct, frozen=True, tag=True):
    """To the child: make these runs of a job again, and compare."""

    index: int
    spec: JobSpec
    sampled: tuple[Sampled, ...]


class Compared(msgspec.Struct, frozen=True, tag=True):
    """From the child: what differs, if anything does. ``lost``: the child was, which its parent then says for it."""

    index: int
    differs: Differs | None
    lost: bool = False


class Shrink(msgspec.Struct, frozen=True, tag=True):
    """To the child: make this finding's schedule as short as possible."""

    index: int
    finding: Finding


class Shrunk(msgspec.Struct, frozen=True, tag=True):
    """From the child: the finding, shrunk."""

    index: int
    finding: Finding


class Opened(msgspec.Struct, frozen=True, tag=True):
    """From the child: the gate is loaded; this is the plan. ``content`` is the digest of the gate's files."""

    identity: GateIdentity
    contract: GateContract
    jobs: tuple[JobSpec, ...]
    content: str = ""


class Refused(msgspec.Struct, frozen=True, tag=True):
    """From the child: there is no such gate or scenario (a usage error)."""

    what: str
    hint: str


class Broken(msgspec.Struct, frozen=True, tag=True):
    """From the child: the adapter (or the kit) failed before any job."""

    fault: FaultReport


class Progress(msgspec.Struct, frozen=True, tag=True):
    """From the child: still at work."""

    index: int
    executions: int
    states: int
    failures: int


class Finished(msgspec.Struct, frozen=True, tag=True):
    """From the child: the job is done. ``sampled`` are some of its runs, for the audit."""

    index: int
    result: JobResult
    sampled: tuple[Sampled, ...] = ()


ToChild = Open | Run | Compare | Shrink
FromChild = Opened | Refused | Broken | Progress | Finished | Compared | Shrunk

_encoder = msgspec.json.Encoder()
to_child = msgspec.json.Decoder(ToChild)
from_child = msgspec.json.Decoder(FromChild)


def send(stream: IO[bytes], message: ToChild | FromChild) -> None:
    """Write one message."""
    stream.write(_encoder.encode(message) + b"\n")
    stream.flush()

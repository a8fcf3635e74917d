"""What a campaign tells while it runs. One stream of events feeds whoever shows or keeps it."""

from __future__ import annotations

import msgspec

from stopcheck.campaign._results import GateIdentity, JobResult, JobSpec, Report


class CampaignStarted(msgspec.Struct, frozen=True, tag=True):
    """The plan is made."""

    gate: GateIdentity
    jobs: tuple[JobSpec, ...]
    seed: int


class JobStarted(msgspec.Struct, frozen=True, tag=True):
    """A job begins."""

    index: int
    spec: JobSpec


class JobProgress(msgspec.Struct, frozen=True, tag=True):
    """A job is under way."""

    index: int
    executions: int
    states: int
    failures: int


class JobFinished(msgspec.Struct, frozen=True, tag=True):
    """A job ended."""

    index: int
    result: JobResult


class CampaignFinished(msgspec.Struct, frozen=True, tag=True):
    """All is done."""

    report: Report


CampaignEvent = CampaignStarted | JobStarted | JobProgress | JobFinished | CampaignFinished

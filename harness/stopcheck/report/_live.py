"""Live progress: what the campaign is doing, from its events alone."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from stopcheck.campaign import CampaignEvent, CampaignStarted, JobFinished, JobProgress, JobStarted


class LiveProgress:
    """A progress bar over jobs, with executions, states and failures. In a pipe or a log it prints nothing."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._executions = 0
        self._failures = 0
        self._running: dict[int, int] = {}

    def __enter__(self) -> LiveProgress:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def on_event(self, event: CampaignEvent) -> None:
        """Show an event."""
        if isinstance(event, CampaignStarted):
            self._task = self._progress.add_task(event.gate.name, total=len(event.jobs), figures="")
        if self._task is None:
            return
        if isinstance(event, JobStarted):
            self._progress.update(self._task, description=event.spec.name)
        elif isinstance(event, JobProgress):
            self._running[event.index] = event.executions
        elif isinstance(event, JobFinished):
            self._running.pop(event.index, None)
            self._executions += event.result.executions
            self._failures += len(event.result.findings)
            self._progress.advance(self._task)
        total = self._executions + sum(self._running.values())
        self._progress.update(self._task, figures=f"{total} executions, {self._failures} findings")

"""Live progress: what the campaign is doing, from its events alone.

One idea: a person wants to see that it moves, a log wants to be read afterwards. So there is a bar, which is gone at
the end; or, where it is asked for, a plain line for each scenario that is done.
"""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from stopcheck.campaign import CampaignEvent, CampaignStarted, JobFinished, JobProgress, JobStarted
from stopcheck.kernel import many


class LiveProgress:
    """Jobs done, executions and how many a second, states and findings. In a pipe or a log there is no bar; ``plain``
    asks for lines instead, in either."""

    def __init__(self, console: Console, *, quiet: bool = False, plain: bool = False) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=quiet or plain or not console.is_terminal,
        )
        self._console = console
        self._plain = plain and not quiet
        self._task: TaskID | None = None
        self._executions = 0
        self._states = 0
        self._findings = 0
        self._running: dict[int, int] = {}
        self._open: Counter[str] = Counter()
        self._scenarios = 0

    def __enter__(self) -> LiveProgress:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def on_event(self, event: CampaignEvent) -> None:
        """Show an event."""
        if isinstance(event, CampaignStarted):
            self._task = self._progress.add_task(event.gate.name, total=len(event.jobs), figures="")
            self._open = Counter(job.scenario for job in event.jobs)
            self._scenarios = len(self._open)
        if self._task is None:
            return
        if isinstance(event, JobStarted):
            self._progress.update(self._task, description=event.spec.name)
        elif isinstance(event, JobProgress):
            self._running[event.index] = event.executions
        elif isinstance(event, JobFinished):
            self._running.pop(event.index, None)
            self._executions += event.result.executions
            self._states += event.result.states
            self._findings += len(event.result.findings)
            self._progress.advance(self._task)
            self._finished(event.result.spec.scenario)
        self._progress.update(self._task, figures=self._figures(self._task))

    def _finished(self, scenario: str) -> None:
        """A job of the scenario is done; a plain line when it was the last one."""
        self._open[scenario] -= 1
        if self._plain and not self._open[scenario]:
            done = sum(1 for jobs in self._open.values() if jobs == 0)
            line = (
                f"{done}/{many(self._scenarios, 'scenario')}, {many(self._executions, 'execution')}, "
                f"{many(self._states, 'state')}, {many(self._findings, 'finding')}: {scenario} done"
            )
            self._console.print(Text(line), soft_wrap=True)

    def _figures(self, task: TaskID) -> str:
        total = self._executions + sum(self._running.values())
        elapsed = self._progress.tasks[task].elapsed or 0.0
        rate = f", {total / elapsed:.0f}/s" if elapsed >= 1 else ""
        return f"{many(total, 'execution')}{rate}, {many(self._states, 'state')}, {many(self._findings, 'finding')}"

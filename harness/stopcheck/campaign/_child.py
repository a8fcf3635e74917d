"""The child process of a campaign: it loads the adapter and runs jobs, so that nothing an adapter does can take the
parent with it. :mod:`~stopcheck.campaign._process` starts it with two inherited descriptors, and collects no garbage
while the kit is imported."""

from __future__ import annotations

import gc
import os
from contextlib import closing
from typing import IO

from stopcheck.campaign._content import content_digest
from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._faults import kit_fault, report_of
from stopcheck.campaign._job import JobRunner
from stopcheck.campaign._loading import LoadedGate, load_gate, pick_scenarios
from stopcheck.campaign._messages import (
    Broken,
    Compare,
    Compared,
    Finished,
    Open,
    Opened,
    Progress,
    Refused,
    Run,
    Shrink,
    Shrunk,
    send,
    to_child,
)
from stopcheck.campaign._plan import plan
from stopcheck.gate import AdapterFault
from stopcheck.remote import end_with_parent
from stopcheck.world import forks_refused


def main(read_fd: int, write_fd: int) -> None:
    """Serve until the parent closes the pipe, or is gone."""
    gc.freeze()  # what is imported by now stays: no collection looks at it again
    gc.enable()
    end_with_parent()
    with os.fdopen(read_fd, "rb") as source, os.fdopen(write_fd, "wb") as sink, forks_refused():
        first = to_child.decode(source.readline())
        assert isinstance(first, Open)
        loaded = _open(first, sink)
        if loaded is None:
            return
        with closing(loaded), JobRunner(loaded, first.execution_s) as runner:
            for line in source:
                message = to_child.decode(line)
                if isinstance(message, Shrink):
                    send(sink, Shrunk(message.index, runner.shrink(message.finding)))
                elif isinstance(message, Compare):
                    send(sink, Compared(message.index, runner.compare(message.spec, message.sampled)))
                elif isinstance(message, Run):
                    _serve(runner, message, sink)


def _open(message: Open, sink: IO[bytes]) -> LoadedGate | None:
    try:
        loaded = load_gate(message.reference)
        scenarios = pick_scenarios(message.scenarios, message.clauses)
        jobs = plan(
            loaded.contract,
            scenarios,
            seed=message.seed,
            budget=message.budget,
            granularity=message.granularity,
            strategy=message.strategy,
        )
        send(sink, Opened(loaded.identity(), loaded.contract, tuple(jobs), content_digest(loaded)))
    except UsageFault as error:
        send(sink, Refused(error.what, error.hint))
    except AdapterFault as error:
        send(sink, Broken(report_of(error)))
    except Exception as error:
        send(sink, Broken(kit_fault(error)))
    else:
        return loaded
    return None


def _serve(runner: JobRunner, message: Run, sink: IO[bytes]) -> None:
    def progress(executions: int, states: int, failures: int) -> None:
        send(sink, Progress(message.index, executions, states, failures))

    result = runner.run(message.spec, progress)
    send(sink, Finished(message.index, result, runner.sampled))

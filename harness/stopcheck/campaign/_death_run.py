"""The run of a real death, made again without it, for people: all that happened up to the answer after which the
process was killed, and then the death.

One idea: a run up to its death is the same whether the process dies then or not. What a fresh process finds afterwards
is not asked here: this process has not died, and a gate that keeps in it what belongs on the disk would seem right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import LoadedGate, load_scenarios
from stopcheck.campaign._replaying import REPLAY_S, Replayed, replay_finding
from stopcheck.campaign._results import Finding
from stopcheck.campaign._sigkill import chooser, read_kill_token, without_crashes
from stopcheck.judge import Violation
from stopcheck.kernel import ThreadHost, Watchdog
from stopcheck.world import Entry, GateDied, Granularity, Returned, Variant, run


def replay_any(
    loaded: LoadedGate, finding: Finding, *, execution_s: float = REPLAY_S, alive: Callable[[], object]
) -> Replayed:
    """As :func:`replay_finding`; of a real death the run up to it."""
    death = read_kill_token(finding.token)
    if death is None:
        return replay_finding(loaded, finding, execution_s=execution_s, alive=alive)
    name, seed, answers = death
    with ground(loaded, Granularity.CALLS) as interior, Watchdog(execution_s):
        record = run(
            without_crashes(load_scenarios()[name]),
            loaded.factory,
            chooser(seed),
            variant=Variant(),
            interior=interior,
            thread_host=ThreadHost(execution_s),
        )
    log, died = _until_death(record.log, answers)
    broken = Violation(finding.clause, finding.check, died.step, died.now_ns, finding.message)
    events = [line.event for line in log if isinstance(line, Entry)]
    cut = msgspec.structs.replace(record, log=log, events=events, steps=died.step)
    return Replayed(cut, [broken], [])


def _until_death(log: list[Any], answers: int) -> tuple[list[Any], Entry]:
    """The log up to so many answers, with a death at its end."""
    position = [at for at, line in enumerate(log) if isinstance(line, Entry) and isinstance(line.event, Returned)]
    last: Entry = log[position[answers - 1]]
    died = Entry(last.step, last.now_ns, GateDied("SIGKILL", 1))
    return [*log[: position[answers - 1] + 1], died], died

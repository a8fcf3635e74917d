"""The pass with real deaths: a process runs the gate and is killed with SIGKILL; a fresh one opens what it left.

One idea: the simulated crash copies the storage, but module globals survive it. So a gate that claims durability also
dies for real, once for each distinct durable state that some recorded runs went through; and whatever it had answered
as accepted or admitted by then must be in what a fresh process inspects.

What a pass does not prove: that it survives the loss of power (nothing unsynced is lost when a process is killed), nor
a death at another moment than after an answer; the simulated crash tries those.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import msgspec

from stopcheck.campaign._loading import LoadedGate
from stopcheck.campaign._results import Finding, JobResult, JobSpec
from stopcheck.campaign._storage_root import storage_root
from stopcheck.explore import Tally
from stopcheck.kernel import Point, plural
from stopcheck.world import FaultKind, Scenario

#: Real seconds for the whole pass over one scenario.
PASS_S = 120.0
_BEAT_S = 1.0
#: In the ledger, what happens after an answer.
REAL = "SIGKILL after its answer"


class Loss(msgspec.Struct, frozen=True):
    """Something that was answered before the death and is gone after it. ``step``: of the death."""

    clause: str
    message: str
    scenario: str
    seed: int
    answers: int
    step: int


class SigkillOutcome(msgspec.Struct, frozen=True):
    """``kills`` processes were killed; ``promises`` accepted or admitted answers had to be found again. ``points`` says
    after which answers (``actor@operation``) there was a durable state of its own, and in how many of them a process
    was killed."""

    kills: int = 0
    promises: int = 0
    findings: tuple[Loss, ...] = ()
    trouble: str = ""
    points: dict[str, tuple[int, int]] = {}


def _nobody_listens() -> None:
    """For passes that nobody waits for impatiently."""


def sigkill_pass(
    loaded: LoadedGate,
    scenarios: Sequence[str] = (),
    only: tuple[int, int] | None = None,
    alive: Callable[[], None] = _nobody_listens,
) -> SigkillOutcome:
    """Kill the gate's process in these scenarios (all by default). ``only`` repeats one death: seed and answers.
    ``alive`` is called now and then while it goes on."""
    with storage_root() as root:
        result = root / "result.json"
        order = msgspec.json.encode([loaded.reference, list(scenarios), str(root), str(result), only])
        command = [sys.executable, "-m", "stopcheck.campaign._sigkill_zygote", order.decode()]
        with (root / "zygote.log").open("w+b") as log:
            # The zygote ends with its group when its input does: whoever kills this process ends that one too.
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True, cwd=loaded.home
            )
            try:
                code = _wait(process, alive)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        if code is None:
            return SigkillOutcome(trouble=f"the pass with real deaths did not end within {PASS_S:g} s")
        return _read(result, root / "zygote.log", code)


def _wait(process: subprocess.Popen[bytes], alive: Callable[[], None]) -> int | None:
    for _ in range(round(PASS_S / _BEAT_S)):
        try:
            return process.wait(_BEAT_S)
        except subprocess.TimeoutExpired:
            alive()
    return None


def _read(result: Path, log: Path, code: int) -> SigkillOutcome:
    if result.is_file():
        return msgspec.json.decode(result.read_bytes(), type=SigkillOutcome)
    lines = log.read_text(errors="replace").strip().splitlines()
    tail = lines[-1] if lines else "it said nothing"
    return SigkillOutcome(trouble=f"the process that starts and kills others ended with status {code}: {tail}")


def sigkill_job(loaded: LoadedGate, spec: JobSpec, alive: Callable[[], None]) -> JobResult:
    """The pass over one scenario as a job."""
    outcome = sigkill_pass(loaded, (spec.scenario,), alive=alive)
    clauses: list[str] = ["REC-2", "EFF-9"]
    exercised = {clause: outcome.promises for clause in clauses if outcome.promises}
    killed = f"{outcome.kills} {plural(outcome.kills, 'process')}"
    kept = f"{outcome.promises} {plural(outcome.promises, 'promise')}"
    return JobResult(
        spec=spec,
        target="a real SIGKILL in every distinct durable state",
        complete=not outcome.trouble,
        ground="" if outcome.trouble else f"{killed} killed, {kept} found again",
        left=outcome.trouble,
        executions=outcome.kills,
        states=outcome.kills,
        findings=tuple(_finding(spec, loss) for loss in outcome.findings),
        exercised=exercised,
        deaths=outcome.kills,
        ledger=tuple(
            Tally(FaultKind.CRASH, where, REAL, states, killed)
            for where, (states, killed) in sorted(outcome.points.items())
        ),
    )


def _finding(spec: JobSpec, loss: Loss) -> Finding:
    return Finding(
        clause=loss.clause,
        check="real-death",
        message=loss.message,
        scenario=spec.scenario,
        handles=1,
        granularity=spec.granularity,
        strategy=spec.strategy,
        token=kill_token(loss.scenario, loss.seed, loss.answers),
        deviations=0,
        choices=loss.answers,
        step=loss.step,
        executions_to_find=1,
        shrunk=False,
    )


def without_crashes(scenario: Scenario) -> Scenario:
    """The scenario for a run that ends in a real death: it has no simulated one."""
    return msgspec.structs.replace(scenario, budget=msgspec.structs.replace(scenario.budget, crashes=0))


def chooser(seed: int) -> Callable[[Point], int]:
    """The choices of a run: the default order for 0, else random ones by the seed."""
    random = Random(seed)

    def choose(point: Point) -> int:
        return random.randrange(len(point.options)) if seed else 0

    return choose


def kill_token(scenario: str, seed: int, answers: int) -> str:
    """Names a real death: ``kill.<scenario>.<seed>.<answers>``, for ``stopcheck replay``."""
    return f"kill.{scenario}.{seed}.{answers}"


def is_real_death(finding: Finding) -> bool:
    """Whether it was found by killing a process."""
    return read_kill_token(finding.token) is not None


def read_kill_token(token: str) -> tuple[str, int, int] | None:
    """Scenario, seed and number of answers; ``None`` when it is no such token."""
    parts = token.split(".")
    if len(parts) != 4 or parts[0] != "kill" or not parts[2].isdigit() or not parts[3].isdigit():
        return None
    return parts[1], int(parts[2]), int(parts[3])

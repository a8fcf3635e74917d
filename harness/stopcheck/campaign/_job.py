"""One job: a scenario in a variant under a strategy, from its spec to its result.

One idea: a job knows what it set out to complete. A search that could not be exhausted within its budget goes on as a
search up to a bound of disruptions, which it names; if not even that is completed the job says what is left.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType

from stopcheck.campaign._audit import ELSEWHERE, HERE, Differs, Sample, Sampled, differing
from stopcheck.campaign._faults import escaped, job_fault, report_of
from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import LoadedGate, load_scenarios
from stopcheck.campaign._messages import EXECUTION_S
from stopcheck.campaign._plan import SIGKILL
from stopcheck.campaign._results import KIT, SCENARIO, FaultReport, Finding, JobResult, JobSpec
from stopcheck.campaign._shrinking import shrunk_finding
from stopcheck.campaign._sigkill import sigkill_job
from stopcheck.campaign._strategies import Search, search
from stopcheck.campaign._surroundings import Surroundings
from stopcheck.explore import (
    Exploration,
    Failure,
    Fault,
    Remembered,
    Result,
    Trial,
    Watch,
    make_trial,
    tallies,
    unwatched,
)
from stopcheck.gate import AdapterFault, HostKind, NotAGate
from stopcheck.judge import CHECKS
from stopcheck.kernel import Chooser, HungError, ThreadHost, Watchdog
from stopcheck.world import Granularity, Interior, Scenario, Variant, shortened

#: Executions between two reports of progress; where each may start processes, every one is reported.
_EVERY = 50
_EVERY_DEAR = 1

OnProgress = Callable[[int, int, int], None]


class JobRunner:
    """Runs jobs on one gate, in these scenarios (the installed ones by default). The ground of each granularity is made
    once."""

    def __init__(
        self, loaded: LoadedGate, execution_s: float = EXECUTION_S, *, scenarios: dict[str, Scenario] | None = None
    ) -> None:
        self._loaded = loaded
        self._execution_s = execution_s
        self._declared = copy.deepcopy(loaded.contract)
        self._scenarios = load_scenarios() if scenarios is None else scenarios
        self._stack = ExitStack()
        self._interiors: dict[Granularity, Interior] = {}
        self._threads = ThreadHost(execution_s)
        self._known: dict[tuple[object, ...], Remembered] = {}
        #: Runs of the last job, to be made again elsewhere.
        self.sampled: tuple[Sampled, ...] = ()

    def __enter__(self) -> JobRunner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def interior(self, granularity: Granularity) -> Interior:
        """The ground at a granularity. Substitutes stand only while their granularity is in use."""
        if granularity not in self._interiors:
            self._stack.close()
            self._interiors = {granularity: self._stack.enter_context(self._ground(granularity))}
        return self._interiors[granularity]

    def _ground(self, granularity: Granularity) -> AbstractContextManager[Interior]:
        return ground(self._loaded, granularity)

    def run(self, spec: JobSpec, on_progress: OnProgress) -> JobResult:
        """Do one job. Whatever goes wrong in it stands in its result."""
        self.sampled = ()
        scenario = self._scenarios[spec.scenario]
        try:
            if spec.strategy == SIGKILL:
                return sigkill_job(self._loaded, spec, lambda: on_progress(0, 0, 0))
            with Watchdog(self._execution_s) as watchdog:
                trial = self._trial(scenario, spec)
                sample = Sample()
                every = _EVERY_DEAR if self._declared.host is HostKind.PROCESS else _EVERY
                watched = _Watched(trial, watchdog, on_progress, self._check_contract, sample, every)
                found = search(spec, watched)
                differs = self._differs(found, _Guarded(trial, watchdog), sample)
            self.sampled = tuple(sample.kept)
            return self._result(scenario, spec, found, differs, sample.digest())
        except AdapterFault as error:
            return failed(spec, report_of(error, spec.scenario))
        except HungError as error:
            hint = "wait through the environment, or through locks and sleeps that the kit can substitute"
            return failed(spec, FaultReport("GateHung", str(error), "it never came back", hint, spec.scenario))
        except Exception as error:
            return failed(spec, job_fault(error, scenario))
        except BaseException as error:  # this process leads a session of its own: no Ctrl-C comes here
            return failed(spec, report_of(escaped(error), spec.scenario))

    def _check_contract(self) -> None:
        """The declaration to which a gate is held must not change while it is tried."""
        now = self._loaded.contract
        if now != self._declared:
            raise NotAGate(
                f"the contract of {self._loaded.reference!r} changed while the gate was tried, to {shortened(now)}",
                cause="something assigns to the factory's contract, or changes a dictionary in it",
                hint="declare the contract once, as a constant of the class",
            )

    def _differs(self, found: Search, trial: Trial, sample: Sample) -> Differs | None:
        """Make a few of the runs again: a gate that differs is not judged."""
        if found.exploration.faults:
            return None
        differs = differing(trial, sample.kept, HERE)
        known = found.exploration.nondeterminism
        if differs is None and known is not None:
            differs = Differs(known.what, HERE, known.schedule.token())
        return differs

    def compare(self, spec: JobSpec, sampled: tuple[Sampled, ...]) -> Differs | None:
        """Make runs again that were made in another process."""
        with Watchdog(self._execution_s) as watchdog:
            trial = _Guarded(self._trial(self._scenarios[spec.scenario], spec), watchdog)
            try:
                return differing(trial, sampled, ELSEWHERE)
            except (Exception, HungError) as error:
                return Differs(f"one run came to its end, the other raised {error!r}", ELSEWHERE, sampled[0].token)

    def shrink(self, finding: Finding) -> Finding:
        """Make a finding's schedule as short as the bound on runs allows, and look for the nearest run that passes; if
        that fails, the finding stays as it is."""
        if not finding.token.startswith("sc"):
            return finding
        try:
            with Watchdog(self._execution_s) as watchdog:
                trial = self._trial(self._scenarios[finding.scenario], finding)
                known = self._known.setdefault((trial.scenario, *trial.variant.items()), Remembered(trial))
                known.trial = trial
                return shrunk_finding(known, finding, before_run=watchdog.rearm)
        except (Exception, HungError):
            return finding

    def _trial(self, scenario: Scenario, spec: JobSpec | Finding) -> Trial:
        granularity = Granularity(spec.granularity)
        return make_trial(
            scenario,
            self._loaded.factory,
            Variant(spec.handles, granularity),
            self.interior(granularity),
            CHECKS,
            thread_host=self._threads,
        )

    def _result(
        self, scenario: Scenario, spec: JobSpec, found: Search, differs: Differs | None, schedules: str
    ) -> JobResult:
        merged = found.exploration
        findings = tuple(_finding(spec, failure, merged) for _, failure in sorted(merged.failures.items()))
        contract, interior = self._loaded.contract, self.interior(Granularity(spec.granularity))
        wanted = tuple(witness.name for witness in scenario.witnesses if witness.asked_of(contract))
        fault = merged.faults[0] if merged.faults else None
        return JobResult(
            spec=spec,
            target=found.target,
            complete=found.complete and fault is None,
            ground=found.ground,
            left=found.left,
            executions=merged.executions,
            states=merged.states,
            findings=findings,
            fault=_fault(fault, spec) if fault is not None else None,
            exercised=dict(sorted(merged.exercised.items())),
            witnesses=tuple(sorted(merged.witnesses)),
            witnesses_wanted=wanted,
            inner=dict(sorted(merged.inner.items())),
            called=dict(sorted(merged.called.items())),
            searched=dict(sorted(merged.searched.exercised.items())),
            searched_inner=dict(sorted(merged.searched.inner.items())),
            sweep=merged.coverage,
            unsound=str(differs) if differs is not None else found.unsound,
            differs=differs,
            exhausted=found.exhausted,
            bound=found.bound,
            faults=_limits(scenario, merged),
            cache_full=merged.cache is not None and merged.cache.full,
            ledger=tallies(merged.offers, merged.admitted),
            measures=merged.measures,
            power_doubt=interior.power_doubt,
            torn_doubt=interior.take_torn_doubt(),
            schedules=schedules,
        )


class _Guarded:
    """A trial that keeps the watchdog quiet while runs end, and the process as it was."""

    def __init__(self, trial: Trial, watchdog: Watchdog) -> None:
        self._surroundings = Surroundings()
        self._trial = trial
        self._watchdog = watchdog
        self.scenario = trial.scenario
        self.variant = trial.variant

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        self._watchdog.rearm()
        try:
            return self._trial(chooser, watch)
        finally:
            self._surroundings.put_back()


class _Watched(_Guarded):
    """A guarded trial that also reports progress, checks the contract, and samples runs for the audit."""

    def __init__(
        self,
        trial: Trial,
        watchdog: Watchdog,
        on_progress: OnProgress,
        after_run: Callable[[], None],
        sample: Sample,
        every: int,
    ) -> None:
        super().__init__(trial, watchdog)
        self._after_run = after_run
        self._on_progress = on_progress
        self._sample = sample
        self._every = every
        self._executions = 0
        self._failures = 0

    def __call__(self, chooser: Chooser, watch: Watch = unwatched, /) -> Result:
        result = super().__call__(chooser, watch)
        self._sample.note(result)
        self._after_run()
        self._executions += 1
        self._failures += bool(result.violations)
        if self._executions % self._every == 0:
            self._on_progress(self._executions, 0, self._failures)
        return result


def _finding(spec: JobSpec, failure: Failure, merged: Exploration) -> Finding:
    schedule = failure.schedule
    return Finding(
        clause=failure.clause,
        check=failure.violation.check,
        message=failure.violation.message,
        scenario=spec.scenario,
        handles=spec.handles,
        granularity=spec.granularity,
        strategy=spec.strategy,
        token=schedule.token(),
        deviations=schedule.deviations,
        choices=len(schedule.choices),
        step=failure.violation.step,
        executions_to_find=merged.executions,
        shrunk=False,
    )


def _limits(scenario: Scenario, found: Exploration) -> dict[str, int]:
    """How many faults of each kind a run may contain, of those for which there was a place."""
    kinds = {line.kind for line in tallies(found.offers, found.admitted)}
    return {kind.value: most for kind, most in scenario.budget.limits().items() if most and kind in kinds}


def _fault(fault: Fault, spec: JobSpec) -> FaultReport:
    return FaultReport(fault.kind, fault.what, fault.cause, fault.hint, spec.scenario, fault.schedule.token())


def failed(spec: JobSpec, fault: FaultReport) -> JobResult:
    """The result of a job that an error ended."""
    others = {KIT: "ended by a fault of the kit", SCENARIO: "ended by an exception of its scenario"}
    left = others.get(fault.kind, f"ended by an adapter fault ({fault.kind})")
    return JobResult(spec, target="", complete=False, ground="", left=left, executions=0, states=0, fault=fault)


__all__ = ["JobRunner", "failed"]

"""The executor: jobs in child processes that the parent can kill, and whose last words it can write.

One idea: results are merged in the order of the plan, whatever child finished first, and budgets count executions and
not seconds; so a campaign's report does not depend on the machine's speed or on the number of children.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import trio

from stopcheck.campaign._audit import ELSEWHERE, JOB_HASH_SEED, OTHER_HASH_SEEDS, Differs, Sampled
from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._job import failed
from stopcheck.campaign._messages import (
    Broken,
    Compare,
    Compared,
    Finished,
    FromChild,
    Open,
    Opened,
    Progress,
    Refused,
    Run,
    Shrink,
    Shrunk,
)
from stopcheck.campaign._process import Child
from stopcheck.campaign._results import (
    CampaignEvent,
    CampaignStarted,
    FaultReport,
    Finding,
    GateIdentity,
    JobFinished,
    JobProgress,
    JobResult,
    JobSpec,
    JobStarted,
)
from stopcheck.gate import GateContract

#: How long a child may be silent before it is killed, in real seconds. It reports progress between executions, and each
#: execution is bounded by itself; so only an adapter that cannot be interrupted is silent that long.
SILENCE_S = 60.0
#: How often an adapter may hang, or take its process with it, before the rest of the plan is given up.
LOSSES = 3

OnEvent = Callable[[CampaignEvent], None]
Order = Run | Compare | Shrink


class Outcome(msgspec.Struct):
    """What the executor hands back. ``shrunk`` holds the best finding of each broken clause."""

    identity: GateIdentity | None = None
    contract: GateContract | None = None
    results: dict[int, JobResult] = {}
    shrunk: dict[int, Finding] = {}
    faults: list[FaultReport] = []


async def execute(request: Open, on_event: OnEvent, *, children: int, silence_s: float = SILENCE_S) -> Outcome:
    """Run the campaign. Raises :class:`UsageFault` for an unknown gate or scenario."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="stopcheck-logs-") as folder:
        crew = _Crew(request, outcome, Path(folder), on_event, silence_s)
        try:
            jobs = await crew.open()
            await crew.work([Run(index, spec) for index, spec in enumerate(jobs)], children)
            await crew.compare(children)
            best = best_findings(outcome.results[index] for index in sorted(outcome.results))
            await crew.work([Shrink(index, finding) for index, finding in enumerate(best)], children)
        except BaseException:
            crew.kill()
            raise
    return outcome


def best_findings(results: Iterable[JobResult]) -> list[Finding]:
    """For each broken clause the finding that is easiest to read, which is worth shrinking."""
    best: dict[str, Finding] = {}
    for result in results:
        for finding in result.findings:
            known = best.get(finding.clause)
            if known is None or finding.size < known.size:
                best[finding.clause] = finding
    return [best[clause] for clause in sorted(best)]


class _Crew:
    def __init__(self, request: Open, outcome: Outcome, folder: Path, on_event: OnEvent, silence_s: float) -> None:
        self._request = request
        self._outcome = outcome
        self._folder = folder
        self._on_event = on_event
        self._silence_s = silence_s
        self._started: list[Child] = []
        self._losses = 0
        self._sampled: dict[int, tuple[Sampled, ...]] = {}
        #: The child that made the plan, until it is given jobs.
        self._opened: Child | None = None

    async def open(self) -> tuple[JobSpec, ...]:
        """Load the gate in a process of its own, and get the plan."""
        outcome = self._outcome
        child = self._start()
        await child.send(self._request)
        reply = await child.receive(self._silence_s)
        try:
            if isinstance(reply, Refused):
                raise UsageFault(reply.what, hint=reply.hint)
            if isinstance(reply, Broken):
                outcome.faults.append(reply.fault)
            elif not isinstance(reply, Opened):
                where = f"the import of {self._request.reference}"
                outcome.faults.append(await child.last_words(self._silence_s, where))
            else:
                outcome.identity, outcome.contract = reply.identity, reply.contract
                self._on_event(CampaignStarted(reply.identity, reply.jobs, self._request.seed))
                if reply.jobs:
                    self._opened = child
                return reply.jobs
        finally:
            if self._opened is None:
                await child.close()
        return ()

    async def compare(self, children: int) -> None:
        """Have samples of all jobs made again in processes with other hash seeds, each by one of them."""
        results = self._outcome.results
        orders = [
            Compare(index, results[index].spec, self._sampled[index])
            for index in sorted(self._sampled)
            if self._sampled[index] and results[index].fault is None and results[index].differs is None
        ]
        shares = [(seed, orders[at :: len(OTHER_HASH_SEEDS)]) for at, seed in enumerate(OTHER_HASH_SEEDS)]
        limit = trio.CapacityLimiter(children)

        async def serve(hash_seed: str, share: Sequence[Order]) -> None:
            async with limit:
                await self._serve(iter(share), hash_seed)

        async with trio.open_nursery() as nursery:
            for hash_seed, share in shares:
                if share:
                    nursery.start_soon(serve, hash_seed, share)

    async def work(self, orders: Sequence[Order], children: int) -> None:
        """Carry out orders, by that many children at most."""
        queue = iter(orders)
        async with trio.open_nursery() as nursery:
            for _ in range(min(children, len(orders))):
                nursery.start_soon(self._serve, queue)

    @trio.lowlevel.enable_ki_protection  # a Ctrl-C comes before there is a process, or when it is known here
    def _start(self, hash_seed: str = JOB_HASH_SEED) -> Child:
        child = Child(self._folder / f"child-{len(self._started)}.log", hash_seed)
        self._started.append(child)
        return child

    def kill(self) -> None:
        """End every process that was started and has not ended, whoever was to look after it."""
        for child in self._started:
            child.kill()

    async def _serve(self, orders: Iterator[Order], hash_seed: str = JOB_HASH_SEED) -> None:
        child: Child | None = None
        try:
            for order in orders:
                if self._gave_up(order):
                    continue
                if child is None:
                    child, self._opened = self._opened, None
                if child is None:
                    child = self._start(hash_seed)
                    await child.send(self._request)
                    await child.receive(self._silence_s)
                if isinstance(order, Run):
                    self._on_event(JobStarted(order.index, order.spec))
                await child.send(order)
                answer = await self._follow(child)
                if answer is None:
                    where = f"{order.finding.scenario} (shrinking)" if isinstance(order, Shrink) else order.spec.name
                    fault = await child.last_words(self._silence_s, where)
                    await child.close()
                    child = None
                    answer = self._lost(order, fault)
                self._enter(answer)
        except BaseException:
            if child is not None:
                child.kill()  # now, for what follows waits until it has ended
            raise
        finally:
            if child is not None:
                with trio.CancelScope(shield=True):
                    await child.close()

    def _lost(self, order: Order, fault: FaultReport) -> FromChild | None:
        """What is known of an order whose process was lost."""
        if isinstance(order, Run):
            return Finished(order.index, failed(order.spec, fault))
        self._losses += 1
        if isinstance(order, Compare):
            what = f"one run came to its end, in the other {fault.what}"
            return Compared(order.index, Differs(what, ELSEWHERE, order.sampled[0].token))
        return None

    def _gave_up(self, order: Order) -> bool:
        """An adapter that hangs or dies again and again is not waited for in every job."""
        if self._losses < LOSSES:
            return False
        if isinstance(order, Run):
            why = f"not run, since the adapter's process was lost {self._losses} times"
            result = JobResult(order.spec, "", complete=False, ground="", left=why, executions=0, states=0)
            self._enter(Finished(order.index, result))
        return True

    async def _follow(self, child: Child) -> FromChild | None:
        while True:
            message = await child.receive(self._silence_s)
            if not isinstance(message, Progress):
                return message
            self._on_event(JobProgress(message.index, message.executions, message.states, message.failures))

    def _enter(self, answer: FromChild | None) -> None:
        if isinstance(answer, Finished):
            fault = answer.result.fault
            self._losses += fault is not None and fault.kind in ("GateHung", "GateDied")
            self._outcome.results[answer.index] = answer.result
            self._sampled[answer.index] = answer.sampled
            self._on_event(JobFinished(answer.index, answer.result))
        elif isinstance(answer, Compared) and answer.differs is not None:
            result = self._outcome.results[answer.index]
            self._outcome.results[answer.index] = msgspec.structs.replace(
                result, unsound=str(answer.differs), differs=answer.differs
            )
        elif isinstance(answer, Shrunk):
            self._outcome.shrunk[answer.index] = answer.finding

"""The executor: jobs in child processes that the parent can kill, and whose last words it can write.

One idea: results are merged in the order of the plan, whatever child finished first, and budgets count executions and
not seconds; so a campaign's report does not depend on the machine's speed or on the number of children, nor on how
often it was interrupted: what is known already stands in a journal.
"""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec
import trio

from stopcheck.campaign._audit import ELSEWHERE, JOB_HASH_SEED, OTHER_HASH_SEEDS, Differs
from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._job import failed
from stopcheck.campaign._journal import FORMAT, VERSION, End, Entry, Head, Journal, Shortened, copy_journal
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
from stopcheck.campaign._outcome import (
    AT_FIRST,
    Manner,
    Outcome,
    best_findings,
    give_up_rest,
    last_loss,
    last_that_counts,
    settle,
    wants_audit,
)
from stopcheck.campaign._process import Child
from stopcheck.campaign._progress import CampaignEvent, CampaignStarted, JobFinished, JobProgress, JobStarted
from stopcheck.campaign._results import FaultReport
from stopcheck.judge.requirements import REQUIREMENT_SET

_ENDING = (signal.SIGINT, signal.SIGTERM)

OnEvent = Callable[[CampaignEvent], None]
Order = Run | Compare | Shrink


async def execute(request: Open, on_event: OnEvent, manner: Manner) -> Outcome:
    """Run the campaign. Raises :class:`UsageFault` for an unknown gate or scenario, ``KeyboardInterrupt`` when it is
    interrupted before there is a plan."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="stopcheck-logs-") as folder:
        crew = _Crew(request, outcome, Path(folder), on_event, manner)
        try:
            async with trio.open_nursery() as nursery:
                await nursery.start(_heed, crew)
                with crew.scope:
                    await crew.campaign()
                if crew.scope.cancelled_caught:  # whoever asks once more is heeded too, and waits
                    crew.kill()
                    crew.leave()
                nursery.cancel_scope.cancel()
            if crew.scope.cancelled_caught and outcome.opened is None:
                raise KeyboardInterrupt
        except BaseException:
            crew.kill()
            raise
        finally:
            crew.close()
    settle(outcome)
    return outcome


async def _heed(crew: _Crew, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
    """End the campaign in good order when Ctrl-C or SIGTERM asks for it; one that is ignored stays so."""
    heeded = [one for one in _ENDING if signal.getsignal(one) is not signal.SIG_IGN]
    if threading.current_thread() is not threading.main_thread() or not heeded:
        task_status.started()
        return
    with trio.open_signal_receiver(*heeded) as signals:
        task_status.started()
        async for number in signals:
            crew.interrupt(f"interrupted by {signal.Signals(number).name}")


class _Crew:
    def __init__(self, request: Open, outcome: Outcome, folder: Path, on_event: OnEvent, manner: Manner) -> None:
        self._request = request
        self._outcome = outcome
        self._folder = folder
        self._on_event = on_event
        self._manner = manner
        self._silence_s = manner.silence_s
        self._started: list[Child] = []
        self._finished: dict[int, Finished] = {}
        #: The child that made the plan, until it is given jobs.
        self._opened: Child | None = None
        self._journal: Journal | None = None
        #: Nothing after this place in the plan is done any more: no job, and no samples are made again.
        self._last: int | None = None
        self._last_compared: int | None = None
        self._running: dict[int, trio.CancelScope] = {}
        self._ended = False
        self._why = ""
        self.scope = trio.CancelScope()

    def interrupt(self, why: str) -> None:
        """End it now; what is known by now counts."""
        self._why = why
        self.scope.cancel()

    async def campaign(self) -> None:
        """All of it."""
        children, results = self._manner.children, self._outcome.results
        opened = await self._open()
        if opened is None:
            return
        only, shard = self._manner.only, self._manner.shard
        mine = {
            index: spec
            for index, spec in enumerate(opened.jobs)
            if shard.has(index) and (only is None or index in only)
        }
        self._on_event(CampaignStarted(opened.identity, tuple(mine.values()), self._request.seed))
        self._begin_journal(opened)
        await self._work([Run(index, spec) for index, spec in mine.items() if index not in results], children)
        if self._opened is not None:  # there was nothing to do
            await self._opened.close()
        if give_up_rest(self._outcome, fail_fast=self._manner.fail_fast):
            await self._compare(children)
            await self._shrink(children)
        if self._outcome.cut != AT_FIRST and not self._ended:
            self._note(End())

    async def _shrink(self, children: int) -> None:
        """Have the best finding of each broken clause shrunk."""
        results = self._outcome.results
        best = best_findings(results[index] for index in sorted(results))
        known = [one.found for one in self._outcome.shortened]
        await self._work([Shrink(at, finding) for at, finding in enumerate(best) if finding not in known], children)

    async def _open(self) -> Opened | None:
        """Load the gate in a process of its own, and get the plan."""
        outcome = self._outcome
        child = self._start()
        try:
            await child.send(self._request)
            reply = await child.receive(self._silence_s)
            if isinstance(reply, Refused):
                raise UsageFault(reply.what, hint=reply.hint)
            if isinstance(reply, Broken):
                outcome.faults.append(reply.fault)
            elif not isinstance(reply, Opened):
                where = f"the import of {self._request.reference}"
                outcome.faults.append(await child.last_words(self._silence_s, where))
            else:
                outcome.opened = reply
                if reply.jobs:
                    self._opened = child
                return reply
        except BaseException:
            child.kill()
            raise
        finally:
            if self._opened is None:
                with trio.CancelScope(shield=True):
                    await child.close()
        return None

    def _begin_journal(self, opened: Opened) -> None:
        """Take in what is known already. From now on, all that becomes known is written down."""
        if self._manner.journal is not None and not opened.content:
            what = f"no journal can tell whether {self._request.reference!r} has changed: its command names no file"
            raise UsageFault(what, hint="leave --resume out, or name the gate's file: 'node gate.js', './gate'")
        request = msgspec.structs.replace(self._request, execution_s=0.0)
        head = Head(FORMAT, VERSION, version("stopcheck"), REQUIREMENT_SET, request, opened, self._manner.shard)
        journal = Journal(self._manner.journal or self._folder / "journal.jsonl", head)
        for entry in journal.entries:
            self._enter(entry)
        self._journal = journal

    def leave(self) -> None:
        """It was interrupted: keep the journal where it can be gone on from."""
        self._outcome.cut, self._outcome.interrupted = self._why, True
        if self._journal is None or self._outcome.opened is None or not self._outcome.opened.content:
            return
        if self._manner.journal is not None:
            self._outcome.left = self._manner.journal
        elif self._manner.leave is not None and copy_journal(self._journal.path, self._manner.leave):
            self._outcome.left = self._manner.leave  # else there is nothing to go on from

    def close(self) -> None:
        """Nothing more becomes known."""
        if self._journal is not None:
            self._journal.close()

    def _note(self, entry: Entry) -> None:
        if self._journal is not None:
            self._journal.note(entry)

    async def _compare(self, children: int) -> None:
        """Have samples of all jobs made again in processes with other hash seeds, each by one of them."""
        results = self._outcome.results
        shares: dict[str, list[Order]] = {seed: [] for seed in OTHER_HASH_SEEDS}
        for index in sorted(results):
            finished = self._finished[index]
            if index not in self._outcome.compared and wants_audit(finished):
                shares[_other_hash_seed(index)].append(Compare(index, finished.result.spec, finished.sampled))
        limit = trio.CapacityLimiter(children)

        async def serve(hash_seed: str, share: Sequence[Order]) -> None:
            async with limit:
                await self._serve(iter(share), hash_seed)

        async with trio.open_nursery() as nursery:
            for hash_seed, share in shares.items():
                if share:
                    nursery.start_soon(serve, hash_seed, share)

    async def _work(self, orders: Sequence[Order], children: int) -> None:
        """Carry out orders, by that many children at most."""
        queue = iter(orders)
        async with trio.open_nursery() as nursery:
            for _ in range(min(children, len(orders))):
                nursery.start_soon(self._serve, queue)

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
                if child is None and hash_seed == JOB_HASH_SEED:
                    child, self._opened = self._opened, None
                if child is None:
                    child = self._start(hash_seed)
                    await child.send(self._request)
                    await child.receive(self._silence_s)
                answer: FromChild | None = None
                with trio.CancelScope() as dropping:
                    answer = await self._carry_out(child, order, dropping)
                if dropping.cancelled_caught:
                    await _end(child)
                    child = None
                    continue
                if answer is None:
                    where = f"{order.finding.scenario} (shrinking)" if isinstance(order, Shrink) else order.spec.name
                    fault = await child.last_words(self._silence_s, where)
                    await _end(child)
                    child = None
                    answer = self._lost(order, fault)
                if isinstance(answer, Shrunk) and isinstance(order, Shrink):
                    self._enter(Shortened(order.finding, answer.finding))
                elif isinstance(answer, Finished | Compared):
                    self._enter(answer)
        except BaseException:
            if child is not None:
                child.kill()  # now, for what follows waits until it has ended
            raise
        finally:
            if child is not None:
                with trio.CancelScope(shield=True):
                    await child.close()

    async def _carry_out(self, child: Child, order: Order, dropping: trio.CancelScope) -> FromChild | None:
        """The answer to an order; ``None`` when the child is lost. ``dropping`` is cancelled when nobody wants it."""
        if isinstance(order, Run):
            self._running[order.index] = dropping
            self._on_event(JobStarted(order.index, order.spec))
        try:
            await child.send(order)
            while True:
                message = await child.receive(self._silence_s)
                if not isinstance(message, Progress):
                    return message
                self._on_event(JobProgress(message.index, message.executions, message.states, message.failures))
        finally:
            self._running.pop(order.index, None)

    def _lost(self, order: Order, fault: FaultReport) -> FromChild:
        """What is known of an order whose process was lost."""
        if isinstance(order, Run):
            return Finished(order.index, failed(order.spec, fault))
        if isinstance(order, Compare):
            what = f"one run came to its end, in the other {fault.what}"
            return Compared(order.index, Differs(what, ELSEWHERE, order.sampled[0].token), lost=True)
        return Shrunk(order.index, order.finding)  # as it was found

    def _gave_up(self, order: Order) -> bool:
        """An adapter that hangs or dies again and again is not waited for in every job."""
        last = self._last if isinstance(order, Run) else self._last_compared if isinstance(order, Compare) else None
        return last is not None and order.index > last

    def _enter(self, entry: Entry) -> None:
        """Something is known."""
        self._note(entry)
        if isinstance(entry, Finished):
            self._enter_result(entry)
        elif isinstance(entry, Compared):
            compared = self._outcome.compared
            compared[entry.index] = entry
            self._last_compared = last_loss(index for index, one in compared.items() if one.lost)
        elif isinstance(entry, Shortened):
            self._outcome.shortened.append(entry)
        else:
            self._ended = True

    def _enter_result(self, entry: Finished) -> None:
        outcome = self._outcome
        self._finished[entry.index] = entry
        outcome.results[entry.index] = entry.result
        if not wants_audit(entry):
            outcome.audited.add(entry.index)
        self._on_event(JobFinished(entry.index, entry.result))
        end = last_that_counts(outcome.results, fail_fast=self._manner.fail_fast)
        if end is not None:
            self._last, _ = end
            for index, dropping in self._running.items():
                if index > self._last:
                    dropping.cancel()


def _other_hash_seed(index: int) -> str:
    """Under which hash seed the samples of a job are made again; the same in whichever shard the job is."""
    return OTHER_HASH_SEEDS[(index + index // len(OTHER_HASH_SEEDS)) % len(OTHER_HASH_SEEDS)]


async def _end(child: Child) -> None:
    child.kill()
    with trio.CancelScope(shield=True):
        await child.close()

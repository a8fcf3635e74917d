"""What the hosts with an event loop share: calls that are tasks of one loop, and stand where others may move.

One idea: a nested call is a task of its own in the run's loop. ``environment.branch`` and ``blocked`` take the calling
task out of the loop's hands: it stands there until the kernel chooses it. Whatever else it awaits is the loop's own
affair, so locks, cancel scopes, time-outs and task groups work as they are; when the loop would go on with it, it
stands too (``_resuming``), since others could have moved meanwhile.

A step wakes what stands and runs the loop until nothing is runnable and no thread is out. What time has released since
the last step (a sleep that is over, a time-out) runs before what was chosen. Then each call has ended,
stands at a point, or waits for something that is not the scheduler: time, or what another call holds. A call that waits
is disabled. It is released by another's step, within that step, and stands, or is cancelled and runs until it stands,
waits or has ended; its own next step tells the kernel where it has come to, and moves nothing.

Several tasks inside one call may stand at once. They form a queue: the first that stood moves first, and option labels
number them (``send#2``) in the order in which they first stood, the call's own task being number 0 and bare. A queue,
not an actor each: which of its own tasks goes first is the adapter's affair and not the world's, and the options stay
those of the other hosts. The interleavings with other actors are tried; those of one call's tasks among each other are
not.

Tasks that outlive their call belong to nobody that the kernel could choose. They move along with each step.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context, ContextVar
from inspect import isawaitable
from typing import Any, cast

from stopcheck.kernel._actors import Actor, Park
from stopcheck.kernel._errors import HungError
from stopcheck.kernel._hosts import Finished, NestedCall
from stopcheck.kernel._resuming import RESUMES

#: What the timers of adapters (time-outs, sleeps) are called in schedules and budgets.
GATE_TIMER = "gate timer"
#: The same of a call that could go on at once: not even time that passes too early may make it fire.
GATE_TIME_OUT = "gate time-out"

#: How often the tasks of a run that is over are told so, and how many passes each time, before they are given up.
ROUNDS = 20
PASSES = 200

#: What a call that waits is called; the same as where it goes on.
_WAITS = RESUMES

_stepping = threading.local()
_in_call: ContextVar[LoopCall | None] = ContextVar("stopcheck_call", default=None)


def current_loop() -> Loop | None:
    """The loop that is being stepped in this thread, if any; so none in a worker thread."""
    return getattr(_stepping, "loop", None)


def call_in(context: Context | None) -> LoopCall | None:
    """The nested call for which code of this context (else the current one) runs."""
    return _in_call.get() if context is None else context.get(_in_call)


class Standing:
    """One task that stands where others may move. ``handle`` is what wakes it; ``turn`` is when it came here."""

    __slots__ = ("handle", "number", "park", "task", "turn")

    def __init__(self, park: Park, task: Any, handle: Any, number: int, turn: int) -> None:
        self.park = park
        self.task = task
        self.handle = handle
        self.number = number
        self.turn = turn


class Loop(ABC):
    """One event loop, for the calls of one life of the gate's process. While it is ``free``, tasks go on unasked."""

    def __init__(self, now_ns: Callable[[], int], real_time_s: float) -> None:
        self.now_ns = now_ns
        self.real_time_s = real_time_s
        self.turns = 0
        self.mover = ""
        self.closing = False
        self.free = False
        self.ran_ns = 0
        self.fatal: BaseException | None = None
        self.calls: dict[LoopCall, None] = {}
        self._outliving: list[Standing] = []

    # -- what each kind of loop does in its way --------------------------------------------------------------

    @abstractmethod
    def drain(self, starts: LoopCall | None, waking: list[Standing], *, late: bool) -> None:
        """Make the task of a call that starts, wake these, and run until nothing is runnable and no thread is out. When
        it is ``late``, that is time passed since it last ran, run first what that has released."""

    @abstractmethod
    def run_on(self) -> None:
        """Run until nothing is runnable."""

    @abstractmethod
    def next_timer_ns(self, call: LoopCall) -> int | None:
        """When the next time-out or sleep of the call's tasks is due, if it has any."""

    @abstractmethod
    def outlived(self) -> bool:
        """Whether tasks live whose call has ended."""

    @abstractmethod
    def stand(self, park: Park, *, cancellable: bool = True) -> Awaitable[None]:
        """In a task: stand until chosen. A cancellation that came meanwhile is delivered then; where the library would
        not deliver one, since it has something to hand over first (``cancellable`` is false), at the next await."""

    @abstractmethod
    def stands(self, trap: object) -> bool:
        """Whether what a task yielded is how it stands."""

    @abstractmethod
    def shut(self) -> None:
        """End all tasks, whatever they do about it, and the loop."""

    # -- a step ----------------------------------------------------------------------------------------------

    def turn(self, mover: LoopCall, waking: list[Standing], *, starts: bool) -> bool:
        """Move ``mover``. Whether another call came to something new by it."""
        self.turns += 1
        self.mover = mover.actor.name
        along, self._outliving = self._outliving, []
        before, _stepping.loop = current_loop(), self
        try:
            now_ns = self.now_ns()
            late, self.ran_ns = now_ns != self.ran_ns, now_ns
            self.drain(mover if starts else None, along + waking, late=late)
        finally:
            _stepping.loop = before
        if self.fatal is not None:
            raise self.fatal
        news = False
        for call in self.calls:
            if call is not mover:
                news = call.look() or news
        return news

    def release(self) -> None:
        """In ``drain``: run what the passage of time has released. It goes on unasked."""
        self.free = True
        self.run_on()
        self.free = False

    def enter(self, park: Park, task: object, handle: Any) -> None:
        """In ``stand``: a task is about to stand."""
        call = call_in(None)
        if call is None or call not in self.calls:
            self._outliving.append(Standing(park, task, handle, 0, self.turns))
        else:
            call.standing.append(Standing(park, task, handle, call.number(task), self.turns))

    def leave(self, call: LoopCall) -> None:
        """The call has ended; what it leaves standing outlives it."""
        self.calls.pop(call, None)
        self._outliving += call.standing
        call.standing = []

    def all_standing(self) -> list[Standing]:
        """Every task that stands; for :meth:`shut`."""
        return [*(standing for call in self.calls for standing in call.standing), *self._outliving]


class LoopCall:
    """A nested call as a task of its own."""

    __slots__ = (
        "_call",
        "_loop",
        "_news",
        "_numbers",
        "_told",
        "_told_timer",
        "actor",
        "coroutine",
        "delivered",
        "outcome",
        "standing",
        "task",
    )

    def __init__(self, loop: Loop, actor: Actor, call: Callable[[], Any]) -> None:
        self.actor = actor
        self.outcome: Finished | None = None
        self.delivered = False
        self.standing: list[Standing] = []
        self.coroutine: Coroutine[Any, Any, None] | None = None
        self.task: Any = None
        self._loop = loop
        self._call = call
        self._told: object = None
        self._told_timer: int | None = None
        self._news = False
        self._numbers: dict[object, int] = {}

    @property
    def waits(self) -> bool:
        """Whether the kernel was told that it waits for something that is not the scheduler."""
        return self._told is _WAITS

    @property
    def others_live(self) -> bool:
        """Whether tasks live in its loop whose call has ended."""
        return self._loop.outlived()

    # -- in the loop -----------------------------------------------------------------------------------------

    def begin(self) -> Coroutine[Any, Any, None]:
        """The coroutine of the call's own task."""
        self.coroutine = self._main()
        return self.coroutine

    async def _main(self) -> None:
        _in_call.set(self)
        try:
            value = self._call()
            self.outcome = Finished(await value if isawaitable(value) else value)
        except BaseException as error:
            fatal = fatal_in(error)
            if fatal is not None:
                self._loop.fatal = fatal
            self.outcome = Finished(error=error)

    def number(self, task: object) -> int:
        """The number of one of the call's tasks."""
        if task is self.task:
            return 0
        return self._numbers.setdefault(task, len(self._numbers) + 1)

    # -- in the kernel ---------------------------------------------------------------------------------------

    def advance(self) -> Park | Finished:
        """Move the task whose turn it is, or tell where another's step has brought the call."""
        loop = self._loop
        starts = self.coroutine is None
        waking: list[Standing] = []
        if starts:
            loop.calls[self] = None
        else:
            due = self._due()
            if due is not self._told and not self._goes_on(due):
                return self._tell(due)
            if isinstance(due, Standing):
                waking = self._released(due)
        news = loop.turn(self, waking, starts=starts)
        return self._tell(self._due(), turn=loop.turns, news=news)

    def _released(self, due: Standing) -> list[Standing]:
        if not due.park.blocked:
            self.standing.remove(due)
            return [due]
        # Each of them may be the one that can go on now: all look again.
        looking, self.standing = self.standing, []
        return looking

    def _goes_on(self, due: object) -> bool:
        """Whether the kernel chose it as waiting, and what it waited for has come: then it need not be told first."""
        return self._told is _WAITS and isinstance(due, Standing) and due.park.label == RESUMES

    def _due(self) -> object:
        """What the call has come to: its end, the task that moves next, or that it waits. A task with which the loop
        would go on by itself moves before those at points of the gate's own."""
        if self.outcome is not None:
            return self.outcome
        free = [standing for standing in self.standing if not standing.park.blocked]
        if free:
            return next((standing for standing in free if standing.park.label == RESUMES), free[0])
        return self.standing[0] if self.standing else _WAITS

    def look(self) -> bool:
        """After another's step: whether this call has come to something that the kernel was not told."""
        due = self._due()
        self._news = due is not self._told or (due is _WAITS and self._loop.next_timer_ns(self) != self._told_timer)
        return self._news

    def has_news(self) -> bool:
        """Whether another's step released it."""
        return self._news

    def _tell(self, due: object, *, turn: int = 0, news: bool = False) -> Park | Finished:
        """``turn`` is the call's own turn that just ended, if one did."""
        self._told = due
        self._news = False
        if isinstance(due, Finished):
            self.delivered = True
            self._loop.leave(self)
            return due
        timer = self._told_timer = self._loop.next_timer_ns(self)
        if not isinstance(due, Standing):
            return Park(_WAITS, (), self.has_news, timer, GATE_TIMER, blocked=True, moved=True)
        park, number = due.park, due.number
        label = f"{park.label}#{number}" if number else park.label
        # It need not look again before something moved; but what moved since it came here may be what it needs.
        if park.blocked and due.turn == turn:
            return Park(label, park.touches, None, timer, GATE_TIMER, blocked=True, moved=news)
        if timer is not None:
            return Park(label, park.touches, _at_once, timer, GATE_TIME_OUT)
        return park if not (number or park.blocked) else Park(label, park.touches)

    def close(self) -> None:
        """Only a run's end closes a call that has not ended: then everything in its loop ends."""
        if not self.delivered:
            self._loop.shut()


def _at_once() -> bool:
    """A task that stands can move at once, while a timer of its own runs."""
    return True


def fatal_in(error: BaseException) -> BaseException | None:
    """What must end the run, also out of the groups in which task groups wrap it."""
    if isinstance(error, BaseExceptionGroup):
        inside: tuple[BaseException, ...] = cast(Any, error).exceptions
        return next((fatal for fatal in map(fatal_in, inside) if fatal is not None), None)
    return error if isinstance(error, KeyboardInterrupt | HungError) else None


class LoopHost:
    """A host that makes a loop at a run's first call. One host serves one run; then close it.

    ``make`` makes a loop; a second one is made when the first was buried.
    """

    def __init__(self, make: Callable[[], Loop]) -> None:
        self._make = make
        self._loop: Loop | None = None
        self._dead: list[Loop] = []

    def open(self, actor: Actor, call: Callable[[], Any]) -> NestedCall:
        """Prepare a nested call."""
        if self._loop is None:
            self._loop = self._make()
        return LoopCall(self._loop, actor, call)

    def bury(self) -> None:
        """The process of all calls so far died: their loop is not stepped any more, whatever its timers, threads
        and locks would have done. Calls from now on run in a new one."""
        if self._loop is not None:
            self._dead.append(self._loop)
            self._loop = None

    def close(self) -> None:
        """End all loops, the newest first."""
        if self._loop is not None:
            self._dead.append(self._loop)
            self._loop = None
        while self._dead:
            self._dead.pop().shut()

"""The kernel: actors, branch points, choices, schedules, hosts. It knows nothing of gates.

One idea: a run is a pure function of its list of choices (see ``_points``); everything that explores, replays, shrinks
or shares runs acts on such lists.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stopcheck.kernel._actors import (
    OWN,
    Actor,
    Park,
    blocked,
    branch,
    perform,
    sleep_until,
    wait_or_timeout,
    wait_until,
)
from stopcheck.kernel._counting import many, plural
from stopcheck.kernel._determinism import Difference, first_difference, run_twice
from stopcheck.kernel._errors import (
    DivergedError,
    Divergence,
    ForeignAwaitError,
    HungError,
    Killed,
    TokenError,
)
from stopcheck.kernel._happens_before import HappensBefore
from stopcheck.kernel._hosts import Finished, Host, InlineHost, NestedCall
from stopcheck.kernel._kernel import Kernel
from stopcheck.kernel._loops import GATE_TIMER, Loop, LoopCall, LoopHost, call_in, current_loop
from stopcheck.kernel._own_threads import start_thread
from stopcheck.kernel._points import (
    CRASH_PREFIX,
    FAULT,
    SCHEDULE,
    TIME_PREFIX,
    Choice,
    Chooser,
    Cut,
    DefaultChooser,
    Point,
    Recorder,
)
from stopcheck.kernel._retracing import Asked, Retracer
from stopcheck.kernel._schedule import Guide, Replayer, Schedule
from stopcheck.kernel._threads import ThreadHost, current_call, park_here
from stopcheck.kernel._turns import Bounds, Ending, Peril, TimeRaces
from stopcheck.kernel._watchdog import Watchdog

if TYPE_CHECKING:
    from stopcheck.kernel._asyncio_host import AsyncioHost
    from stopcheck.kernel._trio_host import TrioHost

_LATE = {"AsyncioHost": "stopcheck.kernel._asyncio_host", "TrioHost": "stopcheck.kernel._trio_host"}


def __getattr__(name: str) -> Any:
    """The hosts with an event loop are imported when one is asked for: most gates need none."""
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "CRASH_PREFIX",
    "FAULT",
    "GATE_TIMER",
    "OWN",
    "SCHEDULE",
    "TIME_PREFIX",
    "Actor",
    "Asked",
    "AsyncioHost",
    "Bounds",
    "Choice",
    "Chooser",
    "Cut",
    "DefaultChooser",
    "Difference",
    "DivergedError",
    "Divergence",
    "Ending",
    "Finished",
    "ForeignAwaitError",
    "Guide",
    "HappensBefore",
    "Host",
    "HungError",
    "InlineHost",
    "Kernel",
    "Killed",
    "Loop",
    "LoopCall",
    "LoopHost",
    "NestedCall",
    "Park",
    "Peril",
    "Point",
    "Recorder",
    "Replayer",
    "Retracer",
    "Schedule",
    "ThreadHost",
    "TimeRaces",
    "TokenError",
    "TrioHost",
    "Watchdog",
    "blocked",
    "branch",
    "call_in",
    "current_call",
    "current_loop",
    "first_difference",
    "many",
    "park_here",
    "perform",
    "plural",
    "run_twice",
    "sleep_until",
    "start_thread",
    "wait_or_timeout",
    "wait_until",
]

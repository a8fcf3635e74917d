"""The world: scenarios, the run, and everything around the gate that is simulated.

One idea: ``run(scenario, factory, choose) -> Record`` is a pure function. Scenario pages are written on what this
module exports, the bundled ones as a vendor's."""

from stopcheck.kernel import branch, sleep_until, wait_until
from stopcheck.world._adapter_faults import in_words, open_gate, raised_at, shortened
from stopcheck.world._admitted import ANSWER_LABEL, STRIKES, UNANSWERED, Admitted
from stopcheck.world._asyncio_drivers import AsyncioInterior, asyncio_drivers
from stopcheck.world._cast import Cast
from stopcheck.world._client import Client
from stopcheck.world._effects import Child, Effect, Message
from stopcheck.world._environment import ProcessDied, RunEnvironment
from stopcheck.world._events import (
    Answered,
    Called,
    Committed,
    EffectDeclared,
    Entry,
    Event,
    FaultChosen,
    FinalAccount,
    GateDied,
    InnerPoint,
    LogLine,
    MessageDelivered,
    NotCommitted,
    Observer,
    PhaseBegan,
    ReceiverTruth,
    Returned,
    Submitted,
    TaskDeclared,
    WorkerActed,
    as_data,
    render_line,
    render_log,
)
from stopcheck.world._forks import forks_refused, refused_fork
from stopcheck.world._in_turn import AtRest, in_turn
from stopcheck.world._injection_points import INJECTION_POINTS
from stopcheck.world._interior import Death, Interior, PlainInterior, StorageArea
from stopcheck.world._postgres_server import MONITOR
from stopcheck.world._queue import Queue
from stopcheck.world._receivers import EXPORT, MAIL, Abilities, Lookup, Receiver
from stopcheck.world._run import MAX_TICKS, Record, run
from stopcheck.world._scenario import FaultBudget, FaultKind, Granularity, Scenario, Variant, Witness
from stopcheck.world._sights import Sight
from stopcheck.world._sqlite_vfs import NoSqliteLibrary, watched
from stopcheck.world._storage import Workspace
from stopcheck.world._substitutes import SubstitutedInterior, gate_modules, substituted
from stopcheck.world._synced_files import SyncedFiles
from stopcheck.world._workers import Holder, Plan, Temper
from stopcheck.world._world import World

__all__ = [
    "ANSWER_LABEL",
    "EXPORT",
    "INJECTION_POINTS",
    "MAIL",
    "MAX_TICKS",
    "MONITOR",
    "STRIKES",
    "UNANSWERED",
    "Abilities",
    "Admitted",
    "Answered",
    "AsyncioInterior",
    "AtRest",
    "Called",
    "Cast",
    "Child",
    "Client",
    "Committed",
    "Death",
    "Effect",
    "EffectDeclared",
    "Entry",
    "Event",
    "FaultBudget",
    "FaultChosen",
    "FaultKind",
    "FinalAccount",
    "GateDied",
    "Granularity",
    "Holder",
    "InnerPoint",
    "Interior",
    "LogLine",
    "Lookup",
    "Message",
    "MessageDelivered",
    "NoSqliteLibrary",
    "NotCommitted",
    "Observer",
    "PhaseBegan",
    "PlainInterior",
    "Plan",
    "ProcessDied",
    "Queue",
    "Receiver",
    "ReceiverTruth",
    "Record",
    "Returned",
    "RunEnvironment",
    "Scenario",
    "Sight",
    "StorageArea",
    "Submitted",
    "SubstitutedInterior",
    "SyncedFiles",
    "TaskDeclared",
    "Temper",
    "Variant",
    "Witness",
    "WorkerActed",
    "Workspace",
    "World",
    "as_data",
    "asyncio_drivers",
    "branch",
    "forks_refused",
    "gate_modules",
    "in_turn",
    "in_words",
    "open_gate",
    "raised_at",
    "refused_fork",
    "render_line",
    "render_log",
    "run",
    "shortened",
    "sleep_until",
    "substituted",
    "wait_until",
    "watched",
]

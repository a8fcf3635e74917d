"""What a gate declares of itself, readable before one is made.

One idea: the judge holds a gate to its own declaration, so everything on which right gates may differ stands here:
capabilities, who assigns incarnations, what becomes of an early stop, who sends, and the bounds in nanoseconds.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from stopcheck.gate._operation_contract import LateResultRule, OperationContract
from stopcheck.gate._vocabulary import AckStrength, CancellationClass, Scope

SECOND_NS = 1_000_000_000


class Capability(StrEnum):
    """The optional parts of the contract. A clause that hangs on one that the gate lacks is ``UNSUPPORTED``."""

    SUPPRESSION = "suppression"
    CHILDREN = "children"
    DELIVERY = "delivery"
    SHARED = "shared"
    RETRIES = "retries"
    RESULTS = "results"
    ESCALATION = "escalation"
    RECONCILIATION = "reconciliation"
    COMPENSATION = "compensation"
    APPROVALS = "approvals"
    DEADLINES = "deadlines"
    MEASURES = "measures"
    PAUSE = "pause"
    CLEANUP = "cleanup"
    CAPACITY = "capacity"


class Assigner(StrEnum):
    """Who assigns incarnations."""

    GATE = "gate"
    CALLER = "caller"


class EarlyStop(StrEnum):
    """What happens to a stop for a task that is not open (SCOPE-6). ``tombstone`` needs caller-assigned
    incarnations."""

    TOMBSTONE = "tombstone"
    REFUSE = "refuse"


class Sender(StrEnum):
    """Who sends admitted effects: the harness, with the permit of a claim, or the gate itself."""

    HARNESS = "harness"
    GATE = "gate"


class Background(StrEnum):
    """Whether the gate does work of its own: none, only inside ``tick``, or by itself."""

    NONE = "none"
    DRIVEN = "driven"
    AUTONOMOUS = "autonomous"


class Durability(StrEnum):
    """What the gate's answers survive."""

    VOLATILE = "volatile"
    PROCESS_DEATH = "process_death"
    POWER_LOSS = "power_loss"


class HostKind(StrEnum):
    """How the gate's code runs. ``inline``: plain calls, or coroutines that await only what the environment
    gives (or a bare ``asyncio.sleep(0)``). ``thread``: blocking code, one thread for each open call. ``trio``,
    ``asyncio``: whatever that library offers except sockets and subprocesses, each open call a task of one loop on the
    virtual clock. Each await that suspends a call is a branch point, whatever it awaits; ``environment.branch`` makes
    further ones."""

    INLINE = "inline"
    THREAD = "thread"
    TRIO = "trio"
    ASYNCIO = "asyncio"
    PROCESS = "process"


class Database(StrEnum):
    """A database that holds a gate's state, in a server that is named to the kit (``STOPCHECK_POSTGRES``). A gate is
    given one that is its own: how to connect stands in a file of its storage (``conninfo_of``)."""

    POSTGRES = "postgres"


#: What is promised of each class where a gate declares nothing else.
OPERATIONS_BY_DEFAULT: dict[CancellationClass, OperationContract] = {
    CancellationClass.ABORTABLE: OperationContract(),
    CancellationClass.COOPERATIVE: OperationContract(),
    CancellationClass.DISCARDABLE: OperationContract(late_results=LateResultRule.DISCARDED),
    CancellationClass.PROVIDER_CANCELLABLE: OperationContract(),
    CancellationClass.IRREVERSIBLE: OperationContract(),
}


class GateContract(msgspec.Struct, frozen=True, kw_only=True):
    """A gate's declaration.

    ``serialised_calls``: the gate's calls never overlap, by construction (one thread, no suspension inside a call).
    It is an assumption that the verdict prints, and a call that yields refutes it (exit 4): where one call waits,
    another may begin.
    ``ledger``: effects are admitted, claimed and accounted for here. A job system that only knows that work began and
    ended says ``False``; it then needs no ``commit_effect``, ``claim_dispatch`` and ``record_outcome``.
    ``resends``: an effect in doubt may be claimed again before the cutoff, to be sent under the same id to a receiver
    that is idempotent; ``False`` where it is only looked up (ADM-7).
    ``database``: where the gate's state is, if not in the files of its storage.
    ``fingerprint``: ``Gate.fingerprint`` names the gate's whole state. ``lease_ns`` is how long a lease lasts.
    ``retention_ns`` is how long a cancellation record is kept at least, counted from its cutoff; it covers the longest
    time for which a queue may hold a message back (REC-6).
    ``reconciliation_budget_ns`` counts from the cutoff; when it ends, a stopped task is ``cancelled_settled`` or
    ``stopped_unresolved`` (ESC-4). ``grace_ns`` counts from the cutoff (ESC-1); it is longer than
    ``observation_bound_ns``, within which a worker that obeys has observed a stop (ESC-8).
    ``cleanup_ns`` is how long a clean-up may take at most, counted from the cutoff; it is over before the
    reconciliation budget is (ESC-5).
    ``operations`` is what the gate promises of each cancellation class; ``operation`` reads it.
    """

    name: str
    version: str
    capabilities: frozenset[Capability] = frozenset()
    scopes: frozenset[Scope] = frozenset((Scope.TASK,))
    incarnations: Assigner = Assigner.GATE
    early_stop: EarlyStop = EarlyStop.REFUSE
    sender: Sender = Sender.HARNESS
    background: Background = Background.DRIVEN
    durability: Durability = Durability.VOLATILE
    host: HostKind = HostKind.INLINE
    database: Database | None = None
    serialised_calls: bool = False
    ledger: bool = True
    resends: bool = True
    fingerprint: bool = False
    retention_ns: int = 3600 * SECOND_NS
    lease_ns: int = 30 * SECOND_NS
    grace_ns: int = 5 * SECOND_NS
    observation_bound_ns: int = 2 * SECOND_NS
    reconciliation_budget_ns: int = 60 * SECOND_NS
    cleanup_ns: int = 30 * SECOND_NS
    acknowledgement_meanings: dict[AckStrength, str] = {}
    operations: dict[CancellationClass, OperationContract] = {}

    @property
    def durable(self) -> bool:
        """Whether the gate's answers survive the death of its process."""
        return self.durability is not Durability.VOLATILE

    def has(self, capability: Capability) -> bool:
        """Whether the gate declares ``capability``."""
        return capability in self.capabilities

    def operation(self, cancellation_class: CancellationClass | None) -> OperationContract:
        """What is promised of operations of that class; of one that nobody declared, what is of ``cooperative``."""
        kind = cancellation_class or CancellationClass.COOPERATIVE
        return self.operations.get(kind, OPERATIONS_BY_DEFAULT[kind])

    def grace_of(self, cancellation_class: CancellationClass | None) -> int:
        """The grace period of an owned operation of that class, in nanoseconds. A task of its own has ``grace_ns``."""
        own_ns = self.operation(cancellation_class).grace_ns
        return self.grace_ns if own_ns is None else own_ns

    def may_force(self, cancellation_class: CancellationClass | None, level: str) -> bool:
        """Whether an owned operation of that class may be stopped by that mechanism of force."""
        declared = self.operation(cancellation_class).force
        return declared is None or level in declared

    def cleanup_of(self, cancellation_class: CancellationClass | None) -> int:
        """How long a clean-up of an owned operation of that class may take, in nanoseconds from the cutoff."""
        own_ns = self.operation(cancellation_class).cleanup_ns
        return self.cleanup_ns if own_ns is None else own_ns

    def resends_of(self, cancellation_class: CancellationClass) -> bool:
        """Whether an effect of that class that is in doubt may be claimed again."""
        own = self.operation(cancellation_class).resends
        return self.resends if own is None else own

    def bound_of(self, cancellation_class: CancellationClass | None) -> int:
        """Within which time an owned operation of that class has observed a stop, in nanoseconds."""
        own_ns = self.operation(cancellation_class).check_every_ns
        return self.observation_bound_ns if own_ns is None else own_ns

"""What is in the corpus: recipes, from which the tokens are made again when a change is meant.

One idea: a recipe says in names what shall happen, so it outlives most edits that its token does not.
"""

from __future__ import annotations

from contextlib import closing

import msgspec

from stopcheck.campaign import load_gate, load_scenarios
from stopcheck.campaign._ground import ground
from stopcheck.explore import make_trial
from stopcheck.judge import CHECKS
from stopcheck.kernel import Point, Schedule
from stopcheck.world import Granularity, Variant


class Want(msgspec.Struct, frozen=True):
    """A deviation: ``option`` is chosen where it is first on offer and, if given, ``instead_of`` is the default; or the
    next time, after ``skipped`` such places."""

    option: str
    instead_of: str = ""
    skipped: int = 0


class Case(msgspec.Struct, frozen=True):
    """One entry. ``broken``: the clauses that the run must break, so that a recipe which no longer does is noticed."""

    name: str
    about: str
    gate: str
    scenario: str
    granularity: Granularity
    wants: tuple[Want, ...] = ()
    handles: int = 1
    broken: tuple[str, ...] = ()


class Wanting:
    """Makes the wanted deviations, one after the other, and else answers the default."""

    def __init__(self, wants: tuple[Want, ...]) -> None:
        self.left = list(wants)

    def choose(self, point: Point) -> int:
        """The next wanted option, where it is on offer and the default is the one named."""
        if self.left:
            want = self.left[0]
            if want.option in point.options[1:] and want.instead_of in ("", point.options[0]):
                if want.skipped:
                    self.left[0] = msgspec.structs.replace(want, skipped=want.skipped - 1)
                    return 0
                del self.left[0]
                return point.options.index(want.option)
        return 0


def make(case: Case) -> Schedule:
    """The schedule that the recipe leads to. Raises ``ValueError`` when something that it wants was never on offer."""
    scenario = load_scenarios()[case.scenario]
    with closing(load_gate(case.gate)) as loaded, ground(loaded, case.granularity) as interior:
        trial = make_trial(scenario, loaded.factory, Variant(case.handles, case.granularity), interior, CHECKS)
        wanting = Wanting(case.wants)
        result = trial(wanting)
    if wanting.left or result.fault is not None:
        what = f"{wanting.left[0].option!r} was never on offer" if wanting.left else str(result.fault)
        raise ValueError(f"the recipe of {case.name!r} leads nowhere: {what}; mend it in {__name__}")
    if not set(case.broken) <= set(result.clauses):
        raise ValueError(f"{case.name!r} breaks {result.clauses}, and should break {case.broken}; mend its recipe")
    return result.schedule()


CALLS, INNER = Granularity.CALLS, Granularity.INNER
STOP = "person@request_cancel"
FLAG = "stopcheck_fixtures.vendor.flag_gate:Gate"
TWO = "stopcheck_fixtures.vendor.two_connections:Gate"
TRIO = "tests.fast.world.async_gates:OnTrio"
ASYNCIO = "tests.fast.world.async_gates:OnAsyncio"

CASES = (
    Case("memory-default", "The plain run: nothing is unusual.", "memory", "before-admission", CALLS),
    Case(
        "memory-stop-first",
        "The stop wins against the commitment.",
        "memory",
        "before-admission",
        CALLS,
        (Want(STOP, "worker@commit_effect"),),
    ),
    Case(
        "memory-answer-lost",
        "The receiver commits, and its answer is lost; the stop comes before anybody looks.",
        "memory",
        "lost-response",
        CALLS,
        (Want("drop_answer"), Want(STOP)),
    ),
    Case(
        "memory-answer-late",
        "The receiver commits after the stop, and its answer is so late that a look-up is there before it.",
        "memory",
        "lost-response",
        CALLS,
        (Want(STOP, "dispatcher@mail.receive"), Want("answer_late")),
    ),
    Case(
        "memory-redelivery",
        "The worker dies after its commitment, and its message is delivered again.",
        "memory",
        "worker-restart",
        CALLS,
        (Want("dies", "lives"), Want(STOP)),
    ),
    Case(
        "memory-duplicate",
        "A message is delivered twice, and the stop comes in between.",
        "memory",
        "worker-restart",
        CALLS,
        (Want("duplicate"), Want(STOP, "dispatcher@outbox")),
    ),
    Case(
        "memory-deadline",
        "The deadline passes before the worker has committed.",
        "memory",
        "deadline-passes",
        CALLS,
        (Want("time:after:the deadline strikes", "worker@commit_effect"),),
    ),
    Case(
        "memory-back-off",
        "Time goes to just before a retry is due, and the stop comes first.",
        "memory",
        "dead-retries",
        CALLS,
        (Want("time:before:the back-off"),),
    ),
    Case(
        "memory-child",
        "A child's registration races with the stop of its parent.",
        "memory",
        "child-creation-race",
        CALLS,
        (Want(STOP, "child worker@start_child"),),
    ),
    Case(
        "sqlite-two-handles",
        "Two handles on one storage: the stop through one, the work through the other, and a death between.",
        "sqlite",
        "before-admission",
        CALLS,
        (Want("crash:gate", "dispatcher@outbox"), Want(STOP)),
        handles=2,
    ),
    Case(
        "sqlite-answer-lost-in-death",
        "The process dies after it accepted the stop and before it could say so; the person asks again.",
        "sqlite",
        "before-admission",
        CALLS,
        (Want(STOP, "worker@commit_effect"), Want("crash", "answered")),
    ),
    Case(
        "sqlite-statements",
        "The stop comes between the BEGIN and the COMMIT of a commitment, and has to wait.",
        "sqlite",
        "before-admission",
        INNER,
        (Want(STOP, "worker@sql:COMMIT", skipped=1),),
    ),
    Case(
        "sqlite-death-in-a-transaction",
        "The process dies before the COMMIT of a stop; the person asks again.",
        "sqlite",
        "before-admission",
        INNER,
        (Want(STOP, "worker@commit_effect"), Want("crash:gate", "person@sql:COMMIT")),
    ),
    Case(
        "flag-gate-check-then-act",
        "A gate that looks at a flag and then acts: the stop comes between.",
        FLAG,
        "before-admission",
        INNER,
        (Want(STOP, "worker@await"),),
        broken=("ADM-3",),
    ),
    Case(
        "two-connections-check-then-act",
        "A gate that selects on one connection and inserts on another: the stop comes between.",
        TWO,
        "before-admission",
        INNER,
        (Want(STOP, "worker@sql:SELECT effects"),),
        broken=("ADM-3",),
    ),
    Case(
        "trio-inside",
        "A gate with a nursery, a lock, a time-out and threads: the stop comes while its child stands.",
        TRIO,
        "before-admission",
        INNER,
        (Want(STOP, "worker@inside#1"),),
    ),
    Case(
        "asyncio-inside",
        "The same in asyncio, and two calls of others meanwhile.",
        ASYNCIO,
        "late-completion",
        INNER,
        (Want("dispatcher@outbox", "worker@inside#1"), Want(STOP)),
    ),
)

"""One run before any campaign: can the kit work with this gate at all?

One idea: what keeps a gate from being tried (it does not start, does not shake hands, raises, answers something else)
shows in one run of the default order, and is told in a second instead of in the middle of a campaign.
"""

from __future__ import annotations

import msgspec

from stopcheck.campaign._ground import ground
from stopcheck.campaign._loading import LoadedGate, load_scenarios
from stopcheck.campaign._messages import EXECUTION_S
from stopcheck.gate import AdapterFault
from stopcheck.judge import CHECKS, Judge
from stopcheck.kernel import Point, ThreadHost, Watchdog
from stopcheck.world import Granularity, Variant, run


class Smoke(msgspec.Struct, frozen=True):
    """What one run of ``scenario`` came to. ``called`` and ``inner`` count answers and points inside of calls, by
    operation; ``serialised``: the gate declares that there can be no such points; ``broken`` are the clauses that even
    this run broke."""

    scenario: str
    called: dict[str, int]
    inner: dict[str, int]
    serialised: bool = False
    broken: tuple[str, ...] = ()
    fault: AdapterFault | None = None


def smoke(loaded: LoadedGate, execution_s: float = EXECUTION_S) -> Smoke:
    """Make the run, between the gate's inner points where it has any."""
    contract = loaded.contract
    scenario = next(each for each in load_scenarios().values() if each.fits(contract))
    inside = not contract.serialised_calls
    granularity = Granularity.INNER if inside else Granularity.CALLS
    judge = Judge(contract, CHECKS)
    with ground(loaded, granularity) as interior, Watchdog(execution_s):
        record = run(
            scenario,
            loaded.factory,
            _default,
            variant=Variant(1, granularity),
            interior=interior,
            observers=(judge,),
            thread_host=ThreadHost(execution_s),
        )
    judge.close()
    broken = tuple(sorted({violation.clause for violation in judge.violations})) if record.fault is None else ()
    return Smoke(scenario.id, record.called, record.inner, contract.serialised_calls, broken, record.fault)


def _default(_: Point) -> int:
    return 0

"""One run before any campaign: can the kit work with this gate at all?

One idea: what keeps a gate from being tried (it does not start, does not shake hands, raises, answers something else)
shows in one run of the default order, and is told in a second instead of in the middle of a campaign.
"""

from __future__ import annotations

import difflib

import msgspec

from stopcheck.campaign._loading import LoadedGate, load_scenarios
from stopcheck.campaign._messages import EXECUTION_S
from stopcheck.campaign._replaying import Replayed, default_schedule, replay_schedule
from stopcheck.gate import OPERATIONS, AdapterFault, Gate
from stopcheck.judge import first_breaks

#: How like an operation's name that of a method is that is taken for a misspelling of it.
_ALIKE = 0.85


class Smoke(msgspec.Struct, frozen=True):
    """One run of ``scenario``, which ``token`` replays. ``serialised``: the gate declares that there can be no points
    inside of calls."""

    scenario: str
    token: str
    replayed: Replayed
    serialised: bool = False

    @property
    def called(self) -> dict[str, int]:
        """How many answers there were, by operation."""
        return self.replayed.record.called

    @property
    def inner(self) -> dict[str, int]:
        """How many points inside of calls, by operation."""
        return self.replayed.record.inner

    @property
    def fault(self) -> AdapterFault | None:
        """What kept the gate from being tried."""
        return self.replayed.record.fault

    @property
    def broken(self) -> dict[str, int]:
        """The clauses that even this run broke, each with its step; none is believed of a run that a fault ended."""
        return {} if self.fault is not None else first_breaks(self.replayed.violations)


def lookalikes(factory: object) -> list[tuple[str, str]]:
    """Public methods of a gate's class that the protocol does not know, each with the operation that it looks like and
    that the same class leaves to another: one of the two is probably meant to be the other."""
    found: list[tuple[str, str]] = []
    for kind in factory.__mro__ if isinstance(factory, type) else ():
        left = [name for name in OPERATIONS if name not in vars(kind)]
        for name, value in vars(kind).items():
            if callable(value) and not name.startswith("_") and not hasattr(Gate, name):
                found += [(name, like) for like in difflib.get_close_matches(name, left, 1, _ALIKE)]
    return found


def smoke(loaded: LoadedGate, execution_s: float = EXECUTION_S) -> Smoke:
    """Make the run, between the gate's inner points where it has any."""
    contract = loaded.contract
    scenario = next(each for each in load_scenarios().values() if each.fits(contract))
    schedule = default_schedule(scenario.id, contract)
    replayed = replay_schedule(loaded, schedule, execution_s=execution_s, nearest=False)
    return Smoke(scenario.id, schedule.token(), replayed, contract.serialised_calls)

"""What the contract allows ``inspect`` to show.

One idea: without what callers see afterwards, a check and an act in two steps look atomic; so a snapshot is an answer
like any other and belongs to the same order (ADM-3). Only parts that one order settles are compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from stopcheck.gate import Inspect
from stopcheck.judge.linearisability._model_owned import children_shown
from stopcheck.judge.linearisability._outcome import DOUBT, UNCLAIMED, Outcome, View
from stopcheck.judge.linearisability._rules import Place, Steps
from stopcheck.judge.linearisability._state import ADMITTED, SUPPRESSED, Effect, GateState

#: Of so many effects each subset is looked at that a gate may have withdrawn; of more, only the one that it shows.
FEW = 6


def inspect(place: Place, _: Inspect) -> Steps:
    """One consistent reading of the task. After the cutoff a gate may withdraw unclaimed effects by itself."""
    withdrawable = [
        (effect_id, effect)
        for effect_id, effect in place.state.effects_of(place.ref)
        if place.rules.suppression and place.stopped and effect.stage == ADMITTED
    ]
    if len(withdrawable) > FEW:
        # Which ones it has withdrawn is taken from the answer (``_bind``), as late as that comes: whatever was called
        # meanwhile may have come before it too.
        yield Outcome("Snapshot", view=_view(place, SUPPRESSED)), place.state
        return
    for state in _with_each_subset(place, withdrawable):
        yield Outcome("Snapshot", view=_view(replace(place, state=state))), state


def _with_each_subset(place: Place, withdrawable: list[tuple[str, Effect]]) -> Iterator[GateState]:
    states = [place.state]
    for effect_id, effect in withdrawable:
        gone = replace(effect, stage=SUPPRESSED)
        states += [state.with_effect(place.ref.key.tenant, effect_id, gone) for state in states]
    yield from states


def _classes(place: Place, effect: Effect, *also: str) -> tuple[str, ...]:
    if effect.stage == ADMITTED and also:
        return (*_classes(place, effect), *also)
    if effect.definitive:
        return (effect.stage,)
    if place.rules.sends:  # a gate that sends by itself learns of outcomes that no call told it
        return (UNCLAIMED, DOUBT, "rejected", "completed", "provider_cancelled", "not_executed")
    return (UNCLAIMED,) if effect.stage == ADMITTED else (DOUBT,)


def _view(place: Place, *also: str) -> View:
    """What an account shows; of what was admitted and not claimed, perhaps something else ``also``."""
    lives = {(True, True): (True,), (False, True): (False, True), (False, False): (False,)}
    return View(
        task=place.ref,
        cut=place.task.cut,
        records=place.stopped,
        executions=place.executions,
        effects=tuple(
            (effect_id, _classes(place, effect, *also)) for effect_id, effect in place.state.effects_of(place.ref)
        ),
        children=tuple((owned.child, owned.started, ends) for owned, ends in children_shown(place)),
        interests=tuple(
            (one.interest_id, lives[place.state.interest_life(one, place.latest)]) for one in place.task.interests
        ),
    )

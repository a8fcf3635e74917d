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


def inspect(place: Place, _: Inspect) -> Steps:
    """One consistent reading of the task."""
    for state in _suppressed_by_gate(place):
        yield Outcome("Snapshot", view=_view(replace_state(place, state))), state


def replace_state(place: Place, state: GateState) -> Place:
    """The same place in a state that differs in its ledger."""
    return replace(place, state=state)


def _suppressed_by_gate(place: Place) -> Iterator[GateState]:
    """After the cutoff a gate may withdraw unclaimed effects by itself: with none of them, and with each subset."""
    states = [place.state]
    if place.rules.suppression and place.stopped:
        for effect_id, effect in place.state.effects_of(place.ref):
            if effect.stage == ADMITTED:
                gone = replace(effect, stage=SUPPRESSED)
                states += [state.with_effect(place.ref.key.tenant, effect_id, gone) for state in states]
    yield from states


def _classes(place: Place, effect: Effect) -> tuple[str, ...]:
    if effect.definitive:
        return (effect.stage,)
    if place.rules.sends:  # a gate that sends by itself learns of outcomes that no call told it
        return (UNCLAIMED, DOUBT, "rejected", "completed", "provider_cancelled", "not_executed")
    return (UNCLAIMED,) if effect.stage == ADMITTED else (DOUBT,)


def _view(place: Place) -> View:
    lives = {(True, True): (True,), (False, True): (False, True), (False, False): (False,)}
    return View(
        task=place.ref,
        cut=place.task.cut,
        records=place.stopped,
        executions=place.executions,
        effects=tuple((effect_id, _classes(place, effect)) for effect_id, effect in place.state.effects_of(place.ref)),
        children=tuple((owned.child, owned.started, ends) for owned, ends in children_shown(place)),
        interests=tuple((one.interest_id, lives[place.state.interest_life(one)]) for one in place.task.interests),
    )

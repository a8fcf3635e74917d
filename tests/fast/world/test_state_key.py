"""Every part of the key of a state is really in it: what differs in nothing else still has another digest.

One idea: a search takes two states with one digest for one, so a part that is left out loses runs without a word. Here
each part is changed alone, in the middle of a run, and the digest must change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import pytest

from stopcheck.explore import make_trial
from stopcheck.judge import CHECKS, Violation
from stopcheck.kernel import SCHEDULE, Cut, Park, Point
from stopcheck.world import FaultKind, PlainInterior, Variant, World
from stopcheck.world._gate_port import OpenCall
from stopcheck.world._state import kept_by, parts_of
from stopcheck_fixtures.reference.memory import MemoryGate
from stopcheck_scenarios.acceptance import SCENARIOS
from tests.fast.scenarios.driver import NoStorage

#: It has a queue, receivers, children to be, and witnesses with stages.
SCENARIO = next(scenario for scenario in SCENARIOS if scenario.id == "worker-restart")
#: The change is made so many choices after the beginning, when there is something to change.
LATER = 6

#: What is put there need not be of the right type: the run ends at once.
Change = Callable[[Any], object]


def actor(world: World) -> Any:
    """One that is not done."""
    return next(one for one in world.kernel.actors if not one.done)


def parked(world: World, **changed: Any) -> None:
    """It stands somewhere else, or for another reason."""
    one = actor(world)
    given = {"label": one.park.label, "touches": one.park.touches, **changed}
    one.park = Park(**given)


def called(world: World) -> None:
    """A call is open."""
    world.port._open["x"] = OpenCall("x", actor(world), 0, "inspect", "")


def opened(world: World) -> None:
    """A call that is open has read something else."""
    called(world)
    world.port._open["x"].digest = b"read"


def printed(world: World) -> None:
    """The gate's own state is another."""
    world.port._gates[0].fingerprint = lambda: b"another"  # type: ignore[method-assign]


def staged(world: World) -> None:
    """A sight has come further."""
    world.sights._stages[0] = 99


def stated(world: World) -> None:
    """A receiver has said something of an effect."""
    receiver = next(iter(world.receivers.values()))
    receiver._fenced.add("x")


def spend(kind: FaultKind, world: World) -> None:
    """A fault of this kind has happened."""
    world.purse.spend(kind)


#: It stands for a task.
REF = "worker-restart"

#: By part of the key. Where a part has parts of its own, each is changed.
CHANGES: dict[str, Sequence[Change]] = {
    "actors": (
        lambda world: actor(world).hear("x"),
        lambda world: parked(world, label="elsewhere"),
        lambda world: parked(world, wake_ns=world.kernel.now_ns + 5),
        lambda world: parked(world, blocked=True),
        lambda world: setattr(actor(world), "age", 99),
        lambda world: setattr(actor(world), "done", True),
    ),
    "gate": (
        printed,
        called,
        opened,
        lambda world: setattr(world.port, "generation", 1),
        lambda world: setattr(world.port, "_unseen", b"x"),
        lambda world: world.port._counter.update(record=9),
    ),
    "budget": tuple(partial(spend, kind) for kind in FaultKind if kind is not FaultKind.OTHER),
    "receivers": (
        stated,
        lambda world: next(iter(world.receivers.values()))._commits.setdefault("x", ["p"]),
    ),
    "queues": (
        lambda world: world.queues[0]._waiting.append("a message"),
        lambda world: world.queues[0]._taken.update(x="a message"),
    ),
    "now": (lambda world: setattr(world.kernel, "now_ns", world.kernel.now_ns + 1),),
    "deaths to come": (lambda world: setattr(world, "may_crash_now", lambda: True),),
    "outboxes": (lambda world: world.outboxes.setdefault("x", []),),
    "outcomes": (lambda world: world.outcomes.update(x="done"),),
    "once settled": (lambda world: world.once_settled.add("x"),),
    "records": (lambda world: world.records.update({next(iter(world.tasks)): "x"}),),
    "signalled": (lambda world: world.signalled.append("x"),),
    "gone": (lambda world: world.gone.append("x"),),
    "stopped workers": (lambda world: world.stopped_workers.append("x"),),
    "registered children": (lambda world: world.registered_children.append(REF),),
    "finished children": (lambda world: world.finished_children.append(REF),),
    "permits": (lambda world: world.port.permits.update(x="y"),),
    "sights": (staged,),
}
CASES = [(part, number) for part, changes in CHANGES.items() for number in range(len(changes))]


class Changing:
    """Makes the change at a point of a run, and looks at the digest before and after."""

    def __init__(self, worlds: list[World], change: Change) -> None:
        self.seen: list[bytes] = []
        self._worlds = worlds
        self._change = change
        self._asked = 0

    def choose(self, point: Point) -> int:
        """By default, up to the change; there the run ends."""
        self._asked += 1
        if self._asked <= LATER or point.kind != SCHEDULE or point.state is None:
            return 0
        self.seen = [point.state(), point.state()]
        self._change(self._worlds[0])
        self.seen.append(point.state())
        raise Cut


def digests(change: Change, violations: list[Sequence[Violation]]) -> list[bytes]:
    """Of the same state twice, and of the changed one."""
    worlds: list[World] = []

    def build(world: World) -> None:
        worlds.append(world)
        SCENARIO.build(world)

    scenario = msgspec.structs.replace(SCENARIO, build=build)
    trial = make_trial(scenario, MemoryGate, Variant(), PlainInterior(NoStorage()), CHECKS)
    changing = Changing(worlds, change)
    trial(changing, violations.append)
    return changing.seen


def test_every_part_is_changed() -> None:
    names: set[str] = set()
    digests(lambda world: names.update(parts_of(world), kept_by(world)), [])
    assert set(CHANGES) == names - {"kept"}


@pytest.mark.parametrize(("part", "number"), CASES)
def test_a_part_that_changes_changes_the_key(part: str, number: int) -> None:
    before, again, after = digests(CHANGES[part][number], [])
    assert before == again != after


def test_what_was_broken_is_part_of_it() -> None:
    violations: list[Sequence[Violation]] = []

    def broken(_world: World) -> None:
        violations[0].append(Violation("ADM-1", "a check", 0, 0, "it was broken"))  # type: ignore[attr-defined]

    before, again, after = digests(broken, violations)
    assert before == again != after

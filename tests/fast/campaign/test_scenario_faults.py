"""A scenario of a vendor's that raises: the fault is the scenario's, never the kit's or the adapter's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from stopcheck.campaign import ClauseVerdict, ExitCode, FaultReport, try_scenario
from stopcheck.campaign._faults import job_fault
from stopcheck.campaign._verdicts import exit_code
from stopcheck.world import Event, Plan, Scenario, Witness, World

HERE = __file__


def calls_the_kit_wrongly(world: World) -> None:
    """Plan takes its parts by name."""
    task = world.task("refund")
    world.worker("worker", Plan(task))  # type: ignore[call-arg]


def gives_the_kit_nonsense(world: World) -> None:
    """The kit itself raises, while this is being built."""
    world.effect(world.task("refund"), "mail", "bank")  # type: ignore[arg-type]


def has_an_actor_that_raises(world: World) -> None:
    """What an actor does is the scenario's as well."""

    async def oracle() -> None:
        raise LookupError("no such oracle")

    world.opens(world.task("refund"))
    world.actor("oracle", oracle())


def is_right(world: World) -> None:
    """Only what is asked of its events is wrong."""
    world.opens(world.task("refund"))


def never_seen(events: Sequence[Event]) -> bool:
    """A witness that raises."""
    return events["the last"] is not None  # type: ignore[call-overload]


def scenario(build: Callable[[World], None], *witnesses: Witness) -> Scenario:
    """A scenario of nothing else."""
    return Scenario(id="of-mine", title="Mine", sentence="Mine.", build=build, witnesses=witnesses)


@pytest.mark.parametrize(
    ("wrong", "raised", "place"),
    [
        (scenario(calls_the_kit_wrongly), "TypeError", "calls_the_kit_wrongly"),
        (scenario(gives_the_kit_nonsense), "AttributeError", "gives_the_kit_nonsense"),
        (scenario(has_an_actor_that_raises), "LookupError: no such oracle", "oracle"),
        (scenario(is_right, Witness("seen", never_seen)), "TypeError", "never_seen"),
    ],
)
def test_what_a_scenario_raises_is_told_as_its_own_with_the_place(wrong: Scenario, raised: str, place: str) -> None:
    tried = try_scenario("memory", wrong, granularity="calls", budget=4)
    fault = tried.faults[0]
    assert fault.title == "Scenario fault"
    assert fault.what.startswith(f"the scenario 'of-mine' raised {raised}")
    assert fault.cause.startswith(f"raised at {HERE}:")
    assert f" in {place};" in fault.cause
    assert "mend the scenario" in fault.hint
    assert tried.jobs[0].left == "ended by an exception of its scenario"


def test_what_the_kit_raises_beneath_an_actor_stays_the_kits() -> None:
    def fails_in_the_kit(world: World) -> None:
        async def actor() -> None:
            job_fault(None, None)  # type: ignore[arg-type]

        world.opens(world.task("refund"))
        world.actor("actor", actor())

    (fault, *_) = try_scenario("memory", scenario(fails_in_the_kit), granularity="calls", budget=4).faults
    assert fault.title == "Kit fault"


def test_a_build_that_is_no_function_hides_nothing() -> None:
    wrong = scenario(partial(calls_the_kit_wrongly))
    (fault, *_) = try_scenario("memory", wrong, granularity="calls", budget=4).faults
    assert f"raised at {HERE}:" in fault.cause


@pytest.mark.parametrize(
    ("kinds", "code"),
    [
        (("scenario",), ExitCode.USAGE),
        (("scenario", "GateRaised"), ExitCode.ADAPTER_FAULT),
        (("scenario", "GateRaised", "kit"), ExitCode.KIT_FAULT),
    ],
)
def test_it_is_a_matter_of_usage_and_outranked_by_worse(kinds: tuple[str, ...], code: int) -> None:
    rows: list[ClauseVerdict] = []
    assert exit_code(rows, [FaultReport(kind, "what", "cause", "hint") for kind in kinds]) == code

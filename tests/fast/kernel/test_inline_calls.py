"""Nested calls in the inline host: plain code, coroutines, and what becomes of them."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from typing import Any

import pytest

from stopcheck.kernel import DefaultChooser, ForeignAwaitError, InlineHost, Kernel, branch, perform
from tests.fast.kernel.support import Foreign, Script, moves, play


def call(operation: Callable[[], Any]) -> tuple[Kernel, Any]:
    """One actor that makes one call, and what it got."""

    async def actor() -> Any:
        return await perform(operation)

    kernel, _ = play([("a", actor())])
    return kernel, kernel.actors[0].result


def test_a_plain_call_is_part_of_its_actors_step() -> None:
    kernel, result = call(lambda: 42)
    assert result == 42
    assert moves(kernel) == ["a@start"]


def test_a_coroutine_call_parks_its_actor_at_each_branch_point() -> None:
    async def operation() -> str:
        await branch("inner")
        await asyncio.sleep(0)
        return "done"

    kernel, result = call(operation)
    assert result == "done"
    assert moves(kernel) == ["a@start", "a@inner", "a@await"]


class Plain:
    """An awaitable that is no coroutine."""

    def __await__(self) -> Generator[Any, Any, str]:
        yield from branch("inner")
        return "awaited"


@pytest.mark.parametrize(
    ("operation", "result"), [(Plain, "awaited"), (lambda: branch("inner"), None)], ids=["object", "branch itself"]
)
def test_any_awaitable_is_driven(operation: Callable[[], Awaitable[Any]], result: Any) -> None:
    kernel, found = call(operation)
    assert found == result
    assert moves(kernel) == ["a@start", "a@inner"]


def test_a_bare_sleep_of_an_actor_is_a_branch_point_too() -> None:
    async def actor() -> None:
        await asyncio.sleep(0)

    kernel, _ = play([("a", actor()), ("b", actor())], "a@start", "b@start")
    assert moves(kernel) == ["a@start", "b@start", "b@await", "a@await"]


@pytest.mark.parametrize("raised", [KeyError("k"), SystemExit(3), asyncio.CancelledError()])
@pytest.mark.parametrize("parks_before", [True, False])
def test_what_a_call_raises_reaches_its_actor(raised: BaseException, parks_before: bool) -> None:
    async def operation() -> None:
        if parks_before:
            await branch("inner")
        raise raised

    async def actor() -> BaseException | None:
        try:
            await perform(operation)
        except BaseException as error:
            return error
        return None

    kernel, _ = play([("a", actor())])
    assert kernel.actors[0].result is raised


def test_a_stop_iteration_of_plain_code_is_an_error_not_an_answer() -> None:
    async def actor() -> None:
        await perform(lambda: next(iter(())))

    with pytest.raises(RuntimeError, match="StopIteration"):
        play([("a", actor())])


def test_an_actor_may_go_on_after_a_call_that_raised() -> None:
    def refuse() -> None:
        raise LookupError

    async def actor() -> str:
        try:
            await perform(refuse)
        except LookupError:
            await branch("recovered")
        return "".join([await perform(lambda: "second"), await perform(lambda: " third")])

    kernel, _ = play([("a", actor())])
    assert kernel.actors[0].result == "second third"
    assert moves(kernel) == ["a@start", "a@recovered"]


@pytest.mark.parametrize("inside_a_call", [True, False])
def test_awaiting_what_only_an_event_loop_can_answer_is_named(inside_a_call: bool) -> None:
    async def operation() -> None:
        await Foreign()

    async def actor() -> None:
        if inside_a_call:
            await perform(operation)
        else:
            await operation()

    with pytest.raises(ForeignAwaitError, match=r"actor-1 awaited .*Foreign, which needs an event loop"):
        play([("actor-1", actor())])


def test_calls_of_two_actors_interleave_at_their_branch_points() -> None:
    order: list[str] = []

    def operation(name: str) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            order.append(f"{name} in")
            await branch("inner")
            order.append(f"{name} out")

        return run

    async def actor(name: str) -> None:
        await perform(operation(name))

    play([("a", actor("a")), ("b", actor("b"))], "a@start", "b@start", "a@inner")
    assert order == ["a in", "b in", "a out", "b out"]


class Gate:
    """A call that would clean up after itself."""

    def __init__(self) -> None:
        self.trace: list[str] = []

    async def operation(self) -> str:
        try:
            await branch("inner")
            self.trace.append("went on")
        finally:
            self.trace.append("cleaned up")
        return "answer"


def test_an_abandoned_call_is_answered_and_none_of_its_code_runs_until_the_end() -> None:
    gate = Gate()

    async def actor() -> str:
        answer: str = await perform(gate.operation)
        await branch("after")
        return answer

    kernel = Kernel(DefaultChooser().choose)
    victim = kernel.spawn("victim", actor())

    async def killer() -> None:
        kernel.abandon(victim, "indefinite")

    kernel.spawn("killer", killer())
    kernel._choose = Script("victim@start", "killer@start").choose
    kernel.run()
    assert victim.result == "indefinite"
    assert victim.heard == ["indefinite"]
    assert moves(kernel) == ["victim@start", "killer@start", "victim@indefinite", "victim@after"]
    assert gate.trace == []
    kernel.close()
    assert gate.trace == ["cleaned up"]


def test_only_an_open_call_of_another_actor_can_be_abandoned() -> None:
    kernel = Kernel(DefaultChooser().choose)

    async def actor() -> None:
        await perform(lambda: kernel.abandon(kernel.actors[0], None))

    idle = kernel.spawn("a", actor())
    with pytest.raises(ValueError, match="a has no call open"):
        kernel.abandon(idle, None)
    with pytest.raises(ValueError, match="a cannot abandon the call that it is in"):
        kernel.run()
    kernel.close()


def test_closing_finalises_every_actor_though_clean_up_raises() -> None:
    trace: list[str] = []

    async def actor(name: str) -> None:
        try:
            await branch("parked")
        finally:
            trace.append(name)
            raise RuntimeError(name)

    async def stubborn() -> None:
        try:
            await branch("parked")
        finally:
            await branch("still here")

    kernel = Kernel(DefaultChooser().choose, host=InlineHost())
    for name in ("a", "b"):
        kernel.spawn(name, actor(name))
    kernel.spawn("stubborn", stubborn())
    kernel.spawn("never started", actor("never started"))
    for started in kernel.actors[:3]:
        kernel._move(started)
    kernel.close()
    assert trace == ["a", "b"]

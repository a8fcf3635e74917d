"""Who is offered a move, in which order, and how a run ends."""

import contextlib
from collections.abc import Generator

import pytest

from stopcheck.kernel import (
    Bounds,
    Cut,
    DefaultChooser,
    Ending,
    Kernel,
    Park,
    Point,
    Recorder,
    blocked,
    branch,
    perform,
    wait_until,
)
from tests.fast.kernel.support import Script, Walk, moves, play, walker


def test_by_default_an_actor_goes_on_until_it_ends_then_the_first_declared() -> None:
    kernel, ending = play([("a", walker("x", "y")), ("b", walker("z"))])
    assert moves(kernel) == ["a@start", "a@x", "a@y", "b@start", "b@z"]
    assert ending is Ending.REST
    assert all(actor.done for actor in kernel.actors)


def test_the_last_actor_is_option_0_and_the_others_stand_as_declared() -> None:
    script = Script("b@start")
    kernel = Kernel(script.choose)
    for name in ("a", "b", "c"):
        kernel.spawn(name, walker("x"))
    kernel.run()
    assert script.asked[0].options == ("a@start", "b@start", "c@start")
    assert script.asked[1].options == ("b@x", "a@start", "c@start")
    assert script.asked[1].actor == "b"


def test_forced_moves_are_not_asked() -> None:
    script = Script()
    kernel = Kernel(script.choose)
    kernel.spawn("only", walker("x", "y"))
    kernel.run()
    assert script.asked == []
    assert kernel.steps == 3


def test_touches_of_the_next_step_stand_beside_each_option() -> None:
    async def touching() -> None:
        await branch("write", ("row",))

    script = Script("b@start")
    kernel = Kernel(script.choose)
    kernel.spawn("a", walker())
    kernel.spawn("b", touching())
    kernel.run()
    assert script.asked[1].options == ("b@write", "a@start")
    assert script.asked[1].touches == (("row",), ())


def test_a_quiet_kernel_asks_nothing_and_takes_the_default() -> None:
    script = Script()
    kernel = Kernel(script.choose)
    kernel.quiet = True
    kernel.spawn("a", walker("x"))
    kernel.spawn("b", walker("y"))
    kernel.run()
    assert script.asked == []
    assert moves(kernel) == ["a@start", "a@x", "b@start", "b@y"]


def test_everything_between_two_branch_points_is_one_step() -> None:
    seen: list[str] = []

    async def pair(name: str) -> None:
        for _ in range(3):
            seen.extend((f"{name} in", f"{name} out"))
            await branch("next")

    for seed in range(20):
        seen.clear()
        kernel = Kernel(Walk(seed).choose)
        kernel.spawn("a", pair("a"))
        kernel.spawn("b", pair("b"))
        kernel.run()
        assert all(seen[at][0] == seen[at + 1][0] for at in range(0, len(seen), 2))


def test_an_actor_that_waits_is_offered_when_its_predicate_holds() -> None:
    box: list[str] = []

    async def taker() -> str:
        await wait_until("mail", lambda: bool(box))
        return box[0]

    async def putter() -> None:
        await branch("put")
        box.append("letter")

    kernel, ending = play([("taker", taker()), ("putter", putter())])
    assert moves(kernel) == ["taker@start", "putter@start", "putter@put", "taker@mail"]
    assert kernel.actors[0].result == "letter"
    assert ending is Ending.REST


def test_an_actor_that_waits_for_ever_is_at_rest_not_in_a_deadlock() -> None:
    async def waiter() -> None:
        await wait_until("never", lambda: False)

    kernel, ending = play([("waiter", waiter())])
    assert ending is Ending.REST
    assert not kernel.actors[0].done


class Lock:
    """A lock in the style of gate code that says ``blocked`` while another holds it."""

    def __init__(self) -> None:
        self.holder = ""
        self.tries: list[str] = []

    async def take(self, name: str) -> None:
        def attempt() -> bool:
            self.tries.append(name)
            if self.holder:
                return False
            self.holder = name
            return True

        while not attempt():
            await blocked("lock")

    def give(self) -> None:
        self.holder = ""


def test_a_blocked_actor_is_offered_again_only_after_another_moved() -> None:
    lock = Lock()

    async def holder() -> None:
        await lock.take("holder")
        await branch("inside")
        await branch("still inside")
        lock.give()

    async def waiter() -> None:
        await lock.take("waiter")

    kernel, ending = play([("holder", holder()), ("waiter", waiter())], "holder@start", "waiter@start", "waiter@lock")
    assert ending is Ending.REST
    assert lock.tries == ["holder", "waiter", "waiter", "waiter"]
    assert moves(kernel) == [
        "holder@start",
        "waiter@start",
        "holder@inside",
        "waiter@lock",
        "holder@still inside",
        "waiter@lock",
    ]


class wait_for:
    """Parks for any reason."""

    def __init__(self, park: Park) -> None:
        self._park = park

    def __await__(self) -> Generator[Park, None, None]:
        yield self._park


def test_a_blocked_actor_with_a_predicate_is_not_offered_before_it_holds() -> None:
    free: list[str] = []

    async def waiter() -> str:
        await wait_for(Park("lock", ready=lambda: bool(free), wake_ns=1000, blocked=True))
        return free[0]

    async def holder() -> None:
        await branch("inside")
        free.append("lock")

    kernel, ending = play([("waiter", waiter()), ("holder", holder())])
    assert ending is Ending.REST
    assert moves(kernel) == ["waiter@start", "holder@start", "holder@inside", "waiter@lock"]


def test_two_actors_that_wait_for_each_other_are_a_deadlock() -> None:
    first, second = Lock(), Lock()

    async def both(name: str, one: Lock, other: Lock) -> None:
        await one.take(name)
        await branch("between")
        await other.take(name)

    actors = [("a", both("a", first, second)), ("b", both("b", second, first))]
    kernel, ending = play(actors, "a@start", "b@start")
    assert ending is Ending.DEADLOCK
    assert [actor.park.label for actor in kernel.actors] == ["lock", "lock"]
    assert kernel.steps < 10


def test_a_blocked_actor_may_look_again_after_time_passed() -> None:
    async def patient() -> str:
        await blocked("busy", wake_ns=50)
        return "gave up"

    kernel, ending = play([("patient", patient())])
    assert ending is Ending.REST
    assert kernel.actors[0].result == "gave up"
    assert kernel.now_ns == 50


def test_polling_actors_run_into_the_step_bound() -> None:
    async def poll() -> None:
        while True:
            await branch("poll")

    kernel = Kernel(DefaultChooser().choose, bounds=Bounds(steps=25))
    kernel.spawn("a", poll())
    assert kernel.run() is Ending.STEP_BOUND
    assert kernel.steps == 25
    kernel.close()


def test_a_run_that_rests_at_the_bound_has_not_been_cut_by_it() -> None:
    kernel = Kernel(DefaultChooser().choose, bounds=Bounds(steps=2))
    kernel.spawn("a", walker("x"))
    assert kernel.run() is Ending.REST


def test_a_child_is_named_after_its_parent_and_an_ordinal() -> None:
    kernel = Kernel(DefaultChooser().choose)

    async def parent() -> None:
        kernel.spawn("helper", walker())
        kernel.spawn("helper", walker())

    kernel.spawn("parent", parent())
    kernel.run()
    assert [actor.name for actor in kernel.actors] == ["parent", "parent.helper1", "parent.helper2"]


@pytest.mark.parametrize("name", ["a", "a@b"])
def test_a_name_that_would_be_ambiguous_in_a_schedule_is_refused(name: str) -> None:
    kernel = Kernel(DefaultChooser().choose)
    kernel.spawn("a", walker())
    with pytest.raises(ValueError, match=name):
        kernel.spawn(name, walker())
    kernel.close()


def test_priming_moves_each_new_actor_once_and_asks_nothing() -> None:
    script = Script()
    kernel = Kernel(script.choose)
    for name in ("a", "b"):
        kernel.spawn(name, walker("x"))
    kernel.prime()
    assert moves(kernel) == ["a@start", "b@start"]
    assert script.asked == []
    kernel.run()
    assert script.asked[0].options == ("a@x", "b@x")


def test_what_an_actor_raises_ends_the_run_and_is_kept() -> None:
    async def breaks() -> None:
        await branch("x")
        raise KeyError("lost")

    kernel = Kernel(DefaultChooser().choose)
    actor = kernel.spawn("a", breaks())
    with pytest.raises(KeyError):
        kernel.run()
    assert isinstance(actor.failure, KeyError)
    assert actor.done
    assert kernel.current is None
    kernel.close()


@pytest.mark.parametrize("answer", [2, -1])
def test_an_answer_that_is_not_on_offer_is_refused(answer: int) -> None:
    kernel = Kernel(lambda _point: answer)
    kernel.spawn("a", walker())
    kernel.spawn("b", walker())
    with pytest.raises(IndexError, match="2 options"):
        kernel.run()
    kernel.close()


def test_a_cut_leaves_the_run_where_it_is() -> None:
    def choose(point: Point) -> int:
        raise Cut

    kernel = Kernel(choose)
    kernel.spawn("a", walker())
    kernel.spawn("b", walker())
    with pytest.raises(Cut):
        kernel.run()
    assert kernel.log == []
    kernel.close()


def test_the_recorder_keeps_each_answer_by_name() -> None:
    recorder = Recorder(Script("b@start"))
    kernel = Kernel(recorder.choose)
    for name in ("a", "b"):
        kernel.spawn(name, walker())
    kernel.run()
    assert [(c.point, c.option, c.deviates) for c in recorder.choices] == [("run", "b@start", True)]


def test_positions_tell_states_apart_and_equal_states_alike() -> None:
    def after(*wanted: str) -> bytes:
        kernel = Kernel(Script(*wanted).choose, bounds=Bounds(steps=2))
        for name in ("a", "b"):
            kernel.spawn(name, walker("x", "y"))
        kernel.run()
        digest = kernel.positions(lambda value: repr(value).encode())
        kernel.close()
        return digest

    assert after("a@start", "b@start") == after("b@start", "a@start")
    assert after("a@start", "a@x") != after("a@start", "b@start")


@pytest.mark.parametrize("fails", [True, False])
def test_what_a_call_answered_is_part_of_the_actors_position(fails: bool) -> None:
    def answer() -> int:
        if fails:
            raise LookupError
        return 7

    async def ask() -> None:
        with contextlib.suppress(LookupError):
            await perform(answer)
        await branch("after")

    kernel = Kernel(DefaultChooser().choose)
    actor = kernel.spawn("a", ask())
    kernel.run()
    assert actor.heard == (["raised LookupError"] if fails else [7])

"""Runs that are made again where a server served somebody out of turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stopcheck.campaign._loading import load_gate, load_scenarios
from stopcheck.explore import Result, make_trial
from stopcheck.judge import CHECKS
from stopcheck.kernel import SCHEDULE, Cut, DefaultChooser, DivergedError, Point, ThreadHost
from stopcheck.world import Granularity, PlainInterior, Variant, Workspace
from stopcheck.world._in_turn import REPEATS, AtRest, in_turn


class Server:
    """Serves out of turn in the first attempts, from a question on."""

    can_be_out_of_turn = True

    def __init__(self, unfair: int, since: int = 1) -> None:
        self._unfair = unfair
        self._since = since
        self.attempts = 0
        self.asked = 0

    @property
    def out_of_turn(self) -> bool:
        return self.attempts <= self._unfair and self.asked >= self._since

    def attempt(self, choose: Callable[[Point], int], at_rest: AtRest | None) -> list[int]:
        """Three questions; how many options they offer follows from the answers."""
        self.attempts, self.asked = self.attempts + 1, 0
        answers: list[int] = []
        for number in range(3):
            options = tuple(f"{number}.{option}" for option in range(2 + sum(answers)))
            answers.append(choose(Point(SCHEDULE, "", "", options, number)))
            self.asked += 1
        if at_rest is not None:
            at_rest(lambda: b"rest")
        return answers


class Asked:
    """Answers with the last option, and keeps what it was asked."""

    def __init__(self) -> None:
        self.questions: list[tuple[str, ...]] = []
        self.rests: list[bytes] = []

    def choose(self, point: Point) -> int:
        self.questions.append(point.options)
        return len(point.options) - 1

    def at_rest(self, state: Callable[[], bytes]) -> None:
        self.rests.append(state())


@pytest.mark.parametrize("since", [1, 2, 3])
@pytest.mark.parametrize("unfair", range(REPEATS + 3))
def test_whoever_chooses_is_asked_everything_once(unfair: int, since: int) -> None:
    server, asked = Server(unfair, since), Asked()
    assert in_turn(server.attempt, asked.choose, asked.at_rest, server) == [1, 2, 4]
    assert [len(options) for options in asked.questions] == [2, 3, 5]
    assert asked.rests == [b"rest"]
    assert server.attempts == 1 + min(unfair, REPEATS)  # what comes out of turn each time counts


def test_a_run_that_went_out_of_turn_after_its_last_question_is_made_again() -> None:
    server, asked = Server(1, 3), Asked()
    assert in_turn(server.attempt, asked.choose, None, server) == [1, 2, 4]
    assert server.attempts == 2


def test_where_nothing_can_be_out_of_turn_nothing_is_watched() -> None:
    server = Server(9)
    server.can_be_out_of_turn = False
    in_turn(server.attempt, Asked().choose, None, server)
    assert server.attempts == 1


def test_a_run_that_is_cut_short_is_not_made_again() -> None:
    server = Server(0)

    def choose(point: Point) -> int:
        raise Cut

    with pytest.raises(Cut):
        in_turn(server.attempt, choose, None, server)
    assert server.attempts == 1


def test_a_run_that_asks_something_else_the_second_time_has_diverged() -> None:
    server, names = Server(1, 2), iter("abcdef")

    def attempt(choose: Callable[[Point], int], _: AtRest | None) -> int:
        server.attempts, server.asked = server.attempts + 1, 0
        for _number in range(3):
            choose(Point(SCHEDULE, "", "", (next(names),), 0))
            server.asked += 1
        return 0

    with pytest.raises(DivergedError, match=r"the schedule says 'a', but the run asks at .* and offers d"):
        in_turn(attempt, Asked().choose, None, server)


class Unfair(PlainInterior):
    """Each run's first attempt is out of turn from its end on."""

    begun = 0

    @property
    def can_be_out_of_turn(self) -> bool:
        return True

    def begin(self, now_ns: Callable[[], int], *, inner: bool) -> None:
        self.begun += 1

    @property
    def out_of_turn(self) -> bool:
        return self.begun % 2 == 1


@pytest.fixture
def area(tmp_path: Path) -> Iterator[Workspace]:
    with closing(Workspace(tmp_path)) as made:
        yield made


def test_a_trial_that_is_made_again_is_the_same_trial(area: Workspace) -> None:
    loaded, scenario = load_gate("memory"), load_scenarios()["before-admission"]

    def made(interior: PlainInterior) -> Result:
        host = ThreadHost(20)
        trial = make_trial(scenario, loaded.factory, Variant(1, Granularity.CALLS), interior, CHECKS, thread_host=host)
        return trial(DefaultChooser())

    plain, again = made(PlainInterior(area)), made(unfair := Unfair(area))
    assert unfair.begun == 2
    assert (again.log(), again.outcome(), again.choices) == (plain.log(), plain.outcome(), plain.choices)
    assert again.offers() == plain.offers()

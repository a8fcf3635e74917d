"""Sampling: one seeded run after another.

One idea: run number ``i`` of seed ``s`` depends on ``s`` and ``i`` alone, so any run of a sample can be had again
without those before it, and a sample can be split over machines.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from stopcheck.explore._exploration import Book, Exploration, bounds_reached
from stopcheck.explore._trial import Trial
from stopcheck.kernel import CRASH_PREFIX, TIME_PREFIX, Chooser

#: From the generator and the number of a run to its chooser.
MakeChooser = Callable[[random.Random, int], Chooser]


def generator(seed: int, number: int) -> random.Random:
    """The generator of run ``number``."""
    return random.Random(f"{seed}/{number}")


def sample(trial: Trial, book: Book, seed: int, make: MakeChooser, *, first: int = 0) -> Exploration:
    """Make runs from number ``first`` on until the book's budget is spent. A sample never exhausts anything."""
    number = first
    while book.may_go_on():
        book.take(trial(make(generator(seed, number), number)))
        number += 1
    at_bounds = bounds_reached(book.exploration)
    if at_bounds and book.exploration.truncated_by:
        book.exploration.truncated_by += f", and {at_bounds}"
    return book.exploration


def mover(option: str) -> str:
    """Whose option it is: an actor's name, or the option itself when it is a death or a passage of time."""
    if option.startswith((TIME_PREFIX, CRASH_PREFIX)):
        return option
    return option.split("@", 1)[0]


def is_step(option: str) -> bool:
    """Whether the option at a scheduling point is an actor's step."""
    return "@" in option and not option.startswith((TIME_PREFIX, CRASH_PREFIX))

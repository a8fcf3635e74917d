"""What a strategy must know of a world before it can draw: who stops, and about how long runs are.

One idea: that is read off two runs, and they are runs like any other: counted, judged and entered in the book.
"""

from __future__ import annotations

from stopcheck.explore._exploration import Book
from stopcheck.explore._stops import HoldingBack, stop_actors
from stopcheck.explore._trial import Trial
from stopcheck.kernel import DefaultChooser


class Pilot:
    """Makes the plain run and, if somebody stops in it and ``positions`` are asked for, one with the stops held back.

    ``length``: how many choices the plain run has. ``stops``: who stops, in the order in which they do. ``positions``:
    at how many points of the other run a stop could have started.
    """

    def __init__(self, trial: Trial, book: Book, *, positions: bool) -> None:
        self.length = 0
        self.stops: list[str] = []
        self.positions = 0
        if not book.may_go_on():
            return
        plain = trial(DefaultChooser())
        book.take(plain)
        self.length = len(plain.choices)
        self.stops = stop_actors(plain)
        if positions and self.stops and book.may_go_on():
            holding = HoldingBack(self.stops)
            book.take(trial(holding))
            self.positions = len(holding.offers)

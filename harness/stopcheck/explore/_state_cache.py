"""The state cache: what is known of a state that was seen.

One idea: a state is entered once, since all that can follow it is taken then. What *all* means differs between
searches, so each keeps something of its own beside a state: the steps that slept, or the disruptions that were left.

Soundness: a digest enters at a scheduling point whose options all go on the path, so each is taken by this very search
unless it is truncated, and then the exploration says so. Questions in the middle of a step have no state and are
branched on without one. Whether the digest really tells states apart is *audited* (``_audit``): if it does not, the
cache is dropped, the search begins again without, and nothing may be concluded from what it did not find.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from stopcheck.explore._audit import AUDIT_RUNS, Audit
from stopcheck.explore._exploration import Book, CacheRefuted, CacheUse
from stopcheck.explore._trial import Trial
from stopcheck.kernel import SCHEDULE, Choice, Cut, Point

#: States that are kept at most; about 100 bytes each.
CACHE_BOUND = 1_000_000

V = TypeVar("V")


class StateCache(Generic[V]):
    """Digests of states, with what the search keeps of each. ``bound``: how many; 0 keeps none."""

    def __init__(self, bound: int) -> None:
        self.refuted: CacheRefuted | None = None
        self._bound = bound
        self._seen: dict[bytes, V] = {}
        self._audit = Audit()
        self._suspect: tuple[bytes, list[Choice]] | None = None
        self._hits = 0
        self._used = self._full = False

    def begin(self) -> None:
        """A run begins."""
        self._suspect = None

    def digest_at(self, point: Point) -> bytes:
        """The digest of the state; empty where there is none, or none is wanted."""
        if not self._bound or point.state is None or point.kind != SCHEDULE:
            return b""
        digest = point.state()
        self._used = self._used or bool(digest)
        return digest or b""

    def known(self, digest: bytes) -> V | None:
        """What is kept of a state; ``None`` if it was not seen."""
        return self._seen.get(digest)

    def keep(self, digest: bytes, value: V, way: Sequence[Choice]) -> None:
        """Keep this of a state, instead of what was kept before; ``way`` leads to it."""
        if digest not in self._seen:
            if len(self._seen) >= self._bound:
                self._full = True
                return
            if self._audit.selects(digest):
                self._audit.remember(digest, list(way))
        self._seen[digest] = value

    def hit(self, digest: bytes, way: Sequence[Choice]) -> None:
        """A state was reached again, and not all of it is taken again."""
        self._hits += 1
        if self._audit.wants(digest):
            self._suspect = (digest, list(way))

    def rest(self, state: Callable[[], bytes], value: V, way: Sequence[Choice]) -> None:
        """Nothing is left to choose. What follows is a function of the state, as it is at a choice: raises ``Cut`` if
        it is known. (Rest may have been chosen in this very state, where a death was on offer too: so it is another.)
        """
        digest = state() if self._bound else b""
        if not digest:
            return
        digest += b"|rest"
        if digest in self._seen:
            self.hit(digest, way)
            raise Cut
        self.keep(digest, value, way)

    def audit(self, trial: Trial, book: Book) -> bool:
        """Whether the run's hit, if it is to be audited, is borne out."""
        if self._suspect is not None and book.affords(AUDIT_RUNS):
            self.refuted = self._audit.check(trial, *self._suspect, book)
        return self.refuted is None

    @property
    def states(self) -> int:
        """How many are kept."""
        return len(self._seen)

    @property
    def use(self) -> CacheUse:
        """What the cache did."""
        return CacheUse(self._used, self._hits, self._audit.done, self._full, self.refuted)


__all__ = ["CACHE_BOUND", "StateCache"]

"""The coverage ledger: which faults, deaths and races of timers runs were offered, and which they took.

One idea: a strategy may pass by what it was offered, and a scenario may admit what no run was ever offered. So both are
counted, and what was admitted stands in the ledger even if it was never offered. Steps of actors are not counted: there
the search itself says whether all were taken.

A death at a scheduling point is named by the step that was made last (``actor@label``), a fault by who asked and where
(``actor@label``), a timer by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from stopcheck.kernel import CRASH_PREFIX, FAULT, GATE_TIMER, TIME_PREFIX, Choice, Chooser, Point
from stopcheck.world import ANSWER_LABEL, STRIKES, UNANSWERED, Admitted, Death, Entry, FaultKind, LogLine

#: Who was asked what (``actor@label``, or the step before), and the options beside the default.
Offer = tuple[str, tuple[str, ...]]
#: How often it was offered, then how often each option was taken.
Counts = list[int]
#: What a run was offered, and which option it took; -1 for none of them.
Taken = tuple[Offer, int]

AFTER = "death after it"
BEFORE = "death before its answer"
POWER_AFTER = "loss of power after it"
POWER_BEFORE = "loss of power before its answer"
#: What is not just a death, by what was chosen.
_DEATHS = {STRIKES[Death.POWER]: POWER_AFTER, UNANSWERED[Death.POWER]: POWER_BEFORE}
_OTHERS = (TIME_PREFIX, CRASH_PREFIX)


class Tally(msgspec.Struct, frozen=True):
    """One line: ``what`` may happen at ``where``; how often that was offered and taken, in all runs together. What was
    admitted by the scenario and never offered has no actor in ``where``."""

    kind: FaultKind
    where: str
    what: str
    offered: int
    taken: int

    @property
    def label(self) -> str:
        """The place without the actor."""
        return self.where.split("@", 1)[-1]


class Noting:
    """Wraps a strategy, as the kernel's recorder does, and also notes what it was offered beside actors' steps."""

    __slots__ = ("_noted", "choices", "inner")

    def __init__(self, inner: Chooser) -> None:
        self.inner = inner
        self.choices: list[Choice] = []
        self._noted: list[tuple[str, int, tuple[str, ...], int]] = []

    def choose(self, point: Point) -> int:
        """Ask the wrapped strategy, note its answer, and what else it could have been."""
        index = self.inner.choose(point)
        options = point.options
        self.choices.append(Choice(point.name, options[index], index))
        if point.kind == FAULT:
            self._noted.append((point.name, 0, options[1:], index - 1))
        elif options[-1].startswith(_OTHERS):
            first = len(options)
            while first > 1 and options[first - 1].startswith(_OTHERS):  # option 0 is the default, whatever it is
                first -= 1
            self._noted.append(("", point.step, options[first:], index - first))
        return index

    def offers(self, log: Sequence[LogLine]) -> list[Taken]:
        """What was offered, deaths named by the step before them in the run's log."""
        steps: dict[int, str] = {}
        if any(options and options[-1].startswith(CRASH_PREFIX) for _, _, options, _ in self._noted):
            steps = {line[0]: line[2] for line in log if not isinstance(line, Entry)}
        return [
            ((where or steps.get(step, ""), options), max(-1, index))
            for where, step, options, index in self._noted
            if options
        ]


def enter(total: dict[Offer, Counts], offers: Iterable[Taken]) -> None:
    """Enter what one run was offered."""
    for offer, index in offers:
        counts = total.get(offer)
        if counts is None:
            counts = total[offer] = [0] * (1 + len(offer[1]))
        counts[0] += 1
        if index >= 0:
            counts[1 + index] += 1


def both(one: dict[Offer, Counts], other: dict[Offer, Counts]) -> dict[Offer, Counts]:
    """Both together, as a new total."""
    total = {offer: list(counts) for offer, counts in one.items()}
    for offer, counts in other.items():
        total[offer] = [a + b for a, b in zip(total.get(offer, [0] * len(counts)), counts, strict=True)]
    return total


def tallies(offers: dict[Offer, Counts], admitted: Iterable[Admitted]) -> tuple[Tally, ...]:
    """The ledger, sorted: a line for each thing that was offered, and for each that was admitted and never offered."""
    admits = {(a.label, a.what): a.kind for a in admitted}
    lines: dict[tuple[FaultKind, str, str], Counts] = {}
    for (asked, options), counts in offers.items():
        for option, taken in zip(options, counts[1:], strict=True):
            key, kind, where, what = _read(asked, option)
            line = lines.setdefault((admits.get(key, kind), where, what), [0, 0])
            line[0] += counts[0]
            line[1] += taken
    found = [Tally(kind, where, what, offered, taken) for (kind, where, what), (offered, taken) in lines.items()]
    for (label, option), kind in admits.items():
        where, what = (label, option) if kind is FaultKind.TIME else _read(f"@{label}", option)[2:]
        found.append(Tally(kind, where, what, 0, 0))
    return added(found)


def added(lines: Iterable[Tally]) -> tuple[Tally, ...]:
    """Ledgers of one space as one, sorted. What was met somewhere no longer stands there without an actor."""
    total: dict[tuple[FaultKind, str, str], Counts] = {}
    for line in lines:
        counts = total.setdefault((line.kind, line.where, line.what), [0, 0])
        counts[0] += line.offered
        counts[1] += line.taken
    found = [Tally(kind, where, what, offered, taken) for (kind, where, what), (offered, taken) in total.items()]
    met = {(line.label, line.what) for line in found if line.offered}
    kept = (line for line in found if line.offered or (line.label, line.what) not in met)
    return tuple(sorted(kept, key=lambda line: (line.kind.value, line.where, line.what)))


def _read(asked: str, option: str) -> tuple[tuple[str, str], FaultKind, str, str]:
    """Label and option as a scenario admits them, the kind if it does not, and place and event as the ledger says."""
    if option.startswith(TIME_PREFIX):
        how, timer = option[len(TIME_PREFIX) :].split(":", 1)
        return (timer, how), FaultKind.GATE_TIMER if timer == GATE_TIMER else FaultKind.TIME, timer, how
    if option.startswith(CRASH_PREFIX):
        return ("", option), FaultKind.CRASH, asked, _DEATHS.get(option[len(CRASH_PREFIX) :], AFTER)
    actor, _, label = asked.partition("@")
    where = asked if actor else label
    if label.startswith(ANSWER_LABEL):
        return (label, option), FaultKind.CRASH, where.replace(ANSWER_LABEL, "", 1), _DEATHS.get(option, BEFORE)
    return (label, option), FaultKind.OTHER, where, option

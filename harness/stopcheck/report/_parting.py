"""A failing run beside the nearest run that passes: which choice decides, and what then goes another way.

One idea: two stories that share a beginning are read as one story with a fork, so what both tell is left out, and what
only one tells stands under the other with a sign: ``-`` for the run that fails, ``+`` for the one that passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from stopcheck.campaign import NearestPass, ReplayedRun
from stopcheck.report._console import ReportConsole
from stopcheck.report._timeline import Line, timeline

#: Lines of the fork that are shown unless all are asked for.
_SHOWN = 40


def what_decides(nearest: NearestPass) -> str:
    """The choice at which both runs part, in one line."""
    asked = "" if nearest.asked == "run" else f" at {nearest.asked}"
    passes = f"only {', '.join(nearest.breaks)} broke" if nearest.breaks else "nothing broke"
    more = "" if nearest.changed == 1 else f" (and {nearest.changed - 1} more changed)"
    return (
        f"{nearest.failing!r}{asked} after step {nearest.step} (choice {nearest.position}); "
        f"with {nearest.passing!r} there{more} {passes}"
    )


def print_parting(console: ReportConsole, replayed: ReplayedRun, *, full: bool = False) -> None:
    """Print where the nearest passing run parts from this one. Nothing, if there is none."""
    for line in parting(replayed, full=full):
        console.say(line.text, line.style)


def parting(replayed: ReplayedRun, *, full: bool = False) -> Iterator[Line]:
    """The fork's lines."""
    if replayed.nearest is None:
        return
    nearest, other = replayed.nearest
    yield Line(f"--- what decides: {what_decides(nearest)}", "bold")
    yield Line(f"    the same up to step {nearest.step}, then - this run, + the nearest run that passes", "dim")
    lines = list(_fork(_told(replayed), _told(other)))
    shown = lines if full else lines[:_SHOWN]
    yield from shown
    if len(shown) < len(lines):
        yield Line(f"    ... {len(lines) - len(shown)} more line(s) (--full shows them)", "dim")


def _told(replayed: ReplayedRun) -> list[Line]:
    """What a reader compares; that a clause went on breaking distinguishes no run."""
    return [line for line in timeline(replayed) if line.what and not line.again]


def _fork(ours: Sequence[Line], theirs: Sequence[Line]) -> Iterator[Line]:
    """What only one of them tells; between that, how much both tell."""
    matcher = SequenceMatcher(None, [line.what for line in ours], [line.what for line in theirs], autojunk=False)
    for kind, from_ours, to_ours, from_theirs, to_theirs in matcher.get_opcodes():
        if kind == "equal" and from_ours > 0 and to_ours < len(ours):
            yield Line(f"{'':10}... {to_ours - from_ours} line(s) of both", "dim")
        elif kind != "equal":
            yield from (_signed("-", line, "red") for line in ours[from_ours:to_ours])
            yield from (_signed("+", line, "green") for line in theirs[from_theirs:to_theirs])


def _signed(sign: str, line: Line, style: str) -> Line:
    return line._replace(text=f" {sign} {line.step:4d}  {line.what}", style=style)

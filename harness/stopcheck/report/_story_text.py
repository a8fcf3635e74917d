"""An interleaving as plain text, for report files that hold no picture."""

from __future__ import annotations

from collections.abc import Iterator

from stopcheck.campaign import Broken, Finding, Interleaving, Move, Report
from stopcheck.judge import seconds


def story_of(report: Report, finding: Finding) -> Interleaving | None:
    """The interleaving of a finding, if its run was made again."""
    return next((one for one in report.interleavings if one.token == finding.token), None)


def told(story: Interleaving) -> Iterator[Move | Broken]:
    """The moves in order, and after the last move of a step what broke by it."""
    left = sorted(story.broken, key=lambda broken: broken.step)
    for move in story.moves:
        while left and left[0].step < move.step:
            yield left.pop(0)
        yield move
    yield from left


def as_text(story: Interleaving, *, most: int = 400) -> list[str]:
    """A line for each, of which at most ``most`` are kept."""
    lines = ["step   time  who           what"]
    for one in told(story):
        if isinstance(one, Broken):
            lines.append(f"!!! {one.clause} broken at step {one.step}: {one.message}")
            continue
        mark = "*" if one.instead_of else " "
        instead = f"   <- not the default, which was {one.instead_of.replace('@', ': ')}" if one.instead_of else ""
        where = f"   [{one.where}]" if one.where else ""
        lines.append(f"{mark}{one.step:3d} {seconds(one.at_ns):>6}  {one.lane:12}  {one.what}{where}{instead}")
        if one.cutoff:
            lines.append(f"--- cutoff: from here on nothing new may be admitted (step {one.step})")
    if len(lines) > most:
        lines[most:] = [f"... {len(lines) - most} more lines"]
    return lines

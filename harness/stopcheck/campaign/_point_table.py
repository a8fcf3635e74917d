"""Which scenarios carry each named point at which a stop is injected.

One idea: the points are a closed list, so that one that no scenario carries is seen, here and in ``list points``.
"""

from __future__ import annotations

from stopcheck.campaign._loading import load_scenarios
from stopcheck.world import INJECTION_POINTS


def points_carried() -> dict[str, tuple[str, ...]]:
    """The ids of the scenarios that were written for each point, by the point's name, in the contract's order."""
    scenarios = load_scenarios().values()
    return {
        point: tuple(scenario.id for scenario in scenarios if point in scenario.points) for point in INJECTION_POINTS
    }


def points_as_markdown(carried: dict[str, tuple[str, ...]]) -> str:
    """The table of ``docs/points.md``."""
    lines = [
        "# Where a stop is injected",
        "",
        "Made by `stopcheck list points --markdown`; a test holds it. A stop lands at every branch point that there",
        "is; these are the named ones of the contract (section 3), with the scenarios that were written for them.",
        "",
        "| point | what is so then | scenarios |",
        "| --- | --- | --- |",
    ]
    lines += [f"| {point} | {INJECTION_POINTS[point]} | {', '.join(ids) or 'none'} |" for point, ids in carried.items()]
    return "\n".join(lines) + "\n"


__all__ = ["points_as_markdown", "points_carried"]

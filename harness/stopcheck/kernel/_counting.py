"""Numbers of things, in words that fit one as well."""

from __future__ import annotations


def plural(number: int, thing: str) -> str:
    """The word for so many of a thing: ``run``, ``runs``, ``crashes``, ``deliveries``."""
    if number == 1:
        return thing
    if thing.endswith("y"):
        return f"{thing[:-1]}ies"
    return f"{thing}es" if thing.endswith(("s", "sh")) else f"{thing}s"


def many(number: int, thing: str) -> str:
    """So many of a thing: ``1 run``, ``1,000 runs``."""
    return f"{number:,} {plural(number, thing)}"

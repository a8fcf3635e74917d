"""Numbers of things, in words."""

from __future__ import annotations

import pytest

from stopcheck.kernel import many, plural


@pytest.mark.parametrize(
    ("number", "thing", "said"),
    [
        (0, "run", "0 runs"),
        (1, "run", "1 run"),
        (1_000, "run", "1,000 runs"),
        (2, "process", "2 processes"),
        (2, "crash", "2 crashes"),
        (2, "redelivery", "2 redeliveries"),
        (1, "redelivery", "1 redelivery"),
    ],
)
def test_one_is_no_plural(number: int, thing: str, said: str) -> None:
    assert many(number, thing) == said
    assert said.endswith(plural(number, thing))

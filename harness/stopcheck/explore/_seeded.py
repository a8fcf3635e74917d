"""Hypothesis as a function of a seed.

One idea: a seed must make the same runs again in any process. So there is no database and no clock, and Hypothesis does
not see what else is loaded: left to itself it draws, now and then, constants that it finds in the source of whatever
modules have been imported, tests and adapters included.
"""

from __future__ import annotations

import importlib
from collections.abc import Generator
from contextlib import contextmanager

from hypothesis import HealthCheck, Phase, Verbosity, settings

# Those that a generator of runs has no use for: runs are slow, and they may be large.
_HEALTH_CHECKS = (
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.too_slow,
    HealthCheck.large_base_example,
    HealthCheck.differing_executors,
    HealthCheck.nested_given,
)
#: Where Hypothesis keeps constants: the module, the function that looks for those of loaded modules, what it knows
#: anyway, and what it remembers of both. There is no setting for it; versions without it need none.
_PROVIDERS = "hypothesis.internal.conjecture.providers"
_FINDS, _KNOWN, _REMEMBERS = "_get_local_constants", "GLOBAL_CONSTANTS", "CONSTANTS_CACHE"


def machine_settings(runs: int, steps: int) -> settings:
    """Generation only, from a given seed, without database and clock."""
    return settings(
        max_examples=max(1, runs),
        stateful_step_count=max(1, steps),
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate,),
        suppress_health_check=_HEALTH_CHECKS,
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
    )


def derived(seed: int, number: int) -> int:
    """The seed of a round."""
    return seed * 1_000_003 + number


@contextmanager
def whatever_is_loaded() -> Generator[None, None, None]:
    """Inside, Hypothesis draws the same, whatever modules are loaded."""
    providers = importlib.import_module(_PROVIDERS)
    before = {name: getattr(providers, name) for name in (_FINDS, _REMEMBERS) if hasattr(providers, name)}
    known = getattr(providers, _KNOWN, None)
    if len(before) < 2 or known is None:
        yield
        return
    setattr(providers, _FINDS, lambda: known)
    setattr(providers, _REMEMBERS, {})
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(providers, name, value)

"""A Hypothesis profile whose examples a CI can keep.

One idea: what Hypothesis once found to fail is worth keeping. The profile has its database in ``.stopcheck/examples``
below pytest's root, so that a CI that keeps this directory tries it first in the next run.
"""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

PROFILE = "stopcheck"
EXAMPLES = Path(".stopcheck") / "examples"


def register_profile(root: Path) -> None:
    """Make it known to Hypothesis."""
    settings.register_profile(
        PROFILE,
        database=DirectoryBasedExampleDatabase(root / EXAMPLES),
        deadline=None,  # runs of a world differ in length, and a slow one is no failure
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )

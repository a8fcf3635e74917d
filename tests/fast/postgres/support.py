"""A server for the tests: the one that ``STOPCHECK_POSTGRES`` names, else the one on this machine's usual port."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing

import pytest

from stopcheck.campaign._databases import VARIABLE, Database, connect_to_server
from stopcheck.campaign._errors import UsageFault

os.environ.setdefault(VARIABLE, "host=127.0.0.1 user=postgres dbname=postgres")


@pytest.fixture(scope="session")
def server() -> None:
    """Skips where there is no server, except in CI, where one that is missing is a fault."""
    try:
        connect_to_server().close()
    except UsageFault as fault:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(fault))


@pytest.fixture(scope="module")
def database(server: None) -> Iterator[Database]:
    """A database of the module's own."""
    with closing(Database()) as made:
        yield made

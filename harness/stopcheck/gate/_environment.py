"""What a gate is given: storage, time, ids, verification and branch points; never what is expected of it.

One idea: a gate that takes all of these from here, and nothing from the process around it, makes every run a pure
function of the harness's choices.
"""

from __future__ import annotations

from collections.abc import Awaitable
from pathlib import Path
from typing import Protocol

from stopcheck.gate._evidence import Receipt

_CONNINFO = "postgres.conninfo"


class Environment(Protocol):
    """Passed to the factory. Two handles on one gate get environments with the same ``storage``."""

    @property
    def storage(self) -> Path:
        """A directory of the gate's own. It survives a crash of the gate; a new gate opens on the same files."""
        ...

    def now_ns(self) -> int:
        """The virtual clock, in nanoseconds. It moves only between steps."""
        ...

    def fresh_id(self, prefix: str) -> str:
        """A new id, unique in the run and the same in every replay. Use it where you would use ``uuid4``."""
        ...

    def verify(self, receipt: Receipt) -> bool:
        """Whether ``receipt`` was really signed by the receiver that it names. It says nothing of whether the
        receipt is about your effect or your payload: compare those yourself."""
        ...

    def branch(self, label: str, touches: tuple[str, ...] = ()) -> Awaitable[None]:
        """A branch point inside a call: others may move here. ``await`` it in a coroutine; in the ``thread`` host
        the plain call is enough. ``touches`` names what the next step reads or writes."""
        ...

    def blocked(self, label: str) -> Awaitable[None]:
        """This call waits for something that another actor holds (a lock): it is not resumed before another
        actor has moved. Awaited or called as ``branch`` is."""
        ...


def conninfo_of(environment: Environment) -> str:
    """How a gate that declares ``database=Database.POSTGRES`` connects to its database: a connection string of libpq,
    which stands in the file ``postgres.conninfo`` of its storage."""
    return (environment.storage / _CONNINFO).read_text(encoding="utf-8")

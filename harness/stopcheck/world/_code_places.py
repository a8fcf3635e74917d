"""Where in a gate's own code a call is, for people: ``pkg/file.py:12 Gate.commit_effect``.

One idea: of a stack, people need the innermost frame that is the gate's, not the kit's nor the standard library's. A
file is shown from its top-level package on, since what stands above differs between machines, and this enters logs.
"""

from __future__ import annotations

import inspect
import sys
from functools import lru_cache
from pathlib import PurePath
from types import CodeType, FrameType
from typing import Any

#: What a gate's code calls, and is called through: not the gate's own.
_LIBRARIES = ("stopcheck", "trio", "outcome", "aiosqlite", "psycopg", "psycopg_pool", "asyncpg", "sqlalchemy")
_NOT_THE_GATES = frozenset((*sys.stdlib_module_names, *_LIBRARIES))


def operation_place(kind: type[Any], operation: str) -> str:
    """Where a gate class defines an operation; empty where it does not."""
    function: Any = inspect.unwrap(getattr(kind, operation))
    code = getattr(function, "__code__", None)
    return _of_code(str(function.__module__), code) if isinstance(code, CodeType) else ""


@lru_cache(maxsize=4096)
def _of_code(module: str, code: CodeType) -> str:
    if not _is_the_gates(module):
        return ""
    return f"{_short(module, code.co_filename)}:{code.co_firstlineno} {code.co_qualname}"


def suspended_place(coroutine: object) -> str:
    """Where the gate's code awaits, given the outermost coroutine of a parked call; empty when it cannot be seen."""
    place = ""
    awaited: Any = coroutine
    while awaited is not None:
        frame: FrameType | None = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        if frame is not None:
            place = _of_frame(frame) or place
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
    return place


def calling_place(frame: FrameType | None) -> str:
    """The innermost place in the gate's code on a stack, given its innermost frame; empty when none of it is there."""
    while frame is not None:
        place = _of_frame(frame)
        if place:
            return place
        frame = frame.f_back
    return ""


def _of_frame(frame: FrameType) -> str:
    module = str(frame.f_globals.get("__name__", ""))
    if not _is_the_gates(module):
        return ""
    return f"{_short(module, frame.f_code.co_filename)}:{frame.f_lineno} {frame.f_code.co_qualname}"


def _is_the_gates(module: str) -> bool:
    return module.partition(".")[0] not in _NOT_THE_GATES


def _short(module: str, file: str) -> str:
    parts = PurePath(file).parts
    depth = len(module.split(".")) + (parts[-1] == "__init__.py")
    return "/".join(parts[-depth:])

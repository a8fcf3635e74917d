"""Where code hangs, in words.

One idea: of all frames on a hung stack, people need the innermost one that is their own, not the kit's.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import CodeType, FrameType

_KIT = f"{Path(__file__).parents[1]}{os.sep}"


def describe(frame: FrameType | None, below: CodeType) -> str:
    """The innermost frame of the hung code, given the stack's innermost frame. ``below`` is the code of the kit that
    called the hung code; if nothing below it is outside the kit, the innermost frame of all."""
    if frame is None:
        return "an unknown place"
    innermost: FrameType = frame
    at: FrameType | None = frame
    while at is not None and at.f_code is not below:
        if not at.f_code.co_filename.startswith(_KIT):
            return _words(at)
        at = at.f_back
    return _words(innermost)


def caller(frame: FrameType | None, code: CodeType) -> FrameType | None:
    """The nearest frame that runs ``code``, from ``frame`` outwards."""
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame


def _words(frame: FrameType) -> str:
    return f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_qualname}"

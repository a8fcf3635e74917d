"""A value of any record of the protocol, with every field given."""

from __future__ import annotations

import enum
import types
import typing
from typing import Any

import msgspec


def sample(kind: Any) -> Any:
    """One value of a type: for a union the first arm, for a record all fields filled."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return sample(arguments[0])
    if origin is tuple:
        return (sample(arguments[0]),)
    if origin is dict:
        return {sample(arguments[0]): sample(arguments[1])}
    if isinstance(kind, type):
        if issubclass(kind, enum.Enum):
            return next(iter(kind))
        if issubclass(kind, msgspec.Struct):
            hints = typing.get_type_hints(kind)
            return kind(**{name: sample(hints[name]) for name in kind.__struct_fields__})
    return _PLAIN[kind]


_PLAIN: dict[Any, Any] = {str: "text", int: 7, bool: True}

"""Whether a reply's fields are of the types that its class declares, and those of what it holds.

One idea: a struct does not check what it is made of, so a wrong field would travel on until some clause seems broken.
Which fields fit follows from the classes of the values alone, so each combination of classes is looked at once; after
that a reply costs one look into a table.
"""

from __future__ import annotations

import re
import types
import typing
from typing import Any, NamedTuple, cast

import msgspec

#: A struct's class, and the classes of its fields' values.
_Shape = tuple[type, ...]


class Misfit(NamedTuple):
    """A field that is not what it must be: its name (``record.causes[0].at_ns``), value, and expected type."""

    field: str
    value: object
    expected: str


class _Expected:
    """What one field of a struct may hold: values of ``kinds``, and in a tuple elements of ``elements``."""

    __slots__ = ("elements", "kinds", "name", "words")

    def __init__(self, name: str, hint: Any) -> None:
        self.name = name
        self.words = _in_words(hint)
        arms = _arms(hint)
        self.kinds = tuple(typing.get_origin(arm) or arm for arm in arms)
        inside = [part for arm in arms if typing.get_origin(arm) is tuple for part in typing.get_args(arm)]
        self.elements = tuple(kind for part in inside if part is not Ellipsis for kind in _arms(part))


def _arms(hint: Any) -> tuple[Any, ...]:
    """The types of a union, else the type itself."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return tuple(arm for part in typing.get_args(hint) for arm in _arms(part))
    return (hint,)


def _in_words(hint: Any) -> str:
    """The type without the modules of its parts."""
    return re.sub(r"(?:\w+\.)+(?=\w)", "", str(hint)) if typing.get_args(hint) else str(hint.__name__)


_expected: dict[type, tuple[_Expected, ...]] = {}
#: By shape, the positions of the fields that must be looked into; ``None`` where a field itself does not fit.
_known: dict[_Shape, tuple[int, ...] | None] = {}


def misfit(struct: msgspec.Struct) -> Misfit | None:
    """The first field of a struct, or of one that it holds, whose value is not of the declared type."""
    values = msgspec.structs.astuple(struct)
    shape: _Shape = (type(struct), *map(type, values))
    try:
        inside = _known[shape]
    except KeyError:
        inside = _known[shape] = _look(shape)
    if inside is None:
        return _first(struct, values)
    for at in inside:
        value = values[at]
        if value:  # an empty tuple holds nothing; a struct is always true
            found = _within(expected_fields(type(struct))[at], value)
            if found is not None:
                return found
    return None


def _within(field: _Expected, value: Any) -> Misfit | None:
    if isinstance(value, msgspec.Struct):
        found = misfit(value)
        return None if found is None else found._replace(field=f"{field.name}.{found.field}")
    for number, element in enumerate(cast("tuple[object, ...]", value)):
        where = f"{field.name}[{number}]"
        if not isinstance(element, field.elements):
            return Misfit(where, element, " or ".join(kind.__name__ for kind in field.elements))
        if isinstance(element, msgspec.Struct):
            found = misfit(element)
            if found is not None:
                return found._replace(field=f"{where}.{found.field}")
    return None


def expected_fields(kind: type) -> tuple[_Expected, ...]:
    """What the fields of a struct class may hold."""
    if kind not in _expected:
        hints = typing.get_type_hints(kind)
        names = cast("tuple[str, ...]", cast("Any", kind).__struct_fields__)
        _expected[kind] = tuple(_Expected(name, hints[name]) for name in names)
    return _expected[kind]


def _look(shape: _Shape) -> tuple[int, ...] | None:
    fields = expected_fields(shape[0])
    if not all(issubclass(given, field.kinds) for given, field in zip(shape[1:], fields, strict=True)):
        return None
    return tuple(
        at
        for at, (given, field) in enumerate(zip(shape[1:], fields, strict=True))
        if issubclass(given, msgspec.Struct) or (issubclass(given, tuple) and field.elements)
    )


def _first(struct: msgspec.Struct, values: tuple[object, ...]) -> Misfit:
    pairs = zip(expected_fields(type(struct)), values, strict=True)
    return next(Misfit(f.name, value, f.words) for f, value in pairs if not isinstance(value, f.kinds))

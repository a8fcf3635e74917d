"""The protocol's reference page, made from its types.

One idea: what a type says of itself in its docstring and fields is the reference, so that the page cannot say anything
else than the code. Types stand in the order in which the operations come to them.
"""

from __future__ import annotations

import enum
import inspect
import re
import types
from collections.abc import Callable, Iterable
from typing import Any, Union, cast, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo

from stopcheck.gate import OPERATIONS, Environment, Gate, GateContract, OperationSpec, Request, _protocol

_HEAD = """# The gate protocol

Made by `stopcheck list protocol` from the types of `stopcheck.gate`; a test holds it. How to begin is told in
[adapter.md](adapter.md); the messages to a gate in another process are in [wire.schema.json](wire.schema.json).
"""
_OF_EVERY_REQUEST = frozenset(field.name for field in msgspec.structs.fields(Request))
_ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?(\w+)`")


def protocol_page() -> str:
    """The text of ``docs/protocol.md``."""
    order = list(dict.fromkeys(_reached(_roots())))
    replies = list(dict.fromkeys(reply for spec in OPERATIONS.values() for reply in spec.replies))
    requests = {spec.request for spec in OPERATIONS.values()}
    others = [kind for kind in order if kind not in replies and kind not in requests]
    structs = [kind for kind in others if issubclass(kind, msgspec.Struct) and kind not in (Request, GateContract)]
    enums = [kind for kind in others if issubclass(kind, enum.Enum)]
    parts = [_HEAD, _text(_protocol.__doc__), "## What a gate is given\n", *_environment(Environment)]
    parts += ["## What a gate declares: `GateContract`\n", _struct(GateContract)]
    parts += ["## Operations\n", _text(Request.__doc__), _fields(Request)]
    parts += [_operation(spec) for spec in OPERATIONS.values()]
    parts += ["## Replies\n", *(_titled(kind, _struct(kind)) for kind in replies)]
    parts += ["## Records\n", *(_titled(kind, _struct(kind)) for kind in structs)]
    parts += ["## Vocabulary\n", *(_titled(kind, _enum(kind)) for kind in enums)]
    return "\n".join(part.rstrip() + "\n" for part in parts if part)


def _roots() -> Iterable[Any]:
    yield GateContract
    yield Request
    for spec in OPERATIONS.values():
        yield spec.request
        yield from spec.replies


def _reached(roots: Iterable[Any]) -> Iterable[type[Any]]:
    """The records and enumerations that fields name, the outer before the inner."""
    seen: set[Any] = set()
    pending = list(roots)
    while pending:
        kind = pending.pop(0)
        if get_args(kind):
            pending[:0] = get_args(kind)
        elif isinstance(kind, type) and kind not in seen:
            seen.add(kind)
            if issubclass(kind, msgspec.Struct):
                yield kind
                pending[:0] = [field.type for field in msgspec.structs.fields(kind)]
            elif issubclass(kind, enum.Enum):
                yield kind


# -- one thing --------------------------------------------------------------------------------------------------


def _operation(spec: OperationSpec) -> str:
    needs = f" `[{spec.capability}]`" if spec.capability is not None else ""
    replies = ", ".join(f"`{reply.__name__}`" for reply in spec.replies)
    own = [field for field in msgspec.structs.fields(spec.request) if field.name not in _OF_EVERY_REQUEST]
    return "\n".join(
        [
            f"### `{spec.name}`{needs}\n",
            _text(getattr(Gate, spec.name).__doc__),
            f"Request `{spec.request.__name__}`: {_text(spec.request.__doc__)}",
            _rows(own),
            f"Replies: {replies}.\n",
        ]
    )


def _struct(kind: type[msgspec.Struct]) -> str:
    return f"{_text(kind.__doc__)}\n{_fields(kind)}"


def _fields(kind: type[msgspec.Struct]) -> str:
    return _rows(msgspec.structs.fields(kind))


def _rows(fields: Iterable[FieldInfo]) -> str:
    lines = [f"| `{field.name}` | {_named(field.type)} | {_default(field)} |" for field in fields]
    return "\n".join(["| field | type | default |", "| --- | --- | --- |", *lines, ""]) if lines else ""


def _enum(kind: type[enum.Enum]) -> str:
    return f"{_text(kind.__doc__)}\n{', '.join(f'`{member.value}`' for member in kind)}\n"


def _titled(kind: type[Any], text: str) -> str:
    return f"### `{kind.__name__}`\n\n{text}"


def _environment(kind: type[Any]) -> list[str]:
    found: list[str] = []
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        act = cast("Callable[..., Any]", value.fget if isinstance(value, property) else value)
        if inspect.isfunction(act):
            arguments = ", ".join(list(inspect.signature(act).parameters)[1:])
            call = name if isinstance(value, property) else f"{name}({arguments})"
            found.append(f"- `{call}`: {_flat(act)}")
    return [*found, ""]


# -- words ------------------------------------------------------------------------------------------------------


def _flat(kind: Any) -> str:
    return " ".join(_text(kind.__doc__).split())


def _text(doc: str | None) -> str:
    """A docstring as Markdown."""
    plain = _ROLE.sub(r"`\1`", inspect.cleandoc(doc or ""))
    return plain.replace("``", "`") + "\n"


def _named(kind: Any) -> str:
    if kind is types.NoneType:
        return "none"
    if isinstance(kind, types.UnionType) or get_origin(kind) is Union:
        return " or ".join(_named(part) for part in get_args(kind))
    origin = get_origin(kind)
    if origin is None:
        name = getattr(kind, "__name__", str(kind))
        return f"`{name}`"
    parts = [part for part in get_args(kind) if part is not Ellipsis]
    named = " to ".join(_named(part) for part in parts)
    return {"tuple": f"tuple of {named}", "frozenset": f"set of {named}", "dict": f"{named}"}.get(
        origin.__name__, " or ".join(_named(part) for part in parts)
    )


def _default(field: FieldInfo) -> str:
    if field.default_factory is not msgspec.NODEFAULT:
        return "empty"
    if field.default is msgspec.NODEFAULT:
        return ""
    value = field.default
    if isinstance(value, enum.Enum):
        return f"`{value.value}`"
    if isinstance(value, frozenset | tuple | dict | list):
        members = sorted(str(one) for one in cast("Iterable[Any]", value))
        return ", ".join(f"`{one}`" for one in members) or "empty"
    return "none" if value is None else f"`{value!r}`"


__all__ = ["protocol_page"]

"""JSON Schema of every message, generated from the types.

One idea: nothing is written by hand, so that an operation which is added to the protocol is on the wire, and in its
published schema, in the same moment.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stopcheck.gate import OPERATIONS
from stopcheck.remote._session import reply_type
from stopcheck.remote._wire import CALL_BACKS, LIFECYCLE, PROTOCOL, Code, ErrorObject

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

#: Who asks, the method, and the types of its params and result.
_Row = tuple[str, str, Any, Any]


def wire_schema() -> dict[str, Any]:
    """The wire as one document: ``methods`` by name, each with who asks and the schemas of its params and result;
    ``errors`` by name; and the definitions that they refer to."""
    rows: list[_Row] = [("kit", method, *pair) for method, pair in LIFECYCLE.items()]
    rows += [("kit", name, spec.request, reply_type(name)) for name, spec in OPERATIONS.items()]
    rows += [("gate", method, *pair) for method, pair in CALL_BACKS.items()]
    types: list[Any] = [ErrorObject, *(part for _, _, params, result in rows for part in (params, result))]
    schemas, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    pairs = zip(schemas[1::2], schemas[2::2], strict=True)
    methods = {
        method: {"asked_by": asker, "params": params, "result": result, **_operation(method)}
        for (asker, method, _, _), (params, result) in zip(rows, pairs, strict=True)
    }
    return {
        "$schema": _DIALECT,
        "title": f"The wire between stopcheck and a gate in another process, version {PROTOCOL}",
        "description": "JSON-RPC 2.0, one message a line, both ways at once, over standard input and output.",
        "protocol": PROTOCOL,
        "methods": methods,
        "errors": {
            code.name.lower(): {"code": int(code), "definite": code.definite, "meaning": code.meaning} for code in Code
        },
        "error": schemas[0],
        "$defs": dict(sorted(definitions.items())),
    }


def _operation(method: str) -> dict[str, Any]:
    spec = OPERATIONS.get(method)
    if spec is None:
        return {}
    return {"capability": spec.capability, "provisional": spec.provisional}

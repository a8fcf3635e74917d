"""The published schema is generated from the types, and holds every operation and every reply."""

from __future__ import annotations

from pathlib import Path

import msgspec

from stopcheck.gate import OPERATIONS
from stopcheck.remote import CALL_BACKS, LIFECYCLE, Code, wire_schema

ROOT = Path(__file__).parents[3]
PUBLISHED = ROOT / "docs" / "wire.schema.json"
REMAKE = "run: .venv/bin/stopcheck list wire > docs/wire.schema.json"


def test_the_published_schema_is_that_of_the_types() -> None:
    assert msgspec.json.decode(PUBLISHED.read_bytes()) == msgspec.json.decode(msgspec.json.encode(wire_schema())), (
        REMAKE
    )


def test_every_message_is_in_it() -> None:
    schema = wire_schema()
    assert set(schema["methods"]) == {*OPERATIONS, *LIFECYCLE, *CALL_BACKS}
    for name, spec in OPERATIONS.items():
        replies = {branch["$ref"].rpartition("/")[2] for branch in schema["methods"][name]["result"]["anyOf"]}
        assert replies == {reply.__name__ for reply in spec.replies}
        assert schema["methods"][name]["params"] == {"$ref": f"#/$defs/{spec.request.__name__}"}
    assert {error["code"] for error in schema["errors"].values()} == set(Code)
    assert not schema["errors"]["internal_error"]["definite"]
    assert schema["errors"]["retry"]["definite"]


def test_the_oracle_is_never_sent() -> None:
    asked = [row["params"] for row in wire_schema()["methods"].values() if row["asked_by"] == "kit"]
    names = {str(params.get("$ref")).rpartition("/")[2] for params in asked}
    assert names == {kind.__name__ for kind, _ in LIFECYCLE.values()} | {
        s.request.__name__ for s in OPERATIONS.values()
    }

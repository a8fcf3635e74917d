"""The protocol's reference page says what the types say."""

from __future__ import annotations

from pathlib import Path

import stopcheck.gate as sg
from stopcheck.campaign import protocol_page

PAGE = Path(__file__).parents[3] / "docs" / "protocol.md"


def test_the_page_in_the_repository_is_what_the_types_say() -> None:
    assert PAGE.read_text() == protocol_page(), (
        "docs/protocol.md is out of date; next: .venv/bin/stopcheck list protocol > docs/protocol.md"
    )


def test_every_operation_with_its_replies_and_every_field_of_the_contract_is_on_it() -> None:
    page = protocol_page()
    for spec in sg.OPERATIONS.values():
        assert f"### `{spec.name}`" in page
        assert all(f"### `{reply.__name__}`" in page for reply in spec.replies)
    assert all(f"| `{field}` |" in page for field in sg.GateContract.__struct_fields__)
    assert "power_loss" in page.partition("### `Durability`")[2].partition("###")[0]
    assert "``" not in page.replace("`''`", "")

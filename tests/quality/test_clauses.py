"""The table of clauses is true, and no checked clause stands without what proves its checks."""

from __future__ import annotations

from pathlib import Path

from stopcheck.campaign import as_markdown, catalogue
from stopcheck.judge.requirements import MOST_EXCLUSIONS, Level

TABLE = Path(__file__).parents[2] / "docs" / "clauses.md"


def test_the_table_is_what_the_kit_says_of_itself() -> None:
    wanted = as_markdown(catalogue())
    assert TABLE.read_text(encoding="utf-8") == wanted, (
        "docs/clauses.md is out of date; next: .venv/bin/stopcheck list requirements --markdown > docs/clauses.md"
    )


def test_every_checked_must_clause_is_reached_by_a_scenario_and_proved_by_a_wrong_gate() -> None:
    checked = [each for each in catalogue().values() if each.checks and each.requirement.level is Level.MUST]
    assert [each.requirement.id for each in checked if not each.covered] == []
    assert [each.requirement.id for each in checked if not each.proved] == []


def test_what_cannot_be_checked_is_little_and_has_a_reason() -> None:
    excluded = [each for each in catalogue().values() if each.exclusion]
    assert len(excluded) <= MOST_EXCLUSIONS
    assert [each.requirement.id for each in excluded if each.checks] == []

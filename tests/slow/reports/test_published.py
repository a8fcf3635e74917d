"""What is published in ``reports/`` is what the kit makes, byte for byte.

That pages follow from their JSON is looked at for all of them. That the JSON follows from the gate is looked at for one
here, since a campaign takes its time, and for the others by ``make campaign``.
"""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.campaign import Report
from tests.slow.reports.recipes import FOLDER, RECIPES, REMAKE, ROOT, rendered

CHEAP = "flag-gate"
KEPT = {name: recipe for name, recipe in RECIPES.items() if "json" in recipe.files}


def test_what_is_published_has_a_recipe() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == set(RECIPES), REMAKE
    for name, recipe in RECIPES.items():
        assert {path.name for path in (FOLDER / name).iterdir()} == set(recipe.files.values()), REMAKE


@pytest.mark.parametrize("name", KEPT)
def test_the_pages_are_those_of_the_published_json(name: str) -> None:
    report = msgspec.json.decode((FOLDER / name / "report.json").read_bytes(), type=Report)
    for file, content in rendered(report, RECIPES[name]).items():
        assert (FOLDER / name / file).read_bytes() == content, f"reports/{name}/{file} differs; {REMAKE}"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == CHEAP else pytest.mark.campaign) for name in RECIPES]
)
def test_the_report_is_what_its_gate_gives_today(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if why := RECIPES[name].missing():
        pytest.skip(why)
    monkeypatch.chdir(ROOT)
    for file, content in rendered(RECIPES[name].made(), RECIPES[name]).items():
        assert (FOLDER / name / file).read_bytes() == content, f"reports/{name}/{file} differs; {REMAKE}"

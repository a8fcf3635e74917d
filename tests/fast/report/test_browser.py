"""The HTML report in a browser: it fits a phone, is legible in light and dark, works by keyboard and without scripts.

The browser is the system's Chromium; without one these tests are skipped, and in CI they fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from stopcheck.report import html_report
from tests.fast.report.stories import failed

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: The least contrast of text against what lies behind it: WCAG 2, level AA.
_CONTRAST = 4.5
#: For each element with text of its own: its words, and its contrast against the nearest background that is not clear.
_CONTRASTS = """() => {
  const parse = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const e of document.querySelectorAll("body *")) {
    const words = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent.trim()).join(" ").trim();
    if (!words || !e.checkVisibility() || ["SCRIPT", "STYLE"].includes(e.tagName)) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    found.push([words.slice(0, 60), (a + 0.05) / (b + 0.05)]);
  }
  return found;
}"""


def executable() -> str | None:
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = executable()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium in CI; install one: apt-get install chromium")
        pytest.skip("no Chromium on this machine; install one: apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(html_report(failed()))
    return path.as_uri()


@pytest.fixture
def phone(browser: Browser, url: str) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 375, "height": 700}, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(url)
        yield page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_is_legible(browser: Browser, url: str, scheme: str) -> None:
    page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(url)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    contrasts: list[tuple[str, float]] = page.evaluate(_CONTRASTS)
    assert len(contrasts) > 200
    assert [(words, round(ratio, 2)) for words, ratio in contrasts if ratio < _CONTRAST] == []
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    page.close()


def test_a_phone_scrolls_down_only_and_shows_the_story_without_a_script(phone: Page) -> None:
    box = phone.locator("body").bounding_box()
    assert box is not None
    assert box["width"] == 375
    for locator in (phone.locator(".failure .breaks .say"), phone.locator(".failure .command code").first):
        locator.scroll_into_view_if_needed()
        assert locator.is_visible()
    words = phone.locator(".failure > .story .breaks .say").bounding_box()
    assert words is not None
    assert words["x"] + words["width"] <= 375
    lanes = phone.locator(".failure > .story .lanes").bounding_box()
    assert lanes is not None
    assert lanes["x"] + lanes["width"] <= 375


def test_a_link_into_the_clauses_opens_them(browser: Browser, url: str) -> None:
    page = browser.new_page()
    page.goto(f"{url}#ADM-1")
    assert page.locator("#ADM-1").is_visible()
    assert not page.locator("#SUP-1").is_visible()
    page.close()


def test_the_lanes_run_through_and_arrows_lie_between_them(browser: Browser, url: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(url)
    rows = page.locator(".failure > .story ol > li .draw")
    boxes = [rows.nth(number).bounding_box() for number in range(rows.count())]
    for above, below in pairwise(boxes):
        assert above is not None
        assert below is not None
        assert abs(above["y"] + above["height"] - below["y"]) < 4, "no gap that would cut a lane"
    page.close()


def test_the_keyboard_reaches_everything_and_can_be_seen(browser: Browser, url: str) -> None:
    page = browser.new_page()
    page.goto(url)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
    names: list[str] = []
    for _ in range(14):
        page.keyboard.press("Tab")
        names.append(str(page.evaluate("document.activeElement.tagName")))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert {"A", "PRE", "BUTTON"} <= set(names)
    page.close()

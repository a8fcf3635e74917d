"""The picture in the README: the first failure of the published report of a wrong gate, as a browser shows it.

It is made by ``make reports`` where there is a browser, and compared by nobody: fonts differ between machines.
"""

from __future__ import annotations

from playwright.sync_api import sync_playwright

from tests.fast.report.test_browser import executable
from tests.slow.reports.recipes import FOLDER, ROOT

PICTURED = "flag-gate"
PICTURE = ROOT / "docs" / "failing-interleaving.png"


def take() -> str:
    """Take it, and say so; without a browser, say that."""
    path = executable()
    if path is None:
        return "no picture: there is no Chromium on this machine"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1040, "height": 2000}, device_scale_factor=1.25)
        page.goto((FOLDER / PICTURED / "report.html").as_uri())
        page.add_style_tag(content="nav{display:none}")
        top = page.locator("#failure-1").bounding_box()
        end = page.locator("#failure-1 > .story").first.bounding_box()
        assert top is not None
        assert end is not None
        height = end["y"] + end["height"] - top["y"]
        clip = {"x": top["x"], "y": top["y"], "width": top["width"], "height": height}
        page.screenshot(path=PICTURE, full_page=True, clip={**clip})  # type: ignore[arg-type]
        browser.close()
    return f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size:,}"

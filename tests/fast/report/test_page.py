"""The HTML report: what stands in it, for whoever reads it without a browser at hand, and how large it gets."""

from __future__ import annotations

import re
from datetime import date
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from stopcheck.campaign import Report, Waived, Waiver, WaiverState
from stopcheck.judge.requirements import REQUIREMENTS
from stopcheck.report import html_report
from stopcheck.report.page._diagram import MOST, diagram
from stopcheck.report.page._matrix import FAILED, HELD, OPEN, matrix
from tests.fast.report.large import large
from tests.fast.report.samples import REPORT, TOKEN
from tests.fast.report.stories import empty, failed, story


class Page(HTMLParser):
    """The elements of a page, and that they are closed in order."""

    VOID = frozenset({"meta", "br", "link", "path", "circle", "rect"})

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[int] = []
        self.outside: list[str] = []
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if tag == "a" else []
        self.headings += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []
        self.outside += [given[name] for name in ("src", "href") if name in given and not given[name].startswith("#")]
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in self.VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag


def text(report: Report) -> str:
    plain = re.sub(r"<(style|script)>.*?</\1>|<[^>]+>", " ", html_report(report).decode(), flags=re.DOTALL)
    return " ".join(plain.replace("&#39;", "'").replace("&#34;", '"').replace("&gt;", ">").split())


@pytest.mark.parametrize("make", [failed, lambda: REPORT, empty], ids=["told", "untold", "empty"])
def test_the_page_is_whole_fetches_nothing_and_each_link_leads_somewhere(make: object) -> None:
    assert callable(make)
    page = Page(html_report(make()))
    assert page.stack == []
    assert page.outside == []
    assert len(set(page.ids)) == len(page.ids)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(page.headings, page.headings[1:], strict=False))


def test_equal_reports_give_equal_pages() -> None:
    assert html_report(failed()) == html_report(replace(failed()))


def test_a_failure_is_told_in_words_with_its_place_its_choice_and_its_replay_line() -> None:
    words = text(failed())
    cutoff = next(move.step for move in story().moves if move.cutoff)
    assert f"At step {cutoff} a stop is accepted. At step {story().step} nevertheless the gate answers worker" in words
    assert "That breaks ADM-3." in words
    assert REQUIREMENTS["ADM-3"].title in words
    assert "flag_gate.py:138 Gate.commit_effect" in words
    assert f"stopcheck replay {TOKEN}" in words
    assert "out of turn: by default worker would have gone on from await" in words
    assert "Cutoff: the stop is accepted." in words
    assert "here it parts from the run that fails" in words


def test_each_verdict_says_what_it_does_not_prove_and_unknown_what_to_do() -> None:
    words = text(failed())
    assert words.count("Does not prove") == len(REPORT.clauses) + 1
    assert "ADM-5 , ADM-6" in words or "ADM-5, ADM-6" in words
    assert "stopcheck certify" in words


def waived() -> Report:
    """One waiver that holds and two that do not; a clause that is later than the requirement set."""
    here = Waiver("ADM-3", "before-admission", "the old queue goes away", "https://example.org/7", date(2027, 1, 31))
    rows = (
        Waived(here, WaiverState.APPLIED, "its failure is there"),
        Waived(replace(here, scenario="two-people", issue="javascript://x/%0aalert(1)"), WaiverState.EXPIRED, "over"),
        Waived(replace(here, clause="ADM-33"), WaiverState.UNMATCHED, "there is no clause 'ADM-33'"),
    )
    later = replace(next(c for c in failed().clauses if c.findings), clause="ADM-1")
    return replace(REPORT, waivers=rows, unscored=(later,))


def test_waivers_and_unscored_clauses_are_listed_what_needs_a_deed_first() -> None:
    words = text(waived())
    assert words.index("ADM-3 EXPIRED") < words.index("ADM-33 UNMATCHED") < words.index("ADM-3 APPLIED")
    assert "over; next: mend the gate, or have it granted anew with a later day" in words
    assert "until 2027-01-31: the old queue goes away ( https://example.org/7 ) its failure is there" in words
    unscored = words[words.index("Tried, and not scored") :]
    assert f"ADM-1 FAIL {REQUIREMENTS['ADM-1'].title}" in unscored
    page = Page(html_report(waived()))
    assert {link for link in page.links if not link.startswith("#")} == {"https://example.org/7"}
    assert page.stack == []
    assert "#waivers" not in Page(html_report(failed())).links


def test_what_an_adapter_says_is_text() -> None:
    fault = replace(REPORT.faults[0], what="<script>alert(1)</script>")
    assert b"<script>alert" not in html_report(replace(REPORT, faults=(fault,)))


def test_the_diagram_has_a_row_for_each_thing_that_happened() -> None:
    drawn = diagram(story())
    tones = [row.tone for row in drawn.rows]
    assert len(drawn.rows) == len(story().moves) + len(story().broken) + tones.count("cutoff")
    at = tones.index("breaks")
    assert drawn.rows[at].step == story().step
    assert tones[at + 1] == "broken"
    assert tones.index("cutoff") < at
    inside = [row for row in drawn.rows if 'class="o"' in row.drawing]
    assert "commit_effect" in inside[0].what
    assert inside[-1].tone == "breaks", "the call is inside of the gate until the step that breaks"


def test_a_long_run_is_cut_and_says_so() -> None:
    long = diagram(replace(story(), moves=story().moves * 30))
    assert len(long.rows) == MOST + 1
    assert "more" in long.rows[-1].what


def test_the_matrix_tells_held_open_and_failed_apart_and_what_stops_left_behind() -> None:
    found = matrix(failed(), {"ADM-3": "failure-1"})
    line = next(line for line in found.lines if line.scenario == "before-admission")
    cell = line.cells[found.clauses.index("ADM-3")]
    assert (cell.state, cell.anchor) == (FAILED, "failure-1")


def test_ten_thousand_results_stay_under_five_megabytes() -> None:
    report = large()
    states = {cell.state for line in matrix(report, {}).lines for cell in line.cells}
    assert {HELD, OPEN} <= states
    assert sum(len(line.cells) for line in matrix(report, {}).lines) == 10_000
    assert len(html_report(report)) < 5_000_000


def test_no_line_is_broken_inside_the_name_of_a_clause_or_flag() -> None:
    report = replace(failed(), summary="mine is NOT certified: it violates ADM-3, see --fail-fast <b>: 2 PASS")
    heading = html_report(report).decode().partition("<h1>")[2].partition("</h1>")[0]
    assert '<span class="whole">ADM-3</span>, see <span class="whole">--fail-fast</span> &lt;b&gt;' in heading

"""The report in the terminal and in a pipe."""

from __future__ import annotations

import re

import msgspec

from stopcheck.campaign import FirstBreak, Missed, ProfileVerdict, Report, Verdict
from stopcheck.campaign._audit import Differs
from stopcheck.report import print_report, replay_line
from tests.fast.report.samples import ASSUMPTION, FINDING, REPORT, TOKEN, pipe, terminal


def printed(report: Report = REPORT, *, everything: bool = False) -> list[str]:
    console, out = pipe()
    print_report(console, report, everything=everything)
    return out.getvalue().splitlines()


def test_the_verdict_line_comes_last() -> None:
    assert printed()[-1] == REPORT.summary
    assert printed()[-2].endswith("seed 7, exit 1")


def test_a_restricted_campaign_says_so_and_how_to_make_it_again() -> None:
    lines = printed(msgspec.structs.replace(REPORT, strategy="random-walk"))
    assert "restricted to the strategy random-walk; the same samples again: --seed 7" in lines
    assert not [line for line in printed() if "restricted" in line]


def test_a_gate_that_differs_is_said_once_with_the_line_that_shows_it() -> None:
    differs = Differs("event 3, the answer to worker's inspect", "two runs in one process", TOKEN)
    jobs = tuple(msgspec.structs.replace(job, unsound=str(differs), differs=differs) for job in REPORT.jobs)
    report = msgspec.structs.replace(REPORT, jobs=jobs)
    said = [line for line in printed(report) if line.startswith("not deterministic: ")]
    assert len(said) == 2
    assert "event 3, the answer to worker's inspect; usual causes: the order of a set" in said[0]
    assert said[1] == f"not deterministic: and {len(jobs) - 1} more (--all lists them)"
    assert f"  stopcheck replay {TOKEN} --gate 'my dir/gate.py:Gate' --log run.jsonl (twice, and compare)" in printed(
        report
    )
    assert len([line for line in printed(report, everything=True) if line.startswith("not deterministic: ")]) == len(
        jobs
    )


def test_a_pass_shows_its_ground_and_its_assumption_once() -> None:
    lines = printed()
    row = r"ADM-1 +PASS\* +12 all +3 <=1, 1 <=2 +20,000 +7,601 +1,234\+3 +c2p *"
    assert any(re.fullmatch(row, line) for line in lines)
    assert any(re.match(r"ADM-4 +PASS\*\+ +3 <=1 +900 ", line) for line in lines)
    assert "".join(lines).count(ASSUMPTION[:40]) == 1
    assert any(line.startswith("* assumes") for line in lines)


def test_rows_fit_the_width_and_what_can_be_copied_does_not_break() -> None:
    lines = printed()
    table = lines[lines.index("") + 1 : next(i for i, line in enumerate(lines) if line.startswith("* "))]
    assert all(len(line) <= 80 for line in table)
    replays = [line for line in lines if "stopcheck replay" in line]
    assert replays[0] == f"  stopcheck replay {TOKEN} --gate 'my dir/gate.py:Gate'"
    assert replays[0].strip() == replay_line(REPORT, FINDING)


def test_a_finding_says_what_where_how_small_and_how_to_replay_it() -> None:
    lines = printed()
    at = lines.index(f"FAIL ADM-3: {FINDING.message}")
    block = "\n".join(lines[at : at + 6])
    decides = "decides: 'person@request_cancel' after step 7 (choice 2); with 'worker@await' there nothing broke"
    place = "before-admission (inside calls, 1 handle), step 11"
    for words in (place, "gate.py:138", "shrunk to 1 deviation", decides, TOKEN):
        assert words in block
    assert "1 more finding of this clause" in block


def test_of_one_run_the_earliest_break_leads_and_a_run_that_broke_something_before_says_so() -> None:
    early = msgspec.structs.replace(FINDING, clause="ADM-4", step=9, message="early")
    late = msgspec.structs.replace(FINDING, first=FirstBreak("REC-1", 3), clause="ADM-1", choices=2, message="late")
    findings = {"ADM-1": late, "ADM-3": FINDING, "ADM-4": early}
    clauses = tuple(
        msgspec.structs.replace(c, verdict=Verdict.FAIL, findings=(findings[c.clause],))
        for c in REPORT.clauses
        if c.clause in findings
    )
    lines = printed(msgspec.structs.replace(REPORT, clauses=clauses), everything=True)
    assert [line.split()[1] for line in lines if line.startswith("FAIL ")] == ["ADM-4:", "ADM-3:", "ADM-1:"]
    assert "  first: the run broke REC-1 before that, at step 3; what follows may follow from that" in lines


def test_clauses_that_share_a_reason_are_one_line_and_unchecked_ones_are_counted() -> None:
    lines = printed()
    assert "UNKNOWN ADM-5, ADM-6: no run put it to the test" in lines
    assert "UNSUPPORTED SUP-1, SUP-2: the gate does not declare [suppression]" in lines
    assert any(line.startswith("ADM-7") and "UNKNOWN" in line for line in lines)
    assert "UNCHECKED 1 clause for which the kit has no check yet (--all lists them)" in lines
    assert not any("RPT-3" in line for line in lines)
    assert any("RPT-3" in line for line in printed(everything=True))


def test_what_was_not_tried_is_named() -> None:
    text = "\n".join(printed())
    assert "tried: 2 scenarios, 2 jobs, 1,234 executions" in text
    assert "coverage: 19 of 21 stop points (1 impossible), 0 of 2 faults (1 impossible), 1 of 1 crash point" in text
    assert "not explored: before-admission (inner, 1 handle, bounded): the budget of 100 runs" in text
    assert "not hit: 1 stop point in 1 variant, the sweep did not come to it (--coverage lists them)" in text
    assert "state cache full: late-completion (calls, 1 handle, stop-sweep): 0 states" in text
    assert "never seen: late-completion: both winners were seen" in text
    assert "crashes: simulated process deaths at branch points, and 3 real ones by SIGKILL" in text


def test_a_volatile_gate_is_not_said_to_have_survived_anything() -> None:
    gate = msgspec.structs.replace(REPORT.gate, durability="volatile") if REPORT.gate is not None else None
    text = "\n".join(printed(msgspec.structs.replace(REPORT, gate=gate)))
    assert "crashes: not tried, since the gate is volatile" in text


def test_a_fault_seen_several_times_is_told_once_and_a_terminal_does_not_obey_it() -> None:
    lines = printed()
    faults = [line for line in lines if line.startswith("ADAPTER FAULT")]
    assert faults == ["ADAPTER FAULT GateRaised: claim (call a#1) raised X: ??[31mred"]
    assert "  seen in: s, t, 2 times" in lines


def test_long_lists_of_gaps_are_cut_unless_all_is_asked_for() -> None:
    unfinished = [msgspec.structs.replace(REPORT.jobs[0], left=f"budget {number}") for number in range(20)]
    report = msgspec.structs.replace(REPORT, jobs=tuple(unfinished))
    assert "not explored: and 12 more (--all lists them)" in printed(report)
    assert any(line.endswith("budget 19") for line in printed(report, everything=True))


def test_the_words_of_the_table_explain_what_stands_in_it_and_nothing_else() -> None:
    text = " ".join(" ".join(printed()).split())
    for words in (
        "calls/n:",
        "inner/n:",
        "k all:",
        "k <=d:",
        "c death",
        "p provider",
        "SIGKILL",
        "+ jobs that were cut",
    ):
        assert words in text
    assert "s lost signal" not in text
    plain = [msgspec.structs.replace(c, ground=msgspec.structs.replace(c.ground, cut_short=())) for c in REPORT.clauses]
    assert "+ jobs that were cut" not in "\n".join(printed(msgspec.structs.replace(REPORT, clauses=tuple(plain))))


def test_the_ledger_lists_each_variant_and_each_gap_when_it_is_asked_for() -> None:
    console, out = pipe()
    print_report(console, REPORT, coverage=True)
    lines = out.getvalue().splitlines()
    row = r"late-completion +calls/1 +all +19/21-1 +0/2-1 +1/1 +3/3 +1/1 +1/2 *"
    assert any(re.fullmatch(row, line) for line in lines)
    assert any(re.fullmatch(r"before-admission +inner/1 +none *", line) for line in lines)
    gaps = [line for line in lines if line.startswith("not hit: late-completion (calls, 1 handle): ")]
    names = ["worker@commit_effect#1", "drop", "opener@open_task#1", "answer_late"]
    assert [line.rsplit(": ", 1)[1] for line in gaps] == names
    assert sum("impossible" in line for line in gaps) == 2
    assert not any(line.startswith("scenario ") for line in printed())


def test_a_gate_that_could_not_be_loaded_has_a_report_too() -> None:
    report = msgspec.structs.replace(REPORT, gate=None, clauses=(), jobs=(), exit_code=4, summary="NOT certified")
    lines = printed(report)
    assert lines[-1] == "NOT certified"
    assert any(line.startswith("ADAPTER FAULT") for line in lines)


def test_colour_only_where_there_is_a_terminal() -> None:
    console, out = terminal()
    print_report(console, REPORT)
    assert "\x1b[" in out.getvalue()
    assert "\x1b[" not in "\n".join(printed())


def test_the_profile_that_was_asked_for_says_what_it_misses_and_why() -> None:
    volatile = Missed("REC-2", Verdict.UNSUPPORTED, "the gate is volatile")
    profiles = (
        ProfileVerdict("core", 56),
        ProfileVerdict("durable", 68, (volatile, msgspec.structs.replace(volatile, clause="REC-5"))),
    )
    shown = printed(msgspec.structs.replace(REPORT, profiles=profiles, profile="durable"))
    assert "profile core met: all 56 clauses passed" in shown
    assert "profile durable missed: 2 UNSUPPORTED of 68 clauses" in shown
    assert "durable misses REC-2, REC-5: UNSUPPORTED, the gate is volatile" in shown

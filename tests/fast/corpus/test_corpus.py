"""What was promised with each kept token is still kept."""

from __future__ import annotations

import msgspec
import pytest

from stopcheck.kernel import CRASH_PREFIX, TIME_PREFIX, DivergedError, Schedule
from tests.fast.corpus.cases import CASES, Case
from tests.fast.corpus.entries import FOLDER, first_other_line, path_of, render, replayed_of, token_of

MEANT = "if that is meant, make the entries again (CONTRIBUTING.md says how) and review the diff"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_token_gives_the_log_that_it_gave(case: Case) -> None:
    pinned = path_of(case).read_text()
    token = token_of(pinned)
    try:
        replayed = replayed_of(case, token)
    except DivergedError as error:
        pytest.fail(f"the token cannot be replayed any more: {error}; {MEANT}")
    other = first_other_line(pinned, replayed)
    assert not other, f"{other}; {MEANT}"
    assert render(case, token, replayed) == pinned, MEANT
    broken = next(line for line in pinned.splitlines() if line.startswith("broken "))
    assert all(clause in broken for clause in case.broken)


def test_the_first_line_that_is_another_is_found() -> None:
    case = CASES[0]
    pinned = path_of(case).read_text()
    replayed = replayed_of(case, token_of(pinned))
    assert not first_other_line(pinned, replayed)
    log = list(replayed.record.log)
    at = next(n for n, line in enumerate(log) if isinstance(line, tuple))
    log[at] = (1, 2, "somebody@else")
    edited = msgspec.structs.replace(replayed, record=msgspec.structs.replace(replayed.record, log=log))
    assert first_other_line(pinned, edited) == f'line {at} of the log is another: [1, 2, "somebody@else"]'


def test_each_entry_has_a_case() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{case.name}.txt" for case in CASES)


def test_the_corpus_has_every_kind_of_choice_and_of_ground() -> None:
    choices = [choice for case in CASES for choice in Schedule.from_token(token_of(path_of(case).read_text())).choices]
    deviations = [choice for choice in choices if choice.deviates]
    steps = [c.option for c in deviations if c.point == "run" and "@" in c.option]
    assert any("sql:" in c.option for c in choices) or any(case.gate == "sqlite" for case in CASES)
    assert steps
    assert any(c.option.startswith(CRASH_PREFIX) for c in deviations)
    assert {c.option.split(":")[1] for c in deviations if c.option.startswith(TIME_PREFIX)} >= {"before", "after"}
    assert {"drop_answer", "answer_late", "duplicate", "dies", "crash"} <= {c.option for c in deviations}
    assert {(case.granularity.value, case.handles) for case in CASES} >= {("calls", 1), ("calls", 2), ("inner", 1)}
    assert {case.gate.rpartition(":")[2] for case in CASES} >= {"memory", "sqlite", "Gate", "OnTrio", "OnAsyncio"}

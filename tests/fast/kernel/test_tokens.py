"""Tokens: schedules as short text that survives copying, or is refused with a reason."""

import base64
import string
import zlib

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stopcheck.kernel import Choice, Schedule, TokenError

names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    options = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    points = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    choices = draw(
        st.lists(st.builds(Choice, st.sampled_from(points), st.sampled_from(options), st.integers(0, 3)), max_size=40)
    )
    variant = draw(st.dictionaries(names, names, max_size=3))
    scenario = draw(st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=20))
    return Schedule.of(scenario, variant, choices)


def seal(text: str) -> str:
    """The text with the right checksum."""
    return f"{text}.{zlib.crc32(text.encode()):08x}"


def token_of(body: object, scenario: str = "race") -> str:
    """A token with a right checksum around any body."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(msgspec.msgpack.encode(body)) + packer.flush()
    return seal(f"sc1.{scenario}.{base64.urlsafe_b64encode(packed).decode().rstrip('=')}")


GOOD = Schedule.of("race", {"handles": "2"}, [Choice("run", "a@start", 0), Choice("run", "b@start", 1)]).token()


@given(schedules())
def test_a_token_carries_scenario_variant_and_every_deviation(schedule: Schedule) -> None:
    read = Schedule.from_token(schedule.token())
    assert (read.scenario, read.variant, read.marks) == (schedule.scenario, schedule.variant, schedule.marks)
    assert len(read.choices) == len(schedule.choices)
    for was, now in zip(schedule.choices, read.choices, strict=True):
        assert was.deviates == now.deviates
        if was.deviates:
            assert (was.point, was.option) == (now.point, now.option)
    assert read.deviations == schedule.deviations
    assert read.token() == schedule.token()


@given(schedules())
def test_a_token_is_one_word_of_ascii(schedule: Schedule) -> None:
    assert set(schedule.token()) <= set(string.ascii_letters + string.digits + "_-.")


@given(schedules(), st.data(), st.characters())
def test_any_change_of_one_character_is_refused(schedule: Schedule, data: st.DataObject, other: str) -> None:
    token = schedule.token()
    at = data.draw(st.integers(0, len(token) - 1))
    assume(token[at] != other)
    with pytest.raises(TokenError):
        Schedule.from_token(token[:at] + other + token[at + 1 :])


@given(schedules(), st.data())
def test_a_truncated_token_is_refused(schedule: Schedule, data: st.DataObject) -> None:
    token = schedule.token()
    with pytest.raises(TokenError):
        Schedule.from_token(token[: data.draw(st.integers(0, len(token) - 1))])


@given(st.text())
def test_foreign_text_is_refused(text: str) -> None:
    with pytest.raises(TokenError):
        Schedule.from_token(text)


def test_white_space_around_a_token_is_forgiven() -> None:
    assert Schedule.from_token(f"  {GOOD}\n") == Schedule.from_token(GOOD)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a stopcheck token: it starts with ''"),
        ("hello world", "not a stopcheck token: it starts with 'hello wo'"),
        ("sc1.race", r"truncated: it has 2 of 4 parts \(sc1.scenario.body.check\)"),
        (GOOD[:-1], "malformed: expected sc1.scenario.body.check"),
        (f"{GOOD}.more", "malformed"),
        (GOOD[:-1] + ("0" if GOOD[-1] != "0" else "1"), "checksum does not match: a character was changed or lost"),
        (
            seal(GOOD.rsplit(".", 1)[0].replace("sc1.", "sc2.")),
            "version is unknown: it is 2, and this kit reads version 1",
        ),
        (GOOD.replace("sc1.", "sc9."), "version is unknown: it is 9, and this kit reads version 1"),
        ("sc2.another/format", "version is unknown: it is 2, and this kit reads version 1"),
        ("sc" + "1" * 10_000 + ".a.b.00000000", "malformed"),
        ("sc1.race." + "A" * (1 << 23) + ".00000000", "too long"),
        (seal("sc1.race.A"), "body cannot be read"),
        (seal("sc1.race.AAAA"), "body cannot be read"),
        (token_of("no array"), "body cannot be read"),
        (token_of([{}, [], 3, [], b"\0"]), "its lengths do not agree"),
        (token_of([{}, [], 1 << 40, [], b"\0"]), "its lengths do not agree"),
        (token_of([{}, ["a"], 1, [0, 0], b"\0"]), "its lengths do not agree"),
        (token_of([{}, ["a"], 1, [0, 0, 1], b"\0"]), "body cannot be read"),
        (token_of([{}, ["a"], 1, [1, 0, 0], b"\0"]), "body cannot be read"),
        (token_of([{}, ["a"], 1, [-1, 0, 0], b"\0"]), "an index that cannot be"),
        (token_of([{}, ["a"], 2, [0, 0, 0, 0, 0, 0], b"\0\0"]), "an index that cannot be"),
        (token_of([{}, [], 0, [], b"\0" * (1 << 23)]), "it is too large"),
        (token_of([{}, [], 0, [], b"", "more"]), "body cannot be read"),
    ],
)
def test_what_is_wrong_with_a_token_is_said(text: str, reason: str) -> None:
    with pytest.raises(TokenError, match=reason):
        Schedule.from_token(text)


def test_a_body_that_is_cut_or_has_a_tail_is_refused() -> None:
    packed = base64.urlsafe_b64decode(GOOD.split(".")[2] + "==")
    for wrong in (packed[:-1], packed + b"\0\0\0"):
        body = base64.urlsafe_b64encode(wrong).decode().rstrip("=")
        with pytest.raises(TokenError, match="body cannot be read"):
            Schedule.from_token(seal(f"sc1.race.{body}"))


@pytest.mark.parametrize("scenario", ["", "a.b", "a b", "ü"])
def test_a_scenario_id_that_would_break_a_token_is_refused(scenario: str) -> None:
    with pytest.raises(ValueError, match="cannot stand in a token"):
        Schedule.of(scenario, {}, [])


def test_the_format_is_pinned() -> None:
    """By reading: another zlib may pack the same body into other bytes."""
    pinned = "sc1.race.m9q4PCMxLyUntXih0ZTFRaV5y5MciksSi0oWJzlULEkpyi9gnsbIwMjIxHyEeTabCwA.9066b78a"
    choices = [Choice("run", "a@start", 0), Choice("run", "b@start", 1), Choice("b@x", "drop", 2)]
    read = Schedule.from_token(pinned)
    assert (read.scenario, read.variant) == ("race", {"handles": "2"})
    assert read.marks == Schedule.of("race", {}, choices).marks
    assert read.choices == (Choice("", "", 0), Choice("run", "b@start", 1), Choice("b@x", "drop", 1))

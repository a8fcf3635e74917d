"""Stops that come while a report is due."""

from __future__ import annotations

import signal
from collections.abc import Generator

import pytest

from stopcheck.cli._stops import Stops


@pytest.fixture(autouse=True)
def heeded() -> Generator[None]:
    """A shell that starts the tests in the background has SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def stop(number: signal.Signals = signal.SIGINT) -> None:
    """As when somebody asks for it."""
    signal.raise_signal(number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_stop_is_noted_and_another_is_as_everywhere(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    with Stops() as stops:
        stop(number)
        assert stops.heard
        assert capfd.readouterr().err == "the report is being written; once more ends without it\n"
        with pytest.raises(KeyboardInterrupt):
            stop()
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_stop_cuts_what_the_report_can_do_without() -> None:
    done: list[str] = []

    def first() -> None:
        done.append("begun")
        stop(signal.SIGTERM)
        done.append("gone on with")

    with Stops() as stops:
        stops.unless_heard(first)
        stops.unless_heard(lambda: done.append("another"))
    assert done == ["begun"]


def test_a_stop_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Stops() as stops:
            stop(signal.SIGTERM)
        assert not stops.heard
    finally:
        signal.signal(signal.SIGTERM, before)

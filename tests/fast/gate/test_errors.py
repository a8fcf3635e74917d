"""What a fault says is one bounded line, whatever the adapter raised."""

from __future__ import annotations

from stopcheck.gate import AdapterFault


def test_each_part_is_one_line_that_a_terminal_does_not_obey() -> None:
    fault = AdapterFault("raised\n  \x1b[31mboom\ud800", cause="at\r\nline 2", hint="a\tb")
    assert (fault.what, fault.cause, fault.hint) == ("raised   \\x1b[31mboom\\ud800", "at line 2", "a\\tb")
    assert str(fault) == fault.what


def test_what_is_too_long_is_cut() -> None:
    assert AdapterFault("é" * 100_000).what == "é" * 800 + "…"

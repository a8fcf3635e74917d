"""What is said on the console, whatever a gate answered."""

from __future__ import annotations

import io

from stopcheck.report._console import ReportConsole


def test_a_terminal_does_not_obey_what_a_gate_answered() -> None:
    out = io.StringIO()
    ReportConsole(file=out, highlight=False).say("detail='\x1b[31mred\x07\ud800'  é")
    assert out.getvalue() == "detail='?[31mred??'  é\n"

"""Faults as data: what, cause, hint; never a traceback of ours."""

from __future__ import annotations

from stopcheck.campaign._results import FaultReport
from stopcheck.gate import AdapterFault


def report_of(error: AdapterFault, scenario: str = "", token: str = "") -> FaultReport:
    """An adapter fault."""
    return FaultReport(type(error).__name__, error.what, error.cause, error.hint, scenario, token)


def kit_fault(error: BaseException, scenario: str = "", token: str = "") -> FaultReport:
    """A failure of the kit itself, with the place in our code where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "an unknown place"
    return FaultReport(
        "kit",
        f"the kit itself failed: {type(error).__name__}: {error}",
        f"raised at {where}",
        "please report it with this line and the command",
        scenario,
        token,
    )

"""Faults as data: what, cause, hint; never a traceback of ours."""

from __future__ import annotations

from stopcheck.campaign._results import FaultReport
from stopcheck.gate import AdapterFault, GateRaised
from stopcheck.world import in_words, raised_at


def report_of(error: AdapterFault, scenario: str = "", token: str = "") -> FaultReport:
    """An adapter fault."""
    return FaultReport(type(error).__name__, error.what, error.cause, error.hint, scenario, token)


def escaped(error: BaseException) -> GateRaised:
    """The fault of what a gate raised that ends programs, where no Ctrl-C can have been meant."""
    return GateRaised(
        f"the adapter raised {in_words(error)}",
        cause=f"raised at {raised_at(error)}; replies are values, an exception is not an answer",
        hint="return a reply of the operation instead",
    )


def kit_fault(error: BaseException, scenario: str = "", token: str = "") -> FaultReport:
    """A failure of the kit itself, with the place in our code where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "an unknown place"
    return FaultReport(
        "kit",
        f"the kit itself failed: {in_words(error)}",
        f"raised at {where}",
        "please report it with this line and the command",
        scenario,
        token,
    )

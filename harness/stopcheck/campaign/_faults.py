"""Faults as data: what, cause, hint; never a traceback of ours."""

from __future__ import annotations

import traceback

from stopcheck.campaign._results import KIT, SCENARIO, FaultReport
from stopcheck.gate import AdapterFault, GateRaised
from stopcheck.world import Scenario, in_words, raised_at


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


def job_fault(error: BaseException, scenario: Scenario) -> FaultReport:
    """What ended a job that is not the adapter's: the scenario's where its own code raised, or called the kit wrongly
    while it was built; else the kit's."""
    built = getattr(scenario.build, "__code__", None)
    file = built.co_filename if built is not None else ""
    passed = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    its_own = [(code, line) for code, line in passed if code.co_filename == file]
    if not its_own or not (passed[-1] == its_own[-1] or built in [code for code, _ in its_own]):
        return kit_fault(error, scenario.id)
    code, line = its_own[-1]
    return FaultReport(
        SCENARIO,
        f"the scenario {scenario.id!r} raised {in_words(error)}",
        f"raised at {file}:{line} in {code.co_name}; no gate is judged by it",
        "mend the scenario there; of one that came with the kit, please report this line",
        scenario.id,
    )


def kit_fault(error: BaseException, scenario: str = "", token: str = "") -> FaultReport:
    """A failure of the kit itself, with the place in our code where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "an unknown place"
    return FaultReport(
        KIT,
        f"the kit itself failed: {in_words(error)}",
        f"raised at {where}",
        "please report it with this line and the command",
        scenario,
        token,
    )

"""The boundary at which every error becomes one clear line and an exit code.

One idea: nobody who runs ``stopcheck`` sees a traceback of ours, but what went wrong, with the offending value, why,
and what to do next; the exit code says whose fault it is.
"""

from __future__ import annotations

import errno
from collections.abc import Callable

import click

from stopcheck.campaign import ExitCode, UsageFault, kit_fault, report_of
from stopcheck.cli._entry import INTERRUPTED
from stopcheck.gate import AdapterFault
from stopcheck.kernel import TokenError
from stopcheck.report import ReportConsole, make_console, print_faults, silence

#: Of a device that takes no more.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
#: What a shell says of a program whose reader went away.
BROKEN_PIPE = 141


def guarded(action: Callable[[], object]) -> int:
    """Run an action and turn whatever it raises into words and an exit code."""
    errors = make_console(stderr=True)
    try:
        try:
            result = action()
        except (BrokenPipeError, SystemExit):  # click makes the one of the other
            silence()
            return BROKEN_PIPE
        except Exception as error:
            return _explained(errors, error)
        except KeyboardInterrupt:
            errors.say("interrupted")
            return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError:  # there is no room to say what is wrong either
        silence(stderr=True)
        return ExitCode.USAGE
    return result if isinstance(result, int) else 0


def _explained(errors: ReportConsole, error: Exception) -> int:
    match error:
        case click.exceptions.Exit():
            return error.exit_code
        case click.Abort():
            errors.say("interrupted")
            return INTERRUPTED
        case click.ClickException():
            return _click(errors, error)
        case UsageFault():
            return _say(errors, error.what, error.hint)
        case TokenError():
            return _say(
                errors, f"this token cannot be replayed: {error}", "copy the whole token, or give the failure file"
            )
        case AdapterFault():
            print_faults(errors, [report_of(error)])
            return ExitCode.ADAPTER_FAULT
        case OSError() if error.errno in _FULL and error.filename is None:
            return cannot_say(error)
        case _:
            print_faults(errors, [kit_fault(error)])
            return ExitCode.KIT_FAULT


def cannot_say(error: OSError) -> int:
    """Standard output takes no more. What was not said is no verdict, whatever it was."""
    silence()
    what = f"cannot write to standard output: {error.strerror}"
    return _say(
        make_console(stderr=True), what, "send it where there is room; files that were asked for are written first"
    )


def _click(errors: ReportConsole, error: click.ClickException) -> int:
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return ExitCode.USAGE
    path = context.command_path if context is not None else "stopcheck"
    return _say(errors, error.format_message(), f"{path} --help")


def _say(console: ReportConsole, what: str, hint: str) -> int:
    console.say(f"error: {' '.join(what.split())}", "bold red")
    if hint:
        console.say(f"  next: {hint}")
    return ExitCode.USAGE

"""The ``stopcheck`` command and the boundary at which every error becomes one clear line and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click
from rich.console import Console
from rich.text import Text

from stopcheck.campaign import ExitCode, UsageFault, kit_fault, report_of
from stopcheck.cli._certify import certify_command
from stopcheck.cli._explain import explain_command
from stopcheck.cli._list import list_command
from stopcheck.cli._replay import replay_command
from stopcheck.cli._selftest import selftest_command
from stopcheck.gate import AdapterFault
from stopcheck.kernel import DivergedError, TokenError
from stopcheck.report import print_faults


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="stopcheck")
def cli() -> None:
    """Certify that Stop means stop.

    stopcheck runs a cancellation gate inside a simulated world, tries the interleavings of that world with a stop at every branch
    point, and gives a verdict per clause; each failure comes with a line that replays it.

    \b
    Start here:
      stopcheck certify sqlite             certify the bundled SQLite gate
      stopcheck certify path/to/my.py:Gate certify yours
      stopcheck explain ADM-3              what a clause wants
    \b
    Exit codes: 0 certified, 1 violations, 2 usage, 3 inconclusive, 4 adapter fault, 70 a fault of the kit.
    """


for command in (certify_command, replay_command, list_command, explain_command, selftest_command):
    cli.add_command(command)


def main() -> None:
    """The console script."""
    sys.exit(guarded(lambda: cli(standalone_mode=False)))


def guarded(action: Callable[[], object]) -> int:
    """Run an action and turn whatever it raises into words and an exit code."""
    errors = Console(stderr=True, highlight=False)
    try:
        result = action()
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        errors.print("interrupted")
        return 130
    except UsageFault as error:
        _say(errors, error.what, error.hint)
        return ExitCode.USAGE
    except TokenError as error:
        _say(errors, f"this token cannot be replayed: {error}", "copy the whole token, or give the failure file")
        return ExitCode.USAGE
    except DivergedError as error:
        _say(
            errors,
            f"the run left the schedule: {error}",
            "the gate, the scenario or the kit is not the one that made the token, or the gate is not deterministic",
        )
        return ExitCode.INCONCLUSIVE
    except AdapterFault as error:
        print_faults(errors, [report_of(error)])
        return ExitCode.ADAPTER_FAULT
    except BrokenPipeError:
        return ExitCode.USAGE
    except Exception as error:
        print_faults(errors, [kit_fault(error)])
        return ExitCode.KIT_FAULT
    return result if isinstance(result, int) else 0


def _say(console: Console, what: str, hint: str) -> None:
    console.print(Text(f"error: {what}", style="bold red"), soft_wrap=True)
    if hint:
        console.print(Text(f"  next: {hint}"), soft_wrap=True)

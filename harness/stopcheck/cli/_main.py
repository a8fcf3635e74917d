"""The ``stopcheck`` command."""

from __future__ import annotations

import sys

import click

from stopcheck.campaign import UsageFault, did_you_mean
from stopcheck.cli._certify import certify_command
from stopcheck.cli._completion import completion_command
from stopcheck.cli._defaults import read_defaults
from stopcheck.cli._explain import explain_command
from stopcheck.cli._guard import BROKEN_PIPE, cannot_say, guarded
from stopcheck.cli._init import init_command
from stopcheck.cli._list import list_command
from stopcheck.cli._merge import merge_command
from stopcheck.cli._replay import replay_command
from stopcheck.cli._selftest import selftest_command
from stopcheck.cli._smoke import smoke_command
from stopcheck.cli._verify import verify_command
from stopcheck.report import silence


class _Verbs(click.Group):
    """The verbs; of a misspelt one it says what was meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Called by click."""
        if args and args[0] not in self.commands and (meant := did_you_mean(args[0], self.commands, "")):
            raise UsageFault(f"no such command {args[0]!r}", hint=meant)
        return super().resolve_command(ctx, args)


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="stopcheck")
@click.pass_context
def cli(context: click.Context) -> None:
    """Certify that Stop means stop.

    stopcheck runs a cancellation gate inside a simulated world, tries the interleavings of that world with a stop at
    every branch point, and gives a verdict per clause; each failure comes with a line that replays it.

    \b
    Start here:
      stopcheck certify sqlite             certify the bundled SQLite gate
      stopcheck certify path/to/my.py:Gate certify yours
      stopcheck certify --command "node gate.js"   one in a process of its own
      stopcheck smoke path/to/my.py:Gate   whether yours can be tried at all
      stopcheck init my-gate --lang node   begin a gate of your own
      stopcheck explain ADM-3              what a clause wants
    \b
    Exit codes: 0 certified, 1 violations, 2 usage, 3 inconclusive (also: interrupted, or only a part
    was tried), 4 adapter fault, 5 waiver drift, 70 a fault of the kit.
    """
    context.default_map = read_defaults(certify_command, merge_command, smoke_command, replay_command)


for command in (
    init_command,
    certify_command,
    merge_command,
    replay_command,
    list_command,
    explain_command,
    selftest_command,
    smoke_command,
    verify_command,
    completion_command,
):
    cli.add_command(command)


def main() -> None:
    """The console script."""
    code = guarded(lambda: cli(standalone_mode=False))
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence()
        code = BROKEN_PIPE
    except OSError as error:
        code = cannot_say(error)
    sys.exit(code)

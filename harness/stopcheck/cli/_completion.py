"""``stopcheck completion``, and what can be completed."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import get_completion_class

from stopcheck.campaign import installed_gates, load_scenarios
from stopcheck.judge.requirements import REQUIREMENTS

_SHELLS = ("bash", "zsh", "fish")
_PROGRAM, _VARIABLE = "stopcheck", "_STOPCHECK_COMPLETE"


@click.command("completion", short_help="Completion for a shell.")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> int:
    """Print what makes SHELL complete verbs, flags, and names of gates, scenarios and clauses.

    \b
      eval "$(stopcheck completion bash)"   in ~/.bashrc
      eval "$(stopcheck completion zsh)"    in ~/.zshrc
      stopcheck completion fish | source    in ~/.config/fish/config.fish
    """
    made = get_completion_class(shell)
    assert made is not None, shell
    click.echo(made(context.find_root().command, {}, _PROGRAM, _VARIABLE).source())
    return 0


def _beginning(names: Iterable[str], given: str) -> list[str]:
    return [name for name in names if name.lower().startswith(given.lower())]


def gates(_context: click.Context, _parameter: click.Parameter, given: str) -> list[str]:
    """Names of installed gates."""
    return _beginning((name for name, _ in installed_gates()), given)


def scenarios(_context: click.Context, _parameter: click.Parameter, given: str) -> list[str]:
    """Names of installed scenarios."""
    return _beginning(load_scenarios(), given)


def clauses(_context: click.Context, _parameter: click.Parameter, given: str) -> list[str]:
    """Ids of clauses."""
    return _beginning(REQUIREMENTS, given)

"""Defaults of flags from ``[tool.stopcheck]`` in the ``pyproject.toml`` of the current directory.

One idea: a key is a flag of ``certify`` by its long name, or ``gate``; other verbs take those that they have too. What
the command line says goes before what stands there, and a key that is no flag is refused, lest a misspelt one be taken
for obeyed.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, cast

import click
from click.core import ParameterSource

from stopcheck.campaign import UsageFault, did_you_mean
from stopcheck.world import shortened

_FILE = Path("pyproject.toml")


def read_defaults(*commands: click.Command) -> dict[str, dict[str, Any]]:
    """For click's ``default_map``. The first command says which keys there are. Raises :class:`UsageFault` for others,
    and when the file cannot be read."""
    table = _table()
    known, many = _keys(commands[0]), _repeated(commands[0])
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known, "keys are the long flags of certify: stopcheck certify --help")
            raise UsageFault(f"[tool.stopcheck] in {str(_FILE)!r} has {key!r}, which is no flag of certify", hint=hint)
    return {
        str(command.name): {
            name: table[key]
            for key, name in _keys(command).items()
            if key in table and (name in _repeated(command)) is (known[key] in many)  # else it is another flag
        }
        for command in commands
    }


def _table() -> dict[str, Any]:
    try:
        content = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        what = f"{str(_FILE)!r} in the current directory cannot be read: {error}"
        raise UsageFault(what, hint="mend it, or run from another directory") from error
    table: Any = content
    for name in ("tool", "stopcheck"):
        table = cast("dict[str, Any]", table).get(name, {})
        if not isinstance(table, dict):
            what = f"{name!r} in {str(_FILE)!r} is {shortened(table)}, and not a table"
            raise UsageFault(what, hint='write [tool.stopcheck], and below it a line for each flag: gate = "sqlite"')
    return cast("dict[str, Any]", table)


def _keys(command: click.Command) -> dict[str, str]:
    """By the name of a key that of the parameter."""
    keys: dict[str, str] = {}
    for parameter in command.params:
        name = str(parameter.name)
        flags = [flag for flag in parameter.opts if flag.startswith("--")]
        keys[flags[0].removeprefix("--") if flags else name] = name
    return keys


def _repeated(command: click.Command) -> set[str]:
    """Parameters that take several values."""
    return {str(parameter.name) for parameter in command.params if getattr(parameter, "multiple", False)}


def from_file(parameter: str) -> bool:
    """Whether the running command has this parameter from the file and not from the command line."""
    return click.get_current_context().get_parameter_source(parameter) is ParameterSource.DEFAULT_MAP

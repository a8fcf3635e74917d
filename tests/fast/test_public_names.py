"""The public names of the world and the gate can be looked at: an editor, a notebook or ``help`` resolves what their
signatures name."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import stopcheck.gate
import stopcheck.world
from stopcheck.world import Scenario, World


def _functions(owner: type[Any]) -> Iterator[tuple[str, Any]]:
    """The public functions of a class, and what makes one."""
    for name, value in vars(owner).items():
        if name.startswith("_") and name != "__init__":
            continue
        plain = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if inspect.isfunction(plain):
            yield name, plain


def _unresolved(module: ModuleType) -> list[str]:
    """What names something that cannot be found."""
    found: list[str] = []
    for name in module.__all__:
        value = getattr(module, name)
        looked_at = [(name, value)] if inspect.isclass(value) or inspect.isfunction(value) else []
        if inspect.isclass(value):
            looked_at += [(f"{name}.{method}", function) for method, function in _functions(value)]
        for label, one in looked_at:
            try:
                typing.get_type_hints(one)
                if not (inspect.isclass(one) and issubclass(one, BaseException)):  # those of C have none to show
                    inspect.signature(one, eval_str=True)
            except (NameError, AttributeError, ValueError) as error:
                found.append(f"{label}: {error!r}")
    return found


@pytest.mark.parametrize("module", [stopcheck.gate, stopcheck.world], ids=["gate", "world"])
def test_what_signatures_name_can_be_found(module: ModuleType) -> None:
    assert _unresolved(module) == []


def test_a_name_that_is_there_for_type_checkers_only_is_noticed() -> None:
    def wrong(there: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    module = ModuleType("wrong")
    module.__dict__.update(__all__=["wrong"], wrong=wrong)
    assert _unresolved(module) == ["wrong: NameError(\"name 'Nowhere' is not defined\")"]


def test_a_scenario_is_built_on_a_world() -> None:
    (argument,), _ = typing.get_args(typing.get_type_hints(Scenario)["build"])
    assert argument is World

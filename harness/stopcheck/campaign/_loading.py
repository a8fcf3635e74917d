"""Finding gates and scenarios: by entry-point name, ``package.module:factory``, or ``path.py:factory``; a gate also by
``command:node gate.js``, which starts it in a process of its own."""

from __future__ import annotations

import importlib
import importlib.util
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import msgspec

from stopcheck.campaign._databases import connect_to_server
from stopcheck.campaign._errors import UsageFault, did_you_mean
from stopcheck.campaign._results import GateIdentity
from stopcheck.campaign._surroundings import folder
from stopcheck.gate import AdapterFault, GateContract, GateFactory, KnownFault, KnownRight, NotAGate
from stopcheck.remote import RemoteFactory
from stopcheck.world import Scenario, forks_refused, in_words, refused_fork, shortened

GATES = "stopcheck.gates"
SCENARIOS = "stopcheck.scenarios"
FAULTS = "stopcheck.faults"
RIGHT = "stopcheck.right"
#: How to install what a gate may need that is not everybody's.
_EXTRAS = {"psycopg": "pip install 'stopcheck[postgres]'"}
#: What a reference to a gate in another process begins with; the command follows.
COMMAND = "command:"


_WHERE = "check the path before the colon; one that is not absolute counts from the current directory"


class LoadedGate(msgspec.Struct, frozen=True):
    """A gate's factory, and how it was named. ``home``: where a relative path in that begins; its module may have gone
    elsewhere since."""

    reference: str
    factory: Any
    home: str | None = None

    @property
    def contract(self) -> GateContract:
        """What it declares."""
        return cast("GateFactory", self.factory).contract

    def close(self) -> None:
        """No run uses it any more: end the processes that it started, if it is a command."""
        if isinstance(self.factory, RemoteFactory):
            self.factory.close()

    def identity(self) -> GateIdentity:
        """For reports."""
        contract = self.contract
        return GateIdentity(
            self.reference,
            contract.name,
            contract.version,
            contract.durability.value,
            contract.host.value,
            tuple(sorted(c.value for c in contract.capabilities)),
            contract.serialised_calls,
        )


class BrokenAdapter(AdapterFault):
    """The adapter's module cannot be imported."""


def load_gate(reference: str) -> LoadedGate:
    """Load a gate. Raises :class:`UsageFault` when there is no such thing, :class:`AdapterFault` when it is broken."""
    home = folder() or None
    with forks_refused():
        try:
            return msgspec.structs.replace(_load(reference), home=home)
        finally:
            forked = refused_fork()
            if forked is not None:
                raise forked


def _load(reference: str) -> LoadedGate:
    if reference.startswith(COMMAND):
        return _from_command(reference)
    named = {point.name: point.value for point in entry_points(group=GATES)}
    if reference in named:
        return _from_module(reference, named[reference])
    tried: dict[str, Any] = {}
    if ":" not in reference:
        tried = {gate.name: gate.factory for gate in load_right()} | {
            fault.name: fault.factory for fault in load_faults()
        }
    if reference in tried:
        return as_loaded(reference, tried[reference])
    if ":" not in reference:
        known = ", ".join(sorted(named)) or "none"
        hint = did_you_mean(reference, {*named, *tried}, f"installed gates: {known}")
        if reference.endswith(".py"):
            raise UsageFault(
                f"{reference!r} names a file and no factory", hint=f"name the class in it: {reference}:Gate"
            )
        raise UsageFault(
            f"unknown gate {reference!r}: it is neither an installed gate nor 'module:factory' nor 'path.py:factory'",
            hint=f"{hint} (see: stopcheck list gates)",
        )
    place, _, name = reference.rpartition(":")
    if place.endswith(".py"):
        return _from_file(reference, Path(place), name)
    return _from_module(reference, reference)


def _from_command(reference: str) -> LoadedGate:
    try:
        command = shlex.split(reference.removeprefix(COMMAND))
    except ValueError as error:
        what = f"the command of {reference!r} cannot be read: {error}"
        raise UsageFault(what, hint="quote it as for a shell") from error
    if not command or shutil.which(command[0]) is None:
        what = f"there is no program {command[0]!r}" if command else "the command is empty"
        raise UsageFault(f"{what} in {reference!r}", hint='name one that can be started: --command "node gate.js"')
    loaded = LoadedGate(reference, RemoteFactory(command))
    try:
        _check_factory(reference, loaded.factory)
    except BaseException:
        loaded.close()
        raise
    return loaded


def as_loaded(reference: str, factory: Any) -> LoadedGate:
    """A factory that somebody holds already."""
    _check_factory(reference, factory)
    return LoadedGate(reference, factory)


def _from_module(reference: str, value: str) -> LoadedGate:
    place, _, name = value.partition(":")
    try:
        module = importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is not None and (place == error.name or place.startswith(error.name + ".")):
            raise UsageFault(
                f"no module {place!r} for the gate {reference!r}",
                hint="is it installed in this environment, and spelt right? a file is named path.py:factory",
            ) from error
        raise _import_failed(reference, error) from error
    except (Exception, SystemExit) as error:
        raise _import_failed(reference, error) from error
    return _pick(reference, module, name)


def _from_file(reference: str, path: Path, name: str) -> LoadedGate:
    if not path.is_file():
        raise UsageFault(f"no file {str(path)!r} for the gate {reference!r}", hint=_WHERE)
    module_name = f"stopcheck_adapter_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise UsageFault(f"{str(path)!r} is not a Python file", hint="name it path.py:factory")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    beside = str(path.resolve().parent)
    if beside not in sys.path:
        sys.path.insert(0, beside)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise _import_failed(reference, error) from error
    return _pick(reference, module, name)


def _import_failed(reference: str, error: BaseException) -> BrokenAdapter:
    if isinstance(error, SyntaxError):
        where = f"{error.filename}:{error.lineno}"
    else:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else "?"
    return BrokenAdapter(
        f"the module of {reference!r} raised {in_words(error)}",
        cause=f"raised at {where} while it was imported",
        hint=_EXTRAS.get(getattr(error, "name", None) or "", "import it in a plain Python first"),
    )


def _pick(reference: str, module: ModuleType, name: str) -> LoadedGate:
    factory = getattr(module, name, None)
    if factory is None:
        public = sorted(n for n in vars(module) if not n.startswith("_"))
        raise UsageFault(
            f"{reference!r}: its module has no {name!r}",
            hint=did_you_mean(name, public, "name the gate's class or factory after the colon"),
        )
    return as_loaded(reference, factory)


def _check_factory(reference: str, factory: Any) -> None:
    if not callable(factory):
        raise NotAGate(
            f"{reference!r} is the {type(factory).__name__} {shortened(factory)}, which cannot be called",
            cause="a factory is a Gate class or a function of an environment",
            hint="name a subclass of stopcheck.gate.Gate",
        )
    try:
        contract: object = getattr(factory, "contract", None)
    except AdapterFault:
        raise
    except Exception as error:
        raise NotAGate(
            f"the contract of {reference!r} raised {in_words(error)}",
            cause="the kit reads factory.contract before it makes a gate",
            hint="set the class attribute contract = GateContract(name=..., version=...)",
        ) from error
    if not isinstance(contract, GateContract):
        raise NotAGate(
            f"{reference!r} has no readable contract (found {shortened(contract)})",
            cause="the kit reads factory.contract, a stopcheck.gate.GateContract, before it makes a gate",
            hint="set the class attribute contract = GateContract(name=..., version=...)",
        )
    _check_contract(reference, contract)
    if contract.database is not None:
        connect_to_server().close()


def _check_contract(reference: str, contract: GateContract) -> None:
    """Its fields have the declared types; a plain string where an enum belongs would be mistaken for another value."""
    try:
        right = msgspec.convert(msgspec.to_builtins(contract), GateContract)
    except (msgspec.MsgspecError, TypeError) as error:
        raise NotAGate(
            f"the contract of {reference!r} is not valid: {error}",
            cause="a field has a value of the wrong type",
            hint="see stopcheck.gate.GateContract",
        ) from error
    for name in contract.__struct_fields__:
        given, wanted = getattr(contract, name), getattr(right, name)
        if _types(given) != _types(wanted):
            raise NotAGate(
                f"the contract of {reference!r} has {name}={shortened(given)}, which is not of type {_types(wanted)}",
                cause="a plain string stands where a value of stopcheck.gate belongs",
                hint=f"use the enumerations of stopcheck.gate for {name}",
            )
        if name.endswith("_ns") and given < 0:
            raise NotAGate(
                f"the contract of {reference!r} has {name}={given}, and no time lasts less than nothing",
                cause="a bound of a contract is a length of time in nanoseconds",
                hint=f"declare {name} as 0 or more; stopcheck.gate.SECOND_NS is one second",
            )
    for name in ("name", "version"):
        _check_line(reference, name, getattr(contract, name))


def _check_line(reference: str, field: str, text: str) -> None:
    """What stands in every report must be one line that can be seen."""
    if not text.strip():
        what, cause = "is blank", "reports and certificates call the gate by its name and version"
    elif not text.isprintable():
        what = "has a character that cannot be printed"
        cause = "a line break, a tab or a control character, which would disturb every report that shows it"
    else:
        return
    raise NotAGate(
        f"the contract of {reference!r} has {field}={text!r}, which {what}",
        cause=cause,
        hint=f"give {field} as one line of visible characters, such as name='my-gate', version='1.2'",
    )


def _types(value: object) -> str:
    name = type(value).__name__
    if not isinstance(value, frozenset | dict):
        return name
    parts = cast("Iterable[object]", value)
    return f"{name} of {' and '.join(sorted({type(part).__name__ for part in parts}))}"


def load_scenarios() -> dict[str, Scenario]:
    """Every installed scenario by id, in the order of their packages."""
    found: dict[str, Scenario] = {}
    for point in sorted(entry_points(group=SCENARIOS), key=lambda p: p.name):
        for scenario in point.load():
            found[scenario.id] = scenario
    return found


def load_faults() -> list[KnownFault]:
    """Every installed known-wrong gate."""
    return [fault for point in sorted(entry_points(group=FAULTS), key=lambda p: p.name) for fault in point.load()]


def load_right() -> list[KnownRight]:
    """Every installed known-right gate."""
    return [right for point in sorted(entry_points(group=RIGHT), key=lambda p: p.name) for right in point.load()]


def installed_gates() -> Iterator[tuple[str, str]]:
    """Names and places of installed gates."""
    for point in sorted(entry_points(group=GATES), key=lambda p: p.name):
        yield point.name, point.value


def gates_with_a_server() -> list[str]:
    """The installed gates whose state is in a database, so that they cannot be tried everywhere."""
    return [point.name for point in sorted(entry_points(group=GATES), key=lambda p: p.name) if _wants_a_server(point)]


def _wants_a_server(point: EntryPoint) -> bool:
    try:
        contract = getattr(point.load(), "contract", None)
    except ImportError:  # of the extra that such a gate needs
        return True
    return isinstance(contract, GateContract) and contract.database is not None


def pick_scenarios(wanted: tuple[str, ...], clauses: tuple[str, ...] = ()) -> list[Scenario]:
    """The scenarios of these ids, or all; if ``clauses`` are named, of those the ones that are about one of them.
    Raises :class:`UsageFault` for an unknown scenario, and when none is left."""
    known = load_scenarios()
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known, "see: stopcheck list scenarios")
            raise UsageFault(f"unknown scenario {name!r}", hint=hint)
    chosen = [known[name] for name in dict.fromkeys(wanted)] if wanted else list(known.values())
    if not clauses:
        return chosen
    about = [scenario for scenario in chosen if set(clauses) & set(scenario.clauses)]
    if not about:
        hint = f"see its scenarios: stopcheck explain {clauses[0]}"
        raise UsageFault(f"no scenario of these is about {', '.join(clauses)}", hint=hint)
    return about

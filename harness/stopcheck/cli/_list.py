"""``stopcheck list``."""

from __future__ import annotations

import click
import msgspec
from rich.table import Table
from rich.text import Text

from stopcheck.campaign import (
    PROFILES,
    Coverage,
    UsageFault,
    as_markdown,
    catalogue,
    did_you_mean,
    installed_gates,
    load_scenarios,
    points_as_markdown,
    points_carried,
    protocol_page,
)
from stopcheck.explore import STRATEGIES
from stopcheck.gate import Capability
from stopcheck.judge.requirements import Level
from stopcheck.remote import wire_schema
from stopcheck.report import ReportConsole, make_console, report_schema

#: What can be listed.
LISTS = ("gates", "scenarios", "strategies", "profiles", "requirements", "points", "protocol", "wire", "report")


class _Lists(click.Choice[str]):
    """What can be listed; of a misspelt one it says what was meant."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Called by click."""
        if value not in LISTS and (meant := did_you_mean(value, LISTS, "")):
            raise UsageFault(f"there is no list of {value!r}", hint=meant)
        return super().convert(value, param, ctx)


@click.command("list", short_help="List what is installed, the catalogue, or a JSON Schema.")
@click.argument("what", type=_Lists(LISTS))
@click.option("--uncovered", is_flag=True, help="Requirements only: those that no check can fail yet.")
@click.option("--markdown", is_flag=True, help="Requirements and points: the table of docs/clauses.md, docs/points.md.")
def list_command(what: str, *, uncovered: bool, markdown: bool) -> int:
    """List what is installed: gates, scenarios, strategies, profiles, the requirement catalogue, or the named points at
    which a stop is injected; or print the reference of the gate protocol (docs/protocol.md), or the JSON Schema of the
    wire to a gate in another process, or of a JSON report."""
    given = [option for option, on in (("--uncovered", uncovered), ("--markdown", markdown)) if on]
    if given and what != "requirements" and not (what == "points" and given == ["--markdown"]):
        raise UsageFault(
            f"{' and '.join(given)} says nothing about {what}", hint=f"stopcheck list requirements {' '.join(given)}"
        )
    console = make_console()
    if what == "gates":
        _gates(console)
    elif what == "scenarios":
        _scenarios(console)
    elif what == "strategies":
        _strategies(console)
    elif what == "profiles":
        _profiles(console)
    elif what == "wire":
        click.echo(msgspec.json.format(msgspec.json.encode(wire_schema(), order="deterministic")))
    elif what == "report":
        click.echo(msgspec.json.format(msgspec.json.encode(report_schema(), order="deterministic")))
    elif what == "protocol":
        click.echo(protocol_page(), nl=False)
    elif what == "points":
        _points(console, markdown=markdown)
    elif markdown:
        click.echo(as_markdown(catalogue()), nl=False)
    else:
        _requirements(console, uncovered=uncovered)
    return 0


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns[:-1]:
        table.add_column(column, no_wrap=True)
    table.add_column(columns[-1], overflow="fold")
    return table


def _gates(console: ReportConsole) -> None:
    table = _table("gate", "place")
    for name, value in installed_gates():
        table.add_row(name, value)
    console.print(table)


def _scenarios(console: ReportConsole) -> None:
    table = _table("scenario", "case", "what it is about")
    for scenario in load_scenarios().values():
        table.add_row(scenario.id, str(scenario.case or ""), scenario.sentence)
    console.print(table)


def _strategies(console: ReportConsole) -> None:
    table = _table("strategy", "completes", "what it does")
    for strategy in STRATEGIES.values():
        table.add_row(strategy.name, strategy.completes.value, strategy.about)
    console.print(table)
    console.print("Only what completes the space of runs, or a bound of it, is ground for a pass.")


def _profiles(console: ReportConsole) -> None:
    table = _table("profile", "clauses", "what it is about, and wants a gate to declare")
    for profile in PROFILES.values():
        wants = ", ".join(sorted(f"[{want}]" if isinstance(want, Capability) else want for want in profile.wants))
        wants = "whatever a clause needs" if profile.name == "full" else wants
        table.add_row(profile.name, str(len(profile.clauses)), Text(f"{profile.about} ({wants})"))
    console.print(table)
    console.print("The clauses of a profile are the MUST clauses that need nothing else than what it wants.")


def _points(console: ReportConsole, *, markdown: bool) -> None:
    carried = points_carried()
    if markdown:
        click.echo(points_as_markdown(carried), nl=False)
        return
    table = _table("point", "in", "scenarios")
    for point, scenarios in carried.items():
        table.add_row(point, str(len(scenarios)), ", ".join(scenarios) or "none")
    console.print(table)


def _requirements(console: ReportConsole, *, uncovered: bool) -> None:
    known = catalogue()
    table = _table("clause", "checks", "in", "by", "needs", "title")
    for each in known.values():
        if uncovered and each.covered:
            continue
        requirement = each.requirement
        table.add_row(
            requirement.id,
            str(len(each.checks)) if each.checks else "excluded" if each.exclusion else "none yet",
            str(len(each.scenarios)),
            str(len(each.killers)),
            requirement.capability or "",
            _title(each),
        )
    console.print(table)
    bare = [each for each in known.values() if not each.covered]
    excluded = sum(1 for each in bare if each.exclusion)
    console.print("in: scenarios that exercise it; by: known wrong gates that die for it")
    console.print(f"{len(known)} requirements, {len(bare)} not covered, {excluded} of them by a written exclusion")


def _title(each: Coverage) -> str:
    requirement = each.requirement
    level = "" if requirement.level is Level.MUST else f" ({requirement.level.value})"
    return f"{requirement.title}{level}" + (f": {each.exclusion}" if each.exclusion else "")

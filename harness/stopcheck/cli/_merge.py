"""``stopcheck merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stopcheck.campaign import PROFILES, Options, merge
from stopcheck.cli._options import edition_option, given_waivers, waivers_option
from stopcheck.cli._outputs import output_options, take_outputs, write_outputs
from stopcheck.cli._stops import Stops
from stopcheck.report import make_console


@click.command("merge", short_help="Merge the shards of a campaign.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--profile", metavar="NAME", help=f"As for certify: {', '.join(PROFILES)}.")
@waivers_option
@edition_option
@output_options
def merge_command(files: tuple[Path, ...], waivers_path: Path | None, **flags: Any) -> int:
    """Merge what certify wrote into FILES with --shard K/N --resume FILE, one for each shard, into the report of the
    whole campaign: the same, byte for byte, as if it had run at one go. A shard that is missing, did not come to its
    end, or is another campaign's, is refused.

    \b
    Examples:
      stopcheck merge shard-1.jsonl shard-2.jsonl shard-3.jsonl --profile core --json report.json
    """
    outputs = take_outputs(flags)
    done = merge(files, Options(**flags, waivers=given_waivers(waivers_path)))
    with Stops() as stops:
        write_outputs(make_console(), done, outputs, stops)
    return done.report.exit_code

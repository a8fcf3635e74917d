"""Merging the shards of a campaign into the report of the whole.

One idea: nothing is judged twice. Each shard wrote down what its jobs found; judged together they are the campaign, and
the report is that of one which ran at one go, byte for byte. What is not there is refused, never taken for passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from stopcheck.campaign._certify import Campaign, Options, check_options, report_on
from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._journal import End, Entry, Head, Shortened, differing_fields, read_journal
from stopcheck.campaign._messages import Compared, Finished
from stopcheck.campaign._outcome import Outcome, best_findings, give_up_rest, settle, wants_audit
from stopcheck.judge.requirements import REQUIREMENT_SET

_AGAIN = "run it to its end: certify with the same flags and --resume {}"


def merge(paths: Sequence[Path], options: Options) -> Campaign:
    """The campaign of which these journals hold the shards. Of ``options`` only what judges counts (the profile, the
    waivers). Raises :class:`UsageFault` when they do not make one whole campaign."""
    check_options(options)
    journals = [(path, *_read(path)) for path in paths]
    if not journals:
        raise UsageFault("no journal was named", hint="name what each shard wrote with --resume")
    first_path, head, _ = journals[0]
    _check_kit(first_path, head)
    seen: dict[int, Path] = {}
    for path, other, entries in journals:
        _check(path, other, entries, first_path, head)
        if other.shard.number in seen:
            what = f"{str(path)!r} and {str(seen[other.shard.number])!r} both hold shard {other.shard}"
            raise UsageFault(what, hint="name each shard once")
        seen[other.shard.number] = path
    missing = [number for number in range(1, head.shard.of + 1) if number not in seen]
    if missing:
        what = f"of {head.shard.of} shards these are missing: {', '.join(map(str, missing))}"
        raise UsageFault(what, hint=f"run them: certify with the same flags and --shard {missing[0]}/{head.shard.of}")
    outcome = _together(head, [entry for _, _, entries in journals for entry in entries])
    whole = _as_asked(head, options)
    return Campaign(report_on(whole, outcome), whole, head.opened)


def _read(path: Path) -> tuple[Head, list[Entry]]:
    found = read_journal(path)
    if found is None:
        raise UsageFault(f"there is no journal in {str(path)!r}", hint="give a file that certify wrote with --resume")
    return found


def _check_kit(path: Path, head: Head) -> None:
    """What another kit found is not judged by this one, whose report would name itself."""
    here = version("stopcheck")
    if (head.kit_version, head.requirement_set) != (here, REQUIREMENT_SET):
        what = (
            f"{str(path)!r} was written by stopcheck {head.kit_version} (requirement set {head.requirement_set}), and "
        )
        what += f"this is {here} ({REQUIREMENT_SET})"
        raise UsageFault(what, hint=f"merge with the kit that wrote it: pip install stopcheck=={head.kit_version}")


def _check(path: Path, head: Head, entries: Sequence[Entry], first_path: Path, first: Head) -> None:
    differing = differing_fields(head, first)
    if head.shard.of != first.shard.of:
        differing.append("number of shards")
    if differing:
        what = f"{str(path)!r} and {str(first_path)!r} are of different campaigns; they differ in: "
        raise UsageFault(what + ", ".join(differing), hint="merge shards of one gate, made with the same flags")
    if not any(isinstance(entry, End) for entry in entries):
        what = f"shard {head.shard} in {str(path)!r} did not come to its end"
        raise UsageFault(what, hint=_AGAIN.format(path))


def _together(head: Head, entries: Sequence[Entry]) -> Outcome:
    outcome = Outcome(opened=head.opened)
    for entry in entries:
        if isinstance(entry, Finished):
            outcome.results[entry.index] = entry.result
            if not wants_audit(entry):
                outcome.audited.add(entry.index)
        elif isinstance(entry, Compared):
            outcome.compared[entry.index] = entry
        elif isinstance(entry, Shortened):
            outcome.shortened.append(entry)
    give_up_rest(outcome)  # first: what each shard did after that by itself counts for nothing
    best = best_findings(outcome.results[index] for index in sorted(outcome.results))
    outcome.shortened = [one for one in outcome.shortened if one.found in best]
    settle(outcome)
    return outcome


def _as_asked(head: Head, options: Options) -> Options:
    request = head.request
    return Options(
        scenarios=request.scenarios,
        clauses=request.clauses,
        seed=request.seed,
        budget=request.budget,
        granularity=request.granularity,
        strategy=request.strategy,
        profile=options.profile,
        waivers=options.waivers,
        edition=options.edition,
    )

"""The journal of a campaign: what each job found, written down as soon as it is known.

One idea: a report is a function of the plan and of the results of its jobs, whoever found them and when. So a campaign
that was killed goes on from its journal, the shards of one are merged from theirs, and both come to the report of a
campaign that ran at one go. A journal is JSON lines: a head that says which campaign it is, then one record each. A
last line that was cut off by a death counts for nothing. Each line is sealed with a digest of itself and of all before
it, so that none is changed, left out or put in between unnoticed. Whoever makes seals anew can write what he likes:
what must be believed is signed (``_certificate``).
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from stopcheck.campaign._errors import UsageFault
from stopcheck.campaign._messages import Compared, Finished, Open, Opened
from stopcheck.campaign._results import Finding

FORMAT = "stopcheck-journal"
VERSION = 2


class Shard(msgspec.Struct, frozen=True):
    """Part ``number`` (from 1) ``of`` so many; a job belongs to one of them."""

    number: int
    of: int

    def has(self, index: int) -> bool:
        """Whether the job of the plan with this index (from 0) belongs to it."""
        return index % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Shard(1, 1)


class Head(msgspec.Struct, frozen=True, tag=True):
    """Which campaign it is. Whatever decides what its jobs find stands here; ``request`` is without bounds in real
    time."""

    format: str
    version: int
    kit_version: str
    requirement_set: str
    request: Open
    opened: Opened
    shard: Shard = WHOLE


class Shortened(msgspec.Struct, frozen=True, tag=True):
    """A finding as a job found it, and the same one shrunk."""

    found: Finding
    shrunk: Finding


class End(msgspec.Struct, frozen=True, tag=True):
    """All was done."""


Entry = Finished | Compared | Shortened | End
#: How each journal begins, so that nobody's file is taken for one that was cut off in its first line, and lost.
_BEGINNING = b'{"type":"Head","format":"stopcheck-journal"'
_SEAL = b',"seal":"'
_SEAL_LETTERS = 32
_decoder = msgspec.json.Decoder(Head | Finished | Compared | Shortened | End)
_HINT = "give a file that certify wrote with --resume"
_BY_HAND = "begin anew with another file; shards are put together by: stopcheck merge FILE FILE ..."


def read_journal(path: Path) -> tuple[Head, list[Entry]] | None:
    """The head and the whole records; ``None`` when there is not even a whole head. Raises :class:`UsageFault` when it
    cannot be read, is no journal of this version, or holds what no campaign writes down."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageFault(f"cannot read {str(path)!r}: {error.strerror}", hint=_HINT) from error
    lines = content.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    if not lines:
        if not (content.startswith(_BEGINNING) or _BEGINNING.startswith(content)):
            raise UsageFault(f"{str(path)!r} is no journal of a campaign: it begins otherwise", hint=_HINT)
        return None
    try:
        head, *entries = [_decoder.decode(line) for line in lines]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageFault(f"{str(path)!r} is no journal of a campaign: {error}", hint=_HINT) from error
    if not isinstance(head, Head) or head.format != FORMAT:
        raise UsageFault(f"{str(path)!r} is no journal of a campaign: it does not say which campaign it is", hint=_HINT)
    if head.version != VERSION:
        what = f"{str(path)!r} is a journal of version {head.version}; this kit reads version {VERSION}"
        raise UsageFault(what, hint="finish it with the kit that began it, or begin anew with another file")
    _check_seals(path, lines)
    known = _Known(head)
    for number, entry in enumerate(entries, 2):
        wrong = known.wrong(entry)
        if wrong:
            what = f"{str(path)!r} is not as a campaign writes it: its line {number} {wrong}"
            raise UsageFault(what, hint=_BY_HAND)
    return head, known.entries


def in_lines(records: Iterable[Head | Entry], seal: bytes = b"") -> bytes:
    """These records as a journal holds them, after a line that is sealed so."""
    lines = b""
    for record in records:
        content = msgspec.json.encode(record)[:-1]
        seal = _sealing(content, seal)
        lines += content + _SEAL + seal + b'"}\n'
    return lines


def _sealing(content: bytes, before: bytes) -> bytes:
    return hashlib.sha256(before + content).hexdigest()[:_SEAL_LETTERS].encode()


def _last_seal(lines: bytes) -> bytes:
    return lines.rpartition(_SEAL)[2][:_SEAL_LETTERS]


def _check_seals(path: Path, lines: Sequence[bytes]) -> None:
    seal = b""
    for number, line in enumerate(lines, 1):
        content = line.rpartition(_SEAL)[0]
        seal = _sealing(content, seal)
        if line != content + _SEAL + seal + b'"}\n':
            what = f"{str(path)!r} is not as a campaign wrote it: its line {number}, or one before it, was changed"
            raise UsageFault(what, hint="take the file as it was written, or begin anew with another one")


class _Known:
    """What a journal says up to some line. It is written by one campaign, which does each job of its plan once."""

    def __init__(self, head: Head) -> None:
        self._head = head
        self._done: dict[int, Finished] = {}
        self._compared: set[int] = set()
        self._shortened: list[Finding] = []
        self.entries: list[Entry] = []

    def wrong(self, entry: Head | Entry) -> str:
        """Take in the next line; in words what is wrong with it, empty if nothing is."""
        match entry:
            case Head():
                return "begins another journal"
            case Finished():
                wrong = self._wrong_job(entry)
            case Compared():
                wrong = self._wrong_comparison(entry)
            case Shortened():
                wrong = self._wrong_shrinking(entry)
            case End():
                wrong = ""
        self.entries.append(entry)
        return wrong

    def _wrong_job(self, entry: Finished) -> str:
        jobs, index = self._head.opened.jobs, entry.index
        if not 0 <= index < len(jobs):
            return f"is about job {index}, and the plan has {len(jobs)}"
        if not self._head.shard.has(index):
            return f"is about job {index}, which is not of shard {self._head.shard}"
        if entry.result.spec != jobs[index]:
            return f"is about job {index}, and not about the one that the plan has there ({jobs[index].name})"
        if index in self._done:
            return f"is about job {index} once more"
        self._done[index] = entry
        return ""

    def _wrong_comparison(self, entry: Compared) -> str:
        if entry.index not in self._done:
            return f"compares runs of job {entry.index}, which was not done by then"
        if entry.index in self._compared:
            return f"compares runs of job {entry.index} once more"
        self._compared.add(entry.index)
        return ""

    def _wrong_shrinking(self, entry: Shortened) -> str:
        found = entry.found
        if not any(found in done.result.findings for done in self._done.values()):
            return f"shrinks a finding about {found.clause} that no job had by then"
        if found in self._shortened:
            return f"shrinks a finding about {found.clause} once more"
        if (entry.shrunk.clause, entry.shrunk.scenario) != (found.clause, found.scenario):
            return f"makes of a finding about {found.clause} another one, about {entry.shrunk.clause}"
        self._shortened.append(found)
        return ""


def differing_fields(one: Head, other: Head) -> list[str]:
    """What two heads do not share, in words: those of different campaigns cannot be put together."""
    return [name for name, a, b in _fields(one, other) if a != b]


def _fields(one: Head, other: Head) -> Iterable[tuple[str, object, object]]:
    yield "kit version", one.kit_version, other.kit_version
    yield "requirement set", one.requirement_set, other.requirement_set
    for name in one.request.__struct_fields__:
        yield name, getattr(one.request, name), getattr(other.request, name)
    yield "content of the gate's files", one.opened.content, other.opened.content
    yield "gate's contract", one.opened.contract, other.opened.contract
    yield "plan", one.opened.jobs, other.opened.jobs


def _whole(path: Path) -> int:
    """How many bytes of a file are whole lines."""
    return path.read_bytes().rfind(b"\n") + 1


def _locked(path: Path) -> BinaryIO:
    """The file, to append to, and for one process alone: the system lets go of it however that one ends."""
    if path.exists() and not path.is_file():
        what = f"cannot write the journal {str(path)!r}: it is a directory, a pipe or a device"
        raise UsageFault(what, hint="give the path of a file, or of one that does not exist yet")
    try:
        file = path.open("ab")
    except OSError as error:
        what = f"cannot write the journal {str(path)!r}: {error.strerror}"
        raise UsageFault(what, hint="give a path in a folder that exists and may be written") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        if isinstance(error, BlockingIOError):
            what = f"another process is writing to the journal {str(path)!r}"
            raise UsageFault(what, hint="let it come to its end, or give this campaign a file of its own") from error
        what = f"cannot lock the journal {str(path)!r}: {error.strerror}"
        raise UsageFault(what, hint="give a path on a file system that has locks, such as a local disk") from error
    return file


def copy_journal(source: Path, target: Path) -> bool:
    """Leave a journal somewhere else; whether that could be done. A file that a campaign is writing to is let be."""
    try:
        with _locked(target) as file:
            file.truncate(0)
            file.write(source.read_bytes())
    except (OSError, UsageFault):
        return False
    return True


class Journal:
    """A file that is written to."""

    def __init__(self, path: Path, head: Head) -> None:
        """Go on with the journal at ``path``, or begin it. What it holds already is ``entries``. Raises
        :class:`UsageFault` when it is another campaign's, is being written to, or cannot be written."""
        self.path = path
        self.entries: list[Entry] = []
        self._file = _locked(path)
        try:
            known = read_journal(path)
            if known is not None:
                self._check(known[0], head)
                self.entries = known[1]
            # What is there stays, whole lines only: what follows a line that was cut off would belong to it.
            self._file.truncate(_whole(path) if known is not None else 0)
            self._seal = _last_seal(path.read_bytes())
            if known is None:
                self._write(head)
        except BaseException:
            self.close()
            raise

    def _check(self, there: Head, head: Head) -> None:
        differing = differing_fields(there, head)
        if there.shard != head.shard:
            differing.append(f"shard ({there.shard} there, {head.shard} here)")
        if differing:
            what = f"{str(self.path)!r} is the journal of another campaign; they differ in: {', '.join(differing)}"
            raise UsageFault(what, hint="give it the same gate and flags, or name a file that does not exist yet")

    def note(self, entry: Entry) -> None:
        """Write it down; it survives the death of this process from now on."""
        self._write(entry)

    def _write(self, record: Head | Entry) -> None:
        line = in_lines([record], self._seal)
        self._seal = _last_seal(line)
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            what = f"cannot write the journal {str(self.path)!r}: {error.strerror}"
            raise UsageFault(what, hint="make room; the same command again goes on from what is in it") from error

    def close(self) -> None:
        """Nothing more comes."""
        with suppress(OSError):  # it takes no more; that was said when it was written to
            self._file.close()

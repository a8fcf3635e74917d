"""Schedules and their tokens.

One idea: a schedule is the list of a run's answers **by name**, not by seed, so that it survives a change of the
random generator, and a run that no longer fits it is found at its first wrong step.

Token format (version 1), all ASCII, safe in a shell::

    sc1.<scenario>.<body>.<check>

    scenario  the scenario's id
    body      base64url, without padding, of raw DEFLATE of a msgpack array
              [variant, names, count, deviations, marks]
                variant     the run's variant by name, e.g. {"handles": "2", "granularity": "inner"}
                names       array of strings, each point and option name of the deviations once
                count       number of choices
                deviations  flat array: gap since the deviation before, name index of the point, of the option
                marks       bytes, one per choice: the low byte of CRC-32 of "point\\0option"
    check     eight hex digits, CRC-32 of everything before it (without the last dot)

Only deviations from the default order are named; the marks find a divergence at any other choice.
"""

from __future__ import annotations

import base64
import re
import zlib

import msgspec

from stopcheck.kernel._errors import DivergedError, Divergence, TokenError
from stopcheck.kernel._points import SCHEDULE, Choice, Point
from stopcheck.kernel._resemblance import nearest_option

MAGIC = "sc"
VERSION = 1
_SHAPE = re.compile(r"sc([0-9]{1,4})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([0-9a-f]{8})")
_VERSION = re.compile(r"sc([0-9]{1,4})\.")
_SCENARIO = re.compile(r"[A-Za-z0-9_-]+")
#: Longest token and longest unpacked body that are read: a hundred times what the largest runs need.
_MAX_TOKEN = 1 << 22
_MAX_BODY = 1 << 22


def mark(point: str, option: str) -> int:
    """The check byte of one choice."""
    return zlib.crc32(f"{point}\0{option}".encode()) & 0xFF


class Schedule(msgspec.Struct, frozen=True):
    """A run's scenario, its variant, and its choices in order.

    Choices that were read from a token and are defaults have empty names; ``marks`` then still tells whether the
    run asks the same there.
    """

    scenario: str
    variant: dict[str, str]
    choices: tuple[Choice, ...]
    marks: bytes = b""

    @classmethod
    def of(cls, scenario: str, variant: dict[str, str], choices: list[Choice]) -> Schedule:
        """A schedule of recorded choices. The scenario's id is of letters, digits, ``_`` and ``-``."""
        if _SCENARIO.fullmatch(scenario) is None:
            raise ValueError(f"{scenario!r} cannot stand in a token: letters, digits, '_' and '-' only")
        marks = bytes(mark(c.point, c.option) for c in choices)
        return cls(scenario, dict(sorted(variant.items())), tuple(choices), marks)

    @property
    def deviations(self) -> int:
        """How many choices are not the default."""
        return sum(1 for c in self.choices if c.index != 0)

    def token(self) -> str:
        """The schedule as short text; see the module's docstring."""
        names: dict[str, int] = {}
        flat: list[int] = []
        before = 0
        for position, choice in enumerate(self.choices):
            if choice.deviates:
                point = names.setdefault(choice.point, len(names))
                option = names.setdefault(choice.option, len(names))
                flat += [position - before, point, option]
                before = position
        body = msgspec.msgpack.encode([self.variant, list(names), len(self.choices), flat, self.marks])
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(body) + packer.flush()
        text = f"{MAGIC}{VERSION}.{self.scenario}.{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"
        return f"{text}.{zlib.crc32(text.encode()):08x}"

    @classmethod
    def from_token(cls, token: str) -> Schedule:
        """Read a token. Raises :class:`TokenError`, whose message says what is wrong."""
        token = token.strip()
        if len(token) > _MAX_TOKEN:
            raise TokenError(f"the token is too long ({len(token)} characters)")
        found = _SHAPE.fullmatch(token)
        if found is None:
            raise TokenError(_why_not_a_token(token))
        version, scenario, packed, check = found.groups()
        if int(version) != VERSION:
            raise TokenError(_unknown_version(version))
        text = token.rsplit(".", 1)[0]
        if f"{zlib.crc32(text.encode()):08x}" != check:
            raise TokenError("the token's checksum does not match: a character was changed or lost in copying")
        try:
            return _decode(scenario, packed)
        except (ValueError, TypeError, IndexError, zlib.error, msgspec.MsgspecError) as error:
            raise TokenError(f"the token's body cannot be read ({error})") from error


def _unknown_version(version: str) -> str:
    return f"the token's version is unknown: it is {version}, and this kit reads version {VERSION}"


def _why_not_a_token(token: str) -> str:
    if not token.startswith(MAGIC):
        return f"not a stopcheck token: it starts with {token[:8]!r} instead of 'sc1.'"
    version = _VERSION.match(token)
    if version is not None and int(version[1]) != VERSION:
        return _unknown_version(version[1])
    parts = token.count(".")
    if parts < 3:
        return f"the token is truncated: it has {parts + 1} of 4 parts (sc1.scenario.body.check)"
    return "the token is malformed: expected sc1.scenario.body.check"


class _Body(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    variant: dict[str, str]
    names: list[str]
    count: int
    flat: list[int]
    marks: bytes


def _decode(scenario: str, packed: str) -> Schedule:
    raw = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    unpacker = zlib.decompressobj(-15)
    data = unpacker.decompress(raw, _MAX_BODY)
    if unpacker.unconsumed_tail:
        raise ValueError("it is too large")
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("it does not end where it should")
    body = msgspec.msgpack.decode(data, type=_Body)
    if body.count != len(body.marks) or len(body.flat) % 3:
        raise ValueError("its lengths do not agree")
    choices = [Choice("", "", 0)] * body.count
    position = 0
    for at in range(0, len(body.flat), 3):
        gap, point, option = body.flat[at : at + 3]
        position += gap
        if min(gap, point, option) < 0 or (gap == 0 and at > 0):
            raise ValueError("it holds an index that cannot be")
        choices[position] = Choice(body.names[point], body.names[option], 1)
    return Schedule(scenario, body.variant, tuple(choices), body.marks)


class Replayer:
    """Feeds a schedule back. Strict: where the run asks something else, it raises :class:`DivergedError`.
    After the schedule's end it answers the default."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._step = 0
        self.position = 0

    def choose(self, point: Point) -> int:
        """The recorded answer."""
        position = self.position
        self.position += 1
        self._step = point.step + (point.kind == SCHEDULE)
        if position >= len(self._schedule.choices):
            return 0
        choice = self._schedule.choices[position]
        if not choice.option:
            if mark(point.name, point.options[0]) == self._schedule.marks[position]:
                return 0
        elif choice.point == point.name and choice.option in point.options:
            return point.options.index(choice.option)
        nearest = nearest_option(choice.option, point.options) if choice.option else self._digested(position, point)
        raise DivergedError(
            Divergence(position, choice.point, choice.option, point.name, point.options, point.step, nearest)
        )

    def _digested(self, position: int, point: Point) -> str:
        """The option that fits the digest of a default whose name is not known."""
        wanted = self._schedule.marks[position]
        return next((option for option in point.options if mark(point.name, option) == wanted), "")

    def finish(self) -> None:
        """Call at the run's end: raises if the schedule goes on."""
        if self.position < len(self._schedule.choices):
            left = self._schedule.choices[self.position]
            raise DivergedError(Divergence(self.position, left.point, left.option, "", (), self._step))


class Guide:
    """Feeds option names back leniently: a name that is not on offer becomes the default. For shrinking."""

    def __init__(self, options: list[str]) -> None:
        self._options = options
        self._position = 0

    def choose(self, point: Point) -> int:
        """The named option if it is on offer, else the default."""
        position = self._position
        self._position += 1
        if position < len(self._options):
            wanted = self._options[position]
            if wanted and wanted in point.options:
                return point.options.index(wanted)
        return 0

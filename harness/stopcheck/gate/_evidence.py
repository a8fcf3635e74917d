"""Evidence: what may end an effect's doubt, and what may not.

One idea: only three things say what became of an effect: an authenticated receipt, an authoritative look-up
by effect id, and the gate's own suppression. A time-out, a disconnect or a worker's word arrives as
``NoEvidence`` and makes the effect ``unknown``; it decides nothing. Source: gate contract, sections 1 and 2 (EFF).
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Finding(StrEnum):
    """What a receipt certifies of one effect id at one receiver. ``partial``: a part of it was done, and the rest will
    not be."""

    EXECUTED = "executed"
    PARTIAL = "partial"
    REJECTED = "rejected"
    PROVIDER_CANCELLED = "provider_cancelled"
    FENCED = "fenced"


class Receipt(msgspec.Struct, frozen=True):
    """A receiver's signed statement about one effect.

    A gate must ask ``Environment.verify`` before it believes one, and must compare receiver, effect id and
    payload digest with what it admitted: a genuine receipt for another effect proves nothing (EFF-14). ``item``: of a
    batch, the one item that it is about; empty: the effect as a whole.
    """

    receiver: str
    effect_id: str
    payload_digest: str
    finding: Finding
    receipt_id: str
    signature: str
    item: str = ""


class LookupAnswer(StrEnum):
    """What a look-up by effect id said. ``absent`` is no proof: only a fence turns absence into
    ``not_executed``. ``stale`` means that the receiver cannot vouch for its answer."""

    FOUND = "found"
    ABSENT = "absent"
    FENCED = "fenced"
    STALE = "stale"


class ReceiptEvidence(msgspec.Struct, frozen=True, tag="receipt"):
    """The receiver answered the request itself."""

    receipt: Receipt


class LookupEvidence(msgspec.Struct, frozen=True, tag="lookup"):
    """The receiver was asked about the effect id. ``receipt`` is present for ``found`` (what it holds) and
    ``fenced`` (its promise never to execute the id), else ``None``."""

    answer: LookupAnswer
    receipt: Receipt | None = None


class NoEvidence(msgspec.Struct, frozen=True, tag="none"):
    """The attempt ended without an answer. ``cause`` is for people: ``disconnected``, ``timeout`` ..."""

    cause: str


Evidence = ReceiptEvidence | LookupEvidence | NoEvidence

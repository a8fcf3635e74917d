"""Signed certificates: a statement in a DSSE envelope, and how it is checked.

One idea: what is signed is checked as it lies there. The envelope is written in one way only, and a file that is
written in any other, if by a single byte, is refused before its signature is looked at.

Signing is securesystemslib's (the extra ``sign``), with an Ed25519 or ECDSA key in PEM.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from stopcheck.campaign._certificate import PAYLOAD, Statement, canonical, what_it_lacks
from stopcheck.campaign._errors import UsageFault

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    PrivateKey = Ed25519PrivateKey | EllipticCurvePrivateKey

#: securesystemslib's ``Key``.
PublicKey = Any

_MAKE = "make one with: openssl genpkey -algorithm ed25519 -out key.pem; openssl pkey -in key.pem -pubout -out pub.pem"
_ASYMMETRIC = "cryptography.hazmat.primitives.asymmetric"
_PEM = "cryptography.hazmat.primitives.serialization"


class Refused(Exception):
    """A certificate that is not what it says, and why."""


def _library(name: str) -> Any:
    """A module of the extra: heavy, for those only who sign, and not typed as strictly as we are. Raises
    :class:`UsageFault` when it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        what = f"certificates are signed and checked with a library that is not installed ({error.name})"
        raise UsageFault(what, hint="install it: pip install 'stopcheck[sign]'") from error


def read_private_key(path: Path) -> PrivateKey:
    """The key to sign with. Raises :class:`UsageFault` for anything else."""
    _library("securesystemslib.signer")  # or it would be missed only when there is something to sign
    ed25519, ec = _library(f"{_ASYMMETRIC}.ed25519"), _library(f"{_ASYMMETRIC}.ec")
    try:
        key = _library(_PEM).load_pem_private_key(_bytes(path), password=None)
    except (ValueError, TypeError) as error:
        raise UsageFault(f"{str(path)!r} is no private key in PEM without a password: {error}", hint=_MAKE) from error
    if not isinstance(key, (ed25519.Ed25519PrivateKey, ec.EllipticCurvePrivateKey)):
        what = f"{str(path)!r} is a key of the kind {type(key).__name__}; Ed25519 and ECDSA are known"
        raise UsageFault(what, hint=_MAKE)
    try:
        _library("securesystemslib.signer").CryptoSigner(key)
    except ValueError as error:
        raise UsageFault(f"{str(path)!r} is no key that can sign here: {error}", hint=_MAKE) from error
    return cast("PrivateKey", key)


def read_public_key(path: Path) -> PublicKey:
    """The key to check with. Raises :class:`UsageFault` for anything else."""
    signer = _library("securesystemslib.signer")
    try:
        return signer.SSlibKey.from_crypto(_library(_PEM).load_pem_public_key(_bytes(path)))
    except ValueError as error:
        raise UsageFault(f"{str(path)!r} is no public key in PEM: {error}", hint=_MAKE) from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageFault(f"cannot read {str(path)!r}: {error.strerror}", hint="check the path") from error


def signed(statement: Statement, key: PrivateKey) -> bytes:
    """The envelope, as it is written."""
    envelope = _library("securesystemslib.dsse").Envelope(canonical(statement), PAYLOAD, {})
    envelope.sign(_library("securesystemslib.signer").CryptoSigner(key))
    return _written(envelope)


def _written(envelope: Any) -> bytes:
    return msgspec.json.encode(envelope.to_dict(), order="sorted") + b"\n"


def checked(content: bytes, key: PublicKey) -> Statement:
    """What the certificate states. Raises :class:`Refused` unless it was signed with the key and is as it was then, to
    the byte."""
    failure = _library("securesystemslib.exceptions").Error
    try:
        envelope = _library("securesystemslib.dsse").Envelope.from_dict(
            msgspec.json.decode(content, type=dict[str, Any])
        )
        again = _written(envelope)
    except (
        msgspec.MsgspecError,
        UnicodeDecodeError,
        KeyError,
        TypeError,
        AttributeError,
        ValueError,
        RecursionError,
        failure,
    ) as error:
        raise Refused(f"it is no envelope with a signature: {error}") from error
    if again != content:
        raise Refused("it is not written as it was when it was signed")
    if len(envelope.signatures) != 1 or envelope.payload_type != PAYLOAD:
        raise Refused("it is no statement with one signature")
    try:
        envelope.verify([key], 1)
    except failure as error:
        raise Refused("it was not signed with this key, or was changed since") from error
    try:
        statement = msgspec.json.decode(envelope.payload, type=Statement)
        lacks = what_it_lacks(statement)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(f"it is signed, but no certificate of this kit: {error}") from error
    if lacks:
        raise Refused(f"it is signed, but no certificate of this kit: {lacks}")
    return statement

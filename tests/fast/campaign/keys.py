"""Keys to sign with, as files."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat


def write_keys(folder: Path, kind: str = "Ed25519") -> tuple[Path, Path]:
    """A private key and its public one. ``kind``: ``Ed25519`` or ``ECDSA``."""
    key = ed25519.Ed25519PrivateKey.generate() if kind == "Ed25519" else ec.generate_private_key(ec.SECP256R1())
    private, public = folder / "key.pem", folder / "pub.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public

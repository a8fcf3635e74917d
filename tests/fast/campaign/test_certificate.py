"""Certificates: only of what is certified, refused when changed by any byte, and of one requirement set."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from stopcheck.campaign import (
    Campaign,
    ExitCode,
    Options,
    Refused,
    Statement,
    UsageFault,
    badge,
    canonical,
    checked,
    load_gate,
    read_private_key,
    read_public_key,
    signed,
    statement_of,
)
from stopcheck.campaign import _certify as certifying
from stopcheck.campaign._certificate import PAYLOAD, jobs_of, request_of_it
from stopcheck.campaign._certify import conclude
from stopcheck.campaign._messages import Opened
from stopcheck.judge.requirements import EDITIONS, REQUIREMENT_SET, REQUIREMENTS, Edition
from stopcheck.judge.requirements._editions import digest_of
from tests.fast.campaign.keys import write_keys
from tests.fast.campaign.small import job
from tests.fast.campaign.test_waivers import HERE, LINK, failing, judged
from tests.fast.report.samples import FINDING

ALL = dict.fromkeys(REQUIREMENTS, 3)
CONTENT = f"sha256:{'5' * 64}"


def campaign(**fields: Any) -> Campaign:
    """One that certifies the gate, if the fields of its job do not say else."""
    given: dict[str, Any] = {"exercised": ALL, "exhausted": True, "schedules": "7" * 64}
    results = [job(**(given | fields))]
    gate = load_gate("memory")
    options = Options(scenarios=("before-admission",), seed=5)
    report = conclude(gate.contract, gate.identity(), options, results, ())
    return Campaign(report, options, Opened(gate.identity(), gate.contract, (results[0].spec,), CONTENT))


@pytest.fixture(params=["Ed25519", "ECDSA"])
def keys(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """A private key and its public one, as files."""
    return write_keys(tmp_path, request.param)


def test_a_certificate_says_what_was_tried_and_how_far(keys: tuple[Path, Path]) -> None:
    private, public = keys
    content = signed(statement_of(campaign()), read_private_key(private))
    statement = checked(content, read_public_key(public))
    assert statement.type == "https://in-toto.io/Statement/v1"
    assert statement.predicate_type == "https://in-toto.io/attestation/test-result/v0.1"
    assert statement.subject[0].digest == {"sha256": "5" * 64}
    assert statement.predicate.result == "PASSED"
    assert "ADM-3" in statement.predicate.passed
    assert not statement.predicate.failed
    assert request_of_it(statement).seed == 5
    assert [each.schedules for each in jobs_of(statement)] == ["7" * 64]
    about = statement.predicate.part("campaign").annotations
    assert "core" in about["profilesMet"]
    assert (about["granularities"], about["crashKinds"], about["waivers"]) == (["calls"], [], [])
    assert statement.predicate.part("requirement-set").digest == {"sha256": EDITIONS[REQUIREMENT_SET].digest}
    assert statement.predicate.part("stopcheck").annotations["killMatrix"].startswith("sha256:")
    envelope = json.loads(content)
    assert set(envelope) == {"payload", "payloadType", "signatures"}
    assert envelope["payloadType"] == PAYLOAD == "application/vnd.in-toto+json"


def test_a_certificate_is_valid_by_the_definitions_that_in_toto_published() -> None:
    parse = importlib.import_module("google.protobuf.json_format").Parse
    messages = importlib.import_module("in_toto_attestation.v1.statement_pb2")
    predicates = importlib.import_module("in_toto_attestation.predicates.test_result.v0.test_result_pb2")
    content = canonical(statement_of(campaign()))
    statement = parse(content, messages.Statement())
    importlib.import_module("in_toto_attestation.v1.statement").Statement.copy_from_pb(statement).validate()
    predicate = parse(json.dumps(json.loads(content)["predicate"]), predicates.TestResult())
    assert predicate.result == "PASSED"


def test_it_is_refused_when_any_byte_is_changed(keys: tuple[Path, Path]) -> None:
    private, public = keys
    content = signed(statement_of(campaign()), read_private_key(private))
    key = read_public_key(public)
    accepted: list[int] = []
    # Each byte of the frame and of the signature, and so many of the payload, whose text is signed as a whole.
    start = content.index(b'"payload":"') + 11
    end = content.index(b'"', start)
    for at in (*range(start + 40), *range(start + 40, end - 40, 61), *range(end - 40, len(content))):
        changed = bytearray(content)
        changed[at] ^= 1
        try:
            checked(bytes(changed), key)
        except Refused:
            continue
        accepted.append(at)
    assert accepted == []
    for longer in (content + b"\n", b" " + content, content[:-1], b""):
        with pytest.raises(Refused):
            checked(longer, key)
    assert checked(content, key).predicate.result == "PASSED"


def test_it_is_refused_with_another_key(keys: tuple[Path, Path], tmp_path: Path) -> None:
    private, _ = keys
    content = signed(statement_of(campaign()), read_private_key(private))
    other = tmp_path / "other.pem"
    public = ed25519.Ed25519PrivateKey.generate().public_key()
    other.write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(Refused, match="was not signed with this key"):
        checked(content, read_public_key(other))


def test_what_is_not_certified_gets_none() -> None:
    for fields in ({"complete": False, "left": "the budget"}, {"findings": (FINDING,)}):
        with pytest.raises(UsageFault, match="there is no certificate: memory is NOT certified"):
            statement_of(campaign(**fields))


def test_what_is_waived_is_no_plain_pass() -> None:
    report = judged(failing("before-admission"), HERE)
    statement = statement_of(msgspec.structs.replace(campaign(), report=report))
    assert (statement.predicate.result, statement.predicate.warned) == ("WARNED", ("ADM-3",))
    waivers = statement.predicate.part("campaign").annotations["waivers"]
    assert waivers[0]["waiver"]["issue"] == LINK


def test_equal_campaigns_give_equal_bytes(keys: tuple[Path, Path]) -> None:
    def statement() -> Statement:
        return statement_of(campaign())

    assert statement() == statement()
    if isinstance(read_private_key(keys[0]), ed25519.Ed25519PrivateKey):  # a signature of ECDSA differs each time
        assert signed(statement(), read_private_key(keys[0])) == signed(statement(), read_private_key(keys[0]))


def other(*, part: str = "", **fields: Any) -> Statement:
    """What somebody may have signed with the same key, for another purpose."""
    statement = statement_of(campaign())
    if part:
        parts = [one for one in statement.predicate.configuration if one.name != part or fields]
        parts = [msgspec.structs.replace(one, **fields) if one.name == part else one for one in parts]
        fields = {"predicate": msgspec.structs.replace(statement.predicate, configuration=tuple(parts))}
    return msgspec.structs.replace(statement, **fields)


def with_result(**fields: Any) -> Statement:
    return other(predicate=msgspec.structs.replace(other().predicate, **fields))


OTHERS = {
    "another predicate": (other(predicate_type="https://slsa.dev/provenance/v1"), "it is a https://slsa.dev/prov"),
    "no statement": (other(type="https://in-toto.io/Statement/v0.1"), "in a https://in-toto.io/Statement/v0.1"),
    "no gate": (other(subject=()), "not about one gate"),
    "no digest": (other(subject=(msgspec.structs.replace(other().subject[0], digest={}),)), "not about one gate"),
    "a failure": (with_result(result="FAILED"), "its result is FAILED, and 0 clauses failed"),
    "a failed clause": (with_result(failed=("ADM-3",)), "its result is PASSED, and 1 clause failed"),
    "no runs": (other(part="runs"), "its parts are not stopcheck,"),
    "no version": (other(part="stopcheck", annotations={}), "its part stopcheck does not say: version"),
    "no profiles": (other(part="campaign", annotations={"request": {}}), "campaign does not say: profilesMet,"),
    "no jobs": (other(part="runs", annotations={"jobs": []}), "the digest of its runs is not that of its jobs"),
    "jobs of another kind": (other(part="runs", annotations={"jobs": 7}), "Expected `array`, got `int`"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_what_else_is_signed_with_the_key_is_no_certificate(what: str, keys: tuple[Path, Path]) -> None:
    statement, why = OTHERS[what]
    content = signed(statement, read_private_key(keys[0]))
    with pytest.raises(Refused, match="it is signed, but no certificate of this kit") as raised:
        checked(content, read_public_key(keys[1]))
    assert why in str(raised.value)


@pytest.mark.parametrize("content", [b"{" + b'"a":{' * 200_000, b"\xff\xfe", b"[]\n", b"null\n", b'{"payload":7}\n'])
def test_whatever_is_no_envelope_is_refused(content: bytes, keys: tuple[Path, Path]) -> None:
    with pytest.raises(Refused, match="it is no envelope with a signature"):
        checked(content, read_public_key(keys[1]))


def test_a_key_that_cannot_sign_is_refused_before_the_campaign(tmp_path: Path) -> None:
    for name, key, words in (
        ("curve", ec.generate_private_key(ec.SECP256K1()), "no key that can sign here: unsupported curve"),
        ("rsa", rsa.generate_private_key(65537, 2048), "a key of the kind RSAPrivateKey"),
    ):
        path = tmp_path / name
        path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        with pytest.raises(UsageFault, match=words):
            read_private_key(path)
    locked = ed25519.Ed25519PrivateKey.generate()
    path.write_bytes(locked.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x")))
    with pytest.raises(UsageFault, match="no private key in PEM without a password"):
        read_private_key(path)


def test_a_private_key_is_no_public_one(keys: tuple[Path, Path]) -> None:
    with pytest.raises(UsageFault, match="no public key in PEM"):
        read_public_key(keys[0])
    with pytest.raises(UsageFault, match="no private key in PEM"):
        read_private_key(keys[1])


@pytest.mark.parametrize("content", ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_a_file_that_is_no_key(content: str, tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text(content)
    for read in (read_private_key, read_public_key):
        with pytest.raises(UsageFault) as raised:
            read(path)
        assert "openssl" in raised.value.hint


def test_the_editions_are_frozen() -> None:
    for edition in EDITIONS.values():
        assert digest_of(one for one in REQUIREMENTS.values() if edition.has(one.id)) == edition.digest, (
            f"the clauses of {edition.name} are frozen: a change of one belongs to a later edition"
        )


def test_a_clause_that_is_later_than_the_edition_is_tried_and_not_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    older = Edition("2026-10", "", frozenset(("ADM-3",)))
    monkeypatch.setattr(certifying, "EDITIONS", MappingProxyType({**EDITIONS, "2026-10": older}))
    gate = load_gate("memory")

    def report(edition: str) -> tuple[int, list[str], bool]:
        options = Options(scenarios=("before-admission",), edition=edition)
        found = conclude(gate.contract, gate.identity(), options, failing("before-admission"), ())
        core = next(profile for profile in found.profiles if profile.name == "core")
        return found.exit_code, [f"{clause.clause} {clause.verdict}" for clause in found.unscored], core.met

    assert report("2026-10") == (ExitCode.CERTIFIED, ["ADM-3 FAIL"], True)
    assert report(REQUIREMENT_SET) == (ExitCode.VIOLATIONS, [], False)


def test_a_badge_says_no_more_than_the_exit_code() -> None:
    good = badge(campaign().report)
    assert (good["schemaVersion"], good["color"]) == (1, "brightgreen")
    assert "core" in str(good["message"])
    assert badge(campaign(findings=(FINDING,)).report)["message"] == "1 clause broken"
    assert badge(campaign(complete=False, left="the budget").report)["message"] == "inconclusive"
    assert badge(judged(failing("before-admission"), HERE))["message"] == "1 waived"


def test_what_signing_will_need_is_missed_before_anything_is_tried(
    keys: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "securesystemslib.signer", None)
    with pytest.raises(UsageFault, match="a library that is not installed") as caught:
        read_private_key(keys[0])
    assert "pip install 'stopcheck[sign]'" in caught.value.hint

"""Names for people and things in a scenario, from Faker, drawn once per scenario from a fixed seed."""

from __future__ import annotations

import hashlib
from functools import cache

import msgspec
from faker import Faker


class Cast(msgspec.Struct, frozen=True):
    """The names that a scenario uses. Equal in every run of the scenario."""

    tenant: str
    other_tenant: str
    person: str
    recipient: str
    subject: str
    file_name: str


@cache
def cast_for(scenario_id: str) -> Cast:
    """The cast of a scenario; the seed is the scenario's id, so that no edit elsewhere changes it."""
    faker = Faker("en_US")
    faker.seed_instance(int.from_bytes(hashlib.blake2b(scenario_id.encode(), digest_size=4).digest(), "big"))
    return Cast(
        tenant=faker.domain_word(),
        other_tenant=faker.domain_word() + "-other",
        person=faker.user_name(),
        recipient=faker.ascii_safe_email(),
        subject=faker.catch_phrase(),
        file_name=faker.file_name(extension="csv"),
    )

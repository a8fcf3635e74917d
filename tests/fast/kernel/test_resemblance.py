"""The nearest option: what an edit most likely made of the one that is gone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stopcheck.kernel._resemblance import nearest_option

OPTIONS = ("worker@await", "person@press", "dispatcher@outbox", "time:at:deadline", "crash:gate")


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [
        ("worker@commit", "worker@await"),  # the label was renamed
        ("human@press", "person@press"),  # the actor was renamed
        ("worker@press", "worker@await"),  # the actor counts more than the label
        ("dispatcher-1@outbox", "dispatcher@outbox"),
        ("despatcher@outbox2", "dispatcher@outbox"),  # both were, a little
        ("time:before:deadline", "time:at:deadline"),
        ("time:at:x", ""),
        ("crash:store", ""),
        ("nobody@nowhere", ""),
        ("lost", ""),  # a fault is no step
    ],
)
def test_who_counts_more_than_where_and_kinds_are_apart(wanted: str, nearest: str) -> None:
    assert nearest_option(wanted, OPTIONS) == nearest


def test_a_fault_is_like_a_fault() -> None:
    assert nearest_option("commit then drop", ("none", "reject", "commit, then drop")) == "commit, then drop"


names = st.text(st.sampled_from("ab@:"), max_size=6) | st.sampled_from(OPTIONS)


@given(names, st.lists(names, max_size=5))
def test_it_is_on_offer_or_nothing_and_what_is_on_offer_is_its_own_nearest(wanted: str, options: list[str]) -> None:
    assert nearest_option(wanted, options) in ("", *options)
    if wanted:
        assert nearest_option(wanted, [*options, wanted]) == wanted

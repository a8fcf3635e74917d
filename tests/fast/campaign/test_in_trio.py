"""A campaign is a trio program; who is inside of one is told how to start it."""

from __future__ import annotations

import pytest
import trio

from stopcheck.campaign import Options, UsageFault, run_campaign


@pytest.mark.trio
async def test_inside_of_trio_it_is_refused_with_the_way_out() -> None:
    with pytest.raises(UsageFault, match="a trio program of its own") as raised:
        run_campaign("memory", Options(), lambda _: None)
    assert "trio.to_thread.run_sync" in raised.value.hint


@pytest.mark.trio
async def test_in_a_thread_it_is_tried() -> None:
    with pytest.raises(UsageFault, match="unknown gate 'memroy'"):
        await trio.to_thread.run_sync(run_campaign, "memroy", Options(), lambda _: None)

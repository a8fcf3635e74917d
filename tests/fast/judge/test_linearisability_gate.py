"""What the judge's model of a gate allows and forbids, history by history."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from stopcheck.gate import Assigner, Capability, Durability, EarlyStop, GateContract, Scope, Sender, Snapshot
from stopcheck.judge.linearisability import HistoryVerdict, LinearisabilityMonitor, gate_memo
from stopcheck.world import Returned
from tests.fast.judge.linearisability_script import Script

FULL = GateContract(
    name="full",
    version="1",
    capabilities=frozenset(Capability),
    scopes=frozenset(Scope),
    incarnations=Assigner.CALLER,
    early_stop=EarlyStop.TOMBSTONE,
    durability=Durability.PROCESS_DEATH,
)
PLAIN = GateContract(name="plain", version="1")
SENDER = GateContract(
    name="sender", version="1", incarnations=Assigner.CALLER, sender=Sender.GATE, capabilities=frozenset(Capability)
)

RUN = "open=opened begin=granted "
E1 = RUN + "commit:e1=admitted "
CUT = RUN + "cancel=accepted "
TREE = RUN + "register:c1=done start:c1=done c1.begin=granted "
SHARED = "open=opened s.open=opened s2.open=opened begin=granted subscribe:i1=live:1 subscribe:i2:s2=live:2 "

ALLOWED = {
    # one task, no stop
    "work and completion": E1 + "claim:e1=claimed outcome:e1:executed=recorded complete=won complete=ended",
    "completion of nothing": RUN + "complete=won inspect=snap:completed",
    "failure with an effect in doubt": E1 + "claim:e1=claimed fail=won inspect=snap:failed,e1=unknown",
    "unverified completion": E1 + "complete=unverified",
    "the same effect again": E1 + "commit:e1=existing claim:e1=claimed commit:e1=existing:unknown",
    "another payload": E1 + "commit:e1:q=mismatch",
    "opened before": "open=opened open=exists:unstarted begin=granted open=exists:running",
    "a new incarnation beside the old": CUT + "t/2.open=opened:2 t/2.begin=granted t/2.commit:e1=admitted",
    "no effect promised": RUN + "commit:e1=retry inspect=snap:running commit:e1=unsupported",
    # the stop
    "stop before commitment": CUT + "commit:e1=stopped inspect=snap:cancelled,rec=task",
    "stop after commitment": E1 + "cancel=accepted inspect=snap:draining,rec=task,e1=unclaimed claim:e1=claimed",
    "race, commitment first": RUN
    + "commit:e1< cancel=accepted commit:e1>admitted inspect=snap:cancelled,rec=task,e1=unclaimed",
    "race, cutoff first": RUN + "commit:e1< cancel=accepted commit:e1>stopped inspect=snap:cancelled,rec=task",
    "stopped before the stop returns": RUN + "cancel< commit:e1=stopped cancel>accepted",
    "unstarted task stopped": "open=opened cancel=accepted begin=stopped inspect=snap:cancelled,rec=task",
    "completed before the stop": RUN + "complete=won cancel=ended inspect=snap:completed cancel=ended",
    "late completion": CUT + "complete=lost inspect=snap:cancelled,rec=task",
    "race, completion first": RUN + "complete< cancel< cancel>ended complete>won",
    "race, stop first": RUN + "complete< cancel< cancel>accepted complete>lost",
    "two stops, one record": RUN + "cancel< cancel2< cancel2>accepted cancel>record",
    "repeated stop": CUT + "cancel=record cancel=record",
    "widened": CUT + "cancel:subtree=widened cancel=record:subtree cancel:subtree=record:subtree",
    "tombstone": "cancel=tombstoned cancel=record open=pre begin=stopped inspect=snap:cancelled,rec=task",
    "stop of an old incarnation": CUT
    + "t/2.open=opened:2 t/2.begin=granted cancel=refused:unresolvable t/2.complete=won",
    "old incarnation still answers": CUT + "t/2.open=opened:2 cancel=record t/2.begin=granted",
    # any of several refusals
    "stopped and stale": E1 + "give=done cancel=accepted commit:e2=stale commit:e2=stopped renew=stopped renew=stale",
    "leases revoked at the cutoff": CUT + "commit:e1=stale complete=stale give=stale",
    "stopped or existing": E1 + "cancel=accepted commit:e1=existing commit:e1=stopped commit:e1:q=mismatch",
    "ended or stale": RUN + "complete=won commit:e1=ended commit:e1=stale begin=ended:completed",
    "superseded": RUN + "begin:w2:replacement=granted:2 commit:e1=stale commit:e1:p:2=admitted",
    "busy": RUN + "begin:w2=busy begin=granted:2",
    "busy while a lease may be active": RUN + "begin:w2< @40 begin:w2>busy",
    "expired": RUN + "@30 commit:e1=stale begin:w2=granted:2:60",
    "expiring while the call is open": RUN + "@29 commit:e1< commit:e2< @30 commit:e1>stale commit:e2>admitted",
    "renewed": RUN + "@20 renew=renewed:50 @40 commit:e1=admitted",
    "renewed while its call is open": RUN + "@20 renew< @40 commit:e1=admitted renew>renewed:50",
    "revoked again": RUN + "revoke=done revoke=done revoke=refused:unresolvable give=stale",
    "found gone": RUN + "probe=recorded commit:e1=stale begin:w2=granted:2",
    # claims and outcomes
    "one claim": E1 + "claim:e1< cancel< cancel>accepted claim:e1>claimed claim:e1=already",
    "resend without doubt, since the dispatcher may have died": E1 + "claim:e1=claimed claim:e1:again=resend",
    "resend in doubt": E1 + "claim:e1=claimed outcome:e1:none=recorded claim:e1:again=resend",
    "in doubt, not sent again": E1 + "claim:e1=claimed outcome:e1:none=same claim:e1:again=already",
    "resolved": E1
    + "claim:e1=claimed outcome:e1:rejected=recorded outcome:e1:rejected=same claim:e1=resolved:rejected",
    "contradicted": E1 + "claim:e1=claimed outcome:e1:executed=recorded outcome:e1:rejected=contradicted",
    "forged": E1 + "claim:e1=claimed outcome:e1:executed=bad outcome:e1:foreign=bad inspect=snap:running,e1=doubt",
    "absence proves nothing": E1 + "claim:e1=claimed outcome:e1:absent=recorded inspect=snap:running,e1=unknown",
    "parked evidence resolves": RUN + "outcome:e1:executed=parked commit:e1=admitted inspect=snap:running,e1=completed",
    "evidence after the cutoff": E1 + "claim:e1=claimed cancel=accepted outcome:e1:executed=recorded "
    "inspect=snap:cancelled,rec=task,e1=completed",
    "not in the ledger": RUN + "claim:e9=unadmitted suppress:e9=unadmitted",
    # suppression
    "suppressed": E1 + "cancel=accepted suppress:e1=withdrawn suppress:e1=withdrawn claim:e1=gone",
    "too late": E1
    + "claim:e1=claimed cancel=accepted suppress:e1=late outcome:e1:executed=recorded suppress:e1=resolved",
    "claim or suppression": E1 + "cancel=accepted claim:e1< suppress:e1< suppress:e1>late claim:e1>claimed",
    "suppressed by the gate": E1 + "commit:e2=admitted cancel=accepted inspect=snap:draining,rec=task,e1=suppressed,"
    "e2=unclaimed claim:e2=claimed claim:e1=resolved:suppressed",
    "claim finds what the gate suppressed": E1 + "cancel=accepted claim:e1=gone suppress:e1=resolved:suppressed",
    # children
    "child of a running task": TREE + "c1.commit:e1=admitted inspect=snap:running,c1=accepted",
    "child rejected": CUT + "register:c1=stopped inspect=snap:cancelled,rec=task",
    "child inventoried": RUN
    + "register:c1< cancel=accepted register:c1>done inspect=snap:draining,rec=task,c1=requested",
    "scope task leaves children": TREE + "cancel=accepted c1.commit:e1=admitted c1.complete=unverified c1.fail=won",
    "cascade shows the ancestor's record": TREE + "cancel:subtree=accepted:subtree c1.commit:e1=stopped:t "
    "c1.inspect=snap:running,rec=subtree/t c1.cancel=recordof:t",
    "cascade shows a record of its own": TREE + "cancel:subtree=accepted:subtree c1.commit:e1=stopped "
    "c1.inspect=snap:draining,rec=task c1.cancel=record",
    "cascade lags": TREE + "cancel:subtree=accepted:subtree c1.inspect=snap:running c1.begin:w2=stopped",
    "stopped child asked on its own": TREE + "cancel:subtree=accepted:subtree c1.cancel=accepted c1.cancel=record",
    "children end": TREE + "complete=unverified finish:c1=done finish:c1=child:completed complete=won",
    "child that never started ends at the cutoff": RUN + "register:c1=done cancel:subtree=accepted:subtree "
    "inspect=snap:cancelled,rec=subtree,c1=confirmed_cancelled finish:c1:confirmed_cancelled=child:confirmed_cancelled",
    "start after the cutoff": RUN + "register:c1=done cancel:subtree=accepted:subtree start:c1=stopped:t",
    "unknown end": TREE + "finish:c1:unknown=done finish:c1=done complete=won",
    "own task over before the inventory": TREE + "c1.complete=won complete=won",
    "finished child is shown as over": TREE + "finish:c1=done c1.inspect=snap:completed c1.begin=ended:completed",
    # shared work
    "interests": SHARED
    + "release:i1=live:1 release:i1=released release:i2=last inspect=snap:running,i1=released,i2=released",
    "cancelled subscriber": SHARED + "s.cancel=accepted release:i1=released commit:e1=admitted release:i2=last",
    "last release stops": SHARED + "release:i1=live:1 release:i2=last:stopping commit:e1=stopped "
    "inspect=snap:draining,rec=task,i1=released,i2=released",
    "last release leaves it unowned": SHARED + "release:i1=live:1 release:i2=last:unowned commit:e1=admitted",
    "repeated subscription": SHARED + "subscribe:i1=live:2",
    # deadlines
    "deadline": "open:20=opened begin=granted @20 commit:e1=stopped cancel=record inspect=snap:cancelled,rec=task",
    "deadline of scope subtree": "open:20=opened begin=granted @25 inspect=snap:draining,rec=subtree",
    "deadline while a call is open": "open:20=opened begin=granted @19 commit:e1< @20 commit:e1>stopped",
    "just before the deadline": "open:20=opened begin=granted @19 commit:e1< @20 inspect< commit:e1>admitted "
    "inspect>snap:draining,rec=task,e1=unclaimed",
    "child inherits the deadline": "open:20=opened begin=granted register:c1=done c1.begin=granted @20 "
    "c1.commit:e1=stopped",
    # strangers and the dead
    "another tenant": RUN + "~commit:e1=refused:forbidden ~cancel=refused ~inspect=refused inspect=snap:running",
    "unknown task": "begin=refused commit:e1=refused inspect=refused",
    "died before": RUN + "commit:e1< death commit:e1>indefinite inspect=snap:running commit:e1=admitted",
    "died after": RUN + "commit:e1< death commit:e1>indefinite commit:e1=existing",
    "accepted, then died": RUN + "cancel< death cancel>indefinite cancel=record commit:e1=stopped",
    "stop lost with the gate": RUN + "cancel< death cancel>indefinite commit:e1=admitted cancel=accepted",
    "lease that nobody heard of": "open=opened begin< death begin>indefinite begin:w2=busy @31 begin:w2=granted:2",
    "evidence nobody asked for": RUN + "tick=ticked inspect=snap",
}

FORBIDDEN = {
    "admitted after the stop": (CUT + "commit:e1=admitted", "ADM-3"),
    "check, then act": (RUN + "commit:e1< cancel=accepted inspect=snap:cancelled,rec=task commit:e1>admitted", "ADM-3"),
    "admission that no snapshot shows": (E1 + "cancel=accepted inspect=snap:cancelled,rec=task", "ADM-3"),
    "admission seen before it was made": (RUN + "inspect=snap:running,e1=unclaimed", "ADM-3"),
    "stopped without a stop": (RUN + "commit:e1=stopped", "ADM-3"),
    "accepted without a record": (CUT + "inspect=snap:running", "ADM-3"),
    "running after the stop": (CUT + "inspect=snap:running,rec=task", "ADM-3"),
    "record without a stop": (RUN + "inspect=snap:cancelled,rec=task", "ADM-3"),
    "record narrowed": (RUN + "cancel:subtree=accepted:subtree inspect=snap:cancelled,rec=task", "ADM-3"),
    "admitted below the cutoff's revision": (RUN + "commit:e1=admitted:80 cancel=accepted", "ADM-3"),
    "two accepted": (RUN + "cancel=accepted cancel=accepted", "SCOPE-4"),
    "two accepted at once": (RUN + "cancel< cancel2< cancel>accepted cancel2>accepted", "SCOPE-4"),
    "another record": (CUT + "cancel=record:task:51", "SCOPE-4"),
    "another id": (CUT + "cancel=record:task:50:r2", "SCOPE-4"),
    "widened without being asked": (CUT + "cancel=widened", "SCOPE-4"),
    "widened to nothing": (CUT + "cancel:subtree=record", "SCOPE-4"),
    "won after accepted": (CUT + "complete=won", "CMP-1"),
    "accepted after won": (RUN + "complete=won cancel=accepted", "CMP-1"),
    "both won": (RUN + "complete< cancel< complete>won cancel>accepted", "CMP-1"),
    "nobody won": (RUN + "complete< cancel< complete>lost cancel>ended", "CMP-1"),
    "won twice": (RUN + "complete=won complete=won", "CMP-1"),
    "won without evidence": (E1 + "claim:e1=claimed complete=won", "ADM-3"),
    "shown as completed, though stopped": (CUT + "complete=lost inspect=snap:completed,rec=task", "CMP-1"),
    "claimed twice": (E1 + "claim:e1=claimed claim:e1=claimed", "ADM-7"),
    "claimed twice at once": (E1 + "claim:e1< inspect< claim:e1>claimed claim:e1=claimed", "ADM-7"),
    "resend after the cutoff": (
        E1 + "claim:e1=claimed outcome:e1:none=recorded cancel=accepted claim:e1:again=resend",
        "ADM-7",
    ),
    "resend to a receiver that is not idempotent": (
        E1 + "claim:e1=claimed outcome:e1:none=recorded claim:e1=resend",
        "ADM-7",
    ),
    "claim of nothing": (RUN + "claim:e1=claimed", "ADM-7"),
    "suppressed and claimed": (E1 + "cancel=accepted claim:e1< suppress:e1=withdrawn claim:e1>claimed", "SUP-1"),
    "suppressed, then claimed": (E1 + "suppress:e1=withdrawn claim:e1=claimed", "SUP-1"),
    "claimed, then suppressed": (E1 + "claim:e1=claimed suppress:e1=withdrawn", "SUP-1"),
    "too late though unclaimed": (E1 + "suppress:e1=late", "SUP-1"),
    "shown as suppressed, though claimed": (
        E1
        + "cancel=accepted suppress:e1< claim:e1=claimed suppress:e1>late inspect=snap:draining,rec=task,e1=suppressed",
        "SUP-1",
    ),
    "suppressed and pending by turns": (
        E1 + "cancel=accepted inspect=snap:draining,rec=task,e1=suppressed inspect=snap:draining,rec=task,e1=unclaimed",
        "ADM-3",
    ),
    "forgotten": (E1 + "claim:e1=unadmitted", "ADM-3"),
    "admitted twice": (E1 + "commit:e1=admitted", "ADM-3"),
    "another payload admitted": (E1 + "commit:e1:q=existing", "ADM-5"),
    "contradiction believed": (
        E1 + "claim:e1=claimed outcome:e1:executed=recorded outcome:e1:rejected=recorded",
        "EFF-7",
    ),
    "time-out read as rejection": (
        E1 + "claim:e1=claimed outcome:e1:none=recorded inspect=snap:running,e1=rejected",
        "ADM-3",
    ),
    "child after the cutoff": (CUT + "register:c1=done", "CHILD-2"),
    "child after the cutoff of the subtree": (RUN + "cancel:subtree=accepted:subtree register:c1=done", "CHILD-2"),
    "child neither rejected nor inventoried": (
        RUN + "register:c1< cancel=accepted register:c1>done inspect=snap:cancelled,rec=task",
        "CHILD-2",
    ),
    "child rejected and inventoried": (
        RUN + "register:c1< cancel=accepted register:c1>stopped inspect=snap:cancelled,rec=task,c1=requested",
        "CHILD-2",
    ),
    "child started after the cutoff": (
        RUN + "register:c1=done cancel:subtree=accepted:subtree start:c1=done",
        "CHILD-2",
    ),
    "child's work after the ancestor's cutoff": (
        TREE + "cancel:subtree=accepted:subtree c1.commit:e1=admitted",
        "CHILD-3",
    ),
    "stopped child completes": (TREE + "cancel:subtree=accepted:subtree c1.complete=won", "CMP-1"),
    "child stopped by scope task": (TREE + "cancel=accepted c1.commit:e1=stopped", "ADM-3"),
    "parent completes above a live child": (TREE + "complete=won", "ADM-3"),
    "stale though current": (RUN + "commit:e1=stale", "ADM-3"),
    "stale though renewed": (RUN + "@20 renew=renewed:50 @40 commit:e1=stale", "ADM-3"),
    "superseded worker commits": (RUN + "begin:w2:replacement=granted:2 commit:e1=admitted", "ADM-6"),
    "released lease commits": (RUN + "give=done commit:e1=admitted", "ADM-6"),
    "expired lease commits": (RUN + "@30 commit:e1=admitted", "ADM-6"),
    "renewed though revoked": (RUN + "revoke=done renew=renewed", "ADM-6"),
    "busy though free": (RUN + "give=done begin:w2=busy", "ADM-3"),
    "the same epoch again": (RUN + "begin:w2:replacement=granted:1", "ADM-3"),
    "work begins after the cutoff": (CUT + "begin:w2=granted:2", "DLV-1"),
    "replacement begins after the cutoff": (CUT + "begin:w2:replacement=granted:2", "DLV-2"),
    "released twice": (SHARED + "release:i1=live:1 release:i1=live:1", "SHR-3"),
    "count that forgets": (SHARED + "release:i1=live:2", "SHR-3"),
    "last though one lives": (SHARED + "release:i1=last", "SHR-3"),
    "dead subscriber counted": (SHARED + "s.cancel=accepted release:i2=live:1", "SHR-3"),
    "work past the deadline": ("open:20=opened begin=granted @20 commit:e1=admitted", "ADM-3"),
    "record before the deadline": ("open:20=opened begin=granted @19 inspect=snap:draining,rec=task", "ADM-3"),
    "tombstone ignored": ("cancel=tombstoned open=opened", "ADM-3"),
    "rightful caller refused": (RUN + "cancel=refused:forbidden", "ADM-3"),
    "rightful commitment refused": (RUN + "commit:e1=refused:forbidden", "ADM-3"),
    "another tenant obeyed": (RUN + "~cancel=accepted", "ADM-3"),
    "old incarnation stops the new": (
        CUT + "t/2.open=opened:2 t/2.begin=granted cancel=record t/2.commit:e1=stopped",
        "ADM-3",
    ),
    "effect of the dead appears later": (
        RUN + "commit:e1< death commit:e1>indefinite inspect=snap:running inspect=snap:running,e1=unclaimed",
        "ADM-3",
    ),
    "accepted, then forgotten": (CUT + "death inspect=snap:running", "ADM-3"),
    "stop that had no effect, seen": (RUN + "cancel=retry commit:e1=stopped", "ADM-3"),
}


#: Histories of gates that declare otherwise: whether they are allowed.
DECLARED = {
    "gate numbers incarnations": (PLAIN, "open=opened open=exists:unstarted begin=granted cancel=accepted", True),
    "gate gives the next number": (PLAIN, RUN + "complete=won open=opened:2 t/2.begin=granted", True),
    "gate gives the number twice": (PLAIN, RUN + "complete=won open=opened:1", False),
    "gate opens a running task twice": (PLAIN, RUN + "open=opened:2", False),
    "number that nobody heard of": (PLAIN, "open< death open>indefinite begin=granted commit:e1=admitted", True),
    "early stop refused": (PLAIN, "cancel=refused open=opened", True),
    "early stop accepted": (PLAIN, "cancel=tombstoned", False),
    "scope that is not declared": (PLAIN, RUN + "cancel:subtree=refused:malformed cancel=accepted", True),
    "no deadlines": (PLAIN, "open:20=opened begin=granted @20 commit:e1=admitted", True),
    "no suppression by the gate": (PLAIN, E1 + "cancel=accepted inspect=snap:draining,rec=task,e1=suppressed", False),
    "gate sends at once": (SENDER, RUN + "commit:e1=taken claim:e1=already inspect=snap:running,e1=completed", True),
    "gate learns by itself": (SENDER, RUN + "commit:e1=admitted suppress:e1=late complete=won", True),
    "others do not send": (FULL, RUN + "commit:e1=taken", False),
}


def observe(text: str, contract: GateContract) -> LinearisabilityMonitor:
    monitor = LinearisabilityMonitor(contract)
    for entry in Script(text).entries():
        monitor.observe(entry)
    return monitor


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(name: str) -> None:
    monitor = observe(ALLOWED[name], FULL)
    assert monitor.verdict is HistoryVerdict.OK, monitor.illegal


@pytest.mark.parametrize("name", FORBIDDEN)
def test_forbidden(name: str) -> None:
    text, clause = FORBIDDEN[name]
    monitor = observe(text, FULL)
    assert monitor.verdict is HistoryVerdict.ILLEGAL
    assert monitor.illegal is not None
    assert clause in monitor.illegal.clauses
    last = text.split()[-1]
    assert monitor.illegal.call_id.startswith(last.replace(">", "=").partition("=")[0]), "not at the last answer"


@pytest.mark.parametrize("name", DECLARED)
def test_what_a_gate_declares_decides(name: str) -> None:
    contract, text, allowed = DECLARED[name]
    if "death" in text:
        contract = msgspec.structs.replace(contract, durability=Durability.PROCESS_DEATH)
    monitor = observe(text, contract)
    assert monitor.verdict is (HistoryVerdict.OK if allowed else HistoryVerdict.ILLEGAL), monitor.illegal


GRANDCHILD = (
    RUN + "register:c1=done c1.begin=granted c1.register:d=done d.begin=granted cancel:subtree=accepted:subtree "
)


@pytest.mark.parametrize("who", ["t", "c1", "d"])
def test_any_record_on_the_way_up_may_be_shown_below_a_subtree_cutoff(who: str) -> None:
    assert observe(GRANDCHILD + f"d.commit:e1=stopped:{who}", FULL).verdict is HistoryVerdict.OK
    assert observe(GRANDCHILD + "d.commit:e1=admitted", FULL).verdict is HistoryVerdict.ILLEGAL


def test_a_volatile_gate_that_dies_leaves_the_history_unknown() -> None:
    monitor = observe(CUT + "death inspect=snap:running", PLAIN)
    assert monitor.verdict is HistoryVerdict.UNKNOWN
    assert "process_death" in monitor.why_unknown


def test_too_many_orders_are_unknown() -> None:
    monitor = LinearisabilityMonitor(FULL, gate_memo(FULL, limit=10))
    for entry in Script(RUN + "".join(f"commit:e{n}< " for n in range(9)) + "commit:e0>admitted").entries():
        monitor.observe(entry)
    assert monitor.verdict is HistoryVerdict.UNKNOWN
    assert monitor.why_unknown


def test_a_finding_says_what_was_possible_and_which_calls_collided() -> None:
    found = observe(FORBIDDEN["check, then act"][0], FULL).illegal
    assert found is not None
    assert found.clauses == ("ADM-3",)
    assert found.calls == ("commit:e1#3", "begin#2", "cancel#4")
    assert "answered Admitted" in found.message
    assert found.allowed == ("Stopped(record of t/1)", "StaleLease")
    assert found.states == ("t/1 running, cancelled with scope task, epoch 1 of w1",)


def test_after_the_first_finding_nothing_more_is_checked() -> None:
    monitor = observe(CUT + "commit:e1=admitted complete=won", FULL)
    assert monitor.illegal is not None
    assert monitor.illegal.call_id.startswith("commit:e1")


def test_snapshots_with_lists_are_read_like_those_with_tuples() -> None:
    monitor = LinearisabilityMonitor(FULL)
    for entry in Script(E1 + "inspect=snap:running,e1=unclaimed").entries():
        event = entry.event
        if isinstance(event, Returned) and isinstance(event.reply, Snapshot):
            reply = msgspec.structs.replace(event.reply, effects=list(event.reply.effects))
            entry = msgspec.structs.replace(entry, event=msgspec.structs.replace(event, reply=reply))  # noqa: PLW2901
        monitor.observe(entry)
    assert monitor.verdict is HistoryVerdict.OK


def test_a_shared_memo_judges_alike() -> None:
    memo = gate_memo(FULL)
    texts = {**ALLOWED, **{name: text for name, (text, _) in FORBIDDEN.items()}}
    for name, text in [*texts.items(), *texts.items()]:
        monitor = LinearisabilityMonitor(FULL, memo)
        for entry in Script(text).entries():
            monitor.observe(entry)
        assert (monitor.verdict is HistoryVerdict.OK) == (name in ALLOWED), name


def test_the_digest_tells_apart_what_later_answers_could_tell_apart() -> None:
    before, after = "commit:e1< cancel=accepted commit:e1>stopped", "commit:e1< cancel=accepted commit:e1>admitted"
    same = "commit:e1< cancel< cancel>accepted commit:e1>stopped"
    digests = [observe(RUN + text, FULL).digest() for text in (before, after, same)]
    assert digests[0] == digests[2] != digests[1]


def test_the_digest_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "from tests.fast.judge.test_linearisability_gate import FULL, RUN, observe;"
        "print(observe(RUN + 'commit:e1< commit:e2< cancel< inspect< commit:e1>admitted', FULL).digest().hex())"
    )
    root = Path(__file__).parents[3]
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=root,
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1

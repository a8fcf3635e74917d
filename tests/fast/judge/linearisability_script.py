"""Short histories of gate calls as text, for the tables of the linearisability tests.

``OP=REPLY`` is a call that is answered at once; ``OP<`` opens a call and ``OP>REPLY`` answers it; ``@N`` sets the
time. An operation is ``[~][TASK.]NAME[:ARGUMENT...]``: the task is ``t`` unless it is named, and ``~`` makes the caller
one of another tenant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from stopcheck import gate as g
from stopcheck.world import Called, Entry, Event, GateDied, Returned

RIGHTS = tuple(g.Right)
REVISION = 50  # of cancellation records, unless a script says otherwise


def ref(name: str) -> g.TaskRef:
    """``t`` is incarnation 1 of task t, ``t/2`` incarnation 2."""
    task_id, _, number = name.partition("/")
    return g.TaskRef(g.TaskKey("acme", task_id), int(number or 1))


def receipt(effect_id: str, finding: str, payload: str = "p") -> g.Receipt:
    """What the mail provider would sign."""
    return g.Receipt("mail", effect_id, payload, g.Finding(finding), "r1", "signed")


def evidence(effect_id: str, what: str) -> g.Evidence:
    """``none``, ``absent``, ``foreign``, or the finding of a receipt."""
    if what == "none":
        return g.NoEvidence("timeout")
    if what == "absent":
        return g.LookupEvidence(g.LookupAnswer.ABSENT)
    if what == "foreign":
        return g.ReceiptEvidence(receipt(effect_id, "executed", "another payload"))
    return g.ReceiptEvidence(receipt(effect_id, what))


class Common:
    """What every request carries."""

    def __init__(self, call_id: str, now_ns: int, task: g.TaskRef, tenant: str) -> None:
        caller = g.Caller("someone", tenant, RIGHTS)
        self.fields: dict[str, Any] = {
            "call_id": call_id,
            "caller": caller,
            "now_ns": now_ns,
            "task": task.key,
            "incarnation": task.incarnation,
        }

    def __call__(self, kind: type[g.Request], /, **fields: Any) -> g.Request:
        return kind(**self.fields, **fields)


def commit(c: Common, effect_id: str, payload: str = "p", epoch: str = "1") -> g.Request:
    return c(
        g.CommitEffect,
        epoch=int(epoch),
        effect_id=effect_id,
        payload_digest=payload,
        receiver="mail",
        cancellation_class=g.CancellationClass.IRREVERSIBLE,
        kind="refund_mail",
    )


def cancel(c: Common, scope: str = "task") -> g.Request:
    return c(g.RequestCancel, scope=g.Scope(scope), cause=g.Cause.USER, request_id="stop", reason="wrong order")


def register(c: Common, child: str, epoch: str = "1", minimum: str = "0") -> g.Request:
    kind = g.OwnedKind.CHILD_TASK
    return c(g.RegisterChild, epoch=int(epoch), child=ref(child), kind=kind, owner="w1", minimum_ns=int(minimum))


def begin(c: Common, worker: str = "w1", trigger: str = "first") -> g.Request:
    return c(g.BeginWork, worker=worker, delivery_id="d1", trigger=g.Trigger(trigger))


OPERATIONS: dict[str, Callable[..., g.Request]] = {
    "open": lambda c, due="": c(g.OpenTask, deadline_ns=int(due) if due else None),
    "begin": begin,
    "renew": lambda c, epoch="1": c(g.RenewLease, epoch=int(epoch)),
    "give": lambda c, epoch="1": c(g.ReleaseLease, epoch=int(epoch)),
    "revoke": lambda c, epoch="1": c(g.RevokeLease, epoch=int(epoch)),
    "commit": commit,
    "claim": lambda c, e, again="": c(g.ClaimDispatch, effect_id=e, idempotent_receiver=bool(again)),
    "outcome": lambda c, e, what: c(g.RecordOutcome, effect_id=e, evidence=evidence(e, what)),
    "complete": lambda c, epoch="1": c(g.Complete, epoch=int(epoch), result_digest="r"),
    "fail": lambda c, epoch="1": c(g.Fail, epoch=int(epoch), result_digest="r"),
    "cancel": cancel,
    "cancel2": cancel,  # another person at the same button
    "inspect": lambda c, _n="": c(g.Inspect),
    "suppress": lambda c, e: c(g.Suppress, effect_id=e),
    "register": register,
    "start": lambda c, child: c(g.StartChild, child=ref(child)),
    "finish": lambda c, child, stage="completed": c(g.FinishChild, child=ref(child), stage=g.Stage(stage)),
    "subscribe": lambda c, i, who="s": c(g.Subscribe, interest_id=i, subscriber=ref(who)),
    "release": lambda c, i: c(g.Release, interest_id=i),
    "tick": lambda c: c(g.Tick),
    "probe": lambda c, result="gone": c(g.RecordProbe, worker="w1", result=g.ProbeResult(result)),
}


def record(task: g.TaskRef, scope: str = "task", revision: str = "", record_id: str = "") -> g.CancellationRecord:
    """A record as a gate would make it."""
    number = int(revision or REVISION)
    cause = g.CauseEntry(number, g.Cause.USER, "someone", "stop", "wrong order", g.Scope(scope), 0)
    subtree = number if scope == "subtree" else None
    name = record_id or f"rec-{task.key.task_id}"
    return g.CancellationRecord(name, task, number, g.Scope(scope), (cause,), subtree)


EFFECT_CLASS = {"unclaimed": (False, "pending"), "doubt": (True, "pending"), "unknown": (True, "unknown")}


def effect(effect_id: str, what: str) -> g.EffectEntry:
    claimed, disposition = EFFECT_CLASS.get(what, (what != "suppressed", what))
    kind = g.CancellationClass.IRREVERSIBLE
    return g.EffectEntry(effect_id, "p", "mail", kind, 1, claimed, int(claimed), g.Disposition(disposition))


def snapshot(task: g.TaskRef, text: str = "running") -> g.Snapshot:
    """``EXECUTION[,rec=SCOPE[/TASK]][,eN=CLASS][,cN=STAGE][,iN=live|released]``."""
    execution, *items = text.split(",")
    state = g.Execution("cancelled_settled" if execution == "cancelled" else execution)
    parts: dict[str, list[Any]] = {"e": [], "c": [], "i": []}
    shown = None
    for name, _, what in (item.partition("=") for item in items):
        if name == "rec":
            scope, _, owner = what.partition("/")
            shown = record(ref(owner) if owner else task, scope)
        elif name.startswith("e"):
            parts["e"].append(effect(name, what))
        elif name.startswith("c"):
            kind = g.OwnedKind.CHILD_TASK
            parts["c"].append(g.ChildEntry(ref(name), kind, "w1", what != "requested", g.Stage(what), 2))
        else:
            parts["i"].append(g.InterestEntry(name, ref("s"), None if what == "live" else 9))
    return g.Snapshot(
        task=task,
        revision=60,
        execution=state,
        record=shown,
        status=g.Status.RUNNING,
        intent=g.IntentFacet(shown is not None),
        stopping=g.ExecutionFacet(state),
        ledger=g.EffectsFacet(),
        effects=tuple(parts["e"]),
        children=tuple(parts["c"]),
        interests=tuple(parts["i"]),
    )


Made = Callable[..., g.Reply | g.Snapshot]

REPLIES: dict[str, Made] = {
    "opened": lambda _, n="1": g.Opened(int(n)),
    "exists": lambda _, state="running": g.Exists(g.Execution(state)),
    "pre": lambda t: g.PreCancelled(record(t)),
    "granted": lambda _, epoch="1", until="30": g.LeaseGranted(int(epoch), int(until)),
    "busy": lambda _: g.Busy(),
    "renewed": lambda _, until="60": g.Renewed(int(until)),
    "stopped": lambda t, who="": g.Stopped(record(ref(who) if who else t)),
    "ended": lambda _, state="completed": g.Ended(g.Execution(state)),
    "stale": lambda _: g.StaleLease(9),
    "done": lambda _: g.Done(),
    "admitted": lambda _, n="1": g.Admitted(int(n)),
    "taken": lambda _, n="1": g.Admitted(int(n), claimed=True),
    "existing": lambda _, d="pending": g.ExistingEffect(g.Disposition(d)),
    "mismatch": lambda _: g.PayloadMismatch(),
    "claimed": lambda _: g.ClaimGranted("permit", 1),
    "resend": lambda _: g.Resend("permit", 2),
    "already": lambda _: g.AlreadyClaimed(),
    "gone": lambda _: g.SuppressedAlready(),
    "resolved": lambda _, d="completed": g.Resolved(g.Disposition(d)),
    "unadmitted": lambda _: g.NotAdmitted(),
    "recorded": lambda _: g.Recorded(),
    "same": lambda _: g.Same(),
    "contradicted": lambda _: g.Contradicted(),
    "parked": lambda _: g.Parked(),
    "bad": lambda _: g.BadEvidence(),
    "won": lambda _: g.Won(),
    "unverified": lambda _: g.Unverified(("e1",)),
    "lost": lambda t: g.Lost(record(t)),
    "accepted": lambda t, scope="task", n="", name="": g.Accepted(record(t, scope, n, name)),
    "record": lambda t, scope="task", n="", name="": g.ExistingRecord(record(t, scope, n, name)),
    "recordof": lambda _, who, scope="subtree": g.ExistingRecord(record(ref(who), scope)),
    "widened": lambda t: g.Widened(record(t, "subtree")),
    "tombstoned": lambda t, scope="task": g.Tombstoned(record(t, scope)),
    "withdrawn": lambda _: g.SuppressionDone(7),
    "late": lambda _: g.TooLate(),
    "child": lambda _, stage="requested": g.ExistingChild(g.Stage(stage)),
    "notime": lambda _: g.NoTime(),
    "live": lambda _, n="1": g.Live(int(n)),
    "released": lambda _: g.AlreadyReleased(),
    "last": lambda _, fate="unowned": g.LastReleased(g.LastFate(fate)),
    "ticked": lambda _: g.Ticked(),
    "refused": lambda _, why="unknown": g.Refused(g.RefusalReason(why)),
    "retry": lambda _: g.Retry(),
    "unsupported": lambda _: g.Unsupported(),
    "indefinite": lambda _: g.Indefinite(),
    "snap": lambda t, text="running": snapshot(t, text),
}


class Script:
    """Turns the text into log entries."""

    def __init__(self, text: str) -> None:
        self._words = text.split()
        self._now = 0
        self._open: dict[str, tuple[str, g.Request]] = {}
        self._count = 0

    def entries(self) -> Iterator[Entry]:
        """The run's log."""
        for step, event in enumerate(self._events()):
            yield Entry(step, self._now, event)

    def _events(self) -> Iterator[Event]:
        for word in self._words:
            if word.startswith("@"):
                self._now = int(word[1:])
            elif word == "death":
                yield GateDied("process_death", 1)
            elif word.endswith("<"):
                yield self._call(word[:-1])
            else:
                mark = min(at for at in (word.find("="), word.find(">")) if at >= 0)
                if word[mark] == "=":
                    yield self._call(word[:mark])
                yield self._return(word[:mark], word[mark + 1 :])

    def _call(self, text: str) -> Called:
        self._count += 1
        call_id = f"{text}#{self._count}"
        tenant = "other" if text.startswith("~") else "acme"
        head, *arguments = text.lstrip("~").split(":")
        task, _, name = head.rpartition(".")
        request = OPERATIONS[name](Common(call_id, self._now, ref(task or "t"), tenant), *arguments)
        self._open[text] = (call_id, request)
        return Called(call_id, text, 0, request.operation, request)

    def _return(self, text: str, reply: str) -> Returned:
        call_id, request = self._open.pop(text)
        name, *arguments = reply.split(":")
        task = request.ref
        assert task is not None
        return Returned(call_id, text, request.operation, REPLIES[name](task, *arguments))

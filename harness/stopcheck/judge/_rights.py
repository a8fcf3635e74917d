"""Which rights an operation takes, from the docstrings of the requests.

One idea: there is one table, so that the order of calls and the checks cannot disagree about who may ask for what.
"""

from __future__ import annotations

from stopcheck.gate import Request, Right

_BY_RIGHT: dict[tuple[Right, ...], tuple[str, ...]] = {
    (Right.OPEN,): ("open_task",),
    (Right.WORK,): (
        *("begin_work", "renew_lease", "release_lease", "commit_effect", "acknowledge", "complete", "fail"),
        *("register_child", "start_child", "subscribe", "schedule_retry", "fire_retry"),
        *("offer_result", "recall", "hand_over", "take_item", "confirm_item", "compensate", "use_grant"),
        *("note_artefact", "begin_cleanup", "clean_up", "hold_slot", "return_slot"),
    ),
    (Right.STOP,): ("request_cancel", "suppress"),
    (Right.SUPERVISE,): ("revoke_lease", "record_signal", "escalate", "record_probe", "suspend", "resume"),
    (Right.DISPATCH,): ("claim_dispatch",),
    (Right.DISPATCH, Right.RECONCILE): ("record_outcome",),
    (Right.INSPECT,): ("inspect", "close_view", "ask", "withdraw", "read_answer", "measures"),
    (Right.TICK,): ("tick",),
    (Right.WORK, Right.SUPERVISE): ("finish_child",),
    (Right.WORK, Right.STOP): ("release", "grant"),
}

#: By operation, the rights of which its caller needs one.
RIGHTS: dict[str, tuple[Right, ...]] = {
    operation: rights for rights, operations in _BY_RIGHT.items() for operation in operations
}
#: The operations that stop something, the forced form included.
STOPS = ("request_cancel", "suppress", "revoke_lease", "escalate")


def has_right(request: Request) -> bool:
    """Whether the caller has a right that the operation takes, of whatever tenant it is."""
    return any(right in request.caller.rights for right in RIGHTS[request.operation])


__all__ = ["RIGHTS", "STOPS", "has_right"]

"""Which rights an operation takes, as the docstrings of the requests say.

One idea: there is one table, so that those who ask for what they may not, and those who judge the answers, cannot
disagree about who may ask for what.
"""

from __future__ import annotations

from stopcheck.gate._optional_requests import Grant
from stopcheck.gate._requests import Request
from stopcheck.gate._vocabulary import GrantKind, Right

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


def rights_for(request: Request) -> tuple[Right, ...]:
    """The rights of which the caller of this request needs one."""
    if isinstance(request, Grant):
        return (Right.WORK,) if request.kind is GrantKind.PREPARED_WRITE else (Right.STOP,)
    return RIGHTS[request.operation]


__all__ = ["RIGHTS", "rights_for"]

"""Who may ask for what.

One idea: the order of calls and the checks ask the same question of the same table (``stopcheck.gate``).
"""

from __future__ import annotations

from stopcheck.gate import Request, rights_for

#: The operations that stop something, the forced form included.
STOPS = ("request_cancel", "suppress", "revoke_lease", "escalate")


def has_right(request: Request) -> bool:
    """Whether the caller has a right that the request takes, of whatever tenant it is."""
    return any(right in request.caller.rights for right in rights_for(request))


__all__ = ["STOPS", "has_right"]

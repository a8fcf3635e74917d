"""Operation contracts: what a gate declares for each cancellation class.

One idea: what kind of stop an operation supports is declared beside it and never inferred, so it is data: the class
goes with each effect and each owned operation, and what a class promises stands once in the gate's own declaration,
to which the judge holds it. Source: gate contract, section 1.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class LateResultRule(StrEnum):
    """What a result that comes after the cutoff says of its operation. Under either rule it enters nothing and is kept
    as evidence (RES-1).

    ``ends_operation``: it tells that the operation has ended, which until then may go on.
    ``discarded``: it tells nothing; the operation counts as stopped since its result was fenced out (RPT-3)."""

    ENDS_OPERATION = "ends_operation"
    DISCARDED = "discarded"


class OperationContract(msgspec.Struct, frozen=True, kw_only=True):
    """What a gate promises of operations of one class.

    ``check_every_ns``: how long such an operation works on at most without looking whether it is to stop (``None``: the
    gate's ``observation_bound_ns``). ``grace_ns``: how long after the cutoff it is left alone before force may be used
    (``None``: the gate's); it is longer than that (ESC-8). ``force``: by which mechanisms (the ``level`` of
    ``escalate``) it may be stopped by force; ``None`` where any will do, empty where none will (ESC-1). ``cleanup_ns``:
    how long after the cutoff a clean-up of it may take (``None``: as long as the gate's; ESC-5). ``resends``: whether
    an effect of the class that is in doubt may be claimed again (``None``: as the gate declares; ADM-7)."""

    check_every_ns: int | None = None
    grace_ns: int | None = None
    force: tuple[str, ...] | None = None
    cleanup_ns: int | None = None
    resends: bool | None = None
    late_results: LateResultRule = LateResultRule.ENDS_OPERATION


__all__ = ["LateResultRule", "OperationContract"]

"""All checks of the kit, by clause family.

One idea: every module here exports ``CHECKS``, and this tuple is the only place that knows all of them. The order is
that of the contract, and decides in which order violations of one step are told.
"""

from __future__ import annotations

from stopcheck.judge._checks import Check
from stopcheck.judge.checks import (
    _acknowledgement,
    _admission,
    _batches,
    _boundary,
    _causes,
    _children,
    _compensation,
    _completion,
    _deadlines,
    _declared_stops,
    _delivery,
    _detached,
    _effects,
    _escalation,
    _force,
    _handover,
    _inventory,
    _later,
    _lifecycle,
    _liveness,
    _named_runs,
    _other_runs,
    _reconciliation,
    _record,
    _removal,
    _reporting,
    _results,
    _retention,
    _scope,
    _settled_above,
    _shared,
    _stop_requests,
    _suppression,
    _views,
)

CHECKS: tuple[type[Check], ...] = (
    *_scope.CHECKS,
    *_stop_requests.CHECKS,
    *_named_runs.CHECKS,
    *_record.CHECKS,
    *_retention.CHECKS,
    *_causes.CHECKS,
    *_admission.CHECKS,
    *_suppression.CHECKS,
    *_children.CHECKS,
    *_settled_above.CHECKS,
    *_inventory.CHECKS,
    *_detached.CHECKS,
    *_delivery.CHECKS,
    *_removal.CHECKS,
    *_later.CHECKS,
    *_other_runs.CHECKS,
    *_shared.CHECKS,
    *_completion.CHECKS,
    *_effects.CHECKS,
    *_batches.CHECKS,
    *_acknowledgement.CHECKS,
    *_escalation.CHECKS,
    *_force.CHECKS,
    *_reconciliation.CHECKS,
    *_compensation.CHECKS,
    *_results.CHECKS,
    *_boundary.CHECKS,
    *_handover.CHECKS,
    *_deadlines.CHECKS,
    *_liveness.CHECKS,
    *_reporting.CHECKS,
    *_declared_stops.CHECKS,
    *_lifecycle.CHECKS,
    *_views.CHECKS,
)

__all__ = ["CHECKS"]

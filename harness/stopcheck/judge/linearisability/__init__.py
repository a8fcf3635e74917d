"""Linearisability: is there one order of the concurrent calls that the contract allows?

One idea: three parts that know nothing of each other's business. ``_checker`` puts the calls of any nondeterministic
model in order; ``_model`` is what the contract allows a gate to answer; ``_monitor`` follows a run and names clauses.
"""

from stopcheck.judge.linearisability._checker import HistoryVerdict, Illegal, Memo, Model, OnlineChecker
from stopcheck.judge.linearisability._model import GateModel
from stopcheck.judge.linearisability._monitor import (
    Followed,
    GateMemo,
    LinearisabilityMonitor,
    NotLinearisable,
    gate_memo,
)

__all__ = [
    "Followed",
    "GateMemo",
    "GateModel",
    "HistoryVerdict",
    "Illegal",
    "LinearisabilityMonitor",
    "Memo",
    "Model",
    "NotLinearisable",
    "OnlineChecker",
    "gate_memo",
]

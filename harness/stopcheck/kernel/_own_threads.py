"""Threads of the kit's own, which it starts whatever a gate did to the process that both run in."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any


def start_thread(name: str, work: Callable[[], object]) -> threading.Thread:
    """A daemon that does the work. No thread starts where there are no hooks for exceptions, which a gate may have
    taken away."""
    modules: tuple[Any, ...] = (sys, threading)
    for module in modules:
        if getattr(module, "excepthook", None) is None:
            module.excepthook = module.__excepthook__
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread

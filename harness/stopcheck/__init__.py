"""Certifies cancellation gates by deterministic simulation.

A run is a pure function of a scenario, an adapter and a list of choices; ARCHITECTURE.md says what follows.
"""

from importlib.metadata import version

__version__ = version("stopcheck")

__all__ = ["__version__"]

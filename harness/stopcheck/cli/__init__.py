"""The command line: verbs and flags over the campaign; nothing that a library user would miss."""

from stopcheck.cli._main import main

__all__ = ["main"]

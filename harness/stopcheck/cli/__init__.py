"""The command line: verbs and flags over the campaign; nothing that a library user would miss."""

from stopcheck.cli._entry import main

__all__ = ["main"]

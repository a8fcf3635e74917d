"""Fixtures of all tests that need PostgreSQL."""

from tests.fast.postgres.support import database, server

__all__ = ["database", "server"]

"""Fixtures of all tests that need PostgreSQL."""

from tests.fast.postgres.support import server

__all__ = ["server"]

"""Slow tests of the judge."""

"""Tests that explore, crash processes or install things."""

"""Tests that take seconds in all."""

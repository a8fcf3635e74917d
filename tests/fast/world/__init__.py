"""Tests of the world."""

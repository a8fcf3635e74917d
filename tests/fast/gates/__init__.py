"""Tests of the bundled gates."""

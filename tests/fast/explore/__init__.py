"""Strategies, shrinking and replay, on toy programs and on the first scenarios."""

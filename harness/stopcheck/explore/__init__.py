"""Strategies that make schedules, and what shrinks and replays them."""

"""Scenario × strategy × adapter → results."""

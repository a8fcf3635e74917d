"""Campaigns: scenario x strategy x adapter -> results, verdicts and the exit code.

One idea: a campaign emits frozen events and ends in one frozen report; terminal, JSON and JUnit only consume them.
"""

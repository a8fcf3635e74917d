"""Linearisability: is there one order of the concurrent calls that the contract allows?"""

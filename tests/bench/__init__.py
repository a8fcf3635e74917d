"""Benchmarks, in files `bench_*.py`, run by `make bench`."""

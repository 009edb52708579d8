"""Benchmarks against other programs on the same work: ``python -m benchmarks --help``.

Each subject is a file; its contenders take turns in one run, and medians are reported.
"""

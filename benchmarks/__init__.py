"""Benchmarks against other programs on the same tasks: ``python -m benchmarks --help``.

Each subject is one file. Its contenders take turns in one run; the tables report medians.
"""

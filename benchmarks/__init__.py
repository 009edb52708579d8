"""What costs how much, beside other programs on the same work: ``python -m benchmarks --help``.

Each subject is a file; its contenders take turns in one run, and the median is reported.
"""

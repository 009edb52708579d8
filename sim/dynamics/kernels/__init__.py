"""Kernels compiled by numba for a single state; `compiling` documents use without numba, too."""

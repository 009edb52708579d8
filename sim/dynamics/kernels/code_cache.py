"""Machine code of kernels on disk, valid while the source of all kernels is unchanged.

numba caches machine code while the file of a function is unchanged. A kernel calls functions of
other files, so that its code is valid only while all files of this folder are unchanged.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from numba import __version__
from numba.core.caching import FunctionCache, NullCache

from sim.functions.program import GROUPS


def source_digest() -> str:
    """Return the digest of the source of all kernels, and of the instruction codes they use."""
    sources = (one for one in files(__package__).iterdir() if one.name.endswith(".py"))
    texts = sorted(one.read_bytes() for one in sources)
    return sha256(b"".join([*texts, repr(GROUPS).encode()])).hexdigest()


# of an index on disk; entries of another version need not even be readable
VERSION = f"{__version__}, kernels {source_digest()}"


@cache
def _announce(is_kept: bool) -> None:
    """Print once per process, on a terminal, that kernels are compiled and how often."""
    if sys.stderr.isatty():
        often = "once on this machine" if is_kept else "in each run, as no cache folder is writable"
        sys.stderr.write(f"Compiling the equations of motion, {often}: about 10 s\n")


def code_cache(function: Callable[..., Any]) -> FunctionCache | NullCache:
    """Return the cache of a kernel's machine code."""
    try:
        return _Cache(function)
    except RuntimeError:  # no writeable folder
        return _NoCache()


class _Cache(FunctionCache):
    """Machine code on disk, valid while the source of all kernels is unchanged."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._version = VERSION

    def load_overload(self, sig: object, target_context: object) -> object:
        """Return machine code for a signature; None if it must be compiled."""
        if (loaded := super().load_overload(sig, target_context)) is None:
            _announce(True)
        return loaded


class _NoCache(NullCache):
    """A cache without a folder."""

    def load_overload(self, sig: object, target_context: object) -> None:
        """Return None: it must be compiled."""
        _announce(False)

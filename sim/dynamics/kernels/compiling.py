"""Compilation of kernels, and of the records that they take, by numba.

numba keeps machine code on disk for as long as the file of a function does not change. A kernel
calls those of other files, so that its code is kept here for as long as no file of this folder
changes. Without numba kernels and records stay Python, which only tests run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

# as annotations of fields name them
DTYPES: dict[str, type] = {"Array": np.float64, "Indices": np.intp, "Mask": np.bool_}


def _identity(function: Function) -> Function:
    return function


def _as_declared(record: object) -> None:
    """Make the arrays of a record contiguous and writeable: numba compiles for any other anew."""
    fields = vars(record)
    for name, kind in type(record).__annotations__.items():
        if kind in DTYPES:
            fields[name] = np.require(fields[name], DTYPES[kind], ["C", "W"])


@cache
def announce(is_kept: bool) -> None:
    """Write on a terminal, once a process, that machine code is being made, and how often it is."""
    if sys.stderr.isatty():
        often = "once on this machine" if is_kept else "in each run, as no cache folder is writable"
        sys.stderr.write(f"Compiling the equations of motion, {often}: about 15 s\n")


def source_digest() -> str:
    """Digest of the source of all kernels."""
    sources = (one for one in files(__package__).iterdir() if one.name.endswith(".py"))
    return sha256(b"".join(sorted(one.read_bytes() for one in sources))).hexdigest()


if TYPE_CHECKING:
    from dataclasses import dataclass as record

    __all__ = ["inline", "inner", "kernel", "record", "source_digest"]
    kernel = inner = inline = _identity
else:
    try:
        from numba import __version__, njit, types
        from numba.core.caching import FunctionCache, NullCache
        from numba.experimental import structref
        from numba.extending import intrinsic
    except ImportError:
        kernel = inner = inline = _identity

        def record(cls: type) -> type:
            """A dataclass."""
            cls.__post_init__ = _as_declared
            return dataclass(eq=False, frozen=True)(cls)

    else:
        # of an index on disk; what is in one of another version need not even be readable
        VERSION = f"{__version__}, kernels {source_digest()}"

        class _Cache(FunctionCache):
            """Machine code on disk, as long as it is that of the source of all kernels."""

            def __init__(self, function: Callable[..., Any]) -> None:
                super().__init__(function)
                self._cache_file._version = VERSION

            def load_overload(self, sig: object, target_context: object) -> object:
                """Machine code for a signature; None if it must be compiled."""
                if (loaded := super().load_overload(sig, target_context)) is None:
                    announce(True)
                return loaded

        class _NoCache(NullCache):
            """No folder to keep machine code in."""

            def load_overload(self, sig: object, target_context: object) -> None:
                """None: it must be compiled."""
                announce(False)

        def _compile(function: Function, **options: object) -> Function:
            dispatcher = njit(**options)(function)
            try:
                dispatcher._cache = _Cache(function)
            except RuntimeError:  # no folder to write to
                dispatcher._cache = _NoCache()
            return dispatcher

        def kernel(function: Function) -> Function:
            """A function in machine code that Python calls."""
            return _compile(function)

        def inner(function: Function) -> Function:
            """A function in machine code that only others call; it has no code for Python."""
            return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)

        def inline(function: Function) -> Function:
            """A function that becomes a part of each that calls it."""
            return _compile(function, inline="always")

        @intrinsic
        def _drop_counts(typing, fields):
            """Fields of a record without counts of their arrays: the record in Python keeps these.

            A kernel counted each array that it took from a record, for a sixth of its time.
            """

            def generate(context, builder, signature, arguments):
                (values,) = arguments
                for k, kind in enumerate(fields.types):
                    if isinstance(kind, types.Array):
                        value = builder.extract_value(values, k)
                        array = context.make_array(kind)(context, builder, value)
                        array.meminfo = array.meminfo.type(None)
                        array.parent = array.parent.type(None)
                        values = builder.insert_value(values, array._getvalue(), k)
                context.nrt.incref(builder, fields, values)
                return values

            return fields(fields), generate

        def record(cls: type) -> type:
            """A dataclass that kernels take by reference, which saves the time for each field.

            It is frozen: what is read in Python, and kept alive by it, is what kernels read.
            """
            names = tuple(cls.__annotations__)
            place = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}.Reference"}
            cls.Reference = structref.register(type(cls.__name__, (types.StructRef,), place))
            refer = _compile(lambda fields: cls(*_drop_counts(fields)))

            def box(kind: object, memory: object) -> object:
                boxed = object.__new__(cls)
                vars(boxed).update(_numba_type_=kind, _meminfo=memory)
                return boxed

            def finish(self: object) -> None:
                _as_declared(self)
                vars(self).update(vars(refer(tuple(vars(self)[name] for name in names))))

            cls.__post_init__, cls._numba_box_ = finish, staticmethod(box)
            structref.define_proxy(cls, cls.Reference, names)
            return dataclass(eq=False, frozen=True)(cls)

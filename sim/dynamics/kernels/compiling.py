"""Decorators for kernels and for the records that they take, compiled by numba if it is installed.

Functions that only kernels call are not compiled separately: they are optimised and translated as
a part of each kernel. Without numba they remain Python, which only tests run.

Kernels rarely create arrays. They use those of records and of their callers; in functions that
create none, numba's reference counts, a third of the code, are omitted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

Late = Callable[..., bool]  # a kernel that others call by its address

# named in the annotations of fields
DTYPES: dict[str, type] = {"Array": np.float64, "Indices": np.intp, "Mask": np.bool_}


def _identity(function: Function) -> Function:
    return function


def _as_declared(record: object) -> None:
    """Make the arrays of a record contiguous and writeable; for others numba would recompile."""
    fields = vars(record)
    for name, kind in type(record).__annotations__.items():
        if (dtype := DTYPES.get(kind)) is None:
            continue
        value = fields[name]
        if type(value) is not np.ndarray or value.dtype != dtype or not value.flags.carray:
            fields[name] = np.require(value, dtype, ["C", "W"])


if TYPE_CHECKING:
    from dataclasses import dataclass as record

    __all__ = ["call", "inner", "kernel", "late", "record"]
    kernel = inner = _identity

    def late(function: Late, is_needed: bool, *arguments: Any) -> Late:
        """Return a kernel for `call`."""

    def call(function: Late, arguments: tuple[Any, ...]) -> bool:
        """Call a kernel."""

else:
    try:
        from sim.dynamics.kernels.compiled_functions import inner, kernel
        from sim.dynamics.kernels.compiled_records import call, describer, late
    except ImportError:
        kernel = inner = _identity

        def describer(cls: type) -> Callable[[object], None]:
            """Return a function that adds nothing to a record."""
            return lambda record: None

        def late(function: Late, is_needed: bool, *arguments: object) -> Late:
            """Return the function."""
            return function

        def call(function: Late, arguments: tuple[object, ...]) -> bool:
            """Call the function."""
            return function(*arguments)

    def record(cls: type) -> type:
        """Return a dataclass that kernels take by reference, which saves time per field.

        It is frozen: kernels read the values that Python reads and keeps alive.
        """
        describe = describer(cls)

        def finish(self: object) -> None:
            _as_declared(self)
            describe(self)

        cls.__post_init__ = finish
        return dataclass(eq=False, frozen=True)(cls)

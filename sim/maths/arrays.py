"""Array helpers: validation, freezing, batches, distinct rows and work memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray


def columns(n: int, **arrays: ArrayLike) -> tuple[Array, ...]:
    """Return the arrays as contiguous float64 of one shape (n, N).

    Raises
    ------
    ValueError
        If a shape is not (n, N) with one N; the message names the array.
    """
    result = [np.ascontiguousarray(array, dtype=np.float64) for array in arrays.values()]
    first = next(iter(arrays))
    for name, array in zip(arrays, result, strict=True):
        if array.ndim != 2 or array.shape[0] != n:
            raise ValueError(f"{name} must have shape ({n}, N), one row a joint; got {array.shape}")
        if array.shape != result[0].shape:
            raise ValueError(
                f"{name} and {first} must have one shape; got {array.shape} and {result[0].shape}"
            )
    return tuple(result)


Array = NDArray[np.float64]


Mask = NDArray[np.bool_]


_FLOAT = np.dtype(np.float64)


def largest_finite(values: Array) -> float:
    """Return the largest magnitude of the finite values; 0 for none."""
    return float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))


def distinct(*parts: ArrayLike) -> NDArray[Any]:
    """Return the different numbers of some arrays, ascending.

    Unlike `numpy.unique` it does not load `numpy.ma`, which takes 10 to 20 ms of every command.
    """
    ordered = np.sort(np.concatenate([np.ravel(part) for part in parts]))
    is_first = np.ones(ordered.size, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def frozen(values: ArrayLike, shape: tuple[int, ...] | None = None) -> Array:
    """Return a read-only float64 array of `values`: a copy, unless they are one already.

    Raises
    ------
    ValueError
        If `shape` is given and the array has a different one.
    """
    if _is_frozen(values):
        array = values
    else:
        array = np.array(values, dtype=np.float64)
        array.setflags(write=False)
    if shape is not None and array.shape != shape:
        raise ValueError(f"expected shape {shape}, got {array.shape}")
    return array


def _is_frozen(values: ArrayLike) -> TypeGuard[Array]:
    """Whether the numbers cannot change, including through another array of the same memory."""
    if not isinstance(values, np.ndarray) or values.dtype != _FLOAT:
        return False
    owner = values if values.base is None else values.base
    is_owner = isinstance(owner, np.ndarray) and owner.base is None
    return is_owner and not (values.flags.writeable or owner.flags.writeable)


def distinct_rows(rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the index of the first of each distinct row, ascending, and the kind of each row.

    Same result as ``np.unique(axis=0)``, in a quarter of its time.

    Parameters
    ----------
    rows : ndarray, shape (N, k)
    """
    order = np.lexsort(rows.T[::-1])
    ascending = rows[order]
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = (ascending[1:] != ascending[:-1]).any(axis=1)
    kind = np.empty(len(rows), dtype=np.int64)
    kind[order] = np.cumsum(is_new) - 1
    return order[is_new], kind


def evaluate_in_batches(
    kernel: Callable[..., tuple[Array, ...]], size: int, *arrays: Array
) -> tuple[Array, ...]:
    """Apply `kernel` to slices of `size` samples, and join the results along the last axis.

    Slices keep the intermediate arrays inside the cache: three to five times faster than one pass
    over ten thousand samples.
    """
    N = arrays[0].shape[-1]
    parts = [kernel(*(a[..., k : k + size] for a in arrays)) for k in range(0, max(N, 1), size)]
    return tuple(np.concatenate(results, axis=-1) for results in zip(*parts, strict=True))


def workspace(width: int, *shapes: tuple[int, ...]) -> list[Array]:
    """Return uninitialised arrays of the given shapes plus an axis of `width`, in one block.

    If the memory is allocated and freed at once, the allocator keeps the block for the next call;
    with several blocks, or one per pass, it returns pages and fetches them again, which costs more
    than the arithmetic.
    """
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    rows = np.split(np.empty((int(ends[-1]), width)), ends[:-1])
    return [part.reshape(*shape, width) for part, shape in zip(rows, shapes, strict=True)]

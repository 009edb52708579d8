"""Sampled: a record whose arrays have one column per sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Sampled:
    """A record whose arrays, and those of nested records, have samples along their last axis."""

    def during(self, part: slice | NDArray[np.intp]) -> Self:
        """The record at some of the samples: a slice of them, or their numbers (M,)."""
        rows = {one.name: _during(getattr(self, one.name), part) for one in fields(self)}
        return replace(self, **rows)

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Concatenate records; fields without samples are the first record's."""
        if len(parts) == 1:
            return parts[0]
        rows = {one.name: _join([getattr(x, one.name) for x in parts]) for one in fields(cls)}
        return replace(parts[0], **rows)


def _during(value: Any, part: slice | NDArray[np.intp]) -> Any:
    if isinstance(value, np.ndarray):
        return value[..., part]
    return value.during(part) if isinstance(value, Sampled) else value


def _join(values: list[Any]) -> Any:
    first = values[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(values, axis=-1)
    if isinstance(first, Sampled):
        return type(first).join(values)
    return sum(values, ()) if isinstance(first, tuple) else first

"""Base class for the parts of a run's description."""

from __future__ import annotations

import msgspec

Vector = tuple[float, float, float]


class Facts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a description; unknown fields are errors."""

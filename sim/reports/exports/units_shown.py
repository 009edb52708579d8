"""Units of an export: SI and radians, or degrees and millimetres on request.

Only lengths, angles and their rates change. Torques remain N*m and energies J, since a column of
N*mm next to one of N invites an error of 1000. Components of quaternions have no unit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

DEGREE = 180 / math.pi  # degrees in a radian

_DEGREES: Mapping[str, tuple[str, float]] = MappingProxyType(
    {"rad": ("deg", DEGREE), "rad/s": ("deg/s", DEGREE), "rad/s²": ("deg/s²", DEGREE)}
)
_MILLIMETRES: Mapping[str, tuple[str, float]] = MappingProxyType(
    {"m": ("mm", 1e3), "m/s": ("mm/s", 1e3), "m/s²": ("mm/s²", 1e3)}
)


def unit_shown(unit: str, *, degrees: bool, millimetres: bool) -> tuple[str, float]:
    """Return the unit of a column, and the factor from SI to it.

    The unit is plain ASCII, ``N*m`` and ``rad/s^2``: ADAMS and older spreadsheets read only that.
    """
    units = {**(_DEGREES if degrees else {}), **(_MILLIMETRES if millimetres else {})}
    name, factor = units.get(unit, (unit, 1.0))
    return name.replace("²", "^2").replace("·", "*"), factor

"""Kinds of loops: their constraints on two frames, and the parameters that they require."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

LoopKind = Literal[
    "point", "hinge", "slider", "cylinder", "universal", "planar", "fixed", "rod",
    "inline", "inplane", "parallel", "perpendicular", "orientation",
    "constant_velocity", "untwisted", "screw", "function",
]  # fmt: skip


class Closure(Struct, frozen=True):
    """Constraint of a kind of loop between frames a and b: z is along the axis, x across it.

    Parameters
    ----------
    along : str
        Axes of frame a along which point b stays at point a.
    square : tuple of str
        Pairs of an axis of a and an axis of b that stay perpendicular: "xz" is x of a and z of b.
    is_untwisted : bool
        Frame b is rotated about an axis perpendicular to z of a: shafts along z have equal speeds.
    has_length : bool
        The points keep a fixed distance.
    has_function : bool
        An expression of the two frames stays zero.
    """

    along: str = ""
    square: tuple[str, ...] = ()
    is_untwisted: bool = False
    has_length: bool = False
    has_function: bool = False

    @property
    def turns(self) -> tuple[str, ...]:
        """Names of the equations of directions."""
        return (*self.square, *(("twist",) if self.is_untwisted else ()))

    @property
    def has_axes(self) -> bool:
        """True if it requires the axes of both frames."""
        return bool(self.turns)

    @property
    def has_axis_a(self) -> bool:
        """True if it requires the axis of frame a."""
        return self.has_axes or self.along not in ("", "xyz")

    @property
    def has_across(self) -> bool:
        """True if it requires the directions across the axes."""
        return self.is_untwisted or any("x" in pair[1] for pair in self.square)


_PARALLEL = ("xz", "yz")
_TURNED = ("xz", "yz", "yx")

LOOP_KINDS: Mapping[LoopKind, Closure] = MappingProxyType(
    {
        "point": Closure("xyz"),
        "hinge": Closure("xyz", _PARALLEL),
        "slider": Closure("xy", _TURNED),
        "cylinder": Closure("xy", _PARALLEL),
        "universal": Closure("xyz", ("zz",)),
        "planar": Closure("z", _PARALLEL),
        "fixed": Closure("xyz", _TURNED),
        "rod": Closure(has_length=True),
        "inline": Closure("xy"),
        "inplane": Closure("z"),
        "parallel": Closure("", _PARALLEL),
        "perpendicular": Closure("", ("zz",)),
        "orientation": Closure("", _TURNED),
        "constant_velocity": Closure("xyz", is_untwisted=True),
        "untwisted": Closure(is_untwisted=True),
        "screw": Closure("xy", _PARALLEL, has_function=True),
        "function": Closure(has_function=True),
    }
)
"""The kinds of loops; those of ADAMS's joint primitives have their names (ATPOINT is a point)."""


def components_of(kind: LoopKind) -> tuple[str, ...]:
    """Names of the components in channels ``loop.<name>.<component>`` of a kind of loop."""
    closure = LOOP_KINDS[kind]
    is_any = closure.has_function
    force = ("fx", "fy", "fz") if closure.along or closure.has_length or is_any else ()
    moment = ("mx", "my", "mz") if closure.turns or is_any else ()
    return (*force, *moment, *(("tension",) if closure.has_length else ()))

"""Loop: a joint between two links that a tree cannot have, since other joints join them already."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, Protocol

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array, frozen
from sim.maths.rotations import rotation_aligning_z
from sim.robots.inertia import Link
from sim.robots.joint import Joint
from sim.showing.one_line import one_line

LoopKind = Literal[
    "point", "hinge", "slider", "cylinder", "universal", "planar", "fixed", "rod",
    "inline", "inplane", "parallel", "perpendicular", "orientation",
]  # fmt: skip

UNIT_TOLERANCE = 1e-4  # of a unit vector, in length and in direction: what printed digits lose


@dataclass(frozen=True)
class Closure:
    """What a kind of loop keeps, in frames a and b: z is the axis, x the direction across it.

    Parameters
    ----------
    along : str
        Axes of frame a along which point b stays at point a.
    square : tuple of str
        Pairs of an axis of a and an axis of b that stay square to each other: "xz" is x of a and z
        of b.
    has_length : bool
        The points keep a distance.
    """

    along: str = ""
    square: tuple[str, ...] = ()
    has_length: bool = False

    @property
    def has_axes(self) -> bool:
        """True if it needs the axes of both frames."""
        return bool(self.square)

    @property
    def has_axis_a(self) -> bool:
        """True if it needs the axis of frame a."""
        return self.has_axes or self.along not in ("", "xyz")

    @property
    def has_across(self) -> bool:
        """True if it needs the directions across them."""
        return any("x" in pair[1] for pair in self.square)


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
    }
)
"""The kinds of loops; those of ADAMS's joint primitives have their names (ATPOINT is a point)."""


class Tree(Protocol):
    """What a loop closes: links and joints as `sim.robots.robot.Robot` has them."""

    @property
    def name(self) -> str:
        """For messages."""
        ...

    @property
    def links(self) -> tuple[Link, ...]:
        """The root first."""
        ...

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Fixed ones too."""
        ...

    @property
    def tree_joints(self) -> tuple[Joint, ...]:
        """Those that move."""
        ...

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Of those that can be moved on their own."""
        ...


@dataclass(frozen=True, eq=False)
class Loop:
    """A joint between two links that other joints join already.

    Parameters
    ----------
    name : str
    link_a, link_b : str
    point_a, point_b : ndarray, shape (3,)
        In the frame of their link [m].
    normal : ndarray, shape (3,) or None
        Unit vector in the frame of `link_a`; points coincide in the plane across it only.
    passive : tuple of str
        The joints whose positions the loop decides.
    kind : LoopKind
        What it keeps, one of `LOOP_KINDS`.
    axis_a, axis_b : ndarray, shape (3,) or None
        Unit vectors, each in the frame of its link: axis of a hinge, direction of a slider, normal
        of a plane, the two pins of a universal joint.
    across_a, across_b : ndarray, shape (3,) or None
        Unit vectors square to them, which stay parallel where the kind does not turn.
    length : float or None
        Of a rod, between the two points [m].

    Raises
    ------
    ModelError
        If the kind is unknown, a direction is no unit vector, or what the kind needs is missing.
    """

    name: str
    link_a: str
    point_a: Array
    link_b: str
    point_b: Array
    normal: Array | None = None
    passive: tuple[str, ...] = ()
    kind: LoopKind = "point"
    axis_a: Array | None = None
    axis_b: Array | None = None
    across_a: Array | None = None
    across_b: Array | None = None
    length: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in LOOP_KINDS:
            raise ModelError(
                f"{self._title}: kind {self.kind!r} is none of {', '.join(LOOP_KINDS)}"
            )
        for key in ("point_a", "point_b"):
            object.__setattr__(self, key, _vector(self._title, key, getattr(self, key)))
        for key, is_wanted in self._wanted.items():
            value = getattr(self, key)
            if (value is not None) != is_wanted and key != "normal":
                article = "needs" if is_wanted else "has no"
                raise ModelError(f"{self._title}: a {self.kind} {article} {key}")
            if value is not None and key != "length":
                object.__setattr__(self, key, _unit(self._title, key, value))
        if self.normal is not None and self.kind != "point":
            raise ModelError(f"{self._title}: a {self.kind} has no normal; a point has")
        if self.length is not None and not (math.isfinite(self.length) and self.length > 0):
            raise ModelError(f"{self._title}: length {self.length!r} m must be finite and above 0")
        for side in ("a", "b"):
            self._require_square(side)

    def __repr__(self) -> str:
        what = "" if self.kind == "point" else f", {self.kind}"
        return one_line(f"Loop {self.name}:", f"{self.link_a} – {self.link_b}{what}")

    @property
    def closure(self) -> Closure:
        """What it keeps."""
        return LOOP_KINDS[self.kind] if self.normal is None else LOOP_KINDS["inline"]

    @property
    def frame_a(self) -> Array:
        """Rotation of frame a in its link, shape (3, 3)."""
        return _frame(self.axis_a if self.normal is None else self.normal, self.across_a)

    @property
    def frame_b(self) -> Array:
        """Rotation of frame b in its link, shape (3, 3)."""
        return _frame(self.axis_b, self.across_b)

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the components of its force and moment in channels."""
        return components_of(self.kind)

    def require_usable(self, robot: Tree) -> None:
        """Check that it can close a robot.

        Raises
        ------
        ModelError
            If it names a link or joint that cannot close it, or no joint moves in it.
        """
        links = [link.name for link in robot.links]
        for key in ("link_a", "link_b"):
            if (name := getattr(self, key)) not in links:
                raise ModelError(
                    f"{self._title}: {key} {name!r} is not in robot {robot.name!r}; "
                    f"available: {', '.join(links)}"
                )
        if not _path(robot, self.link_a) ^ _path(robot, self.link_b):
            raise ModelError(
                f"{self._title}: no joint moves between {self.link_a!r} and {self.link_b!r}; "
                "a loop closes over joints"
            )
        for index, name in enumerate(self.passive):
            if name in self.passive[:index]:
                raise ModelError(f"{self._title}: passive joint {name!r} is named twice")
            if name in robot.joint_names:
                continue
            follows = any(joint.name == name and joint.mimic for joint in robot.tree_joints)
            what = "follows another by <mimic>" if follows else "does not move on its own"
            raise ModelError(
                f"{self._title}: passive joint {name!r} {what} in robot {robot.name!r}; "
                f"available: {', '.join(robot.joint_names)}"
            )

    @property
    def _title(self) -> str:
        return f"loop {self.name!r}"

    @property
    def _wanted(self) -> Mapping[str, bool]:
        """What the kind needs besides two points."""
        closure = LOOP_KINDS[self.kind]
        return {
            "normal": False,
            "axis_a": closure.has_axis_a,
            "axis_b": closure.has_axes,
            "across_a": closure.has_across,
            "across_b": closure.has_across,
            "length": closure.has_length,
        }

    def _require_square(self, side: str) -> None:
        axis, across = getattr(self, f"axis_{side}"), getattr(self, f"across_{side}")
        if axis is None or across is None:
            return
        if not abs(float(axis @ across)) <= UNIT_TOLERANCE:
            angle = math.degrees(math.acos(float(axis @ across)))
            raise ModelError(
                f"{self._title}: across_{side} is {angle:.6g} deg from axis_{side}; it needs 90"
            )


def components_of(kind: LoopKind) -> tuple[str, ...]:
    """Names of the components that loops of a kind have in channels ``loop.<name>.<component>``."""
    closure = LOOP_KINDS[kind]
    force = ("fx", "fy", "fz") if closure.along or closure.has_length else ()
    moment = ("mx", "my", "mz") if closure.square else ()
    return (*force, *moment, *(("tension",) if closure.has_length else ()))


def require_loops(loops: Sequence[Loop], robot: Tree) -> None:
    """Check that loops can close a robot and that their names differ.

    Raises
    ------
    ModelError
        Names the loop.
    """
    for index, loop in enumerate(loops):
        if loop.name in (other.name for other in loops[:index]):
            raise ModelError(f"loop name {loop.name!r} is used twice; names must differ")
        loop.require_usable(robot)


def _vector(title: str, key: str, given: object) -> Array:
    try:
        vector = frozen(np.asarray(given, dtype=np.float64), (3,))
    except (TypeError, ValueError):
        raise ModelError(f"{title}: {key} {given!r} must be three numbers") from None
    if not np.isfinite(vector).all():
        raise ModelError(f"{title}: {key} {vector.tolist()} must be finite numbers")
    return vector


def _unit(title: str, key: str, given: object) -> Array:
    vector = _vector(title, key, given)
    length = float(np.sqrt(vector @ vector))
    if not abs(length - 1) <= UNIT_TOLERANCE:
        raise ModelError(f"{title}: {key} {vector.tolist()} has length {length:.6g}; it needs 1")
    return frozen(vector / length)


def _frame(axis: Array | None, across: Array | None) -> Array:
    """Rotation with z along an axis and x across it, shape (3, 3)."""
    if axis is None:
        return np.eye(3)
    if across is None:
        return rotation_aligning_z(axis)
    x = across - (across @ axis) * axis
    x = x / np.sqrt(x @ x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def _path(robot: Tree, link: str) -> frozenset[str]:
    """Names of the movable joints between the root and a link."""
    carrier = {joint.child: joint for joint in robot.joints}
    path = []
    while link in carrier:
        joint = carrier[link]
        path += [joint.name] if joint.is_movable else []
        link = joint.parent
    return frozenset(path)

"""Loop: a joint between two links that other joints of the tree already connect."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.errors import ExpressionError, ModelError, ScenarioError
from sim.functions.expression import StateExpression, state_expression
from sim.functions.state_functions import OF_LOOPS, Scope
from sim.functions.syntax import Time, walk
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.maths.rotations import rotation_aligning_z
from sim.robots.loop_kinds import LOOP_KINDS, Closure, LoopKind, components_of
from sim.robots.urdf_tree import UrdfTree
from sim.showing.one_line import one_line

UNIT_TOLERANCE = 1e-4  # rounding of printed digits in length and direction of a unit vector
FRAMES = ("a", "b")
READINGS = {
    ("DM", ("A", "B")),
    *((name, ("B", "A", "A") if name in ("DX", "DY", "DZ") else ("B", "A")) for name in OF_LOOPS),
}
"""Functions of the state, with the frames that they are of: those of b as seen from a."""


@checked
@dataclass(frozen=True, eq=False)
class Loop:
    """A loop-closing joint between two links of the tree.

    Parameters
    ----------
    name : str
    link_a, link_b : str
    point_a, point_b : ndarray, shape (3,)
        In the frame of their link [m].
    normal : ndarray, shape (3,) or None
        Unit vector in the frame of `link_a`; the points coincide only in the plane normal to it.
    passive : tuple of str
        Joints whose positions the loop determines.
    kind : LoopKind
        Kind of the constraint, one of `LOOP_KINDS`.
    axis_a, axis_b : ndarray, shape (3,) or None
        Unit vectors, each in the frame of its link: axis of a hinge, direction of a slider, normal
        of a plane, the two pins of a universal joint.
    across_a, across_b : ndarray, shape (3,) or None
        Unit vectors perpendicular to them, which stay parallel if the kind prevents rotation.
    length : float or None
        Length of a rod, between the two points [m].
    function : str or None
        For the kind "function", which may also have axes and directions across them: an expression
        of the two frames, called a and b, that stays zero (`sim.robots.loop`).

    Raises
    ------
    ModelError
        If the kind is unknown, a direction is not a unit vector, or a required field is missing.
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
    function: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in LOOP_KINDS:
            raise ModelError(
                f"{self._title}: kind {self.kind!r} is not one of {', '.join(LOOP_KINDS)}"
            )
        for key in ("point_a", "point_b"):
            object.__setattr__(self, key, _vector(self._title, key, getattr(self, key)))
        for key, is_wanted in self._needs.items():
            value = getattr(self, key)
            if is_wanted is not None and (value is not None) != is_wanted:
                article = "needs" if is_wanted else "has no"
                raise ModelError(f"{self._title}: a {self.kind} {article} {key}")
            if value is not None and key not in ("length", "function"):
                object.__setattr__(self, key, _unit(self._title, key, value))
        if self.normal is not None and self.kind != "point":
            raise ModelError(f"{self._title}: a {self.kind} has no normal; a point has")
        if self.length is not None and not (math.isfinite(self.length) and self.length > 0):
            raise ModelError(f"{self._title}: length {self.length!r} m must be finite and above 0")
        for side in ("a", "b"):
            self._require_square(side)
        _ = self.expression

    def __repr__(self) -> str:
        what = "" if self.kind == "point" else f", {self.kind}"
        return one_line(f"Loop {self.name}:", f"{self.link_a} – {self.link_b}{what}")

    @property
    def closure(self) -> Closure:
        """Constraint equations of the loop."""
        return LOOP_KINDS[self.kind] if self.normal is None else LOOP_KINDS["inline"]

    @property
    def frame_a(self) -> Array:
        """Rotation of frame a in its link, shape (3, 3)."""
        return _frame(self.axis_a if self.normal is None else self.normal, self.across_a)

    @property
    def frame_b(self) -> Array:
        """Rotation of frame b in its link, shape (3, 3)."""
        return _frame(self.axis_b, self.across_b)

    @cached_property
    def expression(self) -> StateExpression | None:
        """Parsed function of the loop."""
        return None if self.function is None else loop_function(self._title, self.function)

    @property
    def components(self) -> tuple[str, ...]:
        """Names of its force and moment components in channels."""
        return components_of(self.kind)

    def require_usable(self, robot: UrdfTree) -> None:
        """Check that it can close a robot.

        Raises
        ------
        ModelError
            If it names an unsuitable link or joint, or no joint between its links moves.
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
    def _needs(self) -> Mapping[str, bool | None]:
        """Fields besides the two points, and whether they are required; None if optional."""
        closure = LOOP_KINDS[self.kind]
        may = None if closure.has_function else False
        return {
            "normal": None,
            "axis_a": closure.has_axis_a or may,
            "axis_b": closure.has_axes or may,
            "across_a": closure.has_across or may,
            "across_b": closure.has_across or may,
            "length": closure.has_length,
            "function": closure.has_function,
        }

    def _require_square(self, side: str) -> None:
        axis, across = getattr(self, f"axis_{side}"), getattr(self, f"across_{side}")
        if across is None:
            return
        if axis is None:
            raise ModelError(f"{self._title}: across_{side} needs axis_{side}")
        if not abs(float(axis @ across)) <= UNIT_TOLERANCE:
            angle = math.degrees(math.acos(float(axis @ across)))
            raise ModelError(
                f"{self._title}: across_{side} is {angle:.6g} deg from axis_{side}; it needs 90"
            )


def require_loops(loops: Sequence[Loop], robot: UrdfTree) -> None:
    """Check that loops can close a robot and have different names.

    Raises
    ------
    ModelError
        Names the loop.
    """
    for index, loop in enumerate(loops):
        if loop.name in (other.name for other in loops[:index]):
            raise ModelError(f"loop name {loop.name!r} is used twice; names must differ")
        loop.require_usable(robot)


def _vector(title: str, key: str, value: object) -> Array:
    try:
        vector = frozen(np.asarray(value, dtype=np.float64), (3,))
    except (TypeError, ValueError):
        raise ModelError(f"{title}: {key} {value!r} must be three numbers") from None
    if not np.isfinite(vector).all():
        raise ModelError(f"{title}: {key} {vector.tolist()} must be finite numbers")
    return vector


def _unit(title: str, key: str, value: object) -> Array:
    vector = _vector(title, key, value)
    length = float(np.sqrt(vector @ vector))
    if not abs(length - 1) <= UNIT_TOLERANCE:
        raise ModelError(f"{title}: {key} {vector.tolist()} has length {length:.6g}; it needs 1")
    return frozen(vector / length)


def _frame(axis: Array | None, across: Array | None) -> Array:
    """Return the rotation with z along an axis and x across it, shape (3, 3)."""
    if axis is None:
        return np.eye(3)
    if across is None:
        return rotation_aligning_z(axis)
    x = across - (across @ axis) * axis
    x = x / np.sqrt(x @ x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def _path(robot: UrdfTree, link: str) -> frozenset[str]:
    """Return the names of the movable joints between the root and a link."""
    carrier = {joint.child: joint for joint in robot.joints}
    path = []
    while link in carrier:
        joint = carrier[link]
        path += [joint.name] if joint.is_movable else []
        link = joint.parent
    return frozenset(path)


def loop_function(title: str, text: str) -> StateExpression:
    """Return the parsed function of a loop, such as ``DM(b,a) - 0.5``.

    Raises
    ------
    ModelError
        If it cannot be parsed, depends on time, or reads anything but the pose of b relative to a.
    """
    try:
        expression = state_expression(text, Scope(markers=FRAMES))
    except (ExpressionError, ScenarioError) as error:
        raise ModelError(f"{title}: function {text!r}: {error}") from None
    if any(isinstance(part, Time) for part in walk(expression.tree)):
        raise ModelError(f"{title}: function {text!r} depends on TIME; a loop may not")
    for reading in expression.readings:
        if (reading.name, reading.labels) not in READINGS:
            labels = ", ".join(label.lower() for label in reading.labels)
            raise ModelError(
                f"{title}: function {text!r} reads {reading.name}({labels}); a loop may read where "
                "b is as seen from a: DM(b,a), DX(b,a,a), DY(b,a,a), DZ(b,a,a), AX(b,a), AY(b,a), "
                "AZ(b,a)"
            )
    if not expression.readings:
        raise ModelError(f"{title}: function {text!r} reads neither frame, and closes no loop")
    return expression

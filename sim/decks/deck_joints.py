"""Freedoms of a deck's joints, as steps of one freedom each, from marker J to marker I."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.decks.statements import Statement
from sim.errors import DeckError
from sim.maths.arrays import Array
from sim.maths.rotations import pose, rpy_from_rotation
from sim.maths.screws import exp_rotation, log_rotation

Move = Literal["hinge", "slide", "ball"]

NEAR = 1e-5  # [m], [rad] allowed gap between the markers of a joint

# Steps of a joint as move and axis of J; UNIVERSAL and HOOKE have one axis in each marker.
STEPS: Mapping[str, tuple[tuple[Move, int], ...]] = MappingProxyType(
    {
        "REVOLUTE": (("hinge", 2),),
        "TRANSLATIONAL": (("slide", 2),),
        "CYLINDRICAL": (("slide", 2), ("hinge", 2)),
        "PLANAR": (("slide", 0), ("slide", 1), ("hinge", 2)),
        "SPHERICAL": (("ball", 2),),
        "SCREW": (("hinge", 2), ("slide", 2)),
        "FIXED": (),
    }
)
CROSSES: Mapping[str, tuple[int, int]] = MappingProxyType({"UNIVERSAL": (2, 2), "HOOKE": (1, 0)})
"""Axis of J and of I about which the cross of a joint turns."""

COUPLING = ("RACKPIN",)  # these do not connect parts but couple two other joints


class ApartError(DeckError):
    """Error for parts typed further apart than a joint allows."""


class Step(Struct, frozen=True, eq=False):
    """One freedom: its axis in the preceding frame, and its value at the start [rad or m].

    A ball is three freedoms at once, with value zero at the start and an unused axis. A step that
    follows another of its joint, given by its index, moves `ratio` times as far.
    """

    move: Move
    axis: Array
    start: float
    follows: int | None = None
    ratio: float = 1.0

    @property
    def T_start(self) -> Array:
        """Pose after the step in the preceding frame, at the start [m]."""
        if self.move == "slide":
            return pose(None, self.start * self.axis)
        return pose(exp_rotation(self.start * self.axis))

    @property
    def back(self) -> Step:
        """The freedom seen from the other side: the same value about the opposite axis."""
        return replace(self, axis=-self.axis)


def kind_of(joint: Statement) -> str:
    """Return the kind of a joint.

    Raises
    ------
    DeckError
        If it has none, several, or an unsupported one.
    """
    if len(joint.flags) != 1:
        kinds = (*STEPS, *CROSSES, "CONVEL", *COUPLING)
        raise joint.refusal(f"it needs one kind: {', '.join(kinds)}")
    (kind,) = joint.flags
    if joint.number("MU1"):
        raise joint.refusal("MU1: friction in a JOINT is not supported; a FRICTION statement is")
    return kind


def freedoms_of(kind: str) -> int:
    """Return the number of freedoms of a kind of joint."""
    if kind == "SPHERICAL":
        return 3
    if kind in CROSSES or kind == "CONVEL":
        return 2
    return 1 if kind == "SCREW" else len(STEPS[kind])


def steps_of(
    joint: Statement, T_ji: Array, from_j: bool, length: float = 1.0, near: float = NEAR
) -> tuple[Step, ...]:
    """Return the steps from the near marker to the far one; coordinates are those of I in J.

    Parameters
    ----------
    T_ji : ndarray, shape (4, 4)
        Pose of marker I in marker J at the start [m].
    from_j : bool
        True if J is on the part closer to the ground.
    length : float
        Length unit of the deck [m].
    near : float
        Allowed gap between the markers [m], [rad].

    Raises
    ------
    ApartError
        If the markers are further apart.
    """
    kind = kind_of(joint)
    if kind in CROSSES:
        return _cross(joint, kind, T_ji, from_j, near)
    if kind == "CONVEL":
        return _bend(joint, T_ji, from_j, near)
    R, p = T_ji[:3, :3], T_ji[:3, 3]
    values = (p[0], p[1], p[2], float(np.arctan2(R[1, 0], R[0, 0])))
    if kind == "SPHERICAL":
        _require_near(joint, kind, float(np.linalg.norm(p)), 0.0, near)
        return (Step("ball", np.eye(3)[2], 0.0),)
    steps = tuple(
        Step(move, np.eye(3)[axis], values[3 if move == "hinge" else axis])
        for move, axis in STEPS[kind]
    )
    slides = {axis for move, axis in STEPS[kind] if move == "slide"}
    stray = float(np.linalg.norm([p[k] for k in range(3) if k not in slides]))
    tilt = float(np.arctan2(np.hypot(R[0, 2], R[1, 2]), R[2, 2]))
    if kind == "FIXED":
        tilt = max(tilt, abs(values[3]))
    _require_near(joint, kind, stray, tilt, near)
    if kind == "SCREW":
        if not joint.number("PITCH"):
            raise joint.refusal("SCREW: PITCH, the travel per turn, is required and must not be 0")
        ratio = joint.number("PITCH") * length / (2 * np.pi)
        turn, slide = steps[0], replace(steps[1], follows=0, ratio=ratio)
        return (turn, slide) if from_j else (turn.back, slide.back)
    return steps if from_j else tuple(step.back for step in reversed(steps))


def _bend(joint: Statement, T_ji: Array, from_j: bool, near: float) -> tuple[Step, ...]:
    """Return the x, y and z hinges of a constant-velocity joint; a loop prevents twist."""
    R = T_ji[:3, :3] @ along_shaft(T_ji)
    twist = abs(float(log_rotation(R)[2]))
    _require_near(joint, "CONVEL", float(np.linalg.norm(T_ji[:3, 3])), twist, near)
    R_seen = R if from_j else T_ji[:3, :3].T @ along_shaft(T_ji)
    angles = -np.array(rpy_from_rotation(R_seen.T))  # R_seen = Rx Ry Rz
    return tuple(
        Step("hinge", axis, float(angle)) for axis, angle in zip(np.eye(3), angles, strict=True)
    )


def along_shaft(T_ji: Array) -> Array:
    """Return half turns of I that minimise the twist of two shafts at a constant-velocity joint.

    A half turn about x is included if both z axes are opposite. The equation ``x_i·y_j = y_i·x_j``,
    which prevents twist, has a second solution after half a turn about z: the one closer to the
    typed position is kept.
    """
    along = np.diag([1.0, -1.0, -1.0]) if T_ji[2, 2] < 0 else np.eye(3)
    sides = (along, along @ np.diag([-1.0, -1.0, 1.0]))
    return min(sides, key=lambda side: abs(float(log_rotation(T_ji[:3, :3] @ side)[2])))


def _cross(joint: Statement, kind: str, T_ji: Array, from_j: bool, near: float) -> tuple[Step, ...]:
    of_j, of_i = CROSSES[kind]
    R = T_ji[:3, :3]
    one, other = np.eye(3)[of_j], R[:, of_i]
    tilt = abs(float(np.arcsin(np.clip(one @ other, -1.0, 1.0))))
    _require_near(joint, kind, float(np.linalg.norm(T_ji[:3, 3])), tilt, near)
    if from_j:
        return Step("hinge", one, 0.0), Step("hinge", other, 0.0)
    return Step("hinge", -R.T @ other, 0.0), Step("hinge", -R.T @ one, 0.0)


def _require_near(joint: Statement, kind: str, stray: float, tilt: float, near: float) -> None:
    if stray > near or tilt > near:
        raise ApartError(
            f"{joint.label}: its markers are {1e3 * stray:.6g} mm and {np.degrees(tilt):.6g} "
            f"degrees from where {kind} holds them at the start"
        )

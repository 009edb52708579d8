"""Frames of an ADAMS model: markers, and the angles of their axes."""

from __future__ import annotations

import numpy as np

from sim.functions.write_expression import number
from sim.maths.arrays import Array
from sim.maths.rotations import pose
from sim.reports.exports.adams_statements import statement, word_list
from sim.reports.exports.adams_units import angle

ROUNDING = 1e-15  # remainder of a zero in a rotation by right angles, and of a length [m]


def angles_313(R: Array) -> tuple[float, float, float]:
    """Return a, b, c with R = Rz(a) Rx(b) Rz(c) [rad], rotations about z, new x, new z (REULER).

    a is 0 where the z axis is unchanged. c is computed from a: near that case each of the two is
    mostly rounding, but together they reproduce R.
    """
    R = np.where(abs(R) < ROUNDING, 0.0, R)
    a = float(np.arctan2(R[0, 2], -R[1, 2])) if R[0, 2] or R[1, 2] else 0.0
    x, y = np.array([np.cos(a), np.sin(a), 0.0]), np.array([-np.sin(a), np.cos(a), 0.0])
    b = float(np.arctan2(-y @ R[:, 2], R[2, 2]))
    c = float(np.arctan2(-x @ R[:, 1], x @ R[:, 0]))
    return a, b, c


def rotation_to_axis(axis: Array) -> Array:
    """Return Rz(a) Rx(b), whose third column is the unit vector `axis`, shape (3, 3).

    Axes along coordinate directions give exact matrices.
    """
    x, y, z = (value + 0.0 for value in np.where(abs(axis) < ROUNDING, 0.0, axis).tolist())
    across = float(np.hypot(x, y))
    ca, sa = (-y / across, x / across) if across else (1.0, 0.0)
    return np.array([[ca, -sa * z, sa * across], [sa, ca * z, -ca * across], [0.0, across, z]])


def about_z(T: Array, turn: float = 0.0, shift: float = 0.0) -> Array:
    """Return the frame T after a rotation about its z axis [rad] and a shift along it [m]."""
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(T @ pose([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], [0.0, 0.0, shift]))


def frame_arguments(letter: str, T: Array, length: float) -> list[str]:
    """Return ``QP = …`` and ``REULER = …`` of a pose [m]; zero components are omitted.

    Parameters
    ----------
    letter : {"P", "G"}
        Pose of a marker in its part, or of a part in the world.
    length : float
        Model's units of length per metre.
    """
    arguments = []
    place = np.where(abs(T[:3, 3]) < ROUNDING, 0.0, T[:3, 3])
    if place.any():
        arguments.append(word_list(f"Q{letter}", (number(x) for x in (length * place).tolist())))
    angles = angles_313(T[:3, :3])
    if any(angles):
        arguments.append(word_list("REULER", map(angle, angles)))
    return arguments


def marker(id: int, part: int, T_pm: Array, length: float, *more: str) -> str:
    """Return a MARKER on a part."""
    return statement(f"MARKER/{id}, PART = {part}", *frame_arguments("P", T_pm, length), *more)

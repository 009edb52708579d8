"""Displacements and velocities between frames, with their derivative by time or another parameter.

Optional arguments of ADAMS default to the world.

Source: MSC Adams Solver function reference, displacement and velocity functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct

from sim.functions import jet
from sim.functions.jet import Jet
from sim.kinematics.forward import FrameMotion
from sim.maths.arrays import Array
from sim.maths.rotations import cross

Pair = tuple[Array, Array]
"""A value and its derivative: by time, or along a small motion."""


class MovingFrame(Struct, frozen=True, eq=False):
    """A frame with the derivatives of its pose and of its twist, world axes.

    Parameters
    ----------
    R : ndarray, shape (3, 3, N)
    p, v, w : Pair of ndarray, shape (3, N)
        Origin, velocity and angular velocity.
    spin : ndarray, shape (3, N)
        Derivative of its rotation.
    """

    R: Array
    p: Pair
    v: Pair
    w: Pair
    spin: Array

    @classmethod
    def in_time(cls, at: FrameMotion) -> MovingFrame:
        """Return a frame that moves in time, with derivatives of its velocities left out."""
        none = np.zeros((3, 1))
        return cls(at.R, (at.p, at.v), (at.v, none), (at.w, none), at.w)

    def axis(self, k: int) -> Pair:
        """Return the unit vector along its axis k."""
        e = self.R[:, k]
        return e, cross(self.spin, e)


WORLD = MovingFrame.in_time(FrameMotion(np.eye(3)[..., None], *3 * [np.zeros((3, 1))]))


def dot(a: Pair, b: Pair) -> Jet:
    """Return the jet of a · b."""
    value, first = np.sum(a[0] * b[0], axis=0), np.sum(a[1] * b[0] + a[0] * b[1], axis=0)
    return Jet(value, first, jet.ZERO)


def length_of(a: Pair) -> Jet:
    """Return |a|; if a is zero its derivative is |a'|, as just after."""
    length, growth = (np.sqrt(np.sum(x * x, axis=0)) for x in a)
    is_zero = length == 0.0
    along = np.sum(a[0] * a[1], axis=0) / np.where(is_zero, 1.0, length)
    return Jet(length, np.where(is_zero, growth, along), jet.ZERO)


def subtract(a: Pair, b: Pair) -> Pair:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1]


def distance(i: MovingFrame, j: MovingFrame = WORLD) -> Jet:
    """Return DM: |p_i - p_j|, with rate VR [m], [m/s]; at zero length its rate is |v_i - v_j|."""
    return length_of(subtract(i.p, j.p))


def _closing_speed(i: MovingFrame, j: MovingFrame = WORLD, _: MovingFrame = WORLD) -> Jet:
    """Return VR, the rate of DM, which is the same for every observer."""
    d, v = subtract(i.p, j.p), subtract(i.v, j.v)
    length, speed = length_of(d), length_of(v)
    along, coincide = dot(d, v) / length, length.value == 0.0
    value = np.where(coincide, speed.value, along.value)
    return Jet(value, np.where(coincide, speed.first, along.first), jet.ZERO)


def included_angle(i: MovingFrame, j: MovingFrame, k: MovingFrame) -> Jet:
    """Return INCANG: the angle at j between the lines to i and to k, in [0, π], with rate [rad].

    It is undefined for a line of zero length.
    """
    d, e = subtract(i.p, j.p), subtract(k.p, j.p)
    normal = cross(d[0], e[0]), cross(d[1], e[0]) + cross(d[0], e[1])
    return jet.atan2(length_of(normal), dot(d, e))


def _seen_velocity(i: MovingFrame, j: MovingFrame, observer: MovingFrame) -> Pair:
    """Return v_i - v_j as observed from a third frame, world axes [m/s]."""
    d, v, w = subtract(i.p, j.p), subtract(i.v, j.v), observer.w
    return v[0] - cross(w[0], d[0]), v[1] - (cross(w[1], d[0]) + cross(w[0], d[1]))


def _speed(i: MovingFrame, j: MovingFrame = WORLD, observer: MovingFrame = WORLD) -> Jet:
    return length_of(_seen_velocity(i, j, observer))


def _turning_speed(i: MovingFrame, j: MovingFrame = WORLD) -> Jet:
    return length_of(subtract(i.w, j.w))


def _of_axis(axis: int) -> Mapping[str, Callable[..., Jet]]:
    """Return DX, VX and WX, or those of y or z."""

    def displacement(i: MovingFrame, j: MovingFrame = WORLD, k: MovingFrame = WORLD) -> Jet:
        return dot(subtract(i.p, j.p), k.axis(axis))

    def velocity(
        i: MovingFrame,
        j: MovingFrame = WORLD,
        k: MovingFrame = WORLD,
        observer: MovingFrame = WORLD,
    ) -> Jet:
        return dot(_seen_velocity(i, j, observer), k.axis(axis))

    def turning(i: MovingFrame, j: MovingFrame = WORLD, k: MovingFrame = WORLD) -> Jet:
        return dot(subtract(i.w, j.w), k.axis(axis))

    letter = "XYZ"[axis]
    return {f"D{letter}": displacement, f"V{letter}": velocity, f"W{letter}": turning}


FORMULAS: Mapping[str, Callable[..., Jet]] = {
    "DM": distance,
    "INCANG": included_angle,
    "VR": _closing_speed,
    "VM": _speed,
    "WM": _turning_speed,
    **_of_axis(0),
    **_of_axis(1),
    **_of_axis(2),
}

VELOCITIES = frozenset({"SFORCE", *(name for name in FORMULAS if name[0] in "VW")})
"""Functions without a rate in time, since accelerations are not known."""


def projected_angle(axis: int, i: MovingFrame, j: MovingFrame) -> Jet:
    """Return AX, AY or AZ in (-π, π]: the angle of a projected axis of i, with rate [rad]."""
    if axis == 2:
        x = i.axis(0)
        return jet.atan2(dot(x, j.axis(1)), dot(x, j.axis(0)))
    z = i.axis(2)
    aside = -dot(z, j.axis(1)) if axis == 0 else dot(z, j.axis(0))
    return jet.atan2(aside, dot(z, j.axis(2)))

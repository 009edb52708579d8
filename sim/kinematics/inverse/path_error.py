"""Fast residuals of the tool along the poses of a long path.

Same as `pose_error`, within 1e-14 m and rad instead of 1e-16: only the tool's pose is computed,
cosines come from `cosine_and_sine`, and products with zeros of joints at right angles are omitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sim.kinematics.forward import frame_of
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.maths.rotations import cosine_and_sine, cross
from sim.maths.screws import log_rotation
from sim.robots.robot import Robot

_PASS = 3400  # samples; keeps the intermediate arrays in the cache
_PLAIN = 1e-15  # rounding of the cosine of a right angle

# Nonzero rows of a constant rotation, column by column, and of the shift.
Weights = tuple[tuple[int, float], ...]


def path_error(robot: Robot, frame: str | None, q: Array, T_0e: Array) -> tuple[Array, Array]:
    """Return distance [m] and angle [rad] from the frame at `q` (n, N) to poses (4, 4, N), (N,)."""
    distance, angle = np.empty((2, q.shape[1]))
    for k in range(0, q.shape[1], _PASS):
        part = slice(k, k + _PASS)
        columns, p = _reach(robot, frame, q[:, part])
        target = T_0e[:3, :, part]
        distance[part] = _length(target[:, 3] - p)
        angle[part] = _angle(columns, target)
    return distance, angle


def _angle(columns: list[Array], target: Array) -> Array:
    """Return the angle between the rotations with the given columns and (3, 3, N) [rad]."""
    # For R = target · reachedᵀ the skew part gives the sine, the trace the cosine.
    turned = sum(cross(column, target[:, c]) for c, column in enumerate(columns))
    trace = sum(column * target[:, c] for c, column in enumerate(columns))
    cosine = 0.5 * (np.asarray(trace).sum(axis=0) - 1.0)
    angle: Array = np.arctan2(0.5 * _length(np.asarray(turned)), cosine)
    far = cosine < -0.9  # near half a turn the sine is small again, and is less accurate
    if far.any():
        R = np.stack([np.broadcast_to(c, (3, len(far)))[:, far] for c in columns], axis=1)
        angle[far] = _length(log_rotation(np.einsum("abN,cbN->acN", target[:, :3, far], R)))
    return angle


def _length(v: Array) -> Array:
    length: Array = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return length


@dataclass(frozen=True)
class _Step:
    """A constant rotation and shift, and the tree joint that follows them (-1: none)."""

    columns: tuple[Weights, ...]
    shift: Weights
    joint: int
    slides: bool


def _reach(robot: Robot, frame: str | None, q: Array) -> tuple[list[Array], Array]:
    """Return columns of the frame's rotation and its origin [m], (3, N) or (3, 1) each."""
    q_tree = robot.q_tree(q)
    cos, sin = cosine_and_sine(q_tree)
    axes, p = list(np.eye(3)[:, :, None]), np.zeros((3, 1))
    for step in _steps(robot, frame):
        if step.shift:
            p = p + _combine(axes, step.shift)
        axes = [_combine(axes, weights) for weights in step.columns]
        if step.joint < 0:
            continue
        x, y, z = axes
        if step.slides:
            p = p + z * q_tree[step.joint]
            continue
        c, s = cos[step.joint], sin[step.joint]
        axes = [x * c, y * c, z]
        axes[0] += y * s
        axes[1] -= x * s
    return axes, p


def _combine(axes: list[Array], weights: Weights) -> Array:
    (axis, weight), *others = weights
    total = axes[axis] if weight == 1.0 else axes[axis] * weight
    for axis, weight in others:
        total = total + axes[axis] * weight
    return total


@lru_cache(maxsize=64)
def _steps(robot: Robot, frame: str | None) -> tuple[_Step, ...]:
    tree = tree_of(robot)
    body, T_bl = frame_of(robot, frame)
    joints = tree.ancestors(body)
    steps = [(tree.T_pi[joint], joint, tree.prismatic[joint]) for joint in joints]
    return tuple(
        _Step(tuple(_weights(T[:3, c]) for c in range(3)), _weights(T[:3, 3]), joint, slides)
        for T, joint, slides in [*steps, (T_bl, -1, False)]
    )


def _weights(column: Array) -> Weights:
    nearest = np.rint(column)
    plain = np.where(np.abs(column - nearest) < _PLAIN, nearest, column)
    return tuple((axis, weight) for axis, weight in enumerate(plain.tolist()) if weight)

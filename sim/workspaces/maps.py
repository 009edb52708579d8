"""Maps of a section: each has one quantity, and the posture to which its value belongs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.dynamics.drive_torque import inverse_dynamics
from sim.kinematics.jacobian import least_singular_value
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot
from sim.workspaces.postures import Postures, postures_at_poses
from sim.workspaces.section import Section, poses


@dataclass(frozen=True, eq=False)
class Map:
    """One number for each reached point, and a posture that has it.

    Parameters
    ----------
    name : str
        ``directions``, ``singular value`` or ``gravity``.
    question : str
        Question about each point.
    quantity : str
        Quantity of the values.
    values : ndarray, shape (N,)
        NaN where the point is not reached.
    q : ndarray, shape (n, N)
        [rad or m]; NaN where the point is not reached.
    joint : ndarray of int, shape (N,), or None
        Row of `q` whose torque is nearest to its rating.
    """

    name: str
    question: str
    quantity: str
    values: Array
    q: Array
    joint: NDArray[np.int64] | None = None

    @property
    def is_reached(self) -> Mask:
        """Mask of points with a value, shape (N,)."""
        return ~np.isnan(self.values)


def map_directions(robot: Robot, points: Array, section: Section, z: Array, tool: Array) -> Map:
    """Return the share of the directions `z` (K, 3) of the tool's z axis reachable at each point.

    The posture is that of the direction nearest to `tool` (3,), on the branch nearest to zero.
    """
    N = points.shape[1]
    order = np.argsort(-np.round(z @ tool, 9), kind="stable")
    rotations = [section.orientation(z[k]) for k in order]
    count, first = np.zeros(N), np.full(N, -1)
    for rank, R in enumerate(rotations):
        ok = postures_at_poses(robot, poses(points, R)).ok.any(axis=0)
        count += ok
        first[ok & (first < 0)] = rank
    q = np.full((len(robot.row_names), N), np.nan)
    at = np.flatnonzero(first >= 0)
    if at.size:
        T = poses(points[:, at], np.eye(3))
        T[:3, :3] = np.moveaxis(np.array(rotations)[first[at]], 0, -1)
        postures = postures_at_poses(robot, T)
        travel = np.where(postures.ok, np.abs(postures.q).sum(axis=1), np.inf)
        q[:, at] = _choose_branch(postures.q, travel.argmin(axis=0))
    where = "in every direction of space" if _is_solid(z) else "in every direction in the section"
    return Map(
        "directions",
        f"Can the tool point {where}?",
        f"reachable share of {len(z)} tool directions",
        np.where(count > 0, count / len(z), np.nan),
        q,
    )


def map_singular_value(robot: Robot, postures: Postures, where: str) -> Map:
    """Return the least singular value of the Jacobian, in the posture where it is largest."""
    value = np.full(postures.ok.shape, -np.inf)
    branch, point = np.nonzero(postures.ok)
    value[branch, point] = least_singular_value(robot, postures.q[branch, :, point].T.copy())
    best, reached = value.argmax(axis=0), postures.ok.any(axis=0)
    return Map(
        "singular value",
        f"{where}: distance from singularities",
        "smallest singular value of the Jacobian, best posture",
        np.where(reached, value.max(axis=0), np.nan),
        np.where(reached, _choose_branch(postures.q, best), np.nan),
    )


def map_gravity(robot: Robot, postures: Postures, where: str) -> Map | None:
    """Return the largest share of a rating used by gravity, in the posture where it is least.

    None if no joint has a rated effort.
    """
    rated = np.array([row.limits.effort for row in robot.coordinates])
    if not np.isfinite(rated).any():
        return None
    share, joint = np.full(postures.ok.shape, np.inf), np.zeros(postures.ok.shape, dtype=np.int64)
    branch, point = np.nonzero(postures.ok)
    shares = gravity_shares(robot, postures.q[branch, :, point].T.copy())
    share[branch, point], joint[branch, point] = shares.max(axis=0), shares.argmax(axis=0)
    best, reached = share.argmin(axis=0), postures.ok.any(axis=0)
    return Map(
        "gravity",
        f"{where}: gravity load on the ratings",
        "largest |torque| / rated effort, best posture",
        np.where(reached, share.min(axis=0), np.nan),
        np.where(reached, _choose_branch(postures.q, best), np.nan),
        np.take_along_axis(joint, best[None], axis=0)[0],
    )


def gravity_shares(robot: Robot, q: Array) -> Array:
    """Return |torque at rest| / rated effort of each joint, zero for unrated ones, shape (n, N)."""
    rated = np.array([row.limits.effort for row in robot.coordinates])[:, None]
    rest = np.zeros_like(q)
    return np.asarray(np.abs(inverse_dynamics(robot, q, rest, rest)) / rated)


def _choose_branch(q: Array, branch: NDArray[np.int64]) -> Array:
    """Return the selected one of the branches (B, n, N) at each point, (n, N)."""
    return np.take_along_axis(q, branch[None, None], axis=0)[0]


def _is_solid(z: Array) -> bool:
    """Whether directions (K, 3) are not in one plane."""
    return bool(np.linalg.matrix_rank(z, tol=1e-6) == 3)

"""Random joint positions with the tool in a section, a second method for the workspace."""

from __future__ import annotations

import numpy as np

from sim.errors import ModelError
from sim.kinematics.forward import frame_pose
from sim.kinematics.inverse.travel import inside_limits, joint_limits, turns
from sim.kinematics.jacobian import jacobian
from sim.maths.arrays import Array, Mask
from sim.maths.rotations import cross
from sim.robots.robot import Robot
from sim.workspaces.section import Section

SEED = 20180701
COUNT = 20_000  # random positions before they are moved into the section
_ITERATIONS = 12
_MET = 1e-9  # m and sine
_DAMPING = 1e-12
_LONGEST = 0.5  # rad or m, of a step


def sample_range(robot: Robot) -> tuple[Array, Array]:
    """Return the ends of the joints' sampling ranges, (n,) each: their limits, or ±π without.

    Raises
    ------
    ModelError
        If a prismatic joint has no limits.
    """
    lower, upper = joint_limits(robot)
    endless = ~(np.isfinite(lower) & np.isfinite(upper))
    for row, is_endless, is_turning in zip(robot.row_names, endless, turns(robot), strict=True):
        if is_endless and not is_turning:
            raise ModelError(
                f"Joint {row!r} of robot {robot.name!r} has no limits and does not come back after "
                "a turn, so its workspace has no end; give it <limit lower=… upper=…>"
            )
    return np.where(endless, -np.pi, lower), np.where(endless, np.pi, upper)


def random_positions(robot: Robot, count: int) -> Array:
    """Return joint positions uniform between their limits, reproducible, (n, count) [rad or m]."""
    lower, upper = sample_range(robot)
    rng = np.random.default_rng(SEED)
    return rng.uniform(lower[:, None], upper[:, None], (lower.size, count))


def samples_in_section(robot: Robot, section: Section, square_to: Array | None = None) -> Array:
    """Return random joint positions, moved until the tool is in the section, (n, M) [rad or m].

    They are uniform between the limits before Newton's steps of least norm, and not after them.
    Positions outside the limits are left out: M is less than `COUNT`, and zero if the section is
    out of reach.

    Parameters
    ----------
    square_to : ndarray, shape (m, 3), optional
        Unit vectors in the world perpendicular to the tool's final z axis: the normal of the
        section, or two that leave one direction and its opposite.
    """
    q = random_positions(robot, COUNT)
    if square_to is None:
        q, met = _solve(robot, q, np.empty((0, 3)), section)
    else:
        # The direction first: solved together, directions that are not yet met would block axis 1,
        # and the arm would enter the section by retracting its tool to that axis.
        q, met = _solve(robot, q, square_to, None)
        q, met = _solve(robot, q[:, met], square_to, section)
    return q[:, met & inside_limits(robot, q)]


def _solve(robot: Robot, q: Array, square_to: Array, section: Section | None) -> tuple[Array, Mask]:
    """Return joint positions after Newton's steps from `q` (n, N), and a mask of the converged."""
    active = np.arange(q.shape[1])
    for _ in range(_ITERATIONS):
        e, A = _residuals(robot, q[:, active], square_to, section)
        off = np.abs(e).max(axis=0) > _MET
        active, e, A = active[off], e[:, off], A[..., off]
        if not active.size:
            break
        H = np.einsum("anN,bnN->Nab", A, A) + _DAMPING * np.eye(len(e))
        weights = np.linalg.solve(H, e.T[..., None])[..., 0]
        q[:, active] -= np.clip(np.einsum("anN,Na->nN", A, weights), -_LONGEST, _LONGEST)
    met = np.ones(q.shape[1], dtype=np.bool_)
    met[active] = False
    return q, met


def _residuals(
    robot: Robot, q: Array, square_to: Array, section: Section | None
) -> tuple[Array, Array]:
    """Return the residual of each condition, (m, N) [m and sines], and its slopes, (m, n, N)."""
    T, J = frame_pose(robot, q), jacobian(robot, q)
    misses, slopes, z = [], [], T[:3, 2]
    if section is not None:
        misses.append(section.normal @ T[:3, 3] - section.at)
        slopes.append(np.einsum("a,anN->nN", section.normal, J[:3]))
    for vector in square_to:
        turning = cross(z, np.broadcast_to(vector[:, None], z.shape))
        misses.append(vector @ z)
        slopes.append(np.einsum("aN,anN->nN", turning, J[3:]))
    return np.stack(misses), np.stack(slopes)

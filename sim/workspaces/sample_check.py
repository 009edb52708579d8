"""Check of a workspace from inverse kinematics by joint samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.forward import frame_pose
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.workspaces.postures import postures_at_poses

FARTHEST = 2.0  # steps of the grid from a sample to the nearest reached point


@dataclass(frozen=True)
class SampleCheck:
    """Comparison of joint samples with the points reached by inverse kinematics.

    Parameters
    ----------
    count : int
        Samples with the tool in the section.
    missed : int
        Number of these at whose pose the inverse finds no posture within the limits. Poses at which
        a singularity leaves a joint arbitrary are not counted: the inverse tries one position, and
        another may be within the limits.
    beyond : float
        Largest distance of a sample from the nearest reached point [m].
    allowed : float
        Limit of `beyond` [m].
    pose_error : float
        Largest distance of the forward kinematics of the maps' postures from their points [m].
    low, high : tuple of float
        Range of the samples in the section's two coordinates [m].
    """

    count: int
    missed: int
    beyond: float
    allowed: float
    pose_error: float
    low: tuple[float, float]
    high: tuple[float, float]

    @property
    def ok(self) -> bool:
        """Whether both methods agree."""
        return not self.missed and self.beyond <= self.allowed and self.pose_error <= 1e-8


def check_by_samples(
    robot: Robot,
    samples: Array,
    reached: Array,
    step: float,
    across: tuple[int, int],
    postures: tuple[Array, Array],
    *,
    has_closed_form: bool,
) -> SampleCheck:
    """Compare samples (n, M) in the section with the reached points (3, N).

    Parameters
    ----------
    postures : (ndarray, ndarray)
        Points (3, K) [m] and the joint positions (n, K) of the maps there.
    """
    from scipy.spatial import KDTree

    T = frame_pose(robot, samples)
    places = T[list(across), 3]
    missed = 0
    if has_closed_form:
        solutions = postures_at_poses(robot, T)
        missed = int(np.count_nonzero(~(solutions.ok.any(axis=0) | solutions.free)))
    beyond = np.inf
    if reached.size:
        beyond = float(np.max(KDTree(reached.T).query(T[:3, 3].T)[0]))
    error = np.linalg.norm(frame_pose(robot, postures[1])[:3, 3] - postures[0], axis=0)
    low, high = places.min(axis=1), places.max(axis=1)
    return SampleCheck(
        samples.shape[1],
        missed,
        beyond,
        FARTHEST * step,
        float(error.max(initial=0.0)),
        (float(low[0]), float(low[1])),
        (float(high[0]), float(high[1])),
    )

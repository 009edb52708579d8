"""Check of a workspace made by inverse kinematics, by samples of the joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kinematics.forward import frame_pose
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.workspaces.postures import postures_at_poses

FARTHEST = 2.0  # steps of the grid from a sample to the nearest point reached


@dataclass(frozen=True)
class SampleCheck:
    """Joint samples against the points that the inverse reaches.

    Parameters
    ----------
    count : int
        Samples whose tool lies in the section.
    missed : int
        Of these, those at whose very pose the inverse finds no posture inside the limits. Not
        counted is a pose at which a singularity leaves a joint free: the inverse tries one position
        of it, and another may be the one inside the limits.
    beyond : float
        Largest distance of a sample from the nearest point that is reached [m].
    allowed : float
        What `beyond` may be [m].
    pose_error : float
        Largest distance of the forward kinematics of the maps' postures from their points [m].
    low, high : tuple of float
        Ends of the samples in the section's two coordinates [m].
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
        """True if both ways to the workspace agree."""
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
    """Compare samples (n, M) in the section with the points (3, N) that are reached.

    Parameters
    ----------
    postures : (ndarray, ndarray)
        Points (3, K) [m] and the joint positions (n, K) that the maps have there.
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

"""Inverse kinematics: every branch in closed form, any other chain numerically."""

from sim.kinematics.inverse.branches import Branches, branches
from sim.kinematics.inverse.following import FollowedPath, follow
from sim.kinematics.inverse.solution import InverseKinematics, Shortfall, Solution
from sim.kinematics.inverse.solve import inverse_kinematics

__all__ = [
    "Branches",
    "FollowedPath",
    "InverseKinematics",
    "Shortfall",
    "Solution",
    "branches",
    "follow",
    "inverse_kinematics",
]

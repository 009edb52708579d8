"""What drives a robot: joint drives and tool paths."""

from sim.motion.joint_motion import JointMotion
from sim.motion.joint_path import JointPath, Motion, Trajectory
from sim.motion.point_motion import PointMotion

__all__ = [
    "JointMotion",
    "JointPath",
    "Motion",
    "PointMotion",
    "Trajectory",
]

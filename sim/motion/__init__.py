"""Drives of a robot's joints, and tool paths."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.motion.joint_motion import JointMotion
    from sim.motion.joint_path import JointPath, Motion
    from sim.motion.point_motion import PointMotion
else:
    load_names_on_use(__name__)

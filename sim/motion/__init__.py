"""What drives a robot: function expressions, splines, and the motions made of them."""

from sim.motion.expression import expression
from sim.motion.joint_motion import JointMotion
from sim.motion.point_motion import PointMotion
from sim.motion.spline import spline

__all__ = ["JointMotion", "PointMotion", "expression", "spline"]

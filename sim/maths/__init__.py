"""SE(3) and numerics, independent of robots."""

from sim.maths.arrays import Array, Mask, columns, evaluate_in_batches, frozen
from sim.maths.newton import newton, pseudo_inverse
from sim.maths.quadrature import Estimate, cumulative, integral
from sim.maths.rotations import (
    inverse_pose,
    pose,
    quaternion_xyzw,
    rotation_from_rpy,
    rpy_from_rotation,
    skew,
)
from sim.maths.screws import exp_pose, log_pose, log_rotation

__all__ = [
    "Array",
    "Estimate",
    "Mask",
    "columns",
    "cumulative",
    "evaluate_in_batches",
    "exp_pose",
    "frozen",
    "integral",
    "inverse_pose",
    "log_pose",
    "log_rotation",
    "newton",
    "pose",
    "pseudo_inverse",
    "quaternion_xyzw",
    "rotation_from_rpy",
    "rpy_from_rotation",
    "skew",
]

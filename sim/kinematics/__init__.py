"""Arm kinematics: pure functions over arrays whose last axis is time."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.kinematics.closure import close_motion
    from sim.kinematics.dh import DHTable, table_of
    from sim.kinematics.forward import FrameMotion, Kinematics, body_poses, frame_motion, frame_pose
    from sim.kinematics.jacobian import (
        chain_length,
        frame_acceleration,
        jacobian,
        jacobian_rate,
        least_singular_value,
        manipulability,
    )
    from sim.kinematics.state_reading import StateReading
    from sim.kinematics.tree import Tree, tree_of
else:
    load_names_on_use(__name__)

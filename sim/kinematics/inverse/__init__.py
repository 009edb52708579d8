"""Inverse kinematics: all solutions of six-joint arms, in closed form or by elimination."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.kinematics.inverse.branches import Branches, branches
    from sim.kinematics.inverse.following import follow
    from sim.kinematics.inverse.solution import FollowedPath, InverseKinematics, Shortfall, Solution
    from sim.kinematics.inverse.solve import inverse_kinematics
else:
    load_names_on_use(__name__)

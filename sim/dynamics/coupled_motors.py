"""Motors that each turn with several joints: motor torques from joint torques by virtual work.

    theta = A q,      Aᵀ tau_m = tau

tau of these joints includes the rotors and the friction of their bearings. If there are as many
motors as coupled joints, tau determines each motor's torque.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.robots.payload import SPIN, motor_of
from sim.robots.robot import Robot


class CoupledMotors(Struct, frozen=True, eq=False):
    """m motors that turn with m joints.

    Parameters
    ----------
    names : tuple of str
        Names of the motors.
    rows : ndarray of int, shape (m,)
        Rows of the joints among the n independent ones.
    ratios : ndarray, shape (m, m)
        A, one row per motor.
    viscous, dry : ndarray, shape (m, 1)
        Friction of their bearings [N·m·s/rad], [N·m].
    """

    names: tuple[str, ...]
    rows: NDArray[np.intp]
    ratios: Array
    viscous: Array
    dry: Array

    def speeds(self, qd: Array) -> Array:
        """Return the speeds of the motors, (m, N), at joint velocities (n, N) [rad/s]."""
        return np.asarray(self.ratios @ qd[self.rows])

    def at_shafts(self, tau: Array) -> Array:
        """Return torques at the motors' shafts, (m, N), for joint torques (n, N) [N·m]."""
        return np.asarray(np.linalg.solve(self.ratios.T, tau[self.rows]))

    def losses(self, speeds: Array) -> Array:
        """Return the power lost in the motors at their speeds (m, N) [W]."""
        return np.asarray((self.viscous * np.abs(speeds) + self.dry) * np.abs(speeds))


@lru_cache(maxsize=64)
def coupled_motors_of(robot: Robot) -> CoupledMotors | None:
    """Return the motors that turn with several joints; None if they do not follow from torques.

    They do not if the numbers of motors and joints differ, a joint also has a drive train, or
    closed loops decide the position of a joint.
    """
    joints = {joint.name for joint in robot.joints}
    motors = [
        (motor_of(joint.name), joint, robot.coupling[0][row])
        for row, joint in enumerate(robot.tree_row_joints)
        if joint.mimic is not None
        and joint.name.startswith(SPIN)
        and motor_of(joint.name) not in joints
    ]
    if not motors:
        return None
    names, bearings, S = zip(*motors, strict=True)
    A = np.array(S)
    rows = np.flatnonzero(A.any(axis=0))
    passive = {name for loop in robot.loops for name in loop.passive}
    excluded = {robot.row_names[row] for row in robot.drives} | passive
    ratios = A[:, rows]
    if (
        len(names) != rows.size
        or np.linalg.matrix_rank(ratios) < rows.size
        or any(robot.row_names[row] in excluded for row in rows)
    ):
        return None
    viscous, dry = ([[getattr(x, key)] for x in bearings] for key in ("damping", "friction"))
    return CoupledMotors(names, rows, ratios, np.array(viscous), np.array(dry))

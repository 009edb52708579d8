"""Motors that turn with several joints: their torques from those of the joints, by virtual work.

    theta = A q,      Aᵀ tau_m = tau

tau of these joints has the rotors in it, and what rubs in their bearings. Where there are as many
motors as joints that they turn with, tau tells each motor's torque.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.robots.rotor_body import SPIN, motor_of


@dataclass(frozen=True, eq=False)
class CoupledMotors:
    """m motors that turn with m joints.

    Parameters
    ----------
    names : tuple of str
        Of the motors.
    rows : ndarray of int, shape (m,)
        The joints, of the n independent ones.
    ratios : ndarray, shape (m, m)
        A, a row a motor.
    viscous, dry : ndarray, shape (m, 1)
        Friction of their bearings [N·m·s/rad], [N·m].
    """

    names: tuple[str, ...]
    rows: NDArray[np.intp]
    ratios: Array
    viscous: Array
    dry: Array

    def speeds(self, qd: Array) -> Array:
        """Speeds of the motors, (m, N), at velocities (n, N) of the joints [rad/s]."""
        return np.asarray(self.ratios @ qd[self.rows])

    def at_shafts(self, tau: Array) -> Array:
        """Torques at the motors' shafts, (m, N), for torques (n, N) of the joints [N·m]."""
        return np.asarray(np.linalg.solve(self.ratios.T, tau[self.rows]))

    def losses(self, speeds: Array) -> Array:
        """Power lost in the motors at their speeds (m, N) [W]."""
        return np.asarray((self.viscous * np.abs(speeds) + self.dry) * np.abs(speeds))


@lru_cache(maxsize=64)
def coupled_motors_of(robot: Robot) -> CoupledMotors | None:
    """Motors of a robot that turn with several joints; None where torques do not give theirs.

    So where there are fewer motors than joints or more, or a joint has a drive train besides, or
    its position is decided by closed loops.
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
    taken = {robot.row_names[row] for row in robot.drives} | passive
    ratios = A[:, rows]
    if (
        len(names) != rows.size
        or np.linalg.matrix_rank(ratios) < rows.size
        or any(robot.row_names[row] in taken for row in rows)
    ):
        return None
    viscous, dry = ([[getattr(x, key)] for x in bearings] for key in ("damping", "friction"))
    return CoupledMotors(names, rows, ratios, np.array(viscous), np.array(dry))

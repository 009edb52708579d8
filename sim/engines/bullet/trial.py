"""PyBullet tried out, in a program of its own: a one-joint arm, and its window.

A rod turns about Y, its centre of mass at l along X at q = 0, so that V = -m g l sin q:

    tau = (I + m l²) qdd - m g l cos q

PyBullet is asked for the torque of given motions, and for the speed after one step under a given
torque, which is qdd · dt from rest.
"""

from __future__ import annotations

import json
import math
import sys

from sim.engines.bullet.handed_file import handed_file

MASS, LENGTH, INERTIA, GRAVITY, STEP = 2.0, 0.3, 0.05, 9.81, 1e-3  # kg, m, kg·m², m/s², s
TOLERANCE = 1e-9  # N·m and rad/s, of numbers about 1; rounding is 1e-15, a wrong sign is 1

URDF = f"""<robot name="arm"><link name="base"/><link name="rod"><inertial>
<origin xyz="{LENGTH} 0 0"/><mass value="{MASS}"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="{INERTIA}" iyz="0" izz="{INERTIA}"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="rod"/>
<axis xyz="0 1 0"/></joint></robot>"""


def torque(q: float, qdd: float) -> float:
    """The closed form [N·m]."""
    return (INERTIA + MASS * LENGTH**2) * qdd - MASS * GRAVITY * LENGTH * math.cos(q)


def speed_after_a_step(q: float, tau: float) -> float:
    """From rest, by the closed form [rad/s]."""
    return STEP * (tau - torque(q, 0.0)) / (INERTIA + MASS * LENGTH**2)


def largest_error() -> float:
    """How far PyBullet is off at worst, [N·m] and [rad/s]."""
    import pybullet as p

    p.connect(p.DIRECT)
    p.setGravity(0, 0, -GRAVITY)
    p.setTimeStep(STEP)
    with handed_file("arm.urdf", URDF) as path:
        arm = p.loadURDF(path, useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE)
    for link in (-1, 0):
        p.changeDynamics(arm, link, linearDamping=0, angularDamping=0, jointDamping=0)
    p.setJointMotorControl2(arm, 0, p.VELOCITY_CONTROL, force=0)
    errors = []
    for q, qd, qdd in ((0.0, 0.0, 0.0), (0.7, 1.3, -2.0), (-2.1, -0.4, 5.0)):
        (tau,) = p.calculateInverseDynamics(arm, [q], [qd], [qdd])
        errors.append(abs(tau - torque(q, qdd)))
        p.resetJointState(arm, 0, q, 0.0)
        p.setJointMotorControl2(arm, 0, p.TORQUE_CONTROL, force=qdd)
        p.stepSimulation()
        errors.append(abs(p.getJointState(arm, 0)[1] - speed_after_a_step(q, qdd)))
    return max(errors)


def opened_window() -> str:
    """Open PyBullet's window for a moment; the name of what draws in it."""
    import pybullet as p

    client = p.connect(p.GUI, options="--width=160 --height=120")
    p.stepSimulation()
    p.getCameraImage(16, 16, renderer=p.ER_BULLET_HARDWARE_OPENGL)
    p.disconnect(client)
    return "PyBullet's window opened and drew"


def main() -> None:
    """Answer with JSON in the last line: the error and what is allowed, or of a ``window``."""
    answer: object = opened_window() if sys.argv[1:] == ["window"] else [largest_error(), TOLERANCE]
    sys.stdout.write("\n" + json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

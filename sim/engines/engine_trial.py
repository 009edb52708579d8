"""Trial of an engine in a separate program: a one-joint arm against its closed form.

A rod turns about Y, with its mass centre at distance l along X at q = 0, so that V = -m g l sin q:

    tau = (I + m l²) qdd - m g l cos q

Evaluates the torque of given motions, and the acceleration under given torques.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable

import numpy as np

from sim.engine_names import ENGINES, EngineName
from sim.engines.opening import open_engine
from sim.robots.loading import read_urdf

MASS, LENGTH, INERTIA, GRAVITY = 2.0, 0.3, 0.05, 9.81  # kg, m, kg·m², m/s²
TOLERANCE = 1e-9  # N·m and rad/s², for values about 1; rounding is 1e-15, a wrong sign is 1
STATES = ((0.0, 0.0, 0.0), (0.7, 1.3, -2.0), (-2.1, -0.4, 5.0))  # rad, rad/s, rad/s²

URDF = f"""<robot name="arm"><link name="base"/><link name="rod"><inertial>
<origin xyz="{LENGTH} 0 0"/><mass value="{MASS}"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="{INERTIA}" iyz="0" izz="{INERTIA}"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="rod"/>
<axis xyz="0 1 0"/></joint></robot>"""


def torque(q: float, qdd: float) -> float:
    """Return the torque by the closed form [N·m]."""
    return (INERTIA + MASS * LENGTH**2) * qdd - MASS * GRAVITY * LENGTH * math.cos(q)


def largest_error(name: EngineName, expected: Callable[[float, float], float] = torque) -> float:
    """Return the largest error of an engine against the closed form, [N·m] and [rad/s²]."""
    q, qd, qdd = np.array(STATES).T[:, None]
    tau = np.array([[expected(*state) for state in zip(q[0], qdd[0], strict=True)]])
    with open_engine(name, read_urdf(URDF), (0.0, 0.0, -GRAVITY)) as engine:
        _, effort = engine.hybrid_dynamics(q, qd, qdd, np.array([True]), np.zeros_like(q))
        speeding, _ = engine.hybrid_dynamics(q, qd, np.zeros_like(q), np.array([False]), tau)
    return float(max(np.abs(effort - tau).max(), np.abs(speeding - qdd).max()))


def main() -> None:
    """Print the error and the tolerance of the named engine as JSON in the last line."""
    (name,) = (each for each in ENGINES if each == sys.argv[1])
    sys.stdout.write("\n" + json.dumps([largest_error(name), TOLERANCE]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

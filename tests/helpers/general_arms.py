"""Arms of six hinges by Denavit-Hartenberg data, most of them without a closed-form inverse."""

from __future__ import annotations

from functools import cache

import numpy as np

from sim.robots import Robot, load_robot, read_urdf
from tests.helpers.axes_robot import urdf_of_axes

HALF = np.pi / 2
UR10 = np.array(
    [
        (0, HALF, 0.1273),
        (-0.612, 0, 0),
        (-0.5723, 0, 0),
        (0, HALF, 0.163941),
        (0, -HALF, 0.1157),
        (0, 0, 0.0922),
    ]
)

# rows: a [m], alpha [rad], d [m] of the standard convention
TABLES = {
    # Fanuc CRX-10iA/L: the axes of a spherical wrist, but for 0.15 m between axes 4 and 6
    "offset wrist": np.array(
        [
            (0, -HALF, 0.245),
            (0.71, np.pi, 0),
            (0, -HALF, 0),
            (0, HALF, -0.54),
            (0, -HALF, 0.15),
            (0, np.pi, -0.16),
        ]
    ),
    # as ABB CRB 15000, whose axes 4 and 5 are 80 mm apart, with an offset along axis 5, too
    "two offsets in the wrist": np.array(
        [
            (0, -HALF, 0.265),
            (0.444, 0, 0),
            (0.11, -HALF, 0),
            (0.08, HALF, 0.47),
            (0, -HALF, 0.05),
            (0, 0, 0.101),
        ]
    ),
    "UR10 with errors of 0.3 mm and 1 mrad": UR10
    + np.random.default_rng(12).uniform(-1, 1, (6, 3)) * (3e-4, 1e-3, 3e-4),
    "random 1": np.random.default_rng(1).uniform((-0.5, -np.pi, -0.5), (0.5, np.pi, 0.5), (6, 3)),
    "random 2": np.random.default_rng(2).uniform((-0.5, -np.pi, -0.5), (0.5, np.pi, 0.5), (6, 3)),
}
SHIPPED = ("ur10", "kr210", "puma560")


@cache
def general_arm(name: str) -> Robot:
    """The arm of a table, or a shipped one."""
    if name in SHIPPED:
        return load_robot(name)
    T = np.eye(4)
    axes, points = [], []
    for a, alpha, d in TABLES[name]:
        axes.append(T[:3, 2])
        points.append(T[:3, 3])
        c, s = np.cos(alpha), np.sin(alpha)
        T = T @ np.array([(1, 0, 0, a), (0, c, -s, 0), (0, s, c, d), (0, 0, 0, 1)])
    text = urdf_of_axes(np.array(axes), np.array(points), T)
    return read_urdf(text.replace("<limit ", '<limit effort="100" velocity="2" '), tool="tool")

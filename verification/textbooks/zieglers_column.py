"""Ziegler's column flutters from P = (7/2 − √2) k/l on, without any other equilibrium.

Masses 2 m and m at the ends of two links of 0.4 m with springs of 50 N·m/rad in both joints; the
force always pushes along the second link. At the critical load two frequencies meet.
"""

import numpy as np

import sim
from sim.verification.bodies import double_pendulum

STIFFNESS, LENGTH = 50.0, 0.4


def _column():
    return double_pendulum(2.0, 1.0, LENGTH, LENGTH)


def compute(method):
    """The load at which the discriminant of det(K − ω² M) vanishes; K is linear in the load."""
    M = method.mass_matrix(_column(), np.zeros(2))
    # efforts that hold a push of 1 N along the second link, which turns with both joints: the
    # push has a moment about the first joint alone, l sin of the second angle
    follower = np.array([[0.0, LENGTH], [0.0, 0.0]])
    spring = STIFFNESS * np.eye(2)

    def discriminant(load):
        A = np.linalg.solve(M, spring + load * follower)
        return np.trace(A) ** 2 - 4 * np.linalg.det(A)

    # a parabola in the load: through three points, its lower root
    loads = np.array([0.0, 1.0, 2.0]) * STIFFNESS / LENGTH
    roots = np.roots(np.polyfit(loads, [discriminant(load) for load in loads], 2))
    return {"critical load": float(np.min(roots.real))}


def expected():
    """Where the column starts to flutter."""
    critical = (3.5 - np.sqrt(2)) * STIFFNESS / LENGTH
    why = "rounding of a root of a parabola through three loads"
    return {"critical load": sim.Expected(critical, "N", 1e-9, why)}


CASE = sim.Case(
    source=sim.Source(
        "Ziegler, H.",
        1952,
        "Die Stabilitätskriterien der Elastomechanik",
        "Ing.-Arch. 20, p. 49-56",
    ),
    equation="P = (7/2 − √2) k/l",
    compute=compute,
    methods=("model", "newton_euler", "bullet", "mujoco"),
    expected=expected,
    shown=lambda: (_column(), [0.1, 0.2]),
)

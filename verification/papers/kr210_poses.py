"""Paper 003, D-H product of the KR 210: both printed states, and the printed position formula.

Lengths of the paper in millimetres: 350, 1150, 435, 1200, 415.
"""

import numpy as np

import sim

A1, A2, D1, D4, D6 = 0.350, 1.150, 0.435, 1.200, 0.415  # [m]
Q = np.random.default_rng(3).uniform(-np.pi, np.pi, (6, 40))
STATES = np.radians([[0, 0, 0, 0, 0, 0], [0, 0, -90, 0, 0, 0]]).T


def compute(_):
    """The flange."""
    arm = sim.load_robot("kr210_paper")
    states = sim.frame_pose(arm, STATES)
    return {
        "first state": states[..., 0],
        "second state": states[..., 1],
        "position": sim.frame_pose(arm, Q)[:3, 3],
    }


def expected():
    """Sections 2.2 and 2.3."""
    s1, s2, _, s4, s5, _ = np.sin(Q)
    c1, c2, _, c4, c5, _ = np.cos(Q)
    s23, c23 = np.sin(Q[1] + Q[2]), np.cos(Q[1] + Q[2])
    place = [
        A1 * c1
        + A2 * c1 * s2
        + D4 * c1 * c23
        - D6 * (s1 * s4 * s5 - c1 * c5 * c23 + c1 * c4 * s5 * s23),
        A1 * s1
        + A2 * s1 * s2
        + D4 * s1 * c23
        + D6 * (c1 * s4 * s5 + s1 * c5 * c23 - s1 * c4 * s5 * s23),
        D1 + A2 * c2 - D4 * s23 - D6 * (c5 * s23 + s5 * c4 * c23),
    ]
    first = [[0, 0, 1, 1.965], [0, -1, 0, 0], [1, 0, 0, 1.585], [0, 0, 0, 1]]
    second = [[-1, 0, 0, 0.350], [0, -1, 0, 0], [0, 0, 1, 3.200], [0, 0, 0, 1]]
    why = "rounding of six products"
    return {
        "first state": sim.Expected(first, "m, 1", 1e-12, why),
        "second state": sim.Expected(second, "m, 1", 1e-12, why),
        "position": sim.Expected(place, "m", 1e-12, why),
    }


CASE = sim.Case(
    source=sim.Source(
        "Yin, X.",
        2018,
        "Kinematics Analysis and Simulation of 6-DOF Industrial Robot",
        "chapter 2, forward kinematics: both states and the expression of p",
    ),
    equation="p_z = d₁ + a₂ c₂ − d₄ s₂₃ − d₆ (c₅ s₂₃ + s₅ c₄ c₂₃)",
    compute=compute,
    methods=("model",),
    expected=expected,
    shown=lambda: (sim.load_robot("kr210_paper"), STATES[:, 0]),
)

"""Paper 004, two test poses of the welding robot, and its forward kinematics formula.

Lengths of table 1: 85, 560, 630 and 240 mm; joint angles of 0, and of (0, −90, 90, 180, 0) degrees.
"""

import numpy as np

import sim

A1, A2, A3, D5 = 0.085, 0.560, 0.630, 0.240  # [m]
TESTS = np.radians([[0, 0, 0, 0, 0], [0, -90, 90, 180, 0]]).T
Q = np.random.default_rng(4).uniform(-np.pi, np.pi, (5, 40))


def compute(_):
    """The torch."""
    arm = sim.load_robot("weld5")
    return {
        "test poses": sim.frame_pose(arm, TESTS)[:3, 3],
        "poses": sim.frame_pose(arm, Q)[:3],
    }


def expected():
    """Section 3.2, and the expressions below (3-1)."""
    s1, s2, _, _, s5 = np.sin(Q)
    c1, c2, _, _, c5 = np.cos(Q)
    (s23, c23), (s234, c234) = (
        (np.sin(angle), np.cos(angle)) for angle in (Q[1] + Q[2], Q[1] + Q[2] + Q[3])
    )
    reach = D5 * s234 + A3 * c23 + A2 * c2 + A1
    rows = [
        [c1 * c234 * c5 - s1 * s5, -c1 * c234 * s5 - s1 * c5, c1 * s234, c1 * reach],
        [s1 * c234 * c5 + c1 * s5, -s1 * c234 * s5 + c1 * c5, s1 * s234, s1 * reach],
        [-s234 * c5, s234 * s5, c234, D5 * c234 - A3 * s23 - A2 * s2],
    ]
    tests = np.array([[A1 + A2 + A3, 0, D5], [A1 + A3, 0, A2 - D5]]).T
    why = "rounding of five products"
    return {
        "test poses": sim.Expected(tests, "m", 1e-12, why),
        "poses": sim.Expected(np.array(rows), "m, 1", 1e-12, why),
    }


CASE = sim.Case(
    source=sim.Source(
        "Huang, T. and Wang, M.",
        2017,
        "Research on The Simulation of Robotic Motion Based on Matlab",
        "section 3.2, and the expressions below equation (3-1)",
    ),
    equation="p = (c₁, s₁) (d₅ s₂₃₄ + a₃ c₂₃ + a₂ c₂ + a₁),  p_z = d₅ c₂₃₄ − a₃ s₂₃ − a₂ s₂",
    compute=compute,
    methods=("model",),
    expected=expected,
    shown=lambda: (sim.load_robot("weld5"), TESTS[:, 1]),
)

"""Eight inverse-kinematics solutions of the PUMA 560, checked by its D-H table.

The pose is that of six angles well inside of the arm's reach; the product of the six matrices is
formed here, from the printed table.
"""

import numpy as np

import sim

A = (0, 0.4318, 0.0203, 0, 0, 0)
D = (0.672, 0, 0.15005, 0.4318, 0, 0)
ALPHA = np.radians((90, 0, -90, 90, -90, 0))
ANGLES = np.radians((20.0, 40.0, -150.0, 30.0, 50.0, -70.0))


def _product(q):
    """T of the D-H table at angles (6,)."""
    T = np.eye(4)
    for theta, a, d, alpha in zip(q, A, D, ALPHA, strict=True):
        (c, s), (ca, sa) = (np.cos(theta), np.sin(theta)), (np.cos(alpha), np.sin(alpha))
        T = T @ [
            [c, -s * ca, s * sa, a * c],
            [s, c * ca, -c * sa, a * s],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
    return T


def compute(_):
    """All solutions, their poses by the printed table, and the pose of the model."""
    puma = sim.load_robot("puma560")
    found = sim.inverse_kinematics(puma, _product(ANGLES)).solutions
    apart = {tuple(np.round(np.angle(np.exp(1j * one.q)), 6)) for one in found}
    there = np.array([_product(one.q) for one in found][:8])
    return {
        "number of postures": len(apart),
        "poses of the postures": there,
        "pose of the model": sim.frame_pose(puma, ANGLES[:, None])[..., 0],
    }


def expected():
    """Eight times the same pose."""
    pose = _product(ANGLES)
    why = "rounding of six products"
    return {
        "number of postures": sim.Expected(8, "1", 1e-9, "a whole number"),
        "poses of the postures": sim.Expected(np.array([pose] * 8), "m, 1", 1e-11, why),
        "pose of the model": sim.Expected(pose, "m, 1", 1e-13, why),
    }


CASE = sim.Case(
    source=sim.Source(
        "Craig, J. J.",
        2005,
        "Introduction to Robotics: Mechanics and Control, 3rd edition",
        "section 4.7, the eight solutions of the PUMA 560; table of Corke and Armstrong (1994)",
    ),
    equation="A₁ A₂ A₃ A₄ A₅ A₆ = T",
    compute=compute,
    methods=("model",),
    expected=expected,
)

"""Paper 002, pose and velocity of the IRB 460 as its program prints them, to four decimals.

Joint angles of (−30, −80, −20) degrees and rates of as many degrees a second.
"""

import numpy as np

import sim
from sim.kinematics.forward import frame_motion

POSE = (
    (0.8660, 0.5000, 0.0, 1.1869),
    (-0.5000, 0.8660, 0.0, 2.0558),
    (0.0, 0.0, 1.0, 0.3385),
    (0.0, 0.0, 0.0, 1.0),
)
VELOCITY = (1.1298, -0.5290, -1.6356)
Q = np.radians([[-30.0], [-80.0], [-20.0], [0.0]])


def compute(_):
    """The flange."""
    irb = sim.load_robot("irb460")
    moving = frame_motion(irb, "tool0", Q, Q)
    return {
        "pose": sim.frame_pose(irb, Q)[..., 0],
        "velocity": moving.v[:, 0],
        "velocity by the Jacobian": (sim.jacobian(irb, Q)[..., 0] @ Q[:, 0])[:3],
    }


def expected():
    """Figures 8 and 10."""
    why = "half of the last printed digit"
    return {
        "pose": sim.Expected(POSE, "m, 1", 5e-5, why),
        "velocity": sim.Expected(VELOCITY, "m/s", 5e-5, why),
        "velocity by the Jacobian": sim.Expected(VELOCITY, "m/s", 5e-5, why),
    }


CASE = sim.Case(
    source=sim.Source(
        "Group 7",
        2021,
        "The Investigation on the Kinematics, Statics and Dynamics of the ABB IRB-460 Robot",
        "figures 8 and 10",
    ),
    equation="g_ab = e^(ξ₁ θ₁) e^(ξ₂ θ₂) e^(ξ₃ (θ₃ − θ₂)) e^(−ξ₄ θ₃) g_ab(0)",
    compute=compute,
    methods=("model",),
    expected=expected,
    shown=lambda: (sim.load_robot("irb460"), Q[:, 0]),
)

"""Paper 003, tool position of the KR 210 on the heart of equation (3-1), at all times.

A cardioid of a = 0.26 m, level, 0.8 m above the floor; as long as 16 a and 4 a fast at the start.
"""

import numpy as np

import sim

A, CENTRE = 0.26, (2.0, 0.0, 0.8)
T = np.linspace(0.0, 2 * np.pi, 201)


def compute(_):
    """The joints by inverse kinematics, the tool by forward kinematics."""
    arm = sim.load_robot("kr210_paper")
    down = {"b1": "180d", "b2": 0, "b3": 0}
    motion = sim.PointMotion({**sim.heart(A, CENTRE), **down})
    path = motion.on(arm, 2 * np.pi).at(T)
    place = sim.frame_pose(arm, path.q)[:3, 3]
    speed = (np.einsum("ijN,jN->iN", sim.jacobian(arm, path.q), path.qd))[:3]
    return {"position": place, "speed": np.linalg.norm(speed, axis=0)}


def expected():
    """Equation (3-1), and its derivative: 4 a |cos(t/2)|."""
    theta = T + np.pi
    place = [
        CENTRE[0] + A * (2 * np.cos(theta) - np.cos(2 * theta)),
        A * (2 * np.sin(theta) - np.sin(2 * theta)),
        0 * T + CENTRE[2],
    ]
    return {
        "position": sim.Expected(
            place, "m", 1e-11, "rounding of a chain of 3 m, iterated to it", T
        ),
        "speed": sim.Expected(
            4 * A * np.abs(np.cos(T / 2)), "m/s", 1e-9, "as of the place, over the wrist's lever", T
        ),
    }


CASE = sim.Case(
    source=sim.Source(
        "Yin, X.",
        2018,
        "Kinematics Analysis and Simulation of 6-DOF Industrial Robot",
        "chapter 3, equation (3-1)",
    ),
    equation="x = a (2 cos θ − cos 2θ),  y = a (2 sin θ − sin 2θ),  |v| = 4 a |sin θ/2|",
    compute=compute,
    methods=("model",),
    expected=expected,
)

"""Workspace of a planar arm of two links: an annulus, with manipulability l₁ l₂ |sin q₂|.

0.5 m and 0.3 m; the ring is from 0.2 m to 0.8 m from the first joint.
"""

import numpy as np

import sim
from sim.verification.bodies import body, frame, hinge, robot

UPPER, LOWER = 0.5, 0.3
STEP = 0.02  # [m] of the grid
ELBOWS = np.linspace(-3.0, 3.0, 13)


def _arm():
    return robot(
        body("upper", 2.0, (UPPER / 2, 0, 0), (0.01, 0.04, 0.04)),
        hinge("shoulder", "ground", "upper", (0, 0, 1)),
        body("lower", 1.0, (LOWER / 2, 0, 0), (0.001, 0.01, 0.01)),
        hinge("elbow", "upper", "lower", (0, 0, 1), (UPPER, 0, 0)),
        frame("tool"),
        f'<joint name="weld" type="fixed"><parent link="lower"/><child link="tool"/>'
        f'<origin xyz="{LOWER} 0 0"/></joint>',
    )


def compute(method):
    """Points of `sim.workspace` in and beside the ring, and the Jacobian's determinant."""
    arm = _arm()
    found = sim.workspace(arm, "xy", step=STEP)
    radius = np.hypot(*np.meshgrid(found.u, found.v))
    inside = (radius > UPPER - LOWER) & (radius < UPPER + LOWER)
    beyond = (radius > UPPER + LOWER + 1e-6) | (radius < UPPER - LOWER - 1e-6)
    J = [sim.jacobian(arm, np.array([0.4, elbow]))[:2] for elbow in ELBOWS]
    return {
        "part of the ring": np.count_nonzero(found.is_reached & inside) / np.count_nonzero(inside),
        "points beyond it": np.count_nonzero(found.is_reached & beyond),
        "manipulability": np.abs(np.linalg.det(np.reshape(J, (-1, 2, 2)))),
    }


def expected():
    """The whole ring, nothing else."""
    whole = "a point is reached or is not; the least share that could be missed is 1 of 4700"
    return {
        "part of the ring": sim.Expected(1.0, "1", 1e-4, whole),
        "points beyond it": sim.Expected(0.0, "1", 0.5, "a count"),
        "manipulability": sim.Expected(
            UPPER * LOWER * np.abs(np.sin(ELBOWS)), "m²", 1e-14, "rounding"
        ),
    }


CASE = sim.Case(
    source=sim.Source(
        "Yoshikawa, T.",
        1985,
        "Manipulability of robotic mechanisms",
        "Int. J. Robotics Research 4(2), p. 3-9, the two-joint link mechanism",
    ),
    equation="|l₁ − l₂| ≤ r ≤ l₁ + l₂,  w = l₁ l₂ |sin q₂|",
    compute=compute,
    methods=("model",),
    expected=expected,
    shown=lambda: (_arm(), [0.4, 0.8]),
)

"""A thrown body with three equal moments flies along a parabola and spins uniformly.

Three slides and a ball at its mass centre; 1.5 kg, thrown at (1, 2, 6) m/s with 5 rad/s about a
skew axis.
"""

import numpy as np

import sim
from sim.verification.bodies import ball, body, frame, robot, slide

T = np.linspace(0.0, 1.0, 21)
THROW = np.array([1.0, 2.0, 6.0])
AXIS, SPIN = np.array([2.0, -1.0, 2.0]) / 3, 2.5  # [rad/s]: less than half a turn


def scenario():
    """All joints are free."""
    flier = robot(
        frame("x"),
        slide("along_x", "ground", "x", (1, 0, 0)),
        frame("y"),
        slide("along_y", "x", "y", (0, 1, 0)),
        frame("z"),
        slide("along_z", "y", "z", (0, 0, 1)),
        body("flier", 1.5, moments=(0.02, 0.02, 0.02)),
        ball("spin", "z", "flier"),
    )
    start = dict(zip(("along_x", "along_y", "along_z"), THROW.tolist(), strict=True))
    motion = sim.JointMotion({}, qd0={**start, "spin": (SPIN * AXIS).tolist()}, free=tuple(start))
    return sim.Scenario(flier, motion, 1.0, dt=0.05, method="adaptive")


def expected():
    """Newton's parabola, and a rotation vector that grows along itself."""
    why = "rounding: the solver integrates polynomials without error"
    fall = np.array([0, 0, -9.81])[:, None]
    return {
        "position": sim.Expected(THROW[:, None] * T + fall * T**2 / 2, "m", 1e-10, why, T),
        "rotation vector": sim.Expected(SPIN * AXIS[:, None] * T, "rad", 1e-10, why, T),
        "angular velocity": sim.Expected(SPIN * AXIS[:, None] + 0 * T, "rad/s", 1e-10, why, T),
    }


def read(table):
    """Rows are components."""
    return {
        "position": np.stack([table[f"q.along_{c}"] for c in "xyz"]),
        "rotation vector": np.stack([table[f"q.spin.{c}"] for c in "xyz"]),
        "angular velocity": np.stack([table[f"qd.spin.{c}"] for c in "xyz"]),
    }


CASE = sim.Case(
    source=sim.Source(
        "Landau, L. D. and Lifshitz, E. M.",
        1976,
        "Mechanics, 3rd edition",
        "section 33, the spherical top",
    ),
    equation="p = v₀ t + g t²/2,  ω = const",
    scenario=scenario,
    read=read,
    expected=expected,
)

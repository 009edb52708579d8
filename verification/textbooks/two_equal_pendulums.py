"""Two equal pendulums in series oscillate with ω² = (g/l) (2 ∓ √2).

Point masses of 1.3 kg on rods of 0.6 m, about the pose in which both hang down.
"""

import numpy as np

import sim
from sim.verification.bodies import double_pendulum
from sim.verification.linear import squared_frequencies

LENGTH = 0.6


def _arm():
    return double_pendulum(1.3, 1.3, LENGTH, LENGTH)


def compute(method):
    """From efforts beside the pose."""
    return {"squared frequencies": squared_frequencies(method, _arm(), np.zeros(2))}


def expected():
    """Both modes."""
    why = "differences of sixth order in steps of 0.01 rad: 1e-13 of the stiffness, and rounding"
    return {
        "squared frequencies": sim.Expected(
            9.81 / LENGTH * (2 + np.sqrt(2) * np.array([-1, 1])), "1/s²", 1e-8, why
        )
    }


CASE = sim.Case(
    source=sim.Source(
        "Landau, L. D. and Lifshitz, E. M.",
        1976,
        "Mechanics, 3rd edition",
        "section 23, problem 2, coplanar double pendulum",
    ),
    equation="ω² = (g/l) (2 ∓ √2)",
    compute=compute,
    methods=("model", "newton_euler", "bullet", "mujoco"),
    expected=expected,
    shown=lambda: (_arm(), [0.3, 0.2]),
)

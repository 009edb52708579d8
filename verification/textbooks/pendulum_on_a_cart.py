"""A pendulum on a freely rolling cart oscillates with ω² = g (M + m)/(M l).

A cart of 1 kg, a point mass of 2 kg on 0.7 m; the second mode is the cart's rolling away.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot, slide
from sim.verification.linear import squared_frequencies

CART, MASS, LENGTH, G = 1.0, 2.0, 0.7, 9.81


def _plant():
    return robot(
        body("cart", CART),
        body("bob", MASS, (0, 0, -LENGTH)),
        slide("slide", "ground", "cart", (1, 0, 0)),
        hinge("hinge", "cart", "bob", (0, 1, 0)),
    )


def compute(method):
    """From efforts beside the pose."""
    return {"squared frequencies": squared_frequencies(method, _plant(), np.zeros(2))}


def expected():
    """None, and the swing's."""
    why = "differences of sixth order in steps of 0.01 rad: 1e-13 of the stiffness, and rounding"
    swing = G * (CART + MASS) / (CART * LENGTH)
    return {"squared frequencies": sim.Expected([0.0, swing], "1/s²", 1e-8, why)}


CASE = sim.Case(
    source=sim.Source(
        "Landau, L. D. and Lifshitz, E. M.",
        1976,
        "Mechanics, 3rd edition",
        "section 14, problem 3 with section 5, problem 2, pendulum whose support slides",
    ),
    equation="ω² = g (M + m)/(M l)",
    compute=compute,
    methods=("model", "newton_euler", "bullet", "mujoco"),
    expected=expected,
    shown=lambda: (_plant(), [0.0, 0.4]),
)

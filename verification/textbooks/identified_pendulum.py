"""Inertia, first moment and friction of a pendulum, identified from an exact log.

The log is written by hand, q(t) of three sines and the torque of a body that is 15 % heavier than
its file says, with dry and viscous friction in the pin. It has no noise.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot

INERTIA, MOMENT, COULOMB, VISCOUS = 0.31, 0.76, 0.8, 0.4  # about the pin; mass times arm
T = np.arange(0.0, 12.0, 0.01)
RATES = 2 * np.pi * np.array([[0.25], [0.5], [0.75]])  # [rad/s]
SIZES = np.array([[0.8], [0.4], [0.25]])  # [rad]


def _arm():
    return robot(
        body("rod", 2.0, (0, 0, -0.33), (0.05, 0.05, 0.001)),
        hinge("joint", "ground", "rod", (0, 1, 0)),
    )


def compute(method):
    """What `sim.identify` makes of the log."""
    q = (SIZES * np.sin(RATES * T)).sum(axis=0)
    qd = (SIZES * RATES * np.cos(RATES * T)).sum(axis=0)
    qdd = -(SIZES * RATES**2 * np.sin(RATES * T)).sum(axis=0)
    torque = INERTIA * qdd + 9.81 * MOMENT * np.sin(q) + COULOMB * np.sign(qd) + VISCOUS * qd
    log = sim.Log(("joint",), T, q[None], torque[None])
    found = {one.name: one.value for one in sim.identify(_arm(), log).parameters}
    return {
        "inertia about the pin": found["rod.Iyy"],
        "mass times arm": -found["rod.mz"],
        "dry friction": found["joint.coulomb"],
        "viscous friction": found["joint.viscous"],
    }


def expected():
    """What the log was written with."""
    why = "rates are differences of positions, and dry friction jumps between samples 10 ms apart"
    return {
        "inertia about the pin": sim.Expected(INERTIA, "kg·m²", 1e-5, why),
        "mass times arm": sim.Expected(MOMENT, "kg·m", 1e-5, why),
        "dry friction": sim.Expected(COULOMB, "N·m", 1e-4, why),
        "viscous friction": sim.Expected(VISCOUS, "N·m·s/rad", 1e-5, why),
    }


CASE = sim.Case(
    source=sim.Source(
        "Khalil, W. and Dombre, E.",
        2002,
        "Modeling, Identification and Control of Robots",
        "chapter 12, identification of the dynamic parameters",
    ),
    equation="τ = I q̈ + m g l sin q + f_c sign q̇ + f_v q̇",
    compute=compute,
    methods=("model",),
    expected=expected,
    shown=lambda: (_arm(), [0.5]),
)

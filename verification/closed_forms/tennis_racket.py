"""A free body spinning near its intermediate axis flips over and back: elliptic functions.

Moments 0.01, 0.02 and 0.04 kg·m² on a ball at the mass centre, without gravity. At the start it
turns about the first and third axis, 1 % from the motion that would never turn back.
"""

import numpy as np
from scipy.special import ellipj

import sim
from sim.verification.bodies import ball, body, robot

MOMENTS = A, B, C = 0.01, 0.02, 0.04
THIRD = 2.0  # [rad/s]
FIRST = 0.99 * THIRD * np.sqrt(C * (C - B) / (A * (B - A)))  # L² just above 2 B E
T = np.linspace(0.0, 4.0, 81)


def scenario():
    """Nothing acts on it."""
    racket = robot(body("racket", 1.0, moments=MOMENTS), ball("ball", "ground", "racket"))
    motion = sim.JointMotion({}, qd0={"ball": (float(FIRST), 0.0, THIRD)})
    return sim.Scenario(racket, motion, 4.0, dt=0.05, gravity=(0, 0, 0), method="adaptive")


def expected():
    """Landau and Lifshitz, equations 37.10 to 37.12."""
    twice = A * FIRST**2 + C * THIRD**2  # of the energy
    square = A**2 * FIRST**2 + C**2 * THIRD**2  # of the momentum
    assert square > twice * B
    rate = np.sqrt((C - B) * (square - twice * A) / (A * B * C))
    modulus = (B - A) * (twice * C - square) / ((C - B) * (square - twice * A))
    sn, cn, dn, _ = ellipj(rate * T, modulus)
    spin = np.stack(
        [
            np.sqrt((twice * C - square) / (A * (C - A))) * cn,
            np.sqrt((twice * C - square) / (B * (C - B))) * sn,
            np.sqrt((square - twice * A) / (C * (C - A))) * dn,
        ]
    )
    why = "1e-12 a step of the solver, grown a hundredfold near the unstable axis"
    return {
        f"spin about axis {k + 1}": sim.Expected(row, "rad/s", 1e-8, why, T)
        for k, row in enumerate(spin)
    }


def read(table):
    """Along the axes of the body."""
    return {f"spin about axis {k + 1}": table[f"qd.ball.{c}"] for k, c in enumerate("xyz")}


CASE = sim.Case(
    source=sim.Source(
        "Landau, L. D. and Lifshitz, E. M.",
        1976,
        "Mechanics, 3rd edition",
        "section 37, equations 37.8 to 37.12",
    ),
    equation="ω₁ = a cn τ,  ω₂ = b sn τ,  ω₃ = c dn τ",
    scenario=scenario,
    read=read,
    expected=expected,
)

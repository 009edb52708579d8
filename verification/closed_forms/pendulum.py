"""A pendulum released at 0.01, 1.0, 2.5 and 3.0 rad swings by Jacobi's elliptic functions.

A body of 2 kg with its mass centre 0.7 m below a hinge and 0.05 kg·m² about it is let go from rest.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import sim
from sim.verification.bodies import body, hinge, robot

MASS, LENGTH, MOMENT, G = 2.0, 0.7, 0.05, 9.81
RATE = np.sqrt(MASS * G * LENGTH / (MOMENT + MASS * LENGTH**2))  # of small swings [rad/s]
AMPLITUDES = (0.01, 1.0, 2.5, 3.0)
T = np.linspace(0.0, 4.0, 81)


def scenario():
    """Four equal pendulums on one ground."""
    parts, start = [], {}
    for k, amplitude in enumerate(AMPLITUDES):
        parts += [
            body(f"bob_{k}", MASS, (0, 0, -LENGTH), (MOMENT, MOMENT, MOMENT)),
            hinge(f"hinge_{k}", "ground", f"bob_{k}", (0, 1, 0), (0, k, 0)),
        ]
        start[f"hinge_{k}"] = amplitude
    motion = sim.JointMotion({}, q0=start, free=tuple(start))
    return sim.Scenario(robot(*parts), motion, 4.0, dt=0.05, method="adaptive")


def expected():
    """sin(q/2) = k sn(K(k) + rate t, k)."""
    found = {}
    why = "1e-12 a step of the solver, some hundred steps"
    for amplitude in AMPLITUDES:
        modulus = np.sin(amplitude / 2)
        sn, cn, dn, _ = ellipj(RATE * T + ellipk(modulus**2), modulus**2)
        angle = 2 * np.arcsin(modulus * sn)
        speed = 2 * modulus * RATE * cn * dn / np.sqrt(1 - (modulus * sn) ** 2)
        found[f"angle from {amplitude:g} rad"] = sim.Expected(angle, "rad", 1e-9, why, T)
        found[f"speed from {amplitude:g} rad"] = sim.Expected(speed, "rad/s", 1e-8, why, T)
    return found


def read(table):
    """Angle and speed of each."""
    found = {}
    for k, amplitude in enumerate(AMPLITUDES):
        found[f"angle from {amplitude:g} rad"] = table[f"q.hinge_{k}"]
        found[f"speed from {amplitude:g} rad"] = table[f"qd.hinge_{k}"]
    return found


CASE = sim.Case(
    source=sim.Source(
        "Reinhardt, W. P. and Walker, P. L.",
        2010,
        "NIST Digital Library of Mathematical Functions, chapter 22",
        "section 22.19(i), https://dlmf.nist.gov/22.19",
    ),
    equation="sin(q/2) = k cd(ω t, k),  k = sin(q₀/2),  ω² = m g l/(I + m l²)",
    scenario=scenario,
    read=read,
    expected=expected,
)

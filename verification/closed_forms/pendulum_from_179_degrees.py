"""A pendulum from rest at 179° takes 3.901 times as long as a small swing.

A point mass of 1 kg on a rod of 1 m without mass; after half a period it stands at -179°, where an
error of the angle has grown the most.
"""

import numpy as np
from scipy.special import ellipk

import sim
from sim.verification.bodies import body, hinge, robot

START = np.radians(179.0)
SMALL = 2 * np.pi * np.sqrt(1.0 / 9.81)  # [s]


def scenario():
    """One whole period, by a quarter of it."""
    pendulum = robot(body("bob", 1.0, (0, 0, -1)), hinge("hinge", "ground", "bob", (0, 1, 0)))
    motion = sim.JointMotion({}, q0={"hinge": START}, free=("hinge",))
    period = _period()
    return sim.Scenario(pendulum, motion, period, dt=period / 4, method="adaptive")


def _period():
    return float(SMALL * 2 / np.pi * ellipk(np.sin(START / 2) ** 2))


def expected():
    """After each quarter of a period: down, turned back, down, at the start."""
    # near the top an error of the angle grows by e^(ω t) over two thirds of the period
    why = "1e-12 a step of the solver, grown a thousandfold near the top"
    lowest = 2 * np.sqrt(9.81) * np.sin(START / 2)
    return {
        "angle": sim.Expected([START, 0, -START, 0, START], "rad", 1e-8, why),
        "speed": sim.Expected([0, -lowest, 0, lowest, 0], "rad/s", 1e-7, why),
    }


def read(table):
    """At the quarters of the period."""
    return {"angle": table["q.hinge"], "speed": table["qd.hinge"]}


CASE = sim.Case(
    source=sim.Source(
        "Reinhardt, W. P. and Walker, P. L.",
        2010,
        "NIST Digital Library of Mathematical Functions, chapter 22",
        "section 22.19(i), https://dlmf.nist.gov/22.19",
    ),
    equation="T = 4 K(sin 89.5°) √(l/g) = 3.901065 · 2π √(l/g)",
    scenario=scenario,
    read=read,
    expected=expected,
)

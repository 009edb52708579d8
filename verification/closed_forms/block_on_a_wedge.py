"""A rough block slides down a wedge that slides away on a smooth floor.

The wedge weighs 2 kg, the block 1 kg; the slope is 0.6 rad, the coefficient of friction 0.3. What
friction takes depends on the load, and the load on how the wedge gives way.
"""

import numpy as np

import sim
from sim.verification.bodies import body, robot, slide

WEDGE, BLOCK, SLOPE, ROUGH, G = 2.0, 1.0, 0.6, 0.3, 9.81
T = np.linspace(0.0, 0.5, 21)
SPEED = 0.5  # [m/s] of the block down the wedge at the start


def scenario():
    """One coefficient of friction, at rest and sliding."""
    c, s = np.cos(SLOPE), np.sin(SLOPE)
    law = sim.JointFriction(ROUGH, ROUGH, 0.01, inputs=("reaction_force",))
    plant = robot(
        body("wedge", WEDGE),
        body("block", BLOCK),
        slide("floor", "ground", "wedge", (1, 0, 0)),
        slide("slope", "wedge", "block", (c, 0, -s)),
    ).with_friction({"slope": law})
    motion = sim.JointMotion({}, qd0={"slope": SPEED}, free=("floor", "slope"))
    return sim.Scenario(plant, motion, 0.5, dt=0.025, method="adaptive")


def expected():
    """By Newton for both bodies, N the load across the slope."""
    c, s = np.cos(SLOPE), np.sin(SLOPE)
    push = s - ROUGH * c
    load = BLOCK * G * c / (1 + BLOCK * s * push / WEDGE)
    back = load * push / WEDGE
    down = G * s + back * c - ROUGH * load / BLOCK
    why = "rounding: the solver integrates a parabola without error"
    return {
        "displacement of the wedge": sim.Expected(-back * T**2 / 2, "m", 1e-10, why, T),
        "displacement of the block": sim.Expected(SPEED * T + down * T**2 / 2, "m", 1e-10, why, T),
        "friction": sim.Expected(ROUGH * load + 0 * T, "N", 1e-10, "rounding of 10 N", T),
    }


def read(table):
    """Both ways, and the friction between them."""
    return {
        "displacement of the wedge": table["q.floor"],
        "displacement of the block": table["q.slope"],
        "friction": table["friction.slope"],
    }


CASE = sim.Case(
    source=sim.Source(
        "Kleppner, D. and Kolenkow, R.",
        2013,
        "An Introduction to Mechanics, 2nd edition",
        "chapter 3, block on an accelerating wedge, by Newton's laws for both bodies",
    ),
    equation="N = m g c/(1 + m s (s − μ c)/M),  A = N (s − μ c)/M,  a = g s + A c − μ N/m",
    scenario=scenario,
    read=read,
    expected=expected,
)

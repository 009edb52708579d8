"""A falling rack of 1 kg turns a pinion of 0.1 kg·m² and 0.05 m: its acceleration is g/41.

The numbers are those of the deck test_RackPinion_Case01; after 5 s the rack is 2.98983232 m lower.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot, slide

G, RADIUS, MASS, MOMENT = 9.80665, 0.05, 1.0, 0.1
T = np.linspace(0.0, 5.0, 51)


def scenario():
    """The pinion follows the rack."""
    follow = f'<mimic joint="rack_joint" multiplier="{1 / RADIUS!r}"/>'
    plant = robot(
        body("rack", MASS, moments=(0.1, 0.1, 0.04)),
        slide("rack_joint", "ground", "rack", (0, 0, 1)),
        body("pinion", 1.0, moments=(MOMENT, 0.1, 0.04)),
        hinge("pinion_joint", "ground", "pinion", (1, 0, 0), (0, -RADIUS, 0), more=follow),
    )
    motion = sim.JointMotion({}, free=("rack_joint",))
    return sim.Scenario(plant, motion, 5.0, dt=0.1, gravity=(0, 0, -G), method="adaptive")


def expected():
    """a = m g/(m + I/r²)."""
    a = MASS * G / (MASS + MOMENT / RADIUS**2)
    why = "rounding: the solver integrates a parabola without error"
    return {
        "rack": sim.Expected(-a * T**2 / 2, "m", 1e-11, why, T),
        "pinion's speed": sim.Expected(-a * T / RADIUS, "rad/s", 1e-10, why, T),
        "rack after 5 s": sim.Expected(-2.98983232, "m", 5e-9, "half of the last digit given"),
    }


def read(table):
    """Way and speed."""
    return {
        "rack": table["q.rack_joint"],
        "pinion's speed": table["qd.pinion_joint"],
        "rack after 5 s": table["q.rack_joint"][-1],
    }


CASE = sim.Case(
    source=sim.Source(
        "Project Chrono",
        2014,
        "Validation data of joints: deck test_RackPinion_Case01.adm",
        "data/testing/joints, https://github.com/projectchrono/chrono-data; Newton's second law",
    ),
    equation="a = m g/(m + I/r²) = g/41",
    scenario=scenario,
    read=read,
    expected=expected,
)

"""A mass on two equal springs on a turntable: an ellipse in space, Foucault's rosette on it.

A point mass of 0.5 kg between springs of 50 N/m along x and y of the table, which turns at 1.5
rad/s; it is let go at rest on the table, 0.2 m from its middle.
"""

import numpy as np

import sim
from sim.verification.bodies import body, frame, hinge, robot, slide

MASS, STIFFNESS, TURNING, START = 0.5, 50.0, 1.5, 0.2
T = np.linspace(0.0, 2.0, 81)


def scenario():
    """The table is driven, the mass is free."""
    plant = robot(
        body("table", 5.0, moments=(0.1, 0.1, 0.1)),
        hinge("turn", "ground", "table", (0, 0, 1)),
        frame("x"),
        slide("along_x", "table", "x", (1, 0, 0)),
        body("mass", MASS),
        slide("along_y", "x", "mass", (0, 1, 0)),
    )
    springs = dict.fromkeys(("along_x", "along_y"), sim.JointSpring(STIFFNESS))
    motion = sim.JointMotion.displacement(
        {"turn": f"{TURNING}*time"}, q0={"along_x": START}, free=["along_x", "along_y"]
    )
    return sim.Scenario(plant.with_springs(springs), motion, 2.0, dt=0.025, method="adaptive")


def expected():
    """In a frame at rest the springs are one that pulls to the middle: an ellipse."""
    rate = np.sqrt(STIFFNESS / MASS)
    x, y = START * np.cos(rate * T), START * TURNING / rate * np.sin(rate * T)
    c, s = np.cos(TURNING * T), np.sin(TURNING * T)
    why = "1e-12 a step of the solver, some hundred steps"
    return {
        "x on the table": sim.Expected(c * x + s * y, "m", 1e-10, why, T),
        "y on the table": sim.Expected(c * y - s * x, "m", 1e-10, why, T),
    }


def read(table):
    """Along the table's axes."""
    return {"x on the table": table["q.along_x"], "y on the table": table["q.along_y"]}


CASE = sim.Case(
    source=sim.Source(
        "Landau, L. D. and Lifshitz, E. M.",
        1976,
        "Mechanics, 3rd edition",
        "section 39, motion in a non-inertial frame of reference, problem 3 (Foucault)",
    ),
    equation="x + i y = e^(−i W t) (a cos ω t + i a (W/ω) sin ω t),  ω² = k/m",
    scenario=scenario,
    read=read,
    expected=expected,
)

"""A bead on a uniformly rotating rod: radius by cosh, force of the rod 2 m ω dr/dt.

A bead of 0.5 kg without size slides without friction on a horizontal rod at 3 rad/s; it is let go
at rest on the rod, 0.1 m from the axis.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot, slide

T = np.linspace(0.0, 1.0, 41)
RADIUS, TURNING, MASS = 0.1, 3.0, 0.5


def scenario():
    """The rod is driven, the bead is free."""
    plant = robot(
        body("rod", 1.0, moments=(0.01, 0.01, 0.01)),
        hinge("turn", "ground", "rod", (0, 0, 1)),
        body("bead", MASS),
        slide("slide", "rod", "bead", (1, 0, 0)),
    )
    motion = sim.JointMotion.displacement(
        {"turn": f"{TURNING}*time"}, q0={"slide": RADIUS}, free=["slide"]
    )
    return sim.Scenario(plant, motion, 1.0, dt=0.025, method="adaptive")


def expected():
    """Centrifugal acceleration alone moves the bead."""
    radius = RADIUS * np.cosh(TURNING * T)
    speed = RADIUS * TURNING * np.sinh(TURNING * T)
    why = "1e-12 a step of the solver, some hundred steps"
    push = 2 * MASS * speed * TURNING
    return {
        "radius": sim.Expected(radius, "m", 1e-9, why, T),
        "speed": sim.Expected(speed, "m/s", 1e-9, why, T),
        "push": sim.Expected(push, "N", 1e-8, why, T),
        "torque": sim.Expected(push * radius, "N·m", 1e-8, why, T),
    }


def read(table):
    """The bead's motion, what the rod does to it across, the drive's torque."""
    return {
        "radius": table["q.slide"],
        "speed": table["qd.slide"],
        "push": table["reaction.slide.fy"],
        "torque": table["tau.turn"],
    }


CASE = sim.Case(
    source=sim.Source(
        "Goldstein, H., Poole, C. and Safko, J.",
        2002,
        "Classical Mechanics, 3rd edition",
        "section 1.6, bead on a uniformly rotating wire",
    ),
    equation="r = r₀ cosh ω t,  N = 2 m ω dr/dt,  τ = r N",
    scenario=scenario,
    read=read,
    expected=expected,
)

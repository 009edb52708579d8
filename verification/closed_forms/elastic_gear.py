"""A constant motor torque accelerates a link through an undamped elastic gear.

0.5 kg·m² of link on a gear of 200 N·m/rad and ratio 50; the rotor of 1e-4 kg·m² counts for
0.25 kg·m² at the joint. The motor gives 6 N·m there, from rest.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot

LINK, ROTOR, RATIO, STIFFNESS, TORQUE = 0.5, 1e-4, 50.0, 200.0, 6.0
MOTOR = RATIO**2 * ROTOR
OMEGA = np.sqrt(STIFFNESS * (1 / LINK + 1 / MOTOR))
T = np.linspace(0.0, 0.5, 21)


def scenario():
    """No gravity, no friction."""
    arm = robot(
        body("link", 1.0, moments=(LINK, LINK, LINK)), hinge("joint", "ground", "link", (0, 0, 1))
    )
    train = sim.DriveTrain(RATIO, rotor_inertia=ROTOR, stiffness=STIFFNESS)
    motion = sim.JointMotion.torque({"joint": TORQUE})
    return sim.Scenario(arm.with_drives({"joint": train}), motion, 0.5, dt=0.025, method="adaptive")


def expected():
    """The mean motion is that of one body; the twist swings about what moves the link."""
    even, swing = TORQUE / (LINK + MOTOR), 1 - np.cos(OMEGA * T)
    why = "1e-12 a step of the solver, some hundred steps"
    return {
        "angle": sim.Expected(even * (T**2 / 2 - swing / OMEGA**2), "rad", 1e-9, why, T),
        "twist": sim.Expected(LINK * even / STIFFNESS * swing, "rad", 1e-9, why, T),
        "torque of the gear": sim.Expected(LINK * even * swing, "N·m", 1e-7, why, T),
    }


def read(table):
    """Of the link and of the gear."""
    return {
        "angle": table["q.joint"],
        "twist": table["twist.joint"],
        "torque of the gear": table["gear_spring.joint"],
    }


CASE = sim.Case(
    source=sim.Source(
        "Spong, M. W.",
        1987,
        "Modeling and control of elastic joint robots",
        "J. Dyn. Sys., Meas., Control 109, p. 310-319, equations of a motor and its link",
    ),
    equation="ω² = k (1/I + 1/(N² J)),  q = τ/(I + N² J) (t²/2 − (1 − cos ω t)/ω²)",
    scenario=scenario,
    read=read,
    expected=expected,
)

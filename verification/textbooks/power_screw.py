"""A power screw with a collar lifts 6.4 kN with 26.18 N·m and lowers it with 9.77 N·m, as printed.

Square thread of 32 mm with two starts of 4 mm, friction 0.08, a collar of 40 mm with the same. The
thread is a gear with efficiencies, the collar dry friction at the shaft; the thread alone would let
the load come down.
"""

import numpy as np

import sim
from sim.verification.bodies import body, robot, slide

LOAD, LEAD, MEAN, FRICTION, COLLAR = 6400.0, 8e-3, 30e-3, 0.08, 40e-3
RAISE, LOWER = 26.18, 9.77  # [N·m], printed
AXIAL = LOAD * LEAD / (2 * np.pi)  # of a screw without friction [N·m]
RUB = np.pi * FRICTION * MEAN
UP = LOAD * MEAN / 2 * (LEAD + RUB) / (np.pi * MEAN - FRICTION * LEAD)  # equation 8-1
DOWN = LOAD * MEAN / 2 * (LEAD - RUB) / (np.pi * MEAN + FRICTION * LEAD)  # 8-2, back at the shaft
OF_COLLAR = LOAD * FRICTION * COLLAR / 2  # equation 8-6


def scenario():
    """Evenly up for a second, evenly down for another."""
    jack = robot(body("load", LOAD / 9.81), slide("nut", "ground", "load", (0, 0, 1)))
    train = sim.DriveTrain(
        2 * np.pi / LEAD, coulomb=OF_COLLAR, efficiency=AXIAL / UP, efficiency_back=DOWN / AXIAL
    )
    motion = sim.JointMotion.velocity({"nut": "IF(time - 1: 0.01, 0.01, -0.01)"})
    return sim.Scenario(jack.with_drives({"nut": train}), motion, 2.0, dt=0.5, method="ideal")


def expected():
    """Two decimals are printed."""
    why = "half of the last printed digit"
    return {
        "torque up": sim.Expected(RAISE, "N·m", 5e-3, why),
        "torque down": sim.Expected(-LOWER, "N·m", 5e-3, why),
    }


def read(table):
    """In the middle of each second."""
    torque = table["motor_tau.nut"]
    return {"torque up": torque[1], "torque down": torque[3]}


CASE = sim.Case(
    source=sim.Source(
        "Budynas, R. G. and Nisbett, J. K.",
        2011,
        "Shigley's Mechanical Engineering Design, 9th edition",
        "example 8-1, with equations 8-1, 8-2 and 8-6",
    ),
    equation="T = F d/2 (l + π f d)/(π d − f l) + F f d_c/2",
    scenario=scenario,
    read=read,
    expected=expected,
)

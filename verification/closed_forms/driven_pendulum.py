"""Torque, energies and pin force of a pendulum driven by a sine.

2 kg at 0.7 m with 0.05 kg·m²; q = 0.8 sin 3t. Engines answer by their accelerations, and by
stepping through time.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot

MASS, LENGTH, MOMENT, G = 2.0, 0.7, 0.05, 9.81
T = np.linspace(0.0, 2.0, 201)


def scenario():
    """The hinge is driven."""
    bob = body("bob", MASS, (0, 0, -LENGTH), (MOMENT, MOMENT, MOMENT))
    plant = robot(bob, hinge("hinge", "ground", "bob", (0, 1, 0)))
    motion = sim.JointMotion.displacement({"hinge": "0.8*SIN(3*time)"})
    return sim.Scenario(plant, motion, 2.0, dt=0.01, method="ideal")


def expected():
    """Euler's law about the pin; the force along the rod carries weight and centripetal."""
    q, qd, qdd = 0.8 * np.sin(3 * T), 2.4 * np.cos(3 * T), -7.2 * np.sin(3 * T)
    inertia = MOMENT + MASS * LENGTH**2
    torque = inertia * qdd + MASS * G * LENGTH * np.sin(q)
    along = MASS * (LENGTH * qd**2 + G * np.cos(q))
    why = "rounding of 20 N·m; stepped: third order in steps of 10 ms, by two runs"
    return {
        "torque": sim.Expected(torque, "N·m", 1e-11, why, T, stepped=1e-3),
        "kinetic energy": sim.Expected(inertia * qd**2 / 2, "J", 1e-11, why, T, stepped=1e-3),
        "force along the rod": sim.Expected(along, "N", 1e-11, why, T),
    }


def read(table):
    """The pin's force along the rod's own axis."""
    return {
        "torque": table["tau.hinge"],
        "kinetic energy": table["ke"],
        "force along the rod": table["reaction.hinge.fz"],
    }


CASE = sim.Case(
    source=sim.Source(
        "Goldstein, H., Poole, C. and Safko, J.",
        2002,
        "Classical Mechanics, 3rd edition",
        "section 1.6, Lagrange's equation of a plane pendulum",
    ),
    equation="τ = (I + m l²) d²q/dt² + m g l sin q",
    scenario=scenario,
    read=read,
    expected=expected,
)

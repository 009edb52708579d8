"""In a parallelogram the rocker moves with the crank and the coupler does not turn.

Uprights of 0.4 m under a level coupler of 0.5 m; all three weigh 1 kg and are thin rods. The crank
is driven by 0.8 sin 3t from upright.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot

HEIGHT, WIDTH, MASS, G = 0.4, 0.5, 1.0, 9.81
T = np.linspace(0.0, 2.0, 81)


def scenario():
    """The coupler is cut loose at the rocker."""
    upright, level = MASS * HEIGHT**2 / 12, MASS * WIDTH**2 / 12
    plant = robot(
        body("crank", MASS, (0, 0, HEIGHT / 2), (upright, upright, 0)),
        body("coupler", MASS, (WIDTH / 2, 0, 0), (0, level, level)),
        body("rocker", MASS, (0, 0, HEIGHT / 2), (upright, upright, 0)),
        hinge("crank_joint", "ground", "crank", (0, 1, 0)),
        hinge("coupler_joint", "crank", "coupler", (0, 1, 0), (0, 0, HEIGHT)),
        hinge("rocker_joint", "ground", "rocker", (0, 1, 0), (WIDTH, 0, 0)),
    )
    pin = sim.Loop(
        *("pin", "coupler", (WIDTH, 0, 0), "rocker", (0, 0, HEIGHT), (0, 1, 0)),
        passive=("coupler_joint", "rocker_joint"),
    )
    motion = sim.JointMotion.displacement({"crank_joint": "0.8*SIN(3*time)"})
    return sim.Scenario(plant.with_loops(pin), motion, 2.0, dt=0.025, method="ideal")


def expected():
    """Three masses on one angle: 2 rods about their feet, and the coupler on a circle."""
    q, qd, qdd = 0.8 * np.sin(3 * T), 2.4 * np.cos(3 * T), -7.2 * np.sin(3 * T)
    inertia, weight = (2 / 3 + 1) * MASS * HEIGHT**2, 2 * MASS * G * HEIGHT
    why = "rounding of a loop closed to 1e-15 m"
    return {
        "rocker": sim.Expected(q, "rad", 1e-12, why, T),
        "coupler": sim.Expected(-q, "rad", 1e-12, why, T),
        "torque": sim.Expected(inertia * qdd - weight * np.sin(q), "N·m", 1e-10, why, T),
        "kinetic energy": sim.Expected(inertia * qd**2 / 2, "J", 1e-11, why, T),
    }


def read(table):
    """Angles, torque, energy."""
    return {
        "rocker": table["q.rocker_joint"],
        "coupler": table["q.coupler_joint"],
        "torque": table["tau.crank_joint"],
        "kinetic energy": table["ke"],
    }


CASE = sim.Case(
    source=sim.Source(
        "Norton, R. L.",
        2012,
        "Design of Machinery, 5th edition",
        "section 2.12, parallelogram linkage",
    ),
    equation="τ = (5/3) m h² d²q/dt² − 2 m g h sin q",
    scenario=scenario,
    read=read,
    expected=expected,
)

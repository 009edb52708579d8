"""Slider-crank: motion of the slider, and torque of the crank by virtual work.

Crank of 0.3 m and rod of 0.8 m without mass, a slider of 2 kg on a level guide; the crank turns
evenly at 10 rad/s.
"""

import numpy as np

import sim
from sim.verification.bodies import body, frame, hinge, robot, slide

CRANK, ROD, MASS, TURNING = 0.3, 0.8, 2.0, 10.0
T = np.linspace(0.0, 1.0, 101)


def scenario():
    """The rod is cut loose at the slider."""
    plant = robot(
        frame("crank"),
        frame("rod"),
        body("slider", MASS),
        hinge("turn", "ground", "crank", (0, 0, 1)),
        hinge("knee", "crank", "rod", (0, 0, 1), (CRANK, 0, 0)),
        slide("guide", "ground", "slider", (1, 0, 0)),
    )
    pin = sim.Loop(
        "pin", "rod", (ROD, 0, 0), "slider", (0, 0, 0), (0, 0, 1), passive=("knee", "guide")
    )
    motion = sim.JointMotion.displacement({"turn": f"{TURNING}*time"}, q0={"guide": CRANK + ROD})
    return sim.Scenario(plant.with_loops(pin), motion, 1.0, dt=0.01, method="ideal")


def expected():
    """x = r cos φ + √(l² − r² sin² φ), and what its derivatives say."""
    a = TURNING * T
    c, s = np.cos(a), np.sin(a)
    root = np.sqrt(ROD**2 - (CRANK * s) ** 2)
    first = -CRANK * s - CRANK**2 * s * c / root
    bend = (c**2 - s**2) / root + CRANK**2 * (s * c) ** 2 / root**3
    second = -CRANK * c - CRANK**2 * bend
    why = "rounding of a loop closed to 1e-15 m, times 100 1/s² and 2 kg"
    return {
        "position": sim.Expected(CRANK * c + root, "m", 1e-12, why, T),
        "speed": sim.Expected(first * TURNING, "m/s", 1e-11, why, T),
        "acceleration": sim.Expected(second * TURNING**2, "m/s²", 1e-9, why, T),
        "torque": sim.Expected(MASS * second * TURNING**2 * first, "N·m", 1e-9, why, T),
    }


def read(table):
    """The slider's motion, the crank's torque."""
    return {
        "position": table["q.guide"],
        "speed": table["qd.guide"],
        "acceleration": table["qdd.guide"],
        "torque": table["tau.turn"],
    }


CASE = sim.Case(
    source=sim.Source(
        "Norton, R. L.",
        2012,
        "Design of Machinery, 5th edition",
        "section 13.2, slider-crank kinematics",
    ),
    equation="x = r cos φ + √(l² − r² sin² φ),  τ = m (d²x/dt²) dx/dφ",
    scenario=scenario,
    read=read,
    expected=expected,
)

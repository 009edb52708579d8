"""A Scotch yoke produces a pure sine: its slot slides on the crank pin.

Crank of 0.25 m without mass, a yoke of 3 kg on a level guide, 6 rad/s.
"""

import numpy as np

import sim
from sim.verification.bodies import body, frame, hinge, robot, slide

CRANK, MASS, TURNING = 0.25, 3.0, 6.0
T = np.linspace(0.0, 2.0, 81)


def scenario():
    """The pin stays in a plane of the yoke."""
    plant = robot(
        frame("crank"),
        body("yoke", MASS),
        hinge("turn", "ground", "crank", (0, 0, 1)),
        slide("guide", "ground", "yoke", (1, 0, 0)),
    )
    slot = sim.Loop(
        *("slot", "yoke", (0, 0, 0), "crank", (CRANK, 0, 0)),
        passive=("guide",),
        kind="inplane",
        axis_a=(1, 0, 0),
    )
    motion = sim.JointMotion.displacement({"turn": f"{TURNING}*time"}, q0={"guide": CRANK})
    return sim.Scenario(plant.with_loops(slot), motion, 2.0, dt=0.025, method="ideal")


def expected():
    """x = r cos φ; the pin pushes with m d²x/dt²."""
    c, s = np.cos(TURNING * T), np.sin(TURNING * T)
    why = "rounding of a loop closed to 1e-15 m, times 36 1/s² and 3 kg"
    push = -MASS * CRANK * TURNING**2 * c
    return {
        "position": sim.Expected(CRANK * c, "m", 1e-13, why, T),
        "acceleration": sim.Expected(-CRANK * TURNING**2 * c, "m/s²", 1e-11, why, T),
        "torque": sim.Expected(-CRANK * s * push, "N·m", 1e-11, why, T),
    }


def read(table):
    """The yoke's motion, the crank's torque."""
    return {
        "position": table["q.guide"],
        "acceleration": table["qdd.guide"],
        "torque": table["tau.turn"],
    }


CASE = sim.Case(
    source=sim.Source(
        "Norton, R. L.", 2012, "Design of Machinery, 5th edition", "section 2.12, Scotch yoke"
    ),
    equation="x = r cos φ,  τ = m r² ω² sin φ cos φ",
    scenario=scenario,
    read=read,
    expected=expected,
)

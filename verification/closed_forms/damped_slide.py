"""A damped slide decelerates exponentially; its energy becomes heat.

A body of 3 kg on a level slide with 1.5 N·s/m starts at 2 m/s.
"""

import numpy as np

import sim
from sim.verification.bodies import body, robot, rubbing, slide

T = np.linspace(0.0, 4.0, 41)


def scenario():
    """Nothing but the damper acts along the slide."""
    sled = robot(
        body("sled", 3.0),
        slide("slide", "ground", "sled", (1, 0, 0), more=rubbing(damping=1.5)),
    )
    motion = sim.JointMotion({}, qd0={"slide": 2.0}, free=("slide",))
    return sim.Scenario(sled, motion, 4.0, dt=0.1, method="adaptive")


def expected():
    """With the time constant m/c = 2 s."""
    why = "1e-12 a step of the solver, some hundred steps"
    fallen = np.exp(-0.5 * T)
    return {
        "way": sim.Expected(4 * (1 - fallen), "m", 1e-9, why, T),
        "speed": sim.Expected(2 * fallen, "m/s", 1e-9, why, T),
        "heat": sim.Expected(6 * (1 - fallen**2), "J", 1e-9, why, T),
    }


def read(table):
    """Way, speed and what the damper took."""
    return {"way": table["q.slide"], "speed": table["qd.slide"], "heat": table["loss.slide"]}


CASE = sim.Case(
    source=sim.Source(
        "Meirovitch, L.", 2001, "Fundamentals of Vibrations", "section 2.2, first-order systems"
    ),
    equation="v = v₀ e^(−c t/m),  x = v₀ m/c (1 − e^(−c t/m)),  Q = m v₀²/2 (1 − e^(−2 c t/m))",
    scenario=scenario,
    read=read,
    expected=expected,
)

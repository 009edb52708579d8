"""Two rotors geared with −3 accelerate under a torque and run down with both dampings.

0.3 kg·m² and 0.7 N·m·s/rad at the first, 0.2 kg·m² and 0.1 N·m·s/rad at the second, which turns
three times as fast the other way; 5 N·m at the first.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot, rubbing

T = np.linspace(0.0, 4.0, 41)
RATIO, TORQUE = -3.0, 5.0
INERTIA, DAMPING = 0.3 + RATIO**2 * 0.2, 0.7 + RATIO**2 * 0.1


def scenario():
    """The second follows the first."""
    follow = f'<mimic joint="input" multiplier="{RATIO}"/>'
    pair = robot(
        body("wheel_1", 1.0, moments=(0.3, 0.3, 0.3)),
        hinge("input", "ground", "wheel_1", (0, 0, 1), more=rubbing(damping=0.7)),
        body("wheel_2", 1.0, moments=(0.2, 0.2, 0.2)),
        hinge(
            "output",
            "ground",
            "wheel_2",
            (0, 0, 1),
            (0.4, 0, 0),
            more=follow + rubbing(damping=0.1),
        ),
    )
    motion = sim.JointMotion.torque({"input": TORQUE})
    return sim.Scenario(pair, motion, 4.0, dt=0.1, method="adaptive")


def expected():
    """(I₁ + N² I₂) a = τ − (d₁ + N² d₂) ω."""
    end, slowing = TORQUE / DAMPING, DAMPING / INERTIA
    speed = end * (1 - np.exp(-slowing * T))
    why = "1e-12 a step of the solver, some hundred steps"
    angle = end * (T - (1 - np.exp(-slowing * T)) / slowing)
    return {
        "angle of the first": sim.Expected(angle, "rad", 1e-9, why, T),
        "speed of the second": sim.Expected(RATIO * speed, "rad/s", 1e-9, why, T),
    }


def read(table):
    """One of each."""
    return {"angle of the first": table["q.input"], "speed of the second": table["qd.output"]}


CASE = sim.Case(
    source=sim.Source(
        "Meirovitch, L.",
        2001,
        "Fundamentals of Vibrations",
        "section 1.8, geared systems and their equivalent inertia",
    ),
    equation="ω = τ/d (1 − e^(−d t/I)),  I = I₁ + N² I₂,  d = d₁ + N² d₂",
    scenario=scenario,
    read=read,
    expected=expected,
)

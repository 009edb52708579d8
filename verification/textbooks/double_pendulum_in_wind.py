"""Two rods in a constant wind force: each is aligned with the load below it.

Point masses of 1.5 kg and 0.8 kg on 0.6 m and 0.9 m; 5 N push the lower one along x.
"""

import numpy as np

import sim
from sim.verification.bodies import double_pendulum

UPPER, LOWER, PUSH, G = 1.5, 0.8, 5.0, 9.81


def _angles():
    upper, lower = -np.arctan2(PUSH, (UPPER + LOWER) * G), -np.arctan2(PUSH, LOWER * G)
    return upper, lower - upper


def scenario():
    """It starts at rest where it should stay."""
    arm = double_pendulum(UPPER, LOWER, 0.6, 0.9)
    wind = sim.Force("lower", at=(0, 0, -0.9), force=(PUSH, 0, 0))
    start = dict(zip(arm.joint_names, map(float, _angles()), strict=True))
    motion = sim.JointMotion({}, q0=start, free=arm.joint_names)
    return sim.Scenario(arm, motion, 1.0, dt=0.1, forces=(wind,), method="adaptive")


def expected():
    """The lower angle is from the upper rod."""
    upper, lower = _angles()
    why = "an acceleration of rounding, 1e-15 rad/s², over 1 s, and 1e-12 a step of the solver"
    return {
        "upper angle": sim.Expected([upper] * 11, "rad", 1e-12, why),
        "lower angle": sim.Expected([lower] * 11, "rad", 1e-12, why),
        "speed": sim.Expected([0.0] * 11, "rad/s", 1e-11, why),
    }


def read(table):
    """Angles, and how fast they change."""
    return {
        "upper angle": table["q.shoulder"],
        "lower angle": table["q.elbow"],
        "speed": table["qd.elbow"],
    }


CASE = sim.Case(
    source=sim.Source(
        "Meriam, J. L. and Kraige, L. G.",
        2012,
        "Engineering Mechanics: Statics, 7th edition",
        "section 3.3, equilibrium in two dimensions, two-force members",
    ),
    equation="tan q₁ = −F/((m₁ + m₂) g),  tan(q₁ + q₂) = −F/(m₂ g)",
    scenario=scenario,
    read=read,
    expected=expected,
)

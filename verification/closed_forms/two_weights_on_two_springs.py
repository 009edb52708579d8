"""Two equal weights on two equal springs: two modes with frequencies in the golden ratio.

Two chains lie on the level: ground, spring, weight, spring, weight. One starts stretched in the
slow mode, one in the fast mode; each stays in its own.
"""

import numpy as np

import sim
from sim.verification.bodies import body, robot, slide

MASS, STIFFNESS = 3.0, 800.0
GOLDEN = (1 + np.sqrt(5)) / 2
T = np.linspace(0.0, 1.0, 41)
STRETCH = 0.05  # [m] of the first spring


def scenario():
    """Each slide's position is the stretch of its own spring."""
    parts, springs = [], {}
    for mode in ("slow", "fast"):
        first, second = f"{mode}_1", f"{mode}_2"
        parts += [
            body(f"{mode}_a", MASS),
            slide(first, "ground", f"{mode}_a", (1, 0, 0), (0, float(mode == "fast"), 0)),
            body(f"{mode}_b", MASS),
            slide(second, f"{mode}_a", f"{mode}_b", (1, 0, 0), (0.5, 0, 0)),
        ]
        springs |= dict.fromkeys((first, second), sim.JointSpring(STIFFNESS))
    start = {
        "slow_1": STRETCH,
        "slow_2": STRETCH / GOLDEN,
        "fast_1": STRETCH,
        "fast_2": -STRETCH * GOLDEN,
    }
    motion = sim.JointMotion({}, q0=start, free=tuple(start))
    plant = robot(*parts).with_springs(springs)
    return sim.Scenario(plant, motion, 1.0, dt=0.025, method="adaptive")


def expected():
    """ω = √(k/m) golden and √(k/m)/golden."""
    rate = np.sqrt(STIFFNESS / MASS)
    slow, fast = np.cos(rate / GOLDEN * T), np.cos(rate * GOLDEN * T)
    why = "1e-12 a step of the solver, some hundred steps"
    return {
        "slow, first spring": sim.Expected(STRETCH * slow, "m", 1e-10, why, T),
        "slow, second spring": sim.Expected(STRETCH / GOLDEN * slow, "m", 1e-10, why, T),
        "fast, first spring": sim.Expected(STRETCH * fast, "m", 1e-10, why, T),
        "fast, second spring": sim.Expected(-STRETCH * GOLDEN * fast, "m", 1e-10, why, T),
    }


def read(table):
    """The stretches."""
    return {
        "slow, first spring": table["q.slow_1"],
        "slow, second spring": table["q.slow_2"],
        "fast, first spring": table["q.fast_1"],
        "fast, second spring": table["q.fast_2"],
    }


CASE = sim.Case(
    source=sim.Source(
        "Meirovitch, L.", 2001, "Fundamentals of Vibrations", "section 5.3, two degrees of freedom"
    ),
    equation="ω² = (k/m) (3 ± √5)/2",
    scenario=scenario,
    read=read,
    expected=expected,
)

"""A block with dry friction stops after v²/(2 a) and stays; another is held against a push.

Blocks of 2 kg start at 1.9 m/s on the level with 4 N of friction, forwards and backwards; another
is held on the level by friction against a push of 3.9 N.
"""

import numpy as np

import sim
from sim.verification.bodies import body, robot, rubbing, slide

T = np.linspace(0.0, 2.0, 41)
SPEED, SLOWING = 1.9, 2.0
STOPS = SPEED / SLOWING  # [s], between two samples
NAMES = ("forwards", "backwards", "pushed")


def scenario():
    """Three blocks on one ground."""
    parts = []
    for k, name in enumerate(NAMES):
        parts += [
            body(name, 2.0),
            slide(f"{name}_slide", "ground", name, (1, 0, 0), (0, k, 0), more=rubbing(4.0)),
        ]
    start = {"forwards_slide": SPEED, "backwards_slide": -SPEED}
    free = tuple(f"{name}_slide" for name in NAMES)
    push = sim.Force("pushed", force=(3.9, 0, 0))
    motion = sim.JointMotion({}, qd0=start, free=free)
    return sim.Scenario(robot(*parts), motion, 2.0, dt=0.05, forces=(push,), method="adaptive")


def expected():
    """Quadratic until it stops, constant thereafter."""
    way = np.where(STOPS > T, SPEED * T - SLOWING * T**2 / 2, SPEED**2 / (2 * SLOWING))
    speed = np.maximum(SPEED - SLOWING * T, 0.0)
    why = "rounding: the solver integrates a parabola without error"
    return {
        "displacement forwards": sim.Expected(way, "m", 1e-11, why, T),
        "speed forwards": sim.Expected(speed, "m/s", 1e-11, why, T),
        "displacement backwards": sim.Expected(-way, "m", 1e-11, why, T),
        "displacement of the held block": sim.Expected(
            0 * T, "m", 1e-15, "friction holds it exactly", T
        ),
        "friction on the held block": sim.Expected(0 * T + 3.9, "N", 1e-12, "rounding of 4 N", T),
        "heat": sim.Expected(SPEED**2, "J", 1e-10, "as of the way"),
    }


def read(table):
    """Ways, a speed, friction, heat."""
    return {
        "displacement forwards": table["q.forwards_slide"],
        "speed forwards": table["qd.forwards_slide"],
        "displacement backwards": table["q.backwards_slide"],
        "displacement of the held block": table["q.pushed_slide"],
        "friction on the held block": table["friction.pushed_slide"],
        "heat": table["loss.forwards_slide"][-1],
    }


CASE = sim.Case(
    source=sim.Source(
        "Coulomb, C. A.", 1785, "Théorie des machines simples", "Mém. Sav. Étr. 10, p. 161-332"
    ),
    equation="x = v₀ t − (F/m) t²/2 until t = m v₀/F;  |friction| ≤ F at rest",
    scenario=scenario,
    read=read,
    expected=expected,
)

"""A lift pulled with 30 N picks up 3 kg at 0.8 s and sets them down at 1.4 s.

The cage of 2 kg starts at 1 m/s. What is taken up moves with it from then on: its speed goes on,
its acceleration jumps.
"""

import numpy as np

import sim
from sim.verification.bodies import body, robot, slide

CAGE, LOAD, PULL, G = 2.0, 3.0, 30.0, 9.81
UP, DOWN = 0.8, 1.4  # [s]
T = np.linspace(0.0, 2.0, 41)


def scenario():
    """The pull is a motor's."""
    lift = robot(body("cage", CAGE), slide("slide", "ground", "cage", (0, 0, 1)))
    load = sim.Payload(LOAD, com=(0, 0, 0), frame="cage")
    motion = sim.JointMotion.torque({"slide": PULL}, qd0={"slide": 1.0})
    events = (sim.PickUp(UP, load), sim.SetDown(DOWN))
    return sim.Scenario(lift, motion, 2.0, dt=0.05, events=events, method="adaptive")


def expected():
    """Three parabolas that join in place and speed."""
    light, heavy = PULL / CAGE - G, PULL / (CAGE + LOAD) - G
    laps = [np.clip(T, 0, UP), np.clip(T - UP, 0, DOWN - UP), np.clip(T - DOWN, 0, None)]
    place, speed, now = 0 * T, 0 * T, 1.0
    for a, lap, whole in zip((light, heavy, light), laps, (UP, DOWN - UP, 1.0), strict=True):
        place = place + now * lap + a * lap**2 / 2
        now += a * whole
    speed = 1.0 + light * (laps[0] + laps[2]) + heavy * laps[1]
    why = "rounding: the solver integrates parabolas without error"
    return {
        "height": sim.Expected(place, "m", 1e-11, why, T),
        "speed": sim.Expected(speed, "m/s", 1e-11, why, T),
    }


def read(table):
    """Height and speed."""
    return {"height": table["q.slide"], "speed": table["qd.slide"]}


CASE = sim.Case(
    source=sim.Source("Newton, I.", 1687, "Philosophiae Naturalis Principia Mathematica", "lex II"),
    equation="a = F/m − g, with m as carried",
    scenario=scenario,
    read=read,
    expected=expected,
)

"""A weight released on a relaxed spring sinks to 2 m g/k and oscillates with √(k/m).

3 kg hang on 800 N/m; at the start the spring is free of force.
"""

import numpy as np

import sim
from sim.verification.bodies import body, robot, slide

MASS, STIFFNESS, G = 3.0, 800.0, 9.81
T = np.linspace(0.0, 1.0, 41)


def scenario():
    """The spring is one of the slide's own."""
    weight = robot(body("weight", MASS), slide("slide", "ground", "weight", (0, 0, 1)))
    sprung = weight.with_springs({"slide": sim.JointSpring(STIFFNESS)})
    motion = sim.JointMotion({}, free=("slide",))
    return sim.Scenario(sprung, motion, 1.0, dt=0.025, method="adaptive")


def expected():
    """An oscillation about the place of rest."""
    rate, sunk = np.sqrt(STIFFNESS / MASS), MASS * G / STIFFNESS
    why = "1e-12 a step of the solver, some hundred steps"
    place = -sunk * (1 - np.cos(rate * T))
    return {
        "position": sim.Expected(place, "m", 1e-10, why, T),
        "speed": sim.Expected(-sunk * rate * np.sin(rate * T), "m/s", 1e-9, why, T),
        "energy in the spring": sim.Expected(STIFFNESS / 2 * place**2, "J", 1e-8, why, T),
    }


def read(table):
    """Place, speed, stored energy."""
    return {
        "position": table["q.slide"],
        "speed": table["qd.slide"],
        "energy in the spring": table["stored"],
    }


CASE = sim.Case(
    source=sim.Source("Meirovitch, L.", 2001, "Fundamentals of Vibrations", "section 2.1"),
    equation="x = −(m g/k) (1 − cos √(k/m) t)",
    scenario=scenario,
    read=read,
    expected=expected,
)

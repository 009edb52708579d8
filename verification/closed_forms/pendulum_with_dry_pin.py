"""A pendulum with dry friction in its pin loses 2 τ/(m g l) per half swing and stops off vertical.

A point mass of 1 kg on 0.5 m is let go at 0.3 rad; the pin takes 0.1 N·m. For small swings each
half is half a cosine about a centre that friction moves aside; here the turning angles are those
of the energy, without that approximation.
"""

import numpy as np
from scipy.optimize import brentq

import sim
from sim.verification.bodies import body, hinge, robot, rubbing

WEIGHT, FRICTION, START = 1.0 * 9.81 * 0.5, 0.1, 0.3  # [N·m], [N·m], [rad]


def scenario():
    """Until long after it stopped."""
    swing = robot(
        body("bob", 1.0, (0, 0, -0.5)),
        hinge("hinge", "ground", "bob", (0, 1, 0), more=rubbing(FRICTION)),
    )
    motion = sim.JointMotion({}, q0={"hinge": START}, free=("hinge",))
    return sim.Scenario(swing, motion, 6.0, dt=0.05, method="adaptive")


def _turns():
    """Angles at which it turns, without sign: what falls pays for the friction on the way."""
    turns = [START]
    while WEIGHT * np.sin(turns[-1]) > FRICTION:
        last = turns[-1]
        lost = lambda x, a=last: WEIGHT * (np.cos(x) - np.cos(a)) - FRICTION * (a + x)  # noqa: E731
        turns.append(brentq(lost, 1e-9 - last, last, xtol=1e-15, rtol=1e-15))
    return turns


def expected():
    """Where it stops, what that costs, and what the pin then holds."""
    turns = _turns()
    last = (-1) ** (len(turns) - 1) * turns[-1]
    way = turns[0] + 2 * sum(turns[1:-1]) + turns[-1]
    why = "1e-12 a step of the solver, and when it turns is found as well"
    return {
        "angle at rest": sim.Expected(last, "rad", 1e-9, why),
        "heat": sim.Expected(FRICTION * way, "J", 1e-9, why),
        "pin's torque": sim.Expected(
            -WEIGHT * np.sin(last), "N·m", 1e-8, "weight, as of the angle"
        ),
    }


def read(table):
    """At the end."""
    return {
        "angle at rest": table["q.hinge"][-1],
        "heat": table["loss.hinge"][-1],
        "pin's torque": table["friction.hinge"][-1],
    }


CASE = sim.Case(
    source=sim.Source(
        "Den Hartog, J. P.", 1956, "Mechanical Vibrations, 4th edition", "section 2.8, dry friction"
    ),
    equation="m g l (cos q₁ − cos q₀) = τ (|q₀| + |q₁|) from one turn to the next",
    scenario=scenario,
    read=read,
    expected=expected,
)

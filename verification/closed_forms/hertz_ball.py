"""An elastic ball rebounds with its impact speed, after the contact time of Hertz's law.

2 kg meet the ground at 1.5 m/s without gravity; the ground pushes back with 1e5 N/m^1.5 p^1.5. In
half the time of contact the ball is deepest and at rest.
"""

from scipy.special import beta

import sim
from sim.verification.bodies import body, robot, slide

MASS, SPEED, STIFFNESS = 2.0, 1.5, 1e5
DEEPEST = (2.5 * MASS * SPEED**2 / 2 / STIFFNESS) ** 0.4
LASTS = 2 * DEEPEST / SPEED * 0.4 * beta(0.4, 0.5)  # [s]


def scenario():
    """It touches at the start, and is gone at three quarters of the way."""
    lift = robot(body("ball", MASS), slide("slide", "ground", "ball", (0, 0, 1)))
    contact = sim.GroundContact("ball", stiffness=STIFFNESS, exponent=1.5, damping=0.0)
    motion = sim.JointMotion({}, qd0={"slide": -SPEED}, free=("slide",))
    return sim.Scenario(
        lift,
        motion,
        2 * LASTS,
        dt=LASTS / 2,
        gravity=(0, 0, 0),
        contacts=(contact,),
        method="adaptive",
    )


def expected():
    """At half the contact, at its end, and flying after it."""
    why = "1e-12 a step of the solver; the law's second slope is infinite at first touch"
    flown = SPEED * LASTS / 2
    return {
        "position": sim.Expected([0, -DEEPEST, 0, flown, 2 * flown], "m", 1e-9, why),
        "speed": sim.Expected([-SPEED, 0, SPEED, SPEED, SPEED], "m/s", 1e-7, why),
    }


def read(table):
    """Place and speed."""
    return {"position": table["q.slide"], "speed": table["qd.slide"]}


CASE = sim.Case(
    source=sim.Source(
        "Hertz, H.",
        1881,
        "Über die Berührung fester elastischer Körper",
        "J. reine angew. Math. 92, p. 156-171; time by Landau and Lifshitz, Elasticity, section 9",
    ),
    equation="p = (5 m v²/(4 k))^(2/5),  T = (2 p/v) (2/5) B(2/5, 1/2)",
    scenario=scenario,
    read=read,
    expected=expected,
)

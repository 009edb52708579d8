"""A sampled position loop about a pure inertia follows the recurrence of its zero-order hold.

0.2 kg·m² is brought from 0.5 rad to rest by −k q − d q̇, computed from samples every 20 ms and held
in between; one more sample passes until a command acts.
"""

import numpy as np

import sim
from sim.verification.bodies import body, hinge, robot

INERTIA, SAMPLE, START = 0.2, 0.02, 0.5
STIFFNESS, DAMPING = 20.0, 3.0
SAMPLES = 50


def _law(sensed, state):
    return -STIFFNESS * sensed.q - DAMPING * sensed.qd, state


def scenario():
    """The wanted motion is rest at zero; the loop begins beside it."""
    wheel = robot(
        body("wheel", 1.0, moments=(INERTIA, INERTIA, INERTIA)),
        hinge("joint", "ground", "wheel", (0, 0, 1)),
    )
    return sim.Scenario(
        wheel,
        sim.JointMotion.displacement({"joint": f"{START}"}),
        SAMPLES * SAMPLE,
        dt=SAMPLE,
        method="adaptive",
        controller=sim.Controller(_law, sample_time=SAMPLE, delay=1, limits={}),
    )


def expected():
    """x = Φ x + Γ u, exact between samples."""
    step = np.array([[1.0, SAMPLE], [0.0, 1.0]])
    push = np.array([SAMPLE**2 / 2, SAMPLE]) / INERTIA
    x, waiting, states = np.array([START, 0.0]), 0.0, []
    for _ in range(SAMPLES + 1):
        states.append(x)
        command = -STIFFNESS * x[0] - DAMPING * x[1]
        x, waiting = step @ x + push * waiting, command
    q, qd = np.transpose(states)
    t = SAMPLE * np.arange(SAMPLES + 1)
    why = "1e-14 rad a sample of the solver, fifty samples of a stable loop"
    return {
        "angle": sim.Expected(q, "rad", 1e-11, why, t),
        "speed": sim.Expected(qd, "rad/s", 1e-10, why, t),
    }


def read(table):
    """At the samples."""
    return {"angle": table["q.joint"], "speed": table["qd.joint"]}


CASE = sim.Case(
    source=sim.Source(
        "Franklin, G. F., Powell, J. D. and Workman, M. L.",
        1998,
        "Digital Control of Dynamic Systems, 3rd edition",
        "section 4.3, zero-order hold; appendix A.1, satellite attitude",
    ),
    equation="q' = q + h q̇ + h² u/(2 I),  q̇' = q̇ + h u/I,  u = −k q − d q̇ one sample ago",
    scenario=scenario,
    read=read,
    expected=expected,
)

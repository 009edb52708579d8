"""A01, simple pendulum: its period, and its position after 10 s.

A point mass of 1 kg on 1 m, let go level; 9.81 m/s². The library prints the period to eight digits.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import sim
from sim.verification.bodies import body, hinge, robot

PERIOD = 2.36784195  # [s], printed


def _pendulum():
    return robot(body("bob", 1.0, (0, 0, -1)), hinge("hinge", "ground", "bob", (0, 1, 0)))


def compute(method):
    """Two runs: one of a printed period, one of 10 s."""
    motion = sim.JointMotion({}, q0={"hinge": np.pi / 2}, free=("hinge",))
    once, long = (
        method.solve(sim.Scenario(_pendulum(), motion, end, dt=end / 4, method="adaptive"))
        for end in (PERIOD, 10.0)
    )
    angle = long["q.hinge"][-1]
    return {
        "speed after a period": once["qd.hinge"][-1],
        "angle after a period": once["q.hinge"][-1],
        "place after 10 s": [-np.sin(angle), -np.cos(angle)],
    }


def expected():
    """Back at rest; k = sin 45°."""
    sn = ellipj(np.sqrt(9.81) * 10.0 + ellipk(0.5), 0.5)[0]
    half = np.sqrt(0.5) * sn  # of the angle, its sine
    place = [-2 * half * np.sqrt(1 - half**2), 2 * half**2 - 1]
    printed = "half of the period's last digit, 5e-9 s, times 9.81 m/s²"
    return {
        "speed after a period": sim.Expected(0.0, "rad/s", 5e-8, printed),
        "angle after a period": sim.Expected(np.pi / 2, "rad", 1e-9, "as little as its square"),
        "place after 10 s": sim.Expected(place, "m", 1e-9, "1e-12 a step of the solver"),
    }


CASE = sim.Case(
    source=sim.Source(
        "IFToMM Technical Committee for Multibody Dynamics",
        2014,
        "Library of Computational Benchmark Problems",
        "A01, https://www.iftomm-multibody.org/benchmark",
    ),
    equation="T = 4 K(sin 45°) √(l/g) = 2.36784195 s",
    compute=compute,
    expected=expected,
    shown=lambda: (_pendulum(), [np.pi / 2]),
)

"""A symmetric top precesses steadily at both possible rates.

1 kg, its mass centre 0.2 m from the fixed point; 0.004 kg·m² about its axis, 0.05 kg·m² across it
at the fixed point. It leans by 0.5 rad and spins at 200 rad/s about its axis.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import sim
from sim.verification.bodies import ball, body, robot

MASS, REACH, ALONG, ACROSS, SPIN, LEAN, G = 1.0, 0.2, 0.004, 0.05, 200.0, 0.5, 9.81
T = np.linspace(0.0, 1.0, 41)
PACES = ("slow", "fast")


def _rates():
    """Roots of I₁ cos θ W² − I₃ ω₃ W + m g l = 0."""
    return np.sort(np.roots([ACROSS * np.cos(LEAN), -ALONG * SPIN, MASS * G * REACH]).real)


def scenario():
    """Two tops side by side, leaning towards −y."""
    parts, start, rates = [], {}, {}
    aside = ACROSS - MASS * REACH**2  # about the mass centre
    for k, (pace, rate) in enumerate(zip(PACES, _rates(), strict=True)):
        parts += [
            body(pace, MASS, (0, 0, REACH), (aside, aside, ALONG)),
            ball(f"{pace}_ball", "ground", pace, (0.5 * k, 0, 0)),
        ]
        start[f"{pace}_ball"] = (LEAN, 0.0, 0.0)
        rates[f"{pace}_ball"] = (0.0, float(rate * np.sin(LEAN)), SPIN)
    motion = sim.JointMotion({}, q0=start, qd0=rates)
    return sim.Scenario(robot(*parts), motion, 1.0, dt=0.025, method="adaptive")


def expected():
    """The axis goes round the vertical on a cone."""
    found = {}
    why = "1e-12 a step of the solver, grown in 30 turns of the top"
    for pace, rate in zip(PACES, _rates(), strict=True):
        axis = [np.sin(LEAN) * np.sin(rate * T), -np.sin(LEAN) * np.cos(rate * T)]
        found[f"axis, {pace}"] = sim.Expected([*axis, np.cos(LEAN) + 0 * T], "1", 1e-8, why, T)
        found[f"spin, {pace}"] = sim.Expected(SPIN + 0 * T, "rad/s", 1e-8, why, T)
    return found


def read(table):
    """Where the axis of each points, and its spin about it."""
    found = {}
    for pace in PACES:
        turned = Rotation.from_rotvec(
            np.stack([table[f"q.{pace}_ball.{c}"] for c in "xyz"], axis=1)
        )
        found[f"axis, {pace}"] = turned.apply([0, 0, 1]).T
        found[f"spin, {pace}"] = table[f"qd.{pace}_ball.z"]
    return found


CASE = sim.Case(
    source=sim.Source(
        "Goldstein, H., Poole, C. and Safko, J.",
        2002,
        "Classical Mechanics, 3rd edition",
        "section 5.7, equation 5.78",
    ),
    equation="I₁ cos θ W² − I₃ ω₃ W + m g l = 0",
    scenario=scenario,
    read=read,
    expected=expected,
)

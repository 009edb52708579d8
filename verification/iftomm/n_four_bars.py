"""A02, two windows of four-bars: position of the corner after 10 s and ten singular poses.

Five bars of 1 kg and 1 m, upright at the start, the first corner at 1 m/s along x. All bars come to
lie in one line again and again; a solver that takes the wrong branch there ends somewhere else.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import sim
from sim.verification.bodies import body, hinge, robot

G = 9.81
MOMENTS = (1 / 12, 1 / 12, 0.0)  # of a bar along z about its middle [kg·m²]


def scenario():
    """Bars on top are cut loose at their far ends."""
    parts, loops, rates = [], [], {}
    for k in range(3):
        parts += [
            body(f"post_{k}", 1.0, (0, 0, 0.5), MOMENTS),
            hinge(f"foot_{k}", "ground", f"post_{k}", (0, 1, 0), (k, 0, 0)),
        ]
        rates[f"foot_{k}"] = 1.0
    for k in range(2):
        corner, beam, far = f"corner_{k}", f"beam_{k}", f"foot_{k + 1}"
        parts += [
            body(beam, 1.0, (0, 0, 0.5), MOMENTS),
            hinge(corner, f"post_{k}", beam, (0, 1, 0), (0, 0, 1), (0, np.pi / 2, 0)),
        ]
        ends = f"window {k}", beam, (0, 0, 1), f"post_{k + 1}", (0, 0, 1), (0, 1, 0)
        loops.append(sim.Loop(*ends, passive=(corner, far)))
        rates[corner] = -1.0
    motion = sim.JointMotion({}, qd0=rates, free=("foot_0",))
    plant = robot(*parts).with_loops(*loops)
    return sim.Scenario(plant, motion, 10.0, dt=0.5, method="adaptive")


def expected():
    """All bars turn as one, by θ'' = (3.5/3) g sin θ; over the top it is a rotation."""
    k = 3.5 / 3 * G
    lowest = np.sqrt(1 + 4 * k)
    modulus = 4 * k / lowest**2
    angle = 2 * ellipj(lowest / 2 * 10.0 - ellipk(modulus), modulus)[3] + np.pi
    rate = np.sqrt(1 + 2 * k * (1 - np.cos(angle)))
    c, s = np.cos(angle), np.sin(angle)
    asked = "a tenth of what the benchmark asks"
    return {
        "corner after 10 s": sim.Expected([s, c], "m", 1e-7, asked),
        "corner's velocity": sim.Expected([rate * c, -rate * s], "m/s", 1e-6, asked),
        "corner as printed": sim.Expected(
            [0.328458112, 0.944518538], "m", 1e-7, "asked; nine digits are printed"
        ),
    }


def read(table):
    """B0 is the top of the first post."""
    angle, rate = table["q.foot_0"][-1], table["qd.foot_0"][-1]
    place = [np.sin(angle), np.cos(angle)]
    return {
        "corner after 10 s": place,
        "corner's velocity": [rate * np.cos(angle), -rate * np.sin(angle)],
        "corner as printed": place,
    }


CASE = sim.Case(
    source=sim.Source(
        "IFToMM Technical Committee for Multibody Dynamics",
        2014,
        "Library of Computational Benchmark Problems",
        "A02, https://www.iftomm-multibody.org/benchmark",
    ),
    equation="d²θ/dt² = (3.5/3) g sin θ",
    scenario=scenario,
    read=read,
    expected=expected,
)

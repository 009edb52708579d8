"""A05, a flyball governor: shaft and arms follow Lagrange's equations of two coordinates.

Two arms with balls hang beside a shaft and carry a sleeve on rods without mass; spring and damper
at the sleeve. After the benchmark; the numbers are assumed, and the rods keep their lengths. SciPy
solves the two equations that are written out here.
"""

import numpy as np
from scipy.integrate import solve_ivp

import sim
from sim.verification.bodies import body, hinge, robot, slide

LENGTH, PIN, ROD, OFFSET = 1.0, 0.5, 0.6, 0.1  # [m]
ARM, BALL, SLEEVE, SHAFT = 0.5, 2.0, 3.0, 0.2  # [kg], [kg·m²]
STIFFNESS, DAMPING, G = 200.0, 20.0, 9.81
FIRST = ARM * LENGTH / 2 + BALL * LENGTH  # moment of an arm about its hinge [kg·m]
SECOND = ARM * LENGTH**2 / 3 + BALL * LENGTH**2  # [kg·m²]
START, SPEED = 0.5, 6.0  # [rad], [rad/s]
T = np.linspace(0.0, 0.4, 21)


def height(alpha):
    """Of the sleeve below the hinges, and its two derivatives by the angle of the arms."""
    s, c = np.sin(alpha), np.cos(alpha)
    root = np.sqrt(ROD**2 - (PIN * s) ** 2)
    inner, outer = -(PIN**2) * s * c, -(PIN**2) * (c * c - s * s)
    first = PIN * s - inner / root
    second = PIN * c - outer / root + inner**2 / root**3
    return -PIN * c - root, first, second


def governor():
    """The rods are loops that keep a length."""
    mass = ARM + BALL
    com = FIRST / mass
    about = SECOND - mass * com**2
    parts = [
        body("shaft", 1.0, moments=(SHAFT, SHAFT, SHAFT)),
        hinge("shaft_joint", "ground", "shaft", (0, 0, 1)),
        body("sleeve", SLEEVE, moments=(0.01, 0.01, 0.01)),
        slide("sleeve_joint", "shaft", "sleeve", (0, 0, 1)),
    ]
    loops = []
    for side, x in (("left", -1.0), ("right", 1.0)):
        parts += [
            body(side, mass, (0, 0, -com), (about, about, 0)),
            hinge(f"{side}_joint", "shaft", side, (0, -x, 0), (x * OFFSET, 0, 0)),
        ]
        ends = f"{side} rod", side, (0, 0, -PIN), "sleeve", (x * OFFSET, 0, 0)
        passive = ("sleeve_joint",) if side == "left" else ("right_joint",)
        loops.append(sim.Loop(*ends, passive=passive, kind="rod", length=ROD))
    spring = sim.JointSpring(STIFFNESS, DAMPING)
    return robot(*parts).with_loops(*loops).with_springs({"sleeve_joint": spring})


def scenario():
    """The shaft is let go at speed."""
    z = float(height(START)[0])
    start = {"left_joint": START, "right_joint": START, "sleeve_joint": z}
    free = ("shaft_joint", "left_joint")
    motion = sim.JointMotion({}, q0=start, qd0={"shaft_joint": SPEED}, free=free)
    return sim.Scenario(governor(), motion, 0.4, dt=0.02, method="adaptive")


def _rate(_, y):
    """d/dt of shaft angle, arm angle and their rates."""
    _, alpha, w, ad = y
    s, c = np.sin(alpha), np.cos(alpha)
    z, z1, z2 = height(alpha)
    about = 2 * c * (OFFSET * FIRST + s * SECOND)
    turning = SHAFT + 0.01 + 2 * ((ARM + BALL) * OFFSET**2 + 2 * OFFSET * s * FIRST + s**2 * SECOND)
    inertia = 2 * SECOND + SLEEVE * z1**2
    pull = about * w**2 - 2 * G * FIRST * s - SLEEVE * G * z1
    pull -= (STIFFNESS * z + DAMPING * z1 * ad) * z1 + SLEEVE * z1 * z2 * ad**2
    return np.array([w, ad, -2 * about * ad * w / turning, pull / inertia])


def expected():
    """By DOP853 of SciPy."""
    y = solve_ivp(_rate, (0, 0.4), [0, START, SPEED, 0], "DOP853", T, rtol=1e-12, atol=1e-12).y
    why = "two solvers of 1e-12 a step"
    return {
        "shaft": sim.Expected(y[0], "rad", 1e-9, why, T),
        "arms": sim.Expected(y[1], "rad", 1e-9, why, T),
        "shaft's speed": sim.Expected(y[2], "rad/s", 1e-9, why, T),
        "sleeve": sim.Expected(height(y[1])[0], "m", 1e-9, why, T),
    }


def read(table):
    """Angles, speed, the sleeve's height."""
    return {
        "shaft": table["q.shaft_joint"],
        "arms": table["q.right_joint"],
        "shaft's speed": table["qd.shaft_joint"],
        "sleeve": table["q.sleeve_joint"],
    }


CASE = sim.Case(
    source=sim.Source(
        "IFToMM Technical Committee for Multibody Dynamics",
        2014,
        "Library of Computational Benchmark Problems",
        "A05, https://www.iftomm-multibody.org/benchmark (mechanism); equations by Lagrange",
    ),
    equation="d/dt ∂L/∂q̇ − ∂L/∂q = Q,  q = (shaft, arms)",
    scenario=scenario,
    read=read,
    expected=expected,
)

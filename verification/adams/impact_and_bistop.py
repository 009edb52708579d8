"""IMPACT and BISTOP as ADAMS prints them: spring, damping that grows with depth, no pull.

A grid of places and speeds beside a stop at 1 m with 1000 N/m^1.7 and 20 N·s/m from a depth of 0.3
m on.
"""

import numpy as np

import sim
from sim.functions.impact import bistop, impact

STOP, STIFFNESS, EXPONENT, DAMPING, DEPTH = 1.0, 1e3, 1.7, 20.0, 0.3
PLACES, SPEEDS = (x.ravel() for x in np.meshgrid(np.linspace(0.2, 1.2, 21), [-30, -1, 0, 2, 90]))
UPPER = 4.0  # of the BISTOP, whose lower stop is that of the IMPACT


def compute(_):
    """Both at every place and speed, and the BISTOP at its upper stop too."""
    law = STIFFNESS, EXPONENT, DAMPING, DEPTH
    mirrored = STOP + UPPER - PLACES
    return {
        "IMPACT": impact(PLACES, SPEEDS, STOP, *law),
        "BISTOP below": bistop(PLACES, SPEEDS, STOP, UPPER, *law),
        "BISTOP above": bistop(mirrored, -SPEEDS, STOP, UPPER, *law),
    }


def expected():
    """max(0, k (x₁ − x)^e − c ẋ STEP(x, x₁ − d, 1, x₁, 0)) where x < x₁, else 0."""
    deep = np.maximum(STOP - PLACES, 0.0)
    z = np.clip((PLACES - (STOP - DEPTH)) / DEPTH, 0, 1)
    damping = DAMPING * SPEEDS * (1 - z**2 * (3 - 2 * z))
    push = np.where(deep > 0, np.maximum(STIFFNESS * deep**EXPONENT - damping, 0.0), 0.0)
    why = "rounding of 2000 N"
    return {
        "IMPACT": sim.Expected(push, "N", 1e-11, why),
        "BISTOP below": sim.Expected(push, "N", 1e-11, why),
        "BISTOP above": sim.Expected(-push, "N", 1e-11, why),
    }


CASE = sim.Case(
    source=sim.Source(
        "MSC Software",
        2014,
        "Adams Solver C++ Statements, functions",
        "chapter Functions: IMPACT, BISTOP",
    ),
    equation="F = max(0, k (x₁ − x)^e − c ẋ STEP(x, x₁ − d, 1, x₁, 0)) for x < x₁",
    compute=compute,
    methods=("model",),
    expected=expected,
)

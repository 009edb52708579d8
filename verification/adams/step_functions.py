"""STEP, STEP5, HAVSIN, SHF, POLY, CHEBY, FORCOS and FORSIN by the formulas that ADAMS prints.

Values between, at and beyond the ends of each, and what a joint turns by under a STEP of its rate.
"""

import numpy as np

import sim

T = np.linspace(-0.2, 1.4, 33)
X0, X1, H0, H1 = 0.1, 1.1, -2.0, 3.0
TEXTS = {
    "STEP": f"STEP(time,{X0},{H0},{X1},{H1})",
    "STEP5": f"STEP5(time,{X0},{H0},{X1},{H1})",
    "HAVSIN": f"HAVSIN(time,{X0},{H0},{X1},{H1})",
    "SHF": "SHF(time,0.2,3,5,0.4,0.7)",
    "POLY": "POLY(time,0.2,1,-2,3,0.5)",
    "CHEBY": "CHEBY(time,0.2,1,-2,3,0.5)",
    "FORCOS": "FORCOS(time,0.2,5,1,-2,3)",
    "FORSIN": "FORSIN(time,0.2,5,1,-2,3)",
}


def compute(_):
    """The expressions' values, and the integral of a STEP."""
    found = {name: sim.expression(text).value(T) for name, text in TEXTS.items()}
    arm = sim.load_robot("ur10")
    rate = "STEP(time,0,0,0.5,72d)"
    path = sim.JointMotion.velocity({arm.joint_names[0]: rate}).on(arm, 2.0)
    found["angle under a STEP of the rate"] = path.at(np.array([0.25, 0.5, 2.0])).q[0]
    return found


def expected():
    """Written out."""
    z, a = np.clip((T - X0) / (X1 - X0), 0, 1), H1 - H0
    x = T - 0.2
    quarter = np.radians(72) * 0.5 * (0.5**3 - 0.5 * 0.5**4)  # of the integral z³ - z⁴/2
    turned = np.radians(72) * np.array([quarter / np.radians(72), 0.25, 0.25 + 1.5])
    values = {
        "STEP": H0 + a * z**2 * (3 - 2 * z),
        "STEP5": H0 + a * z**3 * (10 - 15 * z + 6 * z**2),
        "HAVSIN": (H0 + H1) / 2 + a / 2 * np.sin(np.pi * z - np.pi / 2),
        "SHF": 3 * np.sin(5 * x - 0.4) + 0.7,
        "POLY": 1 - 2 * x + 3 * x**2 + 0.5 * x**3,
        "CHEBY": 1 - 2 * x + 3 * (2 * x**2 - 1) + 0.5 * (4 * x**3 - 3 * x),
        "FORCOS": 1 - 2 * np.cos(5 * x) + 3 * np.cos(10 * x),
        "FORSIN": 1 - 2 * np.sin(5 * x) + 3 * np.sin(10 * x),
    }
    why = "rounding of a value of ten"
    found = {name: sim.Expected(row, "1", 1e-13, why, T) for name, row in values.items()}
    found["angle under a STEP of the rate"] = sim.Expected(turned, "rad", 1e-14, why)
    return found


CASE = sim.Case(
    source=sim.Source(
        "MSC Software",
        2014,
        "Adams Solver C++ Statements, functions",
        "chapter Functions: STEP, STEP5, HAVSIN, SHF, POLY, CHEBY, FORCOS, FORSIN",
    ),
    equation="STEP = h₀ + (h₁ − h₀) z² (3 − 2 z),  STEP5 = h₀ + (h₁ − h₀) z³ (10 − 15 z + 6 z²)",
    compute=compute,
    methods=("model",),
    expected=expected,
)

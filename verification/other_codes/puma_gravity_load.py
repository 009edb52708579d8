"""Gravity torques of the PUMA 560 in its nominal pose, as the Robotics Toolbox prints them.

The toolbox's test of `gravload` at qn; masses of the collected models of the arm.
"""

import numpy as np

import sim

PRINTED = (0, 31.6399, 6.0351, 0, 0.0283, 0)


def compute(method):
    """Efforts at rest."""
    puma = sim.load_robot("puma560")
    q = puma.pose("nominal")[:, None]
    return {"gravity load": method.inverse_dynamics(puma, q, 0 * q, 0 * q)[:, 0]}


def expected():
    """Four decimals."""
    return {"gravity load": sim.Expected(PRINTED, "N·m", 5e-5, "half of the last printed digit")}


def _print_load():
    puma = sim.load_robot("puma560")
    return puma, np.array(puma.pose("nominal"))


CASE = sim.Case(
    source=sim.Source(
        "Corke, P. and Haviland, J.",
        2021,
        "Robotics Toolbox for Python (after Corke and Armstrong-Hélouvry 1994)",
        "tests/test_DHRobot.py, https://github.com/petercorke/robotics-toolbox-python",
    ),
    equation="τ = g(q)",
    compute=compute,
    methods=("model", "newton_euler", "bullet", "mujoco"),
    expected=expected,
    shown=_print_load,
)

"""The PUMA 560's mass matrix and inertia torque with its motors, as printed.

By the Robotics Toolbox, in the nominal pose; rotors times the squares of their ratios make between
21 % and all of the diagonal.
"""

import numpy as np

import sim

DIAGONAL = (3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941)
BESIDE = (-0.4044, 0.1006, 0.3509)  # M12, M13, M23
ACCELERATIONS = np.array([[1.0, 2.0, 3.0, 1.0, 2.0, 3.0]]).T
ITORQUE = (3.1500, 9.4805, 3.6189, 0.1901, 0.3519, 0.5823)


def compute(method):
    """Efforts at unit accelerations, and at the six of the toolbox's test, without gravity."""
    puma = sim.load_robot("puma560")
    q = puma.pose("nominal")[:, None]
    M = method.mass_matrix(puma, q[:, 0])
    still = (0.0, 0.0, 0.0)
    return {
        "diagonal of M": np.diag(M),
        "M12, M13, M23": [M[0, 1], M[0, 2], M[1, 2]],
        "inertia torque": method.inverse_dynamics(puma, q, 0 * q, ACCELERATIONS, still)[:, 0],
    }


def expected():
    """Four decimals."""
    why = "half of the last printed digit"
    return {
        "diagonal of M": sim.Expected(DIAGONAL, "kg·m²", 5e-5, why),
        "M12, M13, M23": sim.Expected(BESIDE, "kg·m²", 5e-5, why),
        "inertia torque": sim.Expected(ITORQUE, "N·m", 5e-5, why),
    }


CASE = sim.Case(
    source=sim.Source(
        "Corke, P. and Haviland, J.",
        2021,
        "Robotics Toolbox for Python (after Corke and Armstrong-Hélouvry 1994)",
        "tests/test_DHRobot.py, https://github.com/petercorke/robotics-toolbox-python",
    ),
    equation="τ = M(q) q̈,  M_ii of the links + N² J_m",
    compute=compute,
    methods=("model", "newton_euler", "bullet", "mujoco"),
    expected=expected,
)

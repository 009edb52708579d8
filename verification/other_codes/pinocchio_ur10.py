"""The UR10's torques and mass matrix in twelve random states, by Pinocchio.

Pinocchio reads the same URDF file by a reader of its own.
"""

import numpy as np

import sim
from sim import shipped

STATES = np.random.default_rng(5).uniform(-1, 1, (3, 6, 12)) * [[[3.0]], [[2.0]], [[5.0]]]


def compute(method):
    """Efforts, in random states and at unit accelerations."""
    ur10 = sim.load_robot("ur10")
    q, qd, qdd = STATES
    return {
        "torques": method.inverse_dynamics(ur10, q, qd, qdd),
        "mass matrix": method.mass_matrix(ur10, q[:, 0]),
    }


def expected():
    """rnea and crba."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(shipped.urdf() / "ur10.urdf"))
    data = model.createData()
    states = zip(*STATES.swapaxes(1, 2), strict=True)
    torques = np.stack([pin.rnea(model, data, *state).copy() for state in states], axis=1)
    upper = np.triu(pin.crba(model, data, STATES[0, :, 0]))
    M = upper + np.triu(upper, 1).T
    return {
        "torques": sim.Expected(torques, "N·m", 1e-10, "rounding of 300 N·m, engines' read-back"),
        "mass matrix": sim.Expected(M, "kg·m²", 1e-11, "rounding of 10 kg·m²"),
    }


CASE = sim.Case(
    source=sim.Source(
        "Carpentier, J. et al.",
        2019,
        "The Pinocchio C++ library",
        "IEEE/SICE Int. Symp. on System Integration, p. 614-619; functions rnea and crba",
    ),
    equation="τ = M q̈ + C q̇ + g",
    compute=compute,
    methods=("model", "newton_euler", "bullet", "mujoco"),
    expected=expected,
    oracle="pinocchio",
    shown=lambda: (sim.load_robot("ur10"), sim.load_robot("ur10").pose("upright")),
)

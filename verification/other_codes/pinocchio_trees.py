"""Torques and accelerations of branched trees with hinges and slides, by Pinocchio.

Four trees of three to nine joints, each hung anywhere on the links before it; skew axes, full
tensors; six states each.
"""

import numpy as np

import sim
from sim.verification.random_trees import compute, expected_by


def answer(text, names, states):
    """rnea and aba; its order of joints is by their names."""
    import pinocchio as pin

    model = pin.buildModelFromXML(text)
    data = model.createData()
    order = [model.joints[model.getJointId(name)].idx_v for name in names]
    torques, accelerations = np.empty((2, *states.shape[1:]))
    for k, state in enumerate(np.moveaxis(states, -1, 0)):
        placed = np.zeros_like(state)
        placed[:, order] = state
        torques[:, k] = pin.rnea(model, data, *placed)[order]
        accelerations[:, k] = pin.aba(model, data, *placed)[order]
    return torques, accelerations


def expected():
    """To rounding."""
    return expected_by(answer, 1e-11, "rounding of a few hundred products: 1e-11 of the largest")


CASE = sim.Case(
    source=sim.Source(
        "Carpentier, J. et al.",
        2019,
        "The Pinocchio C++ library",
        "IEEE/SICE Int. Symp. on System Integration, p. 614-619; functions rnea and aba",
    ),
    equation="τ = M q̈ + C q̇ + g",
    compute=compute,
    methods=("model", "bullet", "mujoco"),
    expected=expected,
    oracle="pinocchio",
)

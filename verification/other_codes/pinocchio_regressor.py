"""The regressor of a branched tree, column by column, by Pinocchio.

Torques are linear in the ten inertial parameters of each body; five joints, eight states.
"""

import numpy as np

import sim
from sim.robots.loading import read_urdf
from sim.verification.bodies import random_tree

N = 5
STATES = np.random.default_rng(11).uniform(-1, 1, (3, N, 8)) * [[[3.0]], [[2.0]], [[5.0]]]


def _text():
    return random_tree(np.random.default_rng(4), N)


def compute(_):
    """Y of each body, and Y times the parameters of the file."""
    tree = read_urdf(_text())
    order = [tree.joint_names.index(f"joint_{k}") for k in range(N)]
    Y = sim.regressor(tree, *STATES[:, np.argsort(order)])[order]
    theta = sim.inertial_parameters(tree)
    return {"Y θ": np.einsum("npN,p->nN", Y, theta), "size of Y": np.linalg.norm(Y, axis=(0, 1))}


def expected():
    """computeJointTorqueRegressor, whose parameters are in another order within a body."""
    import pinocchio as pin

    model = pin.buildModelFromXML(_text())
    data = model.createData()
    order = [model.joints[model.getJointId(f"joint_{k}")].idx_v for k in range(N)]
    torques, sizes = [], []
    for state in zip(*STATES.swapaxes(1, 2), strict=True):
        placed = np.zeros((3, N))
        placed[:, order] = state
        Y = pin.computeJointTorqueRegressor(model, data, *placed)
        theta = np.concatenate([i.toDynamicParameters() for i in list(model.inertias)[1:]])
        torques.append((Y @ theta)[order])
        sizes.append(np.linalg.norm(Y))
    value = np.stack(torques, axis=1)
    return {
        "Y θ": sim.Expected(value, "N·m, N", 1e-11 * float(np.abs(value).max()), "rounding"),
        "size of Y": sim.Expected(sizes, "SI", 1e-9, "rounding of 100"),
    }


CASE = sim.Case(
    source=sim.Source(
        "Carpentier, J. et al.",
        2019,
        "The Pinocchio C++ library",
        "IEEE/SICE Int. Symp. on System Integration, p. 614-619; computeJointTorqueRegressor",
    ),
    equation="τ = Y(q, q̇, q̈) θ",
    compute=compute,
    methods=("model",),
    expected=expected,
    oracle="pinocchio",
)

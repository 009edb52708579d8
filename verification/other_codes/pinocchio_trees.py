"""Torques and accelerations of branched trees with hinges and slides, by Pinocchio.

Four trees of three to nine joints, each hung anywhere on the links before it; skew axes, full
tensors; six states each.
"""

import numpy as np

import sim
from sim.robots.loading import read_urdf
from sim.verification.bodies import random_tree

SIZES = (3, 5, 7, 9)


def _tree(n):
    return random_tree(np.random.default_rng(n), n)


def _states(n):
    rng = np.random.default_rng(100 + n)
    return rng.uniform(-1, 1, (3, n, 6)) * [[[3.0]], [[2.0]], [[5.0]]]


def compute(method):
    """Torques of accelerations, and accelerations of torques of the same numbers."""
    found = {}
    for n in SIZES:
        tree = read_urdf(_tree(n))
        order = [tree.joint_names.index(f"joint_{k}") for k in range(n)]
        q, qd, last = _states(n)[:, np.argsort(order)]
        found[f"torques, {n} joints"] = method.inverse_dynamics(tree, q, qd, last)[order]
        found[f"accelerations, {n} joints"] = method.forward_dynamics(tree, q, qd, last)[order]
    return found


def expected():
    """rnea and aba; its order of joints is by their names."""
    import pinocchio as pin

    found = {}
    for n in SIZES:
        model = pin.buildModelFromXML(_tree(n))
        data = model.createData()
        order = [model.joints[model.getJointId(f"joint_{k}")].idx_v for k in range(n)]
        rows = {"torques": [], "accelerations": []}
        for state in zip(*_states(n).swapaxes(1, 2), strict=True):
            placed = np.zeros((3, n))
            placed[:, order] = state
            rows["torques"].append(pin.rnea(model, data, *placed)[order])
            rows["accelerations"].append(pin.aba(model, data, *placed)[order])
        for name, unit in (("torques", "N·m, N"), ("accelerations", "rad/s², m/s²")):
            value = np.stack(rows[name], axis=1)
            within = 1e-11 * float(np.abs(value).max())
            why = "rounding of a few hundred products: 1e-11 of the largest"
            found[f"{name}, {n} joints"] = sim.Expected(value, unit, within, why)
    return found


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

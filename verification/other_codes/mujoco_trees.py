"""Torques and accelerations of branched trees with hinges and slides, by MuJoCo's own import.

The trees of `pinocchio_trees`, read by MuJoCo's importer of URDF and not by this package's.
"""

import importlib

import numpy as np

import sim
from sim.robots.loading import read_urdf
from sim.verification.bodies import random_tree

SIZES = (3, 5, 7, 9)
OPTIONS = (
    '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false"/></mujoco>'
)


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
    """mj_inverse and mj_forward, without joint limits."""
    mujoco = importlib.import_module("mujoco")
    found = {}
    for n in SIZES:
        text = _tree(n).replace("<link", OPTIONS + "<link", 1)
        model = mujoco.MjModel.from_xml_string(text)
        model.opt.gravity[:] = (0, 0, -9.81)
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        data = mujoco.MjData(model)
        order = [model.joint(f"joint_{k}").dofadr[0] for k in range(n)]
        rows = {"torques": [], "accelerations": []}
        for q, qd, last in zip(*_states(n).swapaxes(1, 2), strict=True):
            data.qpos[order], data.qvel[order], data.qacc[order] = q, qd, last
            mujoco.mj_inverse(model, data)
            rows["torques"].append(data.qfrc_inverse[order])
            data.qfrc_applied[order] = last
            mujoco.mj_forward(model, data)
            rows["accelerations"].append(data.qacc[order])
        for name, unit in (("torques", "N·m, N"), ("accelerations", "rad/s², m/s²")):
            value = np.stack(rows[name], axis=1)
            within = 1e-10 * float(np.abs(value).max())
            why = "MuJoCo finds principal axes by an iteration that stops at 1e-12"
            found[f"{name}, {n} joints"] = sim.Expected(value, unit, within, why)
    return found


CASE = sim.Case(
    source=sim.Source(
        "Todorov, E., Erez, T. and Tassa, Y.",
        2012,
        "MuJoCo: A physics engine for model-based control",
        "IEEE/RSJ IROS, p. 5026-5033; functions mj_inverse and mj_forward",
    ),
    equation="τ = M q̈ + C q̇ + g",
    compute=compute,
    methods=("model", "bullet"),
    expected=expected,
    oracle="mujoco",
)

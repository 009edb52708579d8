"""Torques and accelerations of branched trees with hinges and slides, by MuJoCo's own import.

The trees of `pinocchio_trees`, read by MuJoCo's importer of URDF and not by this package's.
"""

import importlib

import numpy as np

import sim
from sim.verification.random_trees import compute, expected_by

OPTIONS = (
    '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false"/></mujoco>'
)


def answer(text, names, states):
    """mj_inverse and mj_forward, without joint limits."""
    mujoco = importlib.import_module("mujoco")
    model = mujoco.MjModel.from_xml_string(text.replace("<link", OPTIONS + "<link", 1))
    model.opt.gravity[:] = (0, 0, -9.81)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    order = [model.joint(name).dofadr[0] for name in names]
    torques, accelerations = np.empty((2, *states.shape[1:]))
    for k, (q, qd, last) in enumerate(np.moveaxis(states, -1, 0)):
        data.qpos[order], data.qvel[order], data.qacc[order] = q, qd, last
        mujoco.mj_inverse(model, data)
        torques[:, k] = data.qfrc_inverse[order]
        data.qfrc_applied[order] = last
        mujoco.mj_forward(model, data)
        accelerations[:, k] = data.qacc[order]
    return torques, accelerations


def expected():
    """To what MuJoCo's principal axes are known."""
    return expected_by(
        answer, 1e-10, "MuJoCo finds principal axes by an iteration that stops at 1e-12"
    )


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

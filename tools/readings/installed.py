"""Readings of a URDF by PyBullet, MuJoCo and Pinocchio with their plainest call."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sim.engines.bullet.suppress_c_output import suppress_c_output
from tools.readings.seen import Seen

PUSH, LONG = 20.0, 2.0  # [N·m, s]; test of the hinge against its limits
_KINDS = {0: 1, 1: 1, 2: 3, 3: 3, 4: 0}  # degrees of freedom of PyBullet's joints


def read_by_pybullet(text: str) -> Seen:
    """Read by ``loadURDF(file, useFixedBase=True)``; the root by ``loadURDF(file)``."""
    import pybullet as p

    client = p.connect(p.DIRECT)
    try:
        with tempfile.TemporaryDirectory() as folder, suppress_c_output():
            path = Path(folder, "arm.urdf")
            path.write_text(text, encoding="utf-8")
            try:
                seen = _pybullet(p, p.loadURDF(str(path), useFixedBase=True))
            except p.error as error:
                return Seen(error=str(error))
            return replace(seen, floats=_falls(p, p.loadURDF(str(path))))
    finally:
        p.disconnect(client)


def _pybullet(p: Any, body: int) -> Seen:
    info = [p.getJointInfo(body, k) for k in range(p.getNumJoints(body))]
    n = sum(_KINDS[row[2]] for row in info)
    seen = Seen(
        n=n,
        nq=n,
        lower=info[0][8],
        upper=info[0][9],
        masses={row[12].decode(): p.getDynamicsInfo(body, row[0])[0] for row in info},
        has_tip=len(info) > 1,
        damping=info[0][6],
        friction=info[0][7],
        effort=info[0][10],
    )
    if info[0][2] == p.JOINT_PLANAR:
        return replace(seen, at_rest=_slide(p, body))
    if n == 0 or info[0][2] != p.JOINT_REVOLUTE:
        return seen
    zero, one = [0.0] * n, [1.0, *[0.0] * (n - 1)]
    p.setGravity(0, 0, -9.81)
    held, moved = (p.calculateInverseDynamics(body, zero, v, zero)[0] for v in (zero, one))
    p.setGravity(0, 0, 0)
    for link in range(-1, len(info)):
        p.changeDynamics(body, link, linearDamping=0, angularDamping=0)
    p.setJointMotorControlArray(body, range(len(info)), p.VELOCITY_CONTROL, forces=[0] * len(info))
    inertia = p.calculateMassMatrix(body, zero)[0][0]
    dt = p.getPhysicsEngineParameters()["fixedTimeStep"]
    (rate, slowed), reach = (_step(p, body, dt, *of) for of in ((1.0, 0.0), (0.0, 1.0))), 0.0
    p.setGravity(0, 0, -9.81)
    p.resetJointState(body, 0, 0.0)
    for _ in range(round(LONG / dt)):
        p.setJointMotorControl2(body, 0, p.TORQUE_CONTROL, force=PUSH)
        p.stepSimulation()
        reach = max(reach, p.getJointState(body, 0)[0])
    return replace(
        seen, M=inertia, g=held, drag=moved - held, reach=reach,
        brake=-slowed * inertia, acceleration=rate * inertia / 0.07,
    )  # fmt: skip


def _step(p: Any, body: int, dt: float, torque: float, speed: float) -> float:
    """Return the acceleration of the hinge in one step [rad/s²]."""
    p.resetJointState(body, 0, 0.0, speed)
    p.setJointMotorControl2(body, 0, p.TORQUE_CONTROL, force=torque)
    p.stepSimulation()
    return float(p.getJointState(body, 0)[1] - speed) / dt


def _slide(p: Any, body: int) -> tuple[float, ...]:
    """Return the weight of a body that slides down, by its acceleration."""
    p.setGravity(0, 0, -9.81)
    for link in (-1, 0):
        p.changeDynamics(body, link, linearDamping=0, angularDamping=0)
    before = p.getLinkState(body, 0)[0][2]
    p.stepSimulation()
    dt = p.getPhysicsEngineParameters()["fixedTimeStep"]
    after = p.getLinkState(body, 0, computeForwardKinematics=True)[0][2]
    return ((after - before) / dt**2,)


def _falls(p: Any, body: int) -> bool:
    p.setGravity(0, 0, -9.81)
    for _ in range(10):
        p.stepSimulation()
    return bool(p.getBasePositionAndOrientation(body)[0][2] < -1e-4)


def read_by_mujoco(text: str) -> Seen:
    """Read by ``MjModel.from_xml_string``."""
    import mujoco

    mujoco.set_mju_user_warning(lambda message: None)  # a push may diverge, which does not matter
    try:
        with suppress_c_output():
            model = mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        return Seen(error=str(error))
    data = mujoco.MjData(model)

    def inverse(speed: float) -> Any:
        data.qpos[:], data.qacc[:], data.qvel[:] = model.qpos0, 0.0, 0.0
        data.qvel[0] = speed
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse.copy()

    held, moved, column = inverse(0.0), inverse(1.0), np.empty(model.nv)
    mujoco.mj_mulM(model, data, column, np.eye(model.nv)[0])
    bodies = [model.body(k).name for k in range(model.nbody)]
    reach, start = 0.0, mujoco.MjData(model)
    start.qfrc_applied[0] = PUSH
    for _ in range(round(LONG / model.opt.timestep)):
        mujoco.mj_step(model, start)
        reach = max(reach, float(start.qpos[0]))
    has_range = bool(model.jnt_limited[0])
    return Seen(
        n=model.nv,
        nq=model.nq,
        lower=float(model.jnt_range[0, 0]) if has_range else -np.inf,
        upper=float(model.jnt_range[0, 1]) if has_range else np.inf,
        reach=reach,
        M=float(column[0]),
        g=float(held[0]),
        drag=float(moved[0] - held[0]),
        at_rest=tuple(held.tolist()),
        masses=dict(zip(bodies, model.body_mass.tolist(), strict=True)),
        has_tip="tip" in bodies,
        damping=float(model.dof_damping[0]),
        friction=float(model.dof_frictionloss[0]),
        effort=float(model.jnt_actfrcrange[0, 1]) if model.jnt_actfrclimited[0] else np.inf,
        is_soft=model.neq > 0,
    )


def read_by_pinocchio(text: str) -> Seen:
    """Read by ``buildModelFromXML``."""
    import pinocchio as pin

    try:
        with suppress_c_output():
            model = pin.buildModelFromXML(text)
    except ValueError as error:
        return Seen(error=str(error))
    q, zero, one = pin.neutral(model), np.zeros(model.nv), np.eye(model.nv)[0]
    held, moved = (pin.rnea(model, model.createData(), q, v, zero) for v in (zero, one))
    return Seen(
        n=model.nv,
        nq=model.nq,
        lower=float(model.lowerPositionLimit[0]),
        upper=float(model.upperPositionLimit[0]),
        M=float(pin.crba(model, model.createData(), q)[0, 0]),
        g=float(held[0]),
        drag=float(moved[0] - held[0]),
        at_rest=tuple(held.tolist()),
        masses={
            frame: model.inertias[k].mass
            for k, name in enumerate(model.names)
            for frame in {"hinge": ["rod"], "second": ["tip"]}.get(name, [])
        },
        has_tip=model.njoints > 2,
        damping=float(model.damping[0]),
        friction=float(model.upperDryFrictionLimit[0]),
        effort=float(model.upperEffortLimit[0]),
        is_coupled=model.nv == 1 and model.njoints > 2,
    )


READERS: Mapping[str, Callable[[str], Seen]] = {
    "PyBullet": read_by_pybullet,
    "MuJoCo": read_by_mujoco,
    "Pinocchio": read_by_pinocchio,
}

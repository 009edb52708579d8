"""Readings of an MJCF file by programs with their plainest call."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sim.engines.bullet.suppress_c_output import suppress_c_output
from tools.readings.planted_mjcf import FILES
from tools.readings.seen import Seen, text_reader

_reader = text_reader("arm.xml", FILES)


@_reader
def read_by_mujoco(path: str) -> Seen:
    """Read by ``MjModel.from_xml_path``."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(path)
    data, column = mujoco.MjData(model), np.empty(model.nv)

    def inverse(speed: float) -> Any:
        data.qpos[:], data.qacc[:], data.qvel[:] = model.qpos0, 0.0, 0.0
        data.qpos[0], data.qvel[0] = 0.0, speed
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse.copy()

    held, moved = inverse(0.0), inverse(1.0)
    mujoco.mj_mulM(model, data, column, np.eye(model.nv)[0])
    bodies = [model.body(k).name for k in range(model.nbody)]
    limited = bool(model.jnt_limited[0])
    force = [model.actuator_gear[a, 0] * model.actuator_forcerange[a, 1] for a in range(model.nu)]
    return Seen(
        n=model.nv,
        lower=float(model.jnt_range[0, 0]) if limited else -np.inf,
        upper=float(model.jnt_range[0, 1]) if limited else np.inf,
        M=float(column[0]),
        g=float(held[0]),
        drag=float(moved[0] - held[0]),
        masses=dict(zip(bodies, model.body_mass.tolist(), strict=True)),
        effort=math.fsum(force) or None,
        is_soft=model.neq > 0,
        has_servo=bool(np.any(model.actuator_biastype)),
    )


@_reader
def read_by_pinocchio(path: str) -> Seen:
    """Read by ``buildModelFromMJCF``."""
    import pinocchio as pin

    model = pin.buildModelFromMJCF(path)
    q, zero, one = pin.neutral(model), np.zeros(model.nv), np.eye(model.nv)[0]
    held, moved, pushed = (
        pin.rnea(model, model.createData(), q, v, a)
        for v, a in ((zero, zero), (one, zero), (zero, one))
    )
    names = {"hinge": "rod", "second": "tip"}
    effort = float(model.upperEffortLimit[0])
    return Seen(
        n=model.nv,
        lower=float(model.lowerPositionLimit[0]),
        upper=float(model.upperPositionLimit[0]),
        M=float(pushed[0] - held[0]),
        g=float(held[0]),
        drag=float(moved[0] - held[0]),
        masses={
            names.get(name, name): model.inertias[k].mass for k, name in enumerate(model.names)
        },
        damping=float(model.damping[0]),
        friction=float(model.upperDryFrictionLimit[0]),
        effort=effort if math.isfinite(effort) else None,
    )


@_reader
def read_by_drake(path: str) -> Seen:
    """Read by ``Parser.AddModels``."""
    from pydrake.all import (
        AddMultibodyPlantSceneGraph,
        DiagramBuilder,
        MultibodyForces,
        Parser,
    )

    plant, _ = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.0)
    Parser(plant).AddModels(path)
    plant.Finalize()
    context, n = plant.CreateDefaultContext(), plant.num_velocities()
    if plant.num_positions() == n:
        plant.SetPositions(context, np.zeros(n))

    def inverse(speed: float) -> Any:
        plant.SetVelocities(context, speed * np.eye(n)[0])
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, np.zeros(n), forces)

    held, moved = inverse(0.0), inverse(1.0)
    bodies = (plant.get_body(k) for k in plant.GetBodyIndices(plant.GetModelInstanceByName("arm")))
    motors = [plant.get_joint_actuator(k) for k in plant.GetJointActuatorIndices()]
    seen = Seen(
        n=n,
        M=float(plant.CalcMassMatrix(context)[0, 0]),
        g=float(held[0]),
        drag=float(moved[0] - held[0]),
        masses={body.name(): body.default_mass() for body in bodies},
        effort=next((m.default_gear_ratio() * m.effort_limit() for m in motors), None),
        is_soft=plant.num_constraints() > 0,
        has_servo=any(motor.has_controller() for motor in motors),
    )
    if not plant.HasJointNamed("hinge") or plant.GetJointByName("hinge").num_positions() != 1:
        return seen
    joint = plant.GetJointByName("hinge")
    lower, upper = joint.position_lower_limits()[0], joint.position_upper_limits()[0]
    return replace(seen, lower=float(lower), upper=float(upper))


@_reader
def read_by_pybullet(path: str) -> Seen:
    """Read by ``loadMJCF``."""
    import pybullet as p

    client = p.connect(p.DIRECT)
    try:
        with suppress_c_output():
            bodies = p.loadMJCF(path)
            return _of_pybullet(p, bodies)
    finally:
        p.disconnect(client)


def _of_pybullet(p: Any, bodies: tuple[int, ...]) -> Seen:
    masses, n, first = dict[str, float](), 0, bodies[0]
    for body in bodies:
        base = p.getDynamicsInfo(body, -1)[0]
        masses[p.getBodyInfo(body)[0].decode()] = base
        n += 6 if base else 0
        for k in range(p.getNumJoints(body)):
            info = p.getJointInfo(body, k)
            masses[info[12].decode()] = p.getDynamicsInfo(body, k)[0]
            n += info[2] in (p.JOINT_REVOLUTE, p.JOINT_PRISMATIC)
    moving = [k for k in range(p.getNumJoints(first)) if p.getJointInfo(first, k)[2] == 0]
    seen = Seen(n=n, masses=masses)
    if not moving:
        return seen
    info, zero = p.getJointInfo(first, moving[0]), [0.0] * len(moving)
    one = [1.0, *zero[1:]]
    p.setGravity(0, 0, -9.81)
    held, moved = (p.calculateInverseDynamics(first, zero, v, zero)[0] for v in (zero, one))
    return replace(
        seen,
        lower=info[8],
        upper=info[9],
        M=p.calculateMassMatrix(first, zero)[0][0],
        g=held,
        drag=moved - held,
        damping=info[6],
        friction=info[7],
        effort=info[10] or None,
    )


@_reader
def read_by_newton(path: str) -> Seen:
    """Read by ``ModelBuilder.add_mjcf``; inertia and weight from the resulting bodies."""
    import newton
    import warp

    warp.config.quiet = True
    builder = newton.ModelBuilder()
    builder.add_mjcf(path)
    tensors = builder.finalize(device="cpu").body_inertia.numpy()
    names = [label.rpartition("/")[2] for label in builder.body_label]
    rod = names.index("rod")
    mass, com = builder.body_mass[rod], np.array(builder.body_com[rod])
    axis = np.array((0.0, 1.0, 0.0))
    moment = tensors[rod].reshape(3, 3) + mass * (com @ com * np.eye(3) - np.outer(com, com))
    effort = builder.joint_effort_limit[0]
    return Seen(
        n=builder.joint_dof_count,
        lower=float(builder.joint_limit_lower[0]),
        upper=float(builder.joint_limit_upper[0]),
        M=float(axis @ moment @ axis),
        g=float(axis @ np.cross(com, (0, 0, 9.81 * mass))),
        masses=dict(zip(names, builder.body_mass, strict=True)),
        damping=builder.joint_damping[0],
        friction=builder.joint_friction[0],
        armature=builder.joint_armature[0],
        stiffness=builder.joint_stiffness[0],
        effort=effort if effort < 1e6 else None,
        is_coupled=len(builder.constraint_mimic_joint0) > 0,
        has_servo=builder.joint_target_ke[0] > 0,
    )


READERS: Mapping[str, Callable[[str], Seen]] = {
    "PyBullet": read_by_pybullet,
    "MuJoCo": read_by_mujoco,
    "Pinocchio": read_by_pinocchio,
    "Drake": read_by_drake,
    "Newton": read_by_newton,
}

"""Readings of a URDF by Drake, Newton and roboticstoolbox with their plainest call."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tools.readings.installed import LONG, PUSH
from tools.readings.seen import Seen

STEP = 1e-3  # [s]; step of Drake's simulation


def read_by_drake(text: str) -> Seen:
    """Read by ``Parser.AddModelsFromString``, the root welded unless it is tested itself."""
    from pydrake.all import MultibodyForces

    try:
        plant, _ = _drake(text, 0.0, weld=True)
        floats = _drake(text, 0.0, weld=False)[0].num_velocities() > plant.num_velocities()
    except RuntimeError as error:
        return Seen(error=str(error))
    context, n = plant.CreateDefaultContext(), plant.num_velocities()

    def inverse(speed: float) -> Any:
        plant.SetVelocities(context, speed * np.eye(n)[0])
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, np.zeros(n), forces)

    held, moved = inverse(0.0), inverse(1.0)
    joint = plant.GetJointByName("hinge") if plant.HasJointNamed("hinge") else None
    bodies = [plant.get_body(k) for k in plant.GetBodyIndices(plant.GetModelInstanceByName("arm"))]
    actuators = [plant.get_joint_actuator(k) for k in plant.GetJointActuatorIndices()]
    seen = Seen(
        floats=floats,
        n=n,
        nq=plant.num_positions(),
        M=float(plant.CalcMassMatrix(context)[0, 0]),
        g=float(held[0]),
        drag=float(moved[0] - held[0]),
        at_rest=tuple(held.tolist()),
        masses={body.name(): body.default_mass() for body in bodies},
        has_tip=plant.HasBodyNamed("tip"),
        actuators=len(actuators),
        effort=actuators[0].effort_limit() if actuators else None,
    )
    if joint is None or joint.num_velocities() != 1:
        return seen
    lower, upper = float(joint.position_lower_limit()), float(joint.position_upper_limit())
    damping = float(joint.default_damping_vector()[0])
    return replace(seen, lower=lower, upper=upper, damping=damping, reach=_drake_reach(text))


def _drake(text: str, step: float, *, weld: bool) -> tuple[Any, Any]:
    from pydrake.all import AddMultibodyPlantSceneGraph, DiagramBuilder, Parser

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, step)
    Parser(plant).AddModelsFromString(text, "urdf")
    if weld:
        plant.WeldFrames(plant.world_frame(), plant.GetBodyByName("base").body_frame())
    plant.Finalize()
    return plant, builder


def _drake_reach(text: str) -> float | None:
    """Return the largest position of the hinge under a torque; None if it cannot be simulated."""
    from pydrake.all import Simulator

    plant, builder = _drake(text, STEP, weld=True)
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    push = PUSH * np.eye(plant.num_velocities())[0]
    plant.get_applied_generalized_force_input_port().FixValue(context, push)
    reach = 0.0
    for time in np.arange(0.05, LONG, 0.05):
        try:
            simulator.AdvanceTo(time)
        except RuntimeError:  # no part has mass
            return None
        reach = max(reach, float(plant.GetPositions(context)[0]))
    return reach


def read_by_newton(text: str) -> Seen:
    """Read by ``ModelBuilder.add_urdf``; inertia and weight from the resulting bodies."""
    import newton
    import warp

    warp.config.quiet = True
    builder = newton.ModelBuilder()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "arm.urdf")
        path.write_text(text, encoding="utf-8")
        try:
            builder.add_urdf(str(path))
            tensors = builder.finalize(device="cpu").body_inertia.numpy()
        except Exception as error:
            return Seen(error=repr(error))
    names = [label.rpartition("/")[2] for label in builder.body_label]
    rod, kinds = names.index("rod"), list(builder.joint_type)
    fixed = newton.JointType.FIXED
    n, nq = builder.joint_dof_count, builder.joint_coord_count
    mass, com = builder.body_mass[rod], np.array(builder.body_com[rod])
    axis = np.array(builder.joint_axis[0])
    tensor = tensors[rod].reshape(3, 3)
    moment = tensor + mass * (com @ com * np.eye(3) - np.outer(com, com))
    return Seen(
        floats=kinds[0] != fixed,
        n=n,
        nq=nq,
        lower=builder.joint_limit_lower[0],
        upper=builder.joint_limit_upper[0],
        M=float(axis @ moment @ axis),
        g=float(axis @ np.cross(com, (0, 0, 9.81 * mass))),
        masses=dict(zip(names, builder.body_mass, strict=True)),
        has_tip="tip" in names,
        damping=builder.joint_damping[0],
        friction=builder.joint_friction[0],
        effort=builder.joint_effort_limit[0],
        is_coupled=max(builder.joint_mimic_joint) >= 0,
    )


def read_by_roboticstoolbox(text: str) -> Seen:
    """Read by ``Robot.URDF``, and ``rne``."""
    import roboticstoolbox

    warnings.simplefilter("ignore", DeprecationWarning)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "arm.urdf")
        path.write_text(text, encoding="utf-8")
        try:
            robot = roboticstoolbox.Robot.URDF(str(path))
        except Exception as error:
            return Seen(error=repr(error))
    masses = {link.name: float(link.m) for link in robot.links}
    seen = Seen(n=robot.n, nq=robot.n, masses=masses, has_tip="tip" in masses)
    if not robot.n:
        return seen
    zero, one = np.zeros(robot.n), np.eye(robot.n)[0]

    def torque(v: Any, a: Any) -> float:
        return float(np.ravel(robot.rne(zero, v, a))[0])

    hinge = next(link for link in robot.links if link.isjoint)
    lower, upper = np.array(robot.qlim)[:, 0]
    seen = replace(seen, lower=float(lower), upper=float(upper), damping=float(hinge.B))
    if not any(masses.values()):  # refused by rne
        return seen
    held = torque(zero, zero)
    return replace(
        seen, g=held, M=torque(zero, one) - held, drag=torque(one, zero) - held,
        friction=float(hinge.Tc[0]),
    )  # fmt: skip


READERS: Mapping[str, Callable[[str], Seen]] = {
    "Drake": read_by_drake,
    "Newton": read_by_newton,
    "roboticstoolbox": read_by_roboticstoolbox,
}

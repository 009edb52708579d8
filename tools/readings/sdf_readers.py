"""Readings of an SDF file by Drake and PyBullet with their plainest call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sim.engines.bullet.suppress_c_output import suppress_c_output
from tools.readings.seen import Seen, text_reader

_reader = text_reader("arm.sdf")
_TURNS = {0: 1, 1: 1, 2: 3, 3: 3, 4: 0}  # degrees of freedom of PyBullet's joints


@_reader
def read_by_drake(path: str) -> Seen:
    """Read by ``Parser.AddModels``, the base welded."""
    from pydrake.all import (
        AddMultibodyPlantSceneGraph,
        DiagramBuilder,
        MultibodyForces,
        Parser,
    )

    plant, _ = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.0)
    models = Parser(plant).AddModels(path)
    if plant.HasBodyNamed("base"):
        plant.WeldFrames(plant.world_frame(), plant.GetBodyByName("base").body_frame())
    plant.Finalize()
    context, n = plant.CreateDefaultContext(), plant.num_velocities()
    joint = plant.GetJointByName("hinge")
    dof = joint.velocity_start()

    def inverse(speed: float) -> Any:
        plant.SetVelocities(context, speed * np.eye(n)[dof])
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, np.zeros(n), forces)[dof]

    held, moved = inverse(0.0), inverse(1.0)
    bodies = [plant.get_body(k) for model in models for k in plant.GetBodyIndices(model)]
    motors = [plant.get_joint_actuator(k) for k in plant.GetJointActuatorIndices()]
    seen = Seen(
        n=n,
        M=float(plant.CalcMassMatrix(context)[dof, dof]),
        g=float(held),
        drag=float(moved - held),
        masses={body.name(): body.default_mass() for body in bodies},
        actuators=len(motors),
        effort=motors[0].effort_limit() if motors else None,
        is_coupled=plant.num_constraints() > 0,
    )
    if joint.num_positions() != 1:
        return seen
    lower, upper = joint.position_lower_limits()[0], joint.position_upper_limits()[0]
    return replace(seen, lower=float(lower), upper=float(upper))


@_reader
def read_by_pybullet(path: str) -> Seen:
    """Read by ``loadSDF``; inertia and weight by what is read back, since the base floats."""
    import pybullet as p

    client = p.connect(p.DIRECT)
    try:
        with suppress_c_output():
            return _of_pybullet(p, p.loadSDF(path))
    finally:
        p.disconnect(client)


def _of_pybullet(p: Any, bodies: tuple[int, ...]) -> Seen:
    masses, n = dict[str, float](), 0
    for body in bodies:
        masses[p.getBodyInfo(body)[0].decode()] = p.getDynamicsInfo(body, -1)[0]
        for k in range(p.getNumJoints(body)):
            info = p.getJointInfo(body, k)
            masses[info[12].decode()] = p.getDynamicsInfo(body, k)[0]
            n += _TURNS[info[2]]
    body, names = (
        bodies[0],
        [p.getJointInfo(bodies[0], k)[1] for k in range(p.getNumJoints(bodies[0]))],
    )
    hinge = names.index(b"hinge")
    info = p.getJointInfo(body, hinge)
    rested, slowed = (_step(p, body, hinge, speed) for speed in (0.0, 1.0))
    M, g = 0.0, 0.0
    for k in range(len(names)):  # all after the hinge, which is the first
        M, g = np.add((M, g), _about(p, body, hinge, k))
    return Seen(
        n=n,
        masses=masses,
        lower=info[8],
        upper=info[9],
        M=float(M),
        g=float(g),
        damping=info[6],
        friction=info[7],
        effort=info[10],
        acceleration=rested,
        brake=-slowed,
    )


def _step(p: Any, body: int, hinge: int, speed: float) -> float:
    """Return the acceleration of the hinge in one step without gravity and motor [rad/s²]."""
    for link in range(-1, p.getNumJoints(body)):
        p.changeDynamics(body, link, linearDamping=0, angularDamping=0)
    p.setJointMotorControl2(body, hinge, p.VELOCITY_CONTROL, force=0)
    p.resetJointState(body, hinge, 0.0, speed)
    p.stepSimulation()
    after = p.getJointState(body, hinge)[1]
    p.resetJointState(body, hinge, 0.0)
    return float(after - speed) / float(p.getPhysicsEngineParameters()["fixedTimeStep"])


def _about(p: Any, body: int, hinge: int, link: int) -> tuple[float, float]:
    """Return inertia about a hinge, and torque that holds the link's weight [kg·m², N·m]."""
    mass, _, moments, *_ = p.getDynamicsInfo(body, link)
    com, turned = map(np.array, p.getLinkState(body, link)[:2])
    origin, at = np.array(p.getLinkState(body, hinge)[4]), p.getLinkState(body, hinge)[1]
    R = np.reshape(p.getMatrixFromQuaternion(turned), (3, 3))
    axis = np.reshape(p.getMatrixFromQuaternion(at), (3, 3)) @ p.getJointInfo(body, hinge)[13]
    arm = com - origin
    inertia = axis @ R @ np.diag(moments) @ R.T @ axis + mass * np.sum(np.cross(axis, arm) ** 2)
    return float(inertia), float(axis @ np.cross(arm, (0, 0, 9.81 * mass)))


READERS: Mapping[str, Callable[[str], Seen]] = {
    "PyBullet": read_by_pybullet,
    "Drake": read_by_drake,
}

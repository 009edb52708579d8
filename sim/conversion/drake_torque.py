"""Joint torques of a robot file by Drake."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from sim.conversion.question import MovingPart, TorqueQuestion
from sim.dynamics.gravity import GRAVITY
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import rotations_of_vectors
from sim.maths.rotations import rpy_from_rotation
from sim.robots.xml_text import parse, text_of


def drake_torque(question: TorqueQuestion) -> Array:
    """Return torques (n, N); a floating base is welded at its pose in the file."""
    plants = importlib.import_module("pydrake.multibody.plant")
    plant = plants.MultibodyPlant(0.0)
    _parse(plant, question)
    plant.mutable_gravity_field().set_gravity_vector(GRAVITY)
    _weld(plant)
    plant.Finalize()
    return _torque(plant, question)


def _parse(plant: Any, question: TorqueQuestion) -> None:
    parser = importlib.import_module("pydrake.multibody.parsing").Parser(plant)
    if not question.cut:
        parser.AddModels(str(question.path))
        return
    root = parse(question.path.read_text(encoding="utf-8"), str(question.path))
    for joint in list(root.iter("joint")):
        if (model := joint.getparent()) is not None and joint.get("name") in question.cut:
            model.remove(joint)
    parser.AddModelsFromString(text_of(root), "sdf")


def _weld(plant: Any) -> None:
    """Weld one body of each tree without a joint to the world."""
    bodies = importlib.import_module("pydrake.multibody.tree").BodyIndex
    joints = [plant.get_joint(j) for j in plant.GetJointIndices()]
    pairs = [(int(j.parent_body().index()), int(j.child_body().index())) for j in joints]
    carried = {child for _, child in pairs}
    order = [k for k in range(plant.num_bodies()) if k not in carried] + sorted(carried)
    tied = _connected_bodies({0}, pairs)
    while (free := next((k for k in order if k not in tied), None)) is not None:
        body = plant.get_body(bodies(free))
        pose = getattr(plant, "GetDefaultFloatingBaseBodyPose", None)
        X = (pose or plant.GetDefaultFreeBodyPose)(body)
        plant.WeldFrames(plant.world_frame(), body.body_frame(), X)
        tied = _connected_bodies({*tied, free}, pairs)


def _connected_bodies(bodies: set[int], pairs: list[tuple[int, int]]) -> set[int]:
    """Return bodies that joints connect with given bodies."""
    while more := {k for pair in pairs if bodies & {*pair} for k in pair} - bodies:
        bodies = bodies | more
    return bodies


def _torque(plant: Any, question: TorqueQuestion) -> Array:
    tree = importlib.import_module("pydrake.multibody.tree")
    context, forces = plant.CreateDefaultContext(), tree.MultibodyForces(plant)
    joints = [_joint(plant, motion, question.model) for motion in question.motions]
    tau = np.zeros_like(question.q)
    for k in range(tau.shape[1]):
        positions, rates = plant.GetPositions(context), np.zeros(plant.num_velocities())
        accelerations, turns = np.zeros(plant.num_velocities()), []
        for motion, (joint, place, dof) in zip(question.motions, joints, strict=True):
            q, qd, qdd = (of[motion.rows, k] for of in (question.q, question.qd, question.qdd))
            R = np.eye(len(q))
            if motion.is_ball:  # Drake uses angles about fixed axes, and rates along these
                R_bm = joint.frame_on_child().GetFixedPoseInBodyFrame().rotation().matrix()
                R_fm = R_bm.T @ rotations_of_vectors(q[:, None])[..., 0] @ R_bm
                R, q = R_fm @ R_bm.T, np.array(rpy_from_rotation(R_fm))
            turns.append(R)
            positions[place : place + len(q)] = q
            rates[dof : dof + len(q)], accelerations[dof : dof + len(q)] = R @ qd, R @ qdd
        plant.SetPositions(context, positions)
        plant.SetVelocities(context, rates)
        every = plant.CalcInverseDynamics(context, accelerations, forces)
        every = every - plant.CalcGravityGeneralizedForces(context)
        for motion, (_, _, dof), R in zip(question.motions, joints, turns, strict=True):
            tau[motion.rows, k] = R.T @ every[dof : dof + len(R)]
    return tau


def _joint(plant: Any, motion: MovingPart, model: str) -> tuple[Any, int, int]:
    """Return a joint with the indices of its positions and velocities; names may be shared."""
    every = [plant.get_joint(j) for j in plant.GetJointIndices()]
    names = [f"{plant.GetModelInstanceName(j.model_instance())}::{j.name()}" for j in every]
    ends = [k for k, name in enumerate(names) if name.endswith(f"::{motion.joint}")]
    exact = [k for k in ends if names[k] == f"{model}::{motion.joint}"]
    if len(chosen := exact or ends) != 1:
        raise LookupError(f"it has {len(chosen) or 'no'} joints {motion.joint!r}")
    joint, number = every[chosen[0]], motion.number
    return joint, joint.position_start() + number, joint.velocity_start() + number

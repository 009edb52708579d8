"""Joint laws of a compiled model: losses, springs, rotors and actuator limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec import Struct

from sim.robots.drive_train import DriveTrain
from sim.robots.mjcf.compiled import HINGE, SLIDE, Compiled
from sim.robots.spring import JointSpring

ON_JOINT = (0, 1)  # transmission types "joint" and "jointinparent"
FIXED_GAIN, AFFINE_GAIN = 0, 1
NO_BIAS, AFFINE_BIAS = 0, 1


class Actuator(Struct, frozen=True, eq=False):
    """An actuator of the file that acts on a joint.

    Parameters
    ----------
    number : int
        MuJoCo's number.
    name, joint : str
    gear : float
        Torque at the joint over the actuator force.
    """

    number: int
    name: str
    joint: str
    gear: float


class JointLaw(Struct, frozen=True, eq=False):
    """Laws of a joint that elements of a robot can represent.

    Parameters
    ----------
    damping : float
        Damping of joint and actuators together [N·m·s/rad or N·s/m].
    friction : float
        Load-independent dry friction [N·m or N].
    effort : float
        Largest torque of its actuators together; 0 if unlimited [N·m or N].
    spring : JointSpring or None
    drive : DriveTrain or None
        Ratio and rotor.
    left_out : tuple of (str, str)
        Laws that are not in the robot, with their replacement.
    """

    damping: float = 0.0
    friction: float = 0.0
    effort: float = 0.0
    spring: JointSpring | None = None
    drive: DriveTrain | None = None
    left_out: tuple[tuple[str, str], ...] = ()


def joint_actuators(compiled: Compiled) -> list[Actuator]:
    """Return the actuators that act on joints."""
    model = compiled.model
    return [
        Actuator(
            a,
            compiled.name("actuator", a),
            compiled.joints[int(model.actuator_trnid[a, 0])],
            float(model.actuator_gear[a, 0]),
        )
        for a in range(int(model.nu))
        if int(model.actuator_trntype[a]) in ON_JOINT
    ]


def joint_laws(compiled: Compiled) -> dict[str, JointLaw]:
    """Return the laws of each joint, by name."""
    motors = joint_actuators(compiled)
    return {
        name: _law(compiled.model, j, [one for one in motors if one.joint == name])
        for j, name in enumerate(compiled.joints)
    }


def _law(model: Any, j: int, motors: list[Actuator]) -> JointLaw:
    dof, has_axis = int(model.jnt_dofadr[j]), int(model.jnt_type[j]) in (HINGE, SLIDE)
    omissions = list[tuple[str, str]]()
    damping, friction = float(model.dof_damping[dof]), float(model.dof_frictionloss[dof])
    if has_axis:
        damping += sum(m.gear**2 * float(model.actuator_damping[m.number]) for m in motors)
    powers = [model.dof_dampingpoly[dof], *(model.actuator_dampingpoly[m.number] for m in motors)]
    if np.any(powers):
        omissions.append(("damping that is not linear in the speed", "its linear part"))
    if friction and not has_axis:
        friction = 0.0
        omissions.append(("dry friction of a joint with several rotations", "no friction"))
    spring = _spring(model, j, omissions) if has_axis else None
    if not has_axis and float(model.jnt_stiffness[j]):
        omissions.append(("a spring of a joint with several rotations", "no spring"))
    if (inertia := float(model.dof_armature[dof])) and not has_axis:
        omissions.append((f"armature {inertia:g} of a joint with several rotations", "no rotor"))
    drive = _drive(model, inertia, motors) if has_axis else None
    effort = _effort(model, j, motors) if has_axis else 0.0
    return JointLaw(damping, friction, effort, spring, drive, tuple(omissions))


def _spring(model: Any, j: int, omissions: list[tuple[str, str]]) -> JointSpring | None:
    if np.any(model.jnt_stiffnesspoly[j]):
        omissions.append(("stiffness that is not linear in the position", "its linear part"))
    if not (stiffness := float(model.jnt_stiffness[j])):
        return None
    return JointSpring(stiffness, free_position=float(model.qpos_spring[model.jnt_qposadr[j]]))


def _drive(model: Any, inertia: float, motors: list[Actuator]) -> DriveTrain | None:
    """Return gear and rotor; actuators with different gears count as one at the joint itself."""
    inertia += sum(m.gear**2 * float(model.actuator_armature[m.number]) for m in motors)
    if not inertia:
        return None
    gears = {m.gear for m in motors if m.gear}
    ratio = gears.pop() if len(gears) == 1 else 1.0
    return DriveTrain(ratio, rotor_inertia=inertia / ratio**2)


def _effort(model: Any, j: int, motors: list[Actuator]) -> float:
    """Return the largest torque of all actuators of a joint; 0 if unlimited."""
    most = math.fsum(_most(model, one) for one in motors) if motors else math.inf
    if model.jnt_actfrclimited[j]:
        most = min(most, float(np.abs(model.jnt_actfrcrange[j]).max()))
    return most if math.isfinite(most) else 0.0


def _most(model: Any, motor: Actuator) -> float:
    """Return the largest torque of an actuator at the joint; infinite if unlimited."""
    number, most = motor.number, math.inf
    if model.actuator_forcelimited[number]:
        most = float(np.abs(model.actuator_forcerange[number]).max())
    is_plain = (
        int(model.actuator_gaintype[number]) == FIXED_GAIN
        and int(model.actuator_biastype[number]) == NO_BIAS
        and not int(model.actuator_dyntype[number])
    )
    if is_plain and model.actuator_ctrllimited[number]:
        gain = abs(float(model.actuator_gainprm[number, 0]))
        most = min(most, gain * float(np.abs(model.actuator_ctrlrange[number]).max()))
    return abs(motor.gear) * most


def actuator_law(model: Any, motor: Actuator) -> str:
    """Return the actuator force as a formula of the command u, the length L and its rate V."""
    n = motor.number
    gain, bias = (
        [float(x) for x in prm[n, :3]] for prm in (model.actuator_gainprm, model.actuator_biasprm)
    )
    kinds = int(model.actuator_gaintype[n]), int(model.actuator_biastype[n])
    if kinds[0] not in (FIXED_GAIN, AFFINE_GAIN) or kinds[1] not in (NO_BIAS, AFFINE_BIAS):
        return "a law of its own"
    terms = [(f"{gain[0]:g}*u", gain[0])]
    if kinds[0] == AFFINE_GAIN:
        terms += [(f"{gain[1]:g}*L*u", gain[1]), (f"{gain[2]:g}*V*u", gain[2])]
    if kinds[1] == AFFINE_BIAS:
        units = zip(bias, ("", "*L", "*V"), strict=True)
        terms += [(f"{size:g}{unit}", size) for size, unit in units]
    return " + ".join(text for text, size in terms if size).replace("+ -", "- ") or "0"

"""Pairs of joints that are one joint in SDF: a universal joint, or a screw."""

from __future__ import annotations

from sim.conversion.written import Written, rotor_of
from sim.robots.joint import Joint
from sim.robots.robot import Robot

SQUARE = 1e-9  # of the cosine between the axes of a universal joint


def names_in_sdf(robot: Robot) -> Written:
    """Return joints and motions of the SDF file that a robot was read from, without text."""
    places, absorbed = dict[str, tuple[str, int]](), dict[str, tuple[str, float]]()
    joints = {joint.name: joint for joint in robot.tree_joints}
    for name, joint in joints.items():
        stem, _, motion = name.rpartition(".")
        if motion in ("turn_a", "turn_b"):
            places[name] = (stem, int(motion == "turn_b"))
        elif motion == "slide" and stem in joints and (pitch := pitch_of(joint, joints[stem])):
            absorbed[name] = (stem, pitch)
    return Written("", places, absorbed)


def title(first: Joint, second: Joint | None) -> str:
    """Return the name of a joint, or of the joint that a pair forms."""
    if second is None:
        return first.name
    return second.name if pitch_of(first, second) else first.name.rpartition(".")[0] or first.name


def is_universal(first: Joint, second: Joint) -> bool:
    """Whether two joints at one point form a universal joint, without rotors."""
    has_names = first.name.endswith(".turn_a") and second.name.endswith(".turn_b")
    turning = all(one.kind in ("revolute", "continuous") for one in (first, second))
    is_plain = rotor_of(first) is None and rotor_of(second) is None
    is_square = abs(float(first.axis @ second.axis)) < SQUARE
    return has_names and turning and is_plain and is_square


def pitch_of(first: Joint, second: Joint) -> float:
    """Return advance over rotation of a slide on a hinge along one axis [m/rad]; else 0."""
    mimic = first.mimic
    if first.kind != "prismatic" or mimic is None or mimic.joint != second.name or mimic.offset:
        return 0.0
    along = float(first.axis @ second.axis)
    return mimic.multiplier * along if abs(abs(along) - 1) < SQUARE and not mimic.others else 0.0

"""Friction of a joint that follows the joint's own load, with the parameters of ADAMS."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sim.errors import ModelError
from sim.robots.joints import movable, with_joints
from sim.robots.model import Joint, Robot
from sim.robots.quantity import Checker

INPUTS = ("preload", "reaction_force", "bending_moment", "torsional_moment")


@dataclass(frozen=True)
class JointFriction:
    """Stick-slip friction of a revolute or prismatic joint; the law is in `sim.dynamics.friction`.

    The numbers that stand in for missing ones are those of ADAMS, read in SI units. Lengths of a
    metre suit no robot's bearing: give yours.

    Parameters
    ----------
    mu_static, mu_dynamic : float
        Coefficients of friction below the stiction velocity and well above it.
    stiction_velocity : float
        Speed at the surface of contact below which the joint sticks [m/s]: ``pin_radius |qd|`` of a
        revolute joint, ``|qd|`` of a prismatic one.
    pin_radius : float
        Where the force across the axis rubs, revolute joints only [m].
    friction_arm : float
        Revolute: where the force along the axis rubs. Prismatic: at which distance from the axis
        the moment about it is carried (REACTION_ARM of ADAMS) [m].
    bending_arm : float
        Length over which the moment across the axis is carried (BENDING_REACTION_ARM of a revolute
        joint of ADAMS, INITIAL_OVERLAP of a translational one) [m].
    preload : float
        Friction without any load [N·m, or N of a prismatic joint].
    max_torque : float
        The law never gives more [N·m, or N of a prismatic joint].
    inputs : tuple of str
        What the law counts, of "preload", "reaction_force", "bending_moment" and
        "torsional_moment" (prismatic joints only).

    Raises
    ------
    ModelError
        If a number is negative or not finite, a length or speed is zero, the dynamic coefficient
        is above the static one, or an input is unknown.

    References
    ----------
    MSC Adams Solver, statement FRICTION.
    """

    mu_static: float
    mu_dynamic: float
    stiction_velocity: float = 0.1
    pin_radius: float = 1.0
    friction_arm: float = 1.0
    bending_arm: float = 1.0
    preload: float = 0.0
    max_torque: float = math.inf
    inputs: tuple[str, ...] = INPUTS

    def __post_init__(self) -> None:
        check = Checker("Joint friction")
        values = {
            "mu_static": check.not_negative("mu_static", self.mu_static, ""),
            "mu_dynamic": check.not_negative("mu_dynamic", self.mu_dynamic, ""),
            "stiction_velocity": check.positive("stiction_velocity", self.stiction_velocity, "m/s"),
            "pin_radius": check.positive("pin_radius", self.pin_radius, "m"),
            "friction_arm": check.not_negative("friction_arm", self.friction_arm, "m"),
            "bending_arm": check.positive("bending_arm", self.bending_arm, "m"),
            "preload": check.not_negative("preload", self.preload, "N·m (prismatic: N)"),
        }
        if self.max_torque != math.inf:
            unit = "N·m (prismatic: N)"
            values["max_torque"] = check.not_negative("max_torque", self.max_torque, unit)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "inputs", tuple(self.inputs))
        if self.mu_dynamic > self.mu_static:
            raise ModelError(
                f"Joint friction: mu_dynamic {self.mu_dynamic:g} is above mu_static "
                f"{self.mu_static:g}; it must be at most that"
            )
        if unknown := [name for name in self.inputs if name not in INPUTS]:
            raise ModelError(
                f"Joint friction: inputs {unknown} are unknown; allowed: {', '.join(INPUTS)}"
            )


def rubbing(robot: Robot, laws: Mapping[str, JointFriction]) -> Robot:
    """A new robot whose joints have these laws; joints that are not named keep theirs.

    Raises
    ------
    ModelError
        If a joint is unknown or fixed, or prismatic and its friction arm is zero.
    """
    return with_joints(robot, (_rubbing(robot, name, law) for name, law in laws.items()))


def _rubbing(robot: Robot, name: str, law: JointFriction) -> Joint:
    joint = movable(robot, name, "friction")
    if joint.is_prismatic and law.friction_arm == 0:
        raise ModelError(
            f"Joint friction: friction_arm 0 m of prismatic joint {name!r} must be above 0; "
            "the moment about the axis is divided by it"
        )
    return replace(joint, friction_law=law)

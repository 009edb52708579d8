"""FrictionSurface: a ball, or a sleeve that slides and turns, with friction against its velocity.

The velocity v of the surfaces in contact has several components. Friction opposes it, and passes
smoothly through zero with it, like the friction of driven joints::

    f = -D s (3 - s²) / 2 v/|v|     s = min(|v| / v_s, 1)

    ball      v = R ω                   L = R |F|                             a torque, D [N·m]
    sleeve    v = (q̇_slide, R q̇_turn)   L = |F_across| + |M_across| / R_b     a force, D [N]

with D of `sim.robots.joint_friction` and the radius R, ``pin_radius``; the force of a sleeve acts
on its rotation with the lever arm R. The law is smooth: nothing sticks, and a joint creeps under
loads below the friction limit.

References
----------
MSC Adams Solver, statement FRICTION, for SPHERICAL and CYLINDRICAL joints.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct

from sim.errors import ModelError
from sim.maths.arrays import Array
from sim.robots.joint import Joint
from sim.robots.joint_friction import JointFriction
from sim.robots.robot import Robot

PARALLEL = 1e-9  # 1 - cos of the angle between the axes of a sleeve


class FrictionSurface(Struct, frozen=True, eq=False):
    """Contact surfaces of one joint, or of two.

    Parameters
    ----------
    joint : Joint
        Joint with the law; its reaction is the load.
    rows : tuple of int
        Rows of the tree that contribute to the velocity of the surfaces.
    radii : ndarray, shape (k, 1)
        Surface velocity per velocity of each row [m, or 1].
    arms : ndarray, shape (k, 1)
        Effort at each row per unit of D [m, or 1].
    """

    joint: Joint
    rows: tuple[int, ...]
    radii: Array
    arms: Array

    @property
    def law(self) -> JointFriction:
        """Friction law that gives D."""
        assert self.joint.friction_law is not None
        return self.joint.friction_law

    @property
    def follows_reaction(self) -> bool:
        """True if the law depends on the reaction in the joint."""
        return self.joint.has_load_friction

    def slip(self, qd_tree: Array) -> Array:
        """Return |v| / v_s for velocities (n_tree, N), shape (N,)."""
        v = self.radii * qd_tree[list(self.rows)]
        return np.asarray(np.sqrt(np.sum(v * v, axis=0)) / self.law.stiction_velocity)

    def per_limit(self, qd_tree: Array) -> Array:
        """Return the friction at its rows per unit of D, shape (k, N)."""
        s = self.slip(qd_tree)
        ramp = 0.5 * (3.0 - np.minimum(s, 1.0) ** 2) / np.maximum(s, 1.0)
        v = self.radii * qd_tree[list(self.rows)]
        return np.asarray(ramp / self.law.stiction_velocity * self.arms * v)

    def limit(self, qd_tree: Array, reaction: Array | None) -> Array:
        """Return D, (N,) [N·m or N], for velocities (n_tree, N) and reactions (n_tree, 6, N)."""
        speed, law = self.slip(qd_tree) * self.law.stiction_velocity, self.law
        if not self.follows_reaction or reaction is None:
            return law.limit(speed, None)
        wrench = reaction[self.rows[0]]
        if not self.joint.is_ball:
            return law.limit(speed, law.load(wrench, self.joint.axis, is_prismatic=True))
        force = np.sqrt(np.sum(wrench[:3] ** 2, axis=0)) * ("reaction_force" in law.inputs)
        return law.limit(speed, law.pin_radius * force)


@lru_cache(maxsize=64)
def friction_surfaces(robot: Robot) -> tuple[FrictionSurface, ...]:
    """Return the balls and sleeves of a robot that have friction.

    Raises
    ------
    ModelError
        If the joint with which a sleeve turns is not suitable; names both.
    """
    surfaces = []
    for joint, row in zip(robot.tree_joints, robot.first_tree_rows, strict=True):
        if (law := joint.friction_law) is not None and joint.is_ball:
            radii = np.full((3, 1), law.pin_radius)
            surfaces.append(FrictionSurface(joint, (row, row + 1, row + 2), radii, np.ones((3, 1))))
        elif law is not None and law.turns_with:
            turning = _turning_joint(robot, joint, law.turns_with)
            rows = row, robot.first_tree_rows[robot.tree_joints.index(turning)]
            radii = np.array([[1.0], [law.pin_radius]])
            surfaces.append(FrictionSurface(joint, rows, radii, radii))
    return tuple(surfaces)


def _turning_joint(robot: Robot, slide: Joint, name: str) -> Joint:
    """Return the hinge adjacent to a slide and about the same axis."""
    hinge = robot.joint(name)
    sleeve = f"Joint {slide.name!r} of robot {robot.name!r}: turns_with {name!r}"
    if not slide.is_prismatic or hinge.kind not in ("revolute", "continuous"):
        raise ModelError(f"{sleeve}: a sleeve is a prismatic joint that turns with a revolute one")
    if slide.child == hinge.parent:
        axis = hinge.T_pc[:3, :3] @ hinge.axis
        along = float(axis @ slide.axis)
    elif hinge.child == slide.parent:
        along = float((slide.T_pc[:3, :3] @ slide.axis) @ hinge.axis)
    else:
        raise ModelError(f"{sleeve}: one of the two joints must follow the other in the tree")
    if abs(along) < 1 - PARALLEL:
        raise ModelError(f"{sleeve}: both axes must be parallel")
    if hinge.friction_law is not None:
        raise ModelError(f"{sleeve}, which already has a friction law; give one of the two")
    return hinge

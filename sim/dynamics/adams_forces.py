"""Forces of joints and drives by the functions of ADAMS: JOINT and MOTION.

=========  =======================  =========================================================
ADAMS      here                     meaning
=========  =======================  =========================================================
I marker   frame of the child link  jflag 0: load on the child, about its frame's origin
J marker   joint frame of the       jflag 1: load on the parent, about the same origin
           parent, where the
           child's is at q = 0
rm         link, or None (or 0)     axes of the components; default: the world's
comp       1 to 8                   ``|F|`` Fx Fy Fz ``|T|`` Tx Ty Tz
=========  =======================  =========================================================

In an ADAMS model the I marker may be on either part. If it is on the part that is the parent here,
for example on ground, jflag 0 there is jflag 1 here.

The constraint of a joint transmits nothing along its free direction. There the drive (MOTION) acts,
less the friction, so that the total reaction of a joint (`sim.dynamics.reactions`) is JOINT +
MOTION - friction.

References
----------
MSC Adams, function expressions JOINT(id, jflag, comp, rm) and MOTION(id, jflag, comp, rm).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sim.dynamics import newton_euler
from sim.dynamics.drive_torque import closed_efforts
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.reactions import WORLD, Reaction, joint_reaction
from sim.dynamics.wrench import Acting, pin_wrenches
from sim.errors import ModelError, ScenarioError
from sim.maths.arrays import Array, columns
from sim.robots.joint import Joint
from sim.robots.robot import Robot

COMPONENTS = "1 |F|, 2 Fx, 3 Fy, 4 Fz, 5 |T|, 6 Tx, 7 Ty, 8 Tz"


@dataclass(frozen=True, eq=False)
class ElementForces:
    """JOINT and MOTION along a motion.

    Parameters
    ----------
    robot : Robot
    q, qd, qdd : ndarray, shape (n, N)
        All independent joints.
    tau : ndarray, shape (n, N), optional
        Efforts of the drives [N·m or N]. Default: those that the motion requires without friction,
        springs and stops of the driven joint; a closed loop passes on those of its other joints.
    gravity : tuple of float
        In the world [m/s²].
    external : tuple of AppliedWrench
        External wrenches on the links, without those of the pins of closed loops, which are added.

    Raises
    ------
    ModelError
        If a closed loop is open in one of the positions, or opens.
    """

    robot: Robot
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None = None
    gravity: Gravity = GRAVITY
    external: Acting = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "external", tuple(self.external))
        _ = self._acting  # an open loop is refused at once

    @cached_property
    def _acting(self) -> Acting:
        """External wrenches, with those of the pins of closed loops."""
        robot, external = self.robot, tuple(self.external)
        if not robot.loops:
            return external
        q, qd, qdd = columns(len(robot.coordinates), q=self.q, qd=self.qd, qdd=self.qdd)
        closed = closed_efforts(robot, q, qd, qdd, self.gravity, external)
        return external + pin_wrenches(robot, q, closed.force)

    def JOINT(self, id: str, jflag: int, comp: int, rm: str | int | None = None) -> Array:
        """Return a component of the constraint force of joint `id`, shape (N,) [N, N·m].

        Parameters
        ----------
        id : str
            Name of the joint, which may be fixed.
        jflag : int
            0 on the child, 1 on the parent.
        comp : int
            1 to 8: ``|F|`` Fx Fy Fz ``|T|`` Tx Ty Tz.
        rm : str, optional
            Link whose axes resolve it (default: the world).

        Raises
        ------
        ModelError
            If the robot has no such joint or link.
        ScenarioError
            If `jflag` or `comp` is another number.
        """
        joint = self.robot.joint(id)
        reaction = joint_reaction(
            self.robot, id, self.q, self.qd, self.qdd, self.gravity, self._acting
        )
        if joint.is_prismatic:
            reaction = replace(reaction, force=_normal_part(joint, reaction.force))
        elif joint.is_movable:
            reaction = replace(reaction, moment=_normal_part(joint, reaction.moment))
        return _component(reaction, joint, jflag, comp, rm)

    def MOTION(self, id: str, jflag: int, comp: int, rm: str | int | None = None) -> Array:
        """Return a component of the effort of the drive of joint `id`, shape (N,) [N, N·m].

        The effort is a vector along the joint's axis; the arguments are those of `JOINT`.

        Raises
        ------
        ModelError
            If the robot has no such joint or link, or the joint has no drive.
        ScenarioError
            If `jflag` or `comp` is another number.
        """
        robot, joint = self.robot, self.robot.joint(id)
        idle = {name for loop in robot.loops for name in loop.passive}
        driven = [name for name in robot.joint_names if name not in idle]
        if id not in driven:
            why = "is fixed" if joint.mimic is None else f"follows {joint.mimic.joint!r}"
            why = "is positioned by a closed loop" if id in idle else why
            raise ModelError(
                f"Joint {id!r} {why} and has no motion; joints of robot {robot.name!r} that have "
                f"one: {', '.join(driven)}"
            )
        tau = self.tau
        if tau is None:
            tau = newton_euler.inverse_dynamics(
                robot, self.q, self.qd, self.qdd, self.gravity, self._acting
            )
        along = joint.axis[:, None] * tau[robot.joint_names.index(id)]
        none = np.zeros_like(along)
        force, moment = (along, none) if joint.is_prismatic else (none, along)
        drive = Reaction(robot, self.q, id, force, moment, "child", joint.child, joint.child)
        return _component(drive, joint, jflag, comp, rm)


def _normal_part(joint: Joint, vector: Array) -> Array:
    """Return the part of a vector in the joint frame that is normal to the joint's axis."""
    return np.asarray(vector - joint.axis[:, None] * (joint.axis @ vector))


def _component(
    reaction: Reaction, joint: Joint, jflag: int, comp: int, rm: str | int | None
) -> Array:
    if jflag not in (0, 1):
        raise ScenarioError(f"jflag must be 0 (on the child) or 1 (on the parent), not {jflag!r}")
    if comp not in range(1, 9):
        raise ScenarioError(f"comp must be one of {COMPONENTS}; not {comp!r}")
    if jflag:
        reaction = reaction.at(joint.parent, joint.T_pc[:3, 3]).on("parent")
    resolved = reaction.in_axes(WORLD if rm in (None, 0) else str(rm))
    vector = resolved.force if comp <= 4 else resolved.moment
    which = (comp - 1) % 4
    return np.linalg.norm(vector, axis=0) if which == 0 else vector[which - 1]

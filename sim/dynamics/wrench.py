"""Applied wrenches: external forces and torques on links, and their generalised forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.kinematics.forward import (
    BodyPoses,
    body_poses,
    frame_of,
    frame_pose,
    point_jacobian,
    poses_of,
)
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, Mask, frozen
from sim.maths.rotations import cross
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class AppliedWrench:
    """An external force and torque on a link, at N times.

    Parameters
    ----------
    link : str
    point : ndarray, shape (3,)
        Point of application in the link frame [m].
    force, torque : ndarray, shape (3, N)
        Along the world's axes [N], [N·m]; a single column is constant over all times.
    place : ndarray, shape (3, N), optional
        Position of the point in the world, if known [m]; a single column as above.

    Raises
    ------
    ValueError
        If a shape is different.
    """

    link: str
    point: Array
    force: Array
    torque: Array
    place: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", frozen(self.point, (3,)))
        for name in ("force", "torque"):
            rows = frozen(getattr(self, name))
            if rows.ndim != 2 or rows.shape[0] != 3:
                raise ValueError(
                    f"{name} on link {self.link!r} must have shape (3, N); got {rows.shape}"
                )
            object.__setattr__(self, name, rows)

    @classmethod
    def at_one_time(cls, link: str, point: Array, rows: Array) -> AppliedWrench:
        """Return a wrench whose force, torque and place are the rows of an array (3, 3, 1).

        For a solver, which makes one per evaluation: arrays are read-only and not checked again.
        """
        wrench = object.__new__(cls)
        force, torque, place = rows
        wrench.__dict__.update(link=link, point=point, force=force, torque=torque, place=place)
        return wrench

    def during(self, part: slice | Mask) -> AppliedWrench:
        """Return the wrench at some of its times; constant components are unchanged."""

        def of(rows: Array) -> Array:
            return rows if rows.shape[1] == 1 else rows[:, part]

        place = None if self.place is None else of(self.place)
        return AppliedWrench(self.link, self.point, of(self.force), of(self.torque), place)

    def repeat(self, times: int) -> AppliedWrench:
        """Return the wrench with its times repeated."""
        rows = (x if x.shape[1] == 1 else np.tile(x, times) for x in (self.force, self.torque))
        force, torque = rows
        return AppliedWrench(self.link, self.point, force, torque)


# External wrenches on links, all at the same times.
Acting = Sequence[AppliedWrench]


def joint_torque(robot: Robot, q: Array, wrenches: Acting, poses: BodyPoses | None = None) -> Array:
    """Return the joint torques Σ Jᵀ F of applied wrenches, shape (n, N) [N·m or N].

    They act with the drives: ``M qdd + C qd + g = tau + Jᵀ F``.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        Positions of the independent joints [rad or m].
    wrenches : sequence of AppliedWrench
    poses : BodyPoses, optional
        Poses at `q`, if already known.

    Raises
    ------
    ModelError
        If a link is not in the robot; the message lists the links.
    ValueError
        If a wrench has neither one sample nor those of `q`.

    References
    ----------
    Virtual work: δW = F·δp + T·δφ = (Jvᵀ F + Jwᵀ T)·δq.
    """
    tree, S, poses = tree_of(robot), robot.coupling[0], poses or poses_of(robot, q)
    tau = np.zeros((tree.n, q.shape[1]))
    for wrench in wrenches:
        body, point = _place(robot, poses, wrench)
        if body < 0:
            continue  # a force on the base has no effect
        joints, Jv, Jw = point_jacobian(tree, poses, body, point)
        tau[list(joints)] += np.einsum("kaN,aN->kN", Jv, wrench.force)
        tau[list(joints)] += np.einsum("kaN,aN->kN", Jw, wrench.torque)
    return np.asarray(S.T @ tau)


def body_wrenches(robot: Robot, q: Array, wrenches: Acting) -> Array:
    """Return the sum of applied wrenches on each moving body, shape (n_tree, 6, N) [N, N·m].

    Force and moment at the body's origin, along the body's own axes (`sim.kinematics.tree`).
    Arguments and errors are those of `joint_torque`.
    """
    tree, poses = tree_of(robot), poses_of(robot, q)
    total = np.zeros((tree.n, 2, 3, q.shape[1]))
    for wrench in wrenches:
        body, point = _place(robot, poses, wrench)
        if body < 0:
            continue  # it acts on the ground
        moment = wrench.torque + cross(point - poses.p[body], wrench.force)
        for part, rows in enumerate((wrench.force, moment)):
            total[body, part] += np.einsum("baN,bN->aN", poses.R[body], rows)
    return total.reshape(tree.n, 6, -1)


def pin_wrenches(robot: Robot, q: Array, force: Array) -> tuple[AppliedWrench, ...]:
    """Return the wrenches of a robot's closed loops on the links of its tree.

    With these as external wrenches the reactions of the tree are those of the closed mechanism.

    Parameters
    ----------
    q : ndarray, shape (n, N)
        Positions of the independent joints [rad or m].
    force : ndarray, shape (loops, 6, N)
        Force and moment by link a on link b of each loop, at point b, world axes [N, N·m]
        (`sim.dynamics.loop_forces`).
    """
    wrenches: list[AppliedWrench] = []
    for loop, of_loop in zip(robot.loops, force, strict=True):
        F, moment = of_loop[:3], of_loop[3:]
        # Both act at the point of link b: if a loop leaves the mechanism's width free, the points
        # of a and b are apart along its normal.
        on_b = AppliedWrench(loop.link_b, loop.point_b, F, moment)
        arm = (
            world_point_on_tree(robot, robot.q_tree(q), on_b)
            - frame_pose(robot, q, loop.link_a)[:3, 3]
        )
        wrenches += [on_b, AppliedWrench(loop.link_a, np.zeros(3), -F, -moment - cross(arm, F))]
    return tuple(wrenches)


def world_point_on_tree(robot: Robot, q_tree: Array, wrench: AppliedWrench) -> Array:
    """Return the point of application of a wrench in the world, shape (3, N) [m].

    Parameters
    ----------
    q_tree : ndarray, shape (n_tree, N)
        Positions of all tree joints [rad or m].

    Raises
    ------
    ModelError
        If its link is not in the robot.
    """
    if wrench.place is not None:
        return wrench.place
    return _place(robot, body_poses(tree_of(robot), q_tree), wrench)[1]


def _place(robot: Robot, poses: BodyPoses, wrench: AppliedWrench) -> tuple[int, Array]:
    """Return the body of a wrench and the world position of its point [m]."""
    body, T_bl = frame_of(robot, wrench.link)
    point = poses.point(body, T_bl[:3, :3] @ wrench.point + T_bl[:3, 3])
    for rows in (wrench.force, wrench.torque):
        if rows.shape[1] not in (1, point.shape[1]):
            raise ValueError(
                f"The wrench on link {wrench.link!r} has {rows.shape[1]} samples, "
                f"the motion {point.shape[1]}; one or as many are allowed"
            )
    return body, point

"""Force elements in the joints of a robot: springs, stops and others, grouped by kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sim.dynamics.force_element import ElementState, ForceElement, Slopes
from sim.kinematics.moving_frame import Pair
from sim.kinematics.small_change import SmallChange
from sim.maths.arrays import Array, columns
from sim.robots.joint import Joint, JointForce
from sim.robots.robot import Robot

CORNER = 1e-6  # relative to the steepest slope: a larger difference beside a position is a corner


@dataclass(frozen=True)
class JointElements(ForceElement):
    """All joint elements of one kind of a robot, as a single element.

    Parameters
    ----------
    laws : tuple of (Array, Joint, JointForce)
        Combination (n_tree,) of tree joints along which each law acts, its joint and its law: the
        combination is 1 at the joint, and minus its factor at a joint that it pushes against.
    """

    laws: tuple[tuple[Array, Joint, JointForce], ...]

    @property
    def kind(self) -> type[JointForce]:
        """Class of the laws."""
        return type(self.laws[0][2])

    @property
    def is_sudden(self) -> bool:
        """True if the law acts in a part of the joint's range only."""
        return self.kind.is_sudden

    @property
    def is_linear(self) -> bool:
        """True if the law is linear in position and velocity."""
        return all(law.is_linear for _, _, law in self.laws)

    def title(self, robot: Robot) -> str:
        """Return a description of the first element, such as "joint 'hinge' has springs"."""
        _, joint, law = self.laws[0]
        return f"joint {joint.name!r} has {law.title}"

    def efforts(self, q: Array, qd: Array) -> Array:
        """Return the effort on each tree joint at their states (n_tree, N), zero without a law."""
        torque = np.zeros_like(q)
        for along, joint, law in self.laws:
            torque += np.outer(along, law.effort(joint, along @ q, along @ qd))
        return torque

    def joint_efforts(self, at: ElementState) -> Array:
        """Return the efforts at the motion of the tree joints."""
        return self.efforts(*at.kinematics.on_tree)

    def stored_energy(self, at: ElementState) -> Array | None:
        """Return the sum of the energies of all joints [J]."""
        q, _ = at.kinematics.on_tree
        energies = [law.stored_energy(along @ q) for along, _, law in self.laws]
        stored = [energy for energy in energies if energy is not None]
        return np.sum(stored, axis=0) if stored else None

    def slopes(self, at: ElementState) -> Slopes:
        """Return Aᵀ diag(∂e/∂x) A and that of the rates, with x = A q along which the laws act."""
        q, qd = at.kinematics.on_tree
        S, _ = at.robot.coupling
        A = np.stack([along for along, _, _ in self.laws])
        x, xd = A @ q, A @ qd
        steep = [
            law.slopes(joint, *at) for (_, joint, law), *at in zip(self.laws, x, xd, strict=True)
        ]
        return Slopes(*np.einsum("ri,rsN,rj->sijN", A @ S, np.array(steep), A @ S))

    def effort_changes(self, small: SmallChange) -> Pair:
        """Return efforts and their one-sided changes along the motion; see `ForceElement`."""
        (q, dq), (qd, dqd) = zip(small.kinematics.on_tree, small.on_tree, strict=True)
        value, change = np.zeros((2, *q.shape))
        for along, joint, law in self.laws:
            (x, dx), (xd, dxd) = (along @ q, along @ dq), (along @ qd, along @ dqd)
            here = law.slopes(joint, x, xd)
            aside = law.slopes(joint, np.nextafter(x, np.where(dx > 0, np.inf, -np.inf)), xd)
            corner = np.abs(aside[0] - here[0]) > CORNER * law.steepest[0]
            of_x, of_xd = (
                np.where((dx != 0) & corner, *pair) for pair in zip(aside, here, strict=True)
            )
            value += np.outer(along, law.effort(joint, x, xd))
            change += np.outer(along, of_x * dx + of_xd * dxd)
        return value, change

    def wrench_changes(self, small: SmallChange) -> tuple[()]:
        """Empty: no wrenches on links."""
        return ()

    def sides(self, small: SmallChange) -> Iterator[Array]:
        """Yield the side of the law's corners on which each joint is; see `ForceElement`."""
        q, qd = small.kinematics.on_tree
        for along, joint, law in self.laws:
            x, corners = along @ q, np.array(law.corners(joint))
            yield np.asarray(np.searchsorted(corners, x, side="left"), dtype=np.float64)
            yield np.asarray(np.searchsorted(corners, x, side="right"), dtype=np.float64)
            if self.is_sudden:
                yield np.sign(law.effort(joint, x, along @ qd))

    def channels(self, at: ElementState) -> dict[str, Array]:
        """Return ``<channel>.<joint>`` of every independent joint, with its followers' share."""
        rows = at.robot.coupling[0].T @ self.joint_efforts(at)
        names = at.robot.row_names
        return {f"{self.kind.channel}.{j}": row for j, row in zip(names, rows, strict=True)}


def joint_elements(robot: Robot) -> tuple[JointElements, ...]:
    """Return the kinds of elements in the joints of a robot, in the order of the joints."""
    kinds: dict[str, list[tuple[Array, Joint, JointForce]]] = {}
    for row, joint in enumerate(robot.tree_row_joints):
        for law in joint.forces:
            along = np.zeros(len(robot.tree_row_joints))
            along[row] = 1.0
            if law.against is not None:
                other, factor = law.against
                along[robot.tree_row_names.index(other)] = -factor
            kinds.setdefault(law.channel, []).append((along, joint, law))
    return tuple(JointElements(tuple(laws)) for laws in kinds.values())


def joint_force(robot: Robot, q: Array, qd: Array) -> Array:
    """Return the efforts of all joint elements of a robot, (n_tree, N) [N·m or N].

    They act with the drives, ``M qdd + C qd + g = tau + Sᵀ e``; zero for a robot without elements.

    Parameters
    ----------
    q, qd : ndarray, shape (n_tree, N)
        States of all tree joints [rad or m], [rad/s or m/s].

    Raises
    ------
    ValueError
        If a shape is not (n_tree, N).
    """
    q, qd = columns(len(robot.tree_coordinates), q=q, qd=qd)
    kinds = (element.efforts(q, qd) for element in joint_elements(robot))
    return sum(kinds, np.zeros_like(q))


def has_joint_forces(robot: Robot) -> bool:
    """True if a joint has an end stop, a spring or another such element."""
    return any(joint.forces for joint in robot.tree_row_joints)

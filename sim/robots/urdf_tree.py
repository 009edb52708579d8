"""UrdfTree: the links and joints of a URDF text, and the coordinates that they give."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from sim.errors import ModelError
from sim.maths.arrays import Array, frozen
from sim.robots.coordinate import Coordinate
from sim.robots.inertia import Link
from sim.robots.joint import Joint
from sim.robots.repair import Repair


@dataclass(frozen=True, eq=False)
class UrdfTree:
    """A URDF text and what was read from it, the first fields of `sim.robots.robot.Robot`."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    text: str
    repairs: tuple[Repair, ...] = ()

    @cached_property
    def tree_joints(self) -> tuple[Joint, ...]:
        """All joints that move, mimics included; the order of ``q_tree``."""
        return tuple(joint for joint in self.joints if joint.is_movable)

    @cached_property
    def independent_joints(self) -> tuple[Joint, ...]:
        """The joints that can be moved on their own; the order of ``q``."""
        return tuple(joint for joint in self.tree_joints if joint.mimic is None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that can be moved on their own; see `row_names`."""
        return tuple(joint.name for joint in self.independent_joints)

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Rows of ``q``, (n, N): coordinates of the independent joints."""
        return tuple(row for joint in self.independent_joints for row in joint.coordinates)

    @cached_property
    def tree_coordinates(self) -> tuple[Coordinate, ...]:
        """Rows of ``q_tree``, (n_tree, N): coordinates of all movable joints."""
        return tuple(row for joint in self.tree_joints for row in joint.coordinates)

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows of ``q``, as in channels."""
        return tuple(row.name for row in self.coordinates)

    @cached_property
    def tree_row_names(self) -> tuple[str, ...]:
        """Names of the rows of ``q_tree``, as in channels."""
        return tuple(row.name for row in self.tree_coordinates)

    @cached_property
    def tree_row_joints(self) -> tuple[Joint, ...]:
        """The joint of each row of ``q_tree``."""
        return tuple(joint for joint in self.tree_joints for _ in joint.coordinates)

    @cached_property
    def first_tree_rows(self) -> tuple[int, ...]:
        """The row of ``q_tree`` at which each of `tree_joints` begins."""
        counts = (len(joint.coordinates) for joint in self.tree_joints)
        return tuple(itertools.accumulate(counts, initial=0))[:-1]

    @cached_property
    def balls(self) -> tuple[slice, ...]:
        """The three rows of ``q`` of each ball; `ball_names` has their names."""
        rows = [row.joint for row in self.coordinates]
        firsts = [rows.index(name) for name in self.ball_names]
        return tuple(slice(first, first + 3) for first in firsts)

    @cached_property
    def ball_names(self) -> tuple[str, ...]:
        """Names of the joints that are balls."""
        return tuple(joint.name for joint in self.independent_joints if joint.is_ball)

    @cached_property
    def lone_frames(self) -> frozenset[str]:
        """Moving links without mass, to which nothing with mass is fixed."""
        heavy = {link.name for link in self.links if link.inertia is not None}
        for joint in reversed(self.joints):
            if joint.child in heavy and not joint.is_movable:
                heavy.add(joint.parent)
        return frozenset(joint.child for joint in self.tree_joints) - heavy

    @cached_property
    def is_plain(self) -> bool:
        """True if no joint follows another."""
        return len(self.tree_coordinates) == len(self.coordinates)

    @cached_property
    def coupling(self) -> tuple[Array, Array]:
        """S and q_0 of ``q_tree = S q + q_0``; hence ``tau = Sᵀ tau_tree``.

        Returns
        -------
        S : ndarray, shape (n_tree, n)
        q_0 : ndarray, shape (n_tree,)
        """
        return coupling(self.tree_joints)

    def q_tree(self, q: Array) -> Array:
        """q_tree = S q + q_0, positions of all tree joints (n_tree, N) from those of q (n, N)."""
        S, q_0 = self.coupling
        return np.asarray(S @ q + q_0[:, None])

    def on_tree(self, q: Array, *rates: Array) -> tuple[Array, ...]:
        """Positions and rates of all tree joints, (n_tree, N) each, from those of q (n, N).

        As many arrays come back as went in: ``q_tree, qd_tree = robot.on_tree(q, qd)``.
        """
        S, _ = self.coupling
        return (self.q_tree(q), *(S @ rate for rate in rates))

    @cached_property
    def _links(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}

    def link(self, name: str) -> Link:
        """Link by name.

        Raises
        ------
        ModelError
            If there is none; the message lists the links.
        """
        if name in self._links:
            return self._links[name]
        raise ModelError(unknown("link", name, self.name, (link.name for link in self.links)))

    def joint(self, name: str) -> Joint:
        """Joint by name.

        Raises
        ------
        ModelError
            If there is none; the message lists the joints.
        """
        for joint in self.joints:
            if joint.name == name:
                return joint
        raise ModelError(unknown("joint", name, self.name, (joint.name for joint in self.joints)))

    def require_no_balls(self, why: str) -> None:
        """Check that no joint is a ball.

        Raises
        ------
        ModelError
            Names the first ball, and says `why`.
        """
        if self.ball_names:
            raise ModelError(
                f"Joint {self.ball_names[0]!r} of robot {self.name!r} is a ball; {why}"
            )

    def require_as_written(self) -> None:
        """Check that nothing of the URDF was repaired.

        Raises
        ------
        ModelError
            States each repair.
        """
        if self.repairs:
            texts = "".join(f"\n    {repair.text}" for repair in self.repairs)
            raise ModelError(
                f"The URDF of robot {self.name!r} needs repairs, and a strict reader makes none; "
                f"correct it, or let them be made:{texts}"
            )

    @property
    def taken_names(self) -> set[str]:
        """Names of links and joints."""
        return {link.name for link in self.links} | {joint.name for joint in self.joints}

    def movable_joint(self, name: str, quantity: str) -> Joint:
        """Movable joint by name; fixed joints are refused.

        Raises
        ------
        ModelError
            If it is unknown, fixed or a ball; the message lists those that can have it.
        """
        joint = self.joint(name)
        if not joint.is_movable or joint.is_ball:
            names = ", ".join(joint.name for joint in self.tree_joints if not joint.is_ball)
            kind = "a ball" if joint.is_ball else "fixed"
            raise ModelError(
                f"Joint {name!r} of robot {self.name!r} is {kind} and has no {quantity}; "
                f"joints that can have one: {names or 'none'}"
            )
        return joint

    def with_joints(self, joints: Iterable[Joint]) -> Self:
        """The robot with these joints in place of those of the same names; itself for none."""
        new = {joint.name: joint for joint in joints}
        if not new:  # all that is known of it stays known
            return self
        return replace(self, joints=tuple(new.get(joint.name, joint) for joint in self.joints))


def unknown(what: str, name: str, robot: str, available: Iterable[str]) -> str:
    """Message that none of that name is there."""
    names = ", ".join(available)
    return f"{what.capitalize()} {name!r} is not in robot {robot!r}; available: {names or 'none'}"


def coupling(tree_joints: Sequence[Joint]) -> tuple[Array, Array]:
    """S and q_0 of ``q_tree = S q + q_0``, with every chain of ``<mimic>`` multiplied out.

    A joint with several leaders has a number for each in its row, as the motors of a wrist whose
    bevel gears couple two axes.

    Returns
    -------
    S : ndarray, shape (n_tree, n)
    q_0 : ndarray, shape (n_tree,)
    """
    by_name = {joint.name: joint for joint in tree_joints}
    rows = [(joint, row) for joint in tree_joints for row in joint.coordinates]
    independent = [row.name for joint, row in rows if joint.mimic is None]
    S = np.zeros((len(rows), len(independent)))
    q_0 = np.zeros(len(rows))
    for number, (joint, row) in enumerate(rows):
        if joint.mimic is None:  # a ball neither follows nor leads
            S[number, independent.index(row.name)] = 1.0
            continue
        followed, q_0[number] = _follow_leaders(joint, by_name)
        for leader, scale in followed.items():
            S[number, independent.index(leader)] = scale
    return frozen(S), frozen(q_0)


def _follow_leaders(joint: Joint, by_name: Mapping[str, Joint]) -> tuple[dict[str, float], float]:
    """Rates of a joint per independent one, and its position where they are at zero."""
    if joint.mimic is None:
        return {joint.name: 1.0}, 0.0
    rates: dict[str, float] = {}
    at = 0.0
    for one in joint.mimic.each:
        leaders, offset = _follow_leaders(by_name[one.joint], by_name)
        at += one.multiplier * offset + one.offset
        for name, scale in leaders.items():
            rates[name] = rates.get(name, 0.0) + one.multiplier * scale
    return rates, at

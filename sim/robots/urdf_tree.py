"""UrdfTree: links and joints of a URDF text, and their coordinates."""

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
    """A URDF text with its parsed content, the first fields of `sim.robots.robot.Robot`."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    text: str
    repairs: tuple[Repair, ...] = ()

    @cached_property
    def tree_joints(self) -> tuple[Joint, ...]:
        """All movable joints, mimics included; the order of ``q_tree``."""
        return tuple(joint for joint in self.joints if joint.is_movable)

    @cached_property
    def independent_joints(self) -> tuple[Joint, ...]:
        """Joints that move independently; the order of ``q``."""
        return tuple(joint for joint in self.tree_joints if joint.mimic is None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints; see `row_names`."""
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
        """Joint of each row of ``q_tree``."""
        return tuple(joint for joint in self.tree_joints for _ in joint.coordinates)

    @cached_property
    def first_tree_rows(self) -> tuple[int, ...]:
        """First row of each of `tree_joints` in ``q_tree``."""
        counts = (len(joint.coordinates) for joint in self.tree_joints)
        return tuple(itertools.accumulate(counts, initial=0))[:-1]

    @cached_property
    def balls(self) -> tuple[slice, ...]:
        """Rows of ``q`` of each ball, three per ball; `ball_names` has their names."""
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
        """Return q_tree = S q + q_0, the positions of all tree joints (n_tree, N), for q (n, N)."""
        S, q_0 = self.coupling
        return np.asarray(S @ q + q_0[:, None])

    def on_tree(self, q: Array, *rates: Array) -> tuple[Array, ...]:
        """Return positions and rates of all tree joints, (n_tree, N) each, from those of q (n, N).

        One array is returned per argument: ``q_tree, qd_tree = robot.on_tree(q, qd)``.
        """
        S, _ = self.coupling
        return (self.q_tree(q), *(S @ rate for rate in rates))

    @cached_property
    def _links(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}

    def link(self, name: str) -> Link:
        """Return a link by name.

        Raises
        ------
        ModelError
            If there is none; the message lists the links.
        """
        if name in self._links:
            return self._links[name]
        raise ModelError(unknown("link", name, self.name, (link.name for link in self.links)))

    def joint(self, name: str) -> Joint:
        """Return a joint by name.

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
            Names the first ball, and gives `why`.
        """
        if self.ball_names:
            raise ModelError(
                f"Joint {self.ball_names[0]!r} of robot {self.name!r} is a ball; {why}"
            )

    def require_as_written(self) -> None:
        """Check that nothing in the URDF was repaired.

        Raises
        ------
        ModelError
            Lists the repairs.
        """
        if self.repairs:
            texts = "".join(f"\n    {repair.text}" for repair in self.repairs)
            raise ModelError(
                f"The URDF of robot {self.name!r} requires repairs, which strict reading "
                f"forbids; correct the file or allow repairs:{texts}"
            )

    @property
    def taken_names(self) -> set[str]:
        """Return the names of links and joints."""
        return {link.name for link in self.links} | {joint.name for joint in self.joints}

    def free_name(self, stem: str) -> str:
        """Return an unused name for a link and its joint."""
        taken = self.taken_names
        names = [stem, *(f"{stem}_{count}" for count in range(2, len(taken) + 3))]
        return next(name for name in names if not {name, f"{name}_joint"} & taken)

    def movable_joint(self, name: str, quantity: str) -> Joint:
        """Return a movable joint by name; fixed joints are refused.

        Raises
        ------
        ModelError
            If it is unknown, fixed or a ball; the message lists the suitable joints.
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
        """Return the robot with these joints replacing those of the same names; itself for none."""
        new = {joint.name: joint for joint in joints}
        if not new:  # keep cached values
            return self
        return replace(self, joints=tuple(new.get(joint.name, joint) for joint in self.joints))


def unknown(what: str, name: str, robot: str, available: Iterable[str]) -> str:
    """Return the message that a name is unknown."""
    names = ", ".join(available)
    return f"{what.capitalize()} {name!r} is not in robot {robot!r}; available: {names or 'none'}"


def coupling(tree_joints: Sequence[Joint]) -> tuple[Array, Array]:
    """Return S and q_0 of ``q_tree = S q + q_0``, with every chain of ``<mimic>`` multiplied out.

    The row of a joint with several leaders has an entry for each, as for the motors of a wrist
    whose bevel gears couple two axes.

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
    """Return a joint's rates per independent joint, and its position where these are zero."""
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

"""All force elements of a robot as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import compress

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.dynamics.force_element import ElementState, ForceElement, Slopes
from sim.dynamics.wrench import Acting, AppliedWrench, joint_torque
from sim.errors import ScenarioError
from sim.kinematics.forward import Kinematics, kinematics_of
from sim.maths.arrays import Array, distinct
from sim.robots.marker import Angle
from sim.robots.robot import Robot

STEP = 1e-6  # rad, m and per second, of central differences


class LinearLoads(Struct, frozen=True, eq=False):
    """Loads that act in joints with the torque ``at_zero - stiffness q - damping qd``.

    Parameters
    ----------
    at_zero : ndarray, shape (n,)
        [N·m or N]
    stiffness, damping : ndarray, shape (n, n)
        Matrices for the independent joints.
    """

    at_zero: Array
    stiffness: Array
    damping: Array


class ElementSum(Struct, frozen=True, eq=False, dict=True):
    """All force elements of a robot as one: their sums, and their own states concatenated.

    Parameters
    ----------
    robot : Robot
    elements : tuple of ForceElement
    """

    robot: Robot
    elements: tuple[ForceElement, ...]

    def __bool__(self) -> bool:
        return bool(self.elements)

    @cached_property
    def _starts(self) -> tuple[Array, ...]:
        return tuple(element.start(self.robot) for element in self.elements)

    @cached_property
    def states(self) -> int:
        """Number of the elements' own state variables."""
        return sum(start.size for start in self._starts)

    @cached_property
    def _during(self) -> dict[tuple[bool, ...], ElementSum]:
        return {(True,) * len(self.elements): self}

    def during(self, t: float) -> ElementSum:
        """Return the sum without the elements that are switched off from a time on [s]."""
        on = tuple(bool(one.is_on(np.array([t]))[0]) for one in self.elements)
        if on not in self._during:
            self._during[on] = replace(self, elements=tuple(compress(self.elements, on)))
        return self._during[on]

    @property
    def start(self) -> Array:
        """The elements' own state variables at the start of a run, shape (states,)."""
        return np.concatenate([np.empty(0), *self._starts])

    @cached_property
    def state_rows(self) -> dict[str | Angle, int]:
        """Rows of the states that other elements may read, by angle, or name in capitals."""
        rows, begin = dict[str | Angle, int](), 0
        for element, start in zip(self.elements, self._starts, strict=True):
            for row, name in enumerate(element.state_names, begin):
                key = name.upper() if isinstance(name, str) else name
                if key in rows:
                    raise ScenarioError(f"Two states are called {name!r}; rename one of them")
                rows[key] = row
            begin += start.size
        return rows

    def at(
        self,
        t: Array,
        q: Array,
        qd: Array,
        z: Array | None = None,
        known: Mapping[str | Angle, Array] | None = None,
    ) -> ElementState:
        """Return the state at times `t` (N,), motion q, qd (n, N) and own states `z` (states, N).

        `known` holds states of other elements that these elements may read.

        Raises
        ------
        ValueError
            If there are own states and `z` is not given.
        """
        if z is None:
            if self.states:
                raise ValueError(f"{self.states} state variables of force elements are not given")
            z = np.empty((0, t.size))
        named = {name: z[row] for name, row in self.state_rows.items()}
        if named or known:
            return ElementState(t, z, Kinematics(self.robot, q, qd, {**(known or {}), **named}))
        return ElementState(t, z, kinematics_of(self.robot, q, qd))

    @cached_property
    def linear(self) -> LinearLoads | None:
        """Linear law of the elements, if all are linear in q and qd."""
        if not all(element.is_linear for element in self.elements):
            return None
        still = np.zeros((len(self.robot.coordinates), 1))
        at = self.at(np.zeros(1), still, still)
        stiffness, damping = np.zeros((2, still.size, still.size))
        for element in self.elements:
            if (slopes := element.slopes(at)) is not None:
                stiffness -= slopes.q[..., 0]
                damping -= slopes.qd[..., 0]
        return LinearLoads(self.torque(at)[:, 0], stiffness, damping)

    def __call__(self, t: Array, q: Array, qd: Array, z: Array) -> tuple[Array, Acting]:
        """Return torques of the elements in joints (n, N), and wrenches on links."""
        at = self.at(t, q, qd, z)
        return self.robot.coupling[0].T @ self.joint_efforts(at), self.wrenches(at)

    def on_tree(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Return torques of the elements in joints, (n_tree, N)."""
        return self.joint_efforts(self.at(t, q, qd, z))

    def rate(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Return the rate of the elements' own state variables, shape (states, N)."""
        if not self.states:
            return np.empty((0, t.size))
        at = self.at(t, q, qd, z)
        rates = [element.rate(state) for element, state in self.each(at)]
        return np.concatenate(rates)

    def each(self, at: ElementState) -> Iterator[tuple[ForceElement, ElementState]]:
        """Yield each element and its own state, with its rows of z."""
        begin = 0
        for element, start in zip(self.elements, self._starts, strict=True):
            rows = slice(begin, begin := begin + start.size)
            yield element, replace(at, z=at.z[rows]) if at.z.size else at

    def breaks(self, duration: float) -> Array:
        """Return times in a run where a force or a derivative may jump, ascending [s]."""
        times = [element.breaks(duration) for element in self.elements]
        return distinct(np.empty(0), *times)

    def stops(self, duration: float) -> Array:
        """Return these times and the middles of narrow pulses, where a solver restarts [s]."""
        return distinct(np.empty(0), *(element.stops(duration) for element in self.elements))

    def joint_efforts(self, at: ElementState) -> Array:
        """Return the efforts of all elements on the tree joints, (n_tree, N) [N·m or N]."""
        total = np.zeros((len(self.robot.tree_coordinates), at.t.size))
        for element, state in self.each(at):
            effort = element.joint_efforts(state)
            if effort is not None:
                total = total + effort
        return total

    def wrenches(self, at: ElementState) -> tuple[AppliedWrench, ...]:
        """Return the wrenches of all elements on links, world axes."""
        return tuple(w for element, state in self.each(at) for w in element.wrenches(state))

    def torque(self, at: ElementState) -> Array:
        """Return the joint torques of all elements, (n, N) [N·m or N]; they act with the drives."""
        in_joints, wrenches = self.robot.coupling[0].T @ self.joint_efforts(at), self.wrenches(at)
        poses = at.kinematics.poses if wrenches else None
        return in_joints + joint_torque(self.robot, at.q, wrenches, poses)

    def stored_energy(self, at: ElementState) -> Array | None:
        """Return the energy stored in all elements, (N,) [J]; None if none stores any."""
        energies = [element.stored_energy(state) for element, state in self.each(at)]
        stored = [energy for energy in energies if energy is not None]
        return np.sum(stored, axis=0) if stored else None

    def slopes(self, at: ElementState) -> Slopes:
        """Return the slopes of the joint torques of all elements."""
        n = len(self.robot.coordinates)
        q, qd = np.zeros((2, n, n, at.t.size))
        for element, state in self.each(at):
            slopes = element.slopes(state)
            if slopes is not None:
                q, qd = q + slopes.q, qd + slopes.qd
        return Slopes(q, qd)

    def channels(self, at: ElementState) -> dict[str, Array]:
        """Return the recorded channels of all elements, (N,) each.

        Raises
        ------
        ScenarioError
            If two elements record the same channel.
        """
        curves: dict[str, Array] = {}
        for element, state in self.each(at):
            for channel, values in element.channels(state).items():
                if channel in curves:
                    raise ScenarioError(f"Two force elements record {channel}; rename one")
                curves[channel] = values
        return curves


def slopes_by_differences(element: ForceElement, at: ElementState) -> Slopes:
    """Return slopes of an element's joint torques by central differences, at its own state z."""
    n, N = at.q.shape
    alone, count = ElementSum(at.robot, (element,)), 4 * n
    aside = STEP * np.hstack([np.eye(2 * n), -np.eye(2 * n)])[:, :, None]
    q, qd = np.split((np.concatenate([at.q, at.qd])[:, None] + aside).reshape(2 * n, -1), 2)
    known = {name: np.tile(row, count) for name, row in at.kinematics.states.items()}
    states = alone.at(np.tile(at.t, count), q, qd, np.tile(at.z, count), known)
    ahead, behind = np.split(alone.torque(states).reshape(n, count, N), 2, axis=1)
    return Slopes(*np.split((ahead - behind) / (2 * STEP), 2, axis=1))

"""Force elements: values with one law each, which act in joints and on links at a state.

    M qdd + C qd + g = tau + Sᵀ e + Σ Jᵀ F - friction

with the efforts e (n_tree, N) of all elements in the joints and their wrenches F on links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pkgutil import resolve_name
from typing import Protocol, cast

import numpy as np
from msgspec.structs import asdict

from sim.dynamics.equations_of_motion import LinearLoads
from sim.dynamics.wrench import Acting, AppliedWrench, joint_torque
from sim.errors import ScenarioError
from sim.functions.spline import Spline, spline
from sim.kinematics.forward import Kinematics, kinematics_of
from sim.maths.arrays import Array
from sim.recording.schema.element_facts import AnyElement, MarkerFacts, NamesFacts, SplineFacts
from sim.robots.marker import Angle, Marker
from sim.robots.names import NamedForce, Names
from sim.robots.robot import Robot

STEP = 1e-6  # rad, m and per second, of central differences


@dataclass(frozen=True, eq=False)
class ElementState:
    """N states at which force elements are evaluated.

    Parameters
    ----------
    t : ndarray, shape (N,)
        [s]
    z : ndarray, shape (states, N)
        The element's own state variables.
    kinematics : Kinematics
        Motion of the robot; elements between the same links share what it finds.
    """

    t: Array
    z: Array
    kinematics: Kinematics

    @property
    def robot(self) -> Robot:
        """The robot on which the elements act."""
        return self.kinematics.robot

    @property
    def q(self) -> Array:
        """Positions of the independent joints, (n, N) [rad or m]."""
        return self.kinematics.q

    @property
    def qd(self) -> Array:
        """Velocities of the independent joints, (n, N) [rad/s or m/s]."""
        return self.kinematics.qd


@dataclass(frozen=True, eq=False)
class Slopes:
    """∂τ/∂q and ∂τ/∂qd of joint torques τ (n, N), each of shape (n, n, N)."""

    q: Array
    qd: Array


class ForceElement(Protocol):
    """A force element: one law of time, motion and its own state.

    A subclass writes what its law has and leaves the rest: no effort, no wrench, no own state, no
    stored energy, no channels.
    """

    @property
    def is_sudden(self) -> bool:
        """True if it acts in a part of its range only, such as a stop or a contact."""
        return False

    @property
    def is_steady(self) -> bool:
        """True if it acts in all of its range, or does not act and is there to be read."""
        return not self.is_sudden

    @property
    def is_linear(self) -> bool:
        """True if it acts in joints only, with efforts linear in q and qd and nothing else."""
        return False

    def title(self, robot: Robot) -> str:
        """Text for a message on a robot with this element: "forces act on it"."""
        return f"a {type(self).__name__} acts on it"

    def require_usable(self, robot: Robot, duration: float) -> None:
        """Check that the element can act on a robot during a run of `duration` [s].

        Raises
        ------
        ModelError
            If a frame is unknown; the message lists the frames.
        ScenarioError
            If a number is not finite somewhere in the run.
        """
        return

    def breaks(self, duration: float) -> Array:
        """Times in the run where the force or a derivative of it may jump [s]."""
        return np.empty(0)

    def joint_efforts(self, at: ElementState) -> Array | None:
        """Efforts on the tree joints, (n_tree, N) [N·m or N]; None if it acts on links only."""
        return None

    def wrenches(self, at: ElementState) -> Acting:
        """Wrenches on links, action and reaction alike; one of the ground is not needed."""
        return ()

    def start(self, robot: Robot) -> Array:
        """The element's own state variables at the start of a run, shape (states,)."""
        return np.empty(0)

    @property
    def state_names(self) -> tuple[str | Angle, ...]:
        """Its own state variables that other strings read: names of DIF, or angles; or none."""
        return ()

    def read_angles(self) -> Iterable[Angle]:
        """AX, AY and AZ that its strings read."""
        return ()

    def rate(self, at: ElementState) -> Array:
        """Rate of its own state variables, shape (states, N)."""
        return np.empty((0, at.t.size))

    def stored_energy(self, at: ElementState) -> Array | None:
        """Elastic energy, shape (N,) [J]; None if the element stores none at any state."""
        return None

    def slopes(self, at: ElementState) -> Slopes | None:
        """Slopes of its joint torques; None if they do not depend on the state by its law."""
        return None

    def channels(self, at: ElementState) -> Mapping[str, Array]:
        """What is recorded of it, by channel, (N,); groups: `sim.recording.schema.channels`."""
        return {}

    @property
    def channel_names(self) -> tuple[str, ...]:
        """The channels that an element on links records, whatever its state."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the run should know of the element's numbers."""
        return ()

    def describe(self) -> AnyElement:
        """The element as a run's description keeps it.

        Raises
        ------
        ScenarioError
            If a description cannot keep elements of this kind.
        """
        raise ScenarioError(f"A run's description has no force element {type(self).__name__}")


@dataclass(frozen=True, eq=False)
class ElementSum:
    """All force elements of a robot as one: their sums, and their own states side by side.

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

    @property
    def start(self) -> Array:
        """The elements' own state variables at the start of a run, shape (states,)."""
        return np.concatenate([np.empty(0), *self._starts])

    @cached_property
    def state_rows(self) -> dict[str | Angle, int]:
        """Rows of the own states that others may read, by angle, or name in capitals."""
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
        """The state at times `t` (N,), motion q, qd (n, N) and own states `z` (states, N).

        `known` are states of other elements, which these may read.

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
        """Their law, if all elements are linear in q and qd."""
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
        """Torques of the elements in joints (n, N), and wrenches on links."""
        at = self.at(t, q, qd, z)
        return self.robot.coupling[0].T @ self.joint_efforts(at), self.wrenches(at)

    def on_tree(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Torques of the elements in joints, (n_tree, N)."""
        return self.joint_efforts(self.at(t, q, qd, z))

    def rate(self, t: Array, q: Array, qd: Array, z: Array) -> Array:
        """Rate of the elements' own state variables, shape (states, N)."""
        if not self.states:
            return np.empty((0, t.size))
        at = self.at(t, q, qd, z)
        rates = [element.rate(own) for element, own in self._each(at)]
        return np.concatenate(rates)

    def _each(self, at: ElementState) -> Iterator[tuple[ForceElement, ElementState]]:
        """Each element with its own rows of z."""
        begin = 0
        for element, start in zip(self.elements, self._starts, strict=True):
            rows = slice(begin, begin := begin + start.size)
            yield element, replace(at, z=at.z[rows]) if at.z.size else at

    def breaks(self, duration: float) -> Array:
        """Times in a run of `duration` where a force or a derivative may jump, ascending [s]."""
        times = [element.breaks(duration) for element in self.elements]
        return np.unique(np.concatenate([np.empty(0), *times]))

    def joint_efforts(self, at: ElementState) -> Array:
        """Efforts of all elements on the tree joints, (n_tree, N) [N·m or N]."""
        total = np.zeros((len(self.robot.tree_coordinates), at.t.size))
        for element, own in self._each(at):
            effort = element.joint_efforts(own)
            if effort is not None:
                total = total + effort
        return total

    def wrenches(self, at: ElementState) -> tuple[AppliedWrench, ...]:
        """Wrenches of all elements on links, world axes."""
        return tuple(w for element, own in self._each(at) for w in element.wrenches(own))

    def torque(self, at: ElementState) -> Array:
        """Joint torques of all elements, (n, N) [N·m or N]; they act with the drives."""
        in_joints, wrenches = self.robot.coupling[0].T @ self.joint_efforts(at), self.wrenches(at)
        poses = at.kinematics.poses if wrenches else None
        return in_joints + joint_torque(self.robot, at.q, wrenches, poses)

    def stored_energy(self, at: ElementState) -> Array | None:
        """Energy in all elements that store any, (N,) [J]; None if none does."""
        found = [element.stored_energy(own) for element, own in self._each(at)]
        stored = [energy for energy in found if energy is not None]
        return np.sum(stored, axis=0) if stored else None

    def slopes(self, at: ElementState) -> Slopes:
        """Slopes of the joint torques of all elements."""
        n = len(self.robot.coordinates)
        q, qd = np.zeros((2, n, n, at.t.size))
        for element, own in self._each(at):
            slopes = element.slopes(own)
            if slopes is not None:
                q, qd = q + slopes.q, qd + slopes.qd
        return Slopes(q, qd)

    def channels(self, at: ElementState) -> dict[str, Array]:
        """What is recorded of all elements, by channel, (N,) each.

        Raises
        ------
        ScenarioError
            If two elements record one channel.
        """
        found: dict[str, Array] = {}
        for element, own in self._each(at):
            for channel, values in element.channels(own).items():
                if channel in found:
                    raise ScenarioError(f"Two force elements record {channel}; rename one")
                found[channel] = values
        return found


def element_of(facts: AnyElement) -> ForceElement:
    """The element that a run's description states.

    Raises
    ------
    SimError
        If there cannot be one with these numbers.
    """
    fields = {name: _value_of(own) for name, own in asdict(facts).items()}
    element: ForceElement = resolve_name(facts.law)(**fields)
    return element


def names_of(facts: NamesFacts) -> Names:
    """What strings of the state name, by a run's description; raises as `element_of`."""
    markers = tuple(Marker(**asdict(marker)) for marker in facts.markers)
    # a force of this kind has a name, or the description could not name it
    forces = cast("tuple[NamedForce, ...]", tuple(element_of(one) for one in facts.forces))
    splines = {name: spline_of(one) for name, one in facts.splines.items()}
    own = facts.variables, forces, splines, facts.states, facts.start, facts.shared
    return Names(markers, *own)


def spline_of(facts: SplineFacts) -> Spline:
    """The spline that a run's description states; raises as `element_of`."""
    return spline(facts.knots, facts.values, facts.kind, facts.extrapolate)


def _value_of(own: object) -> object:
    """What an element takes for a field of its facts."""
    if isinstance(own, MarkerFacts):
        return Marker(**asdict(own))
    if isinstance(own, SplineFacts):
        return spline_of(own)
    if isinstance(own, dict):
        return {name: _value_of(part) for name, part in own.items()}
    return names_of(own) if isinstance(own, NamesFacts) else own


def slopes_by_differences(element: ForceElement, at: ElementState) -> Slopes:
    """Slopes of an element's joint torques by central differences, at its own state z."""
    n, N = at.q.shape
    alone, count = ElementSum(at.robot, (element,)), 4 * n
    aside = STEP * np.hstack([np.eye(2 * n), -np.eye(2 * n)])[:, :, None]
    q, qd = np.split((np.concatenate([at.q, at.qd])[:, None] + aside).reshape(2 * n, -1), 2)
    known = {name: np.tile(row, count) for name, row in at.kinematics.states.items()}
    states = alone.at(np.tile(at.t, count), q, qd, np.tile(at.z, count), known)
    ahead, behind = np.split(alone.torque(states).reshape(n, count, N), 2, axis=1)
    return Slopes(*np.split((ahead - behind) / (2 * STEP), 2, axis=1))

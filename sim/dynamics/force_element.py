"""Force elements: values with one law each, which act in joints and on links at a state.

    M qdd + C qd + g = tau + Sᵀ e + Σ Jᵀ F - friction

with the efforts e (n_tree, N) of all elements in the joints and their wrenches F on links.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sim.dynamics.wrench import Acting
from sim.kinematics.forward import Kinematics
from sim.kinematics.small_change import Pair, SmallChange
from sim.maths.arrays import Array, Mask
from sim.robots.marker import Angle, Marker
from sim.robots.robot import Robot


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


@dataclass(frozen=True, eq=False)
class WrenchChange:
    """A wrench on a marker's link at its origin, world axes, and its change along small motions.

    Parameters
    ----------
    marker : Marker
    force, torque : pair of ndarray, each of shape (3, K)
        Value and derivative [N], [N·m].
    """

    marker: Marker
    force: Pair
    torque: Pair


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
        """True if it acts in all of its range, or exists only to be read."""
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

    def is_on(self, t: Array) -> Mask:
        """Whether it acts at times t (N,) [s]; one that nothing switches always does."""
        return np.ones(np.shape(t), dtype=bool)

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
        """Names of the states that other strings read: names of DIF, or angles; or none."""
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

    def effort_changes(self, small: SmallChange) -> Pair | None:
        """Efforts on the tree joints and their derivatives, (n_tree, K) each; None without any."""
        return None

    def wrench_changes(self, small: SmallChange) -> Iterable[WrenchChange] | None:
        """Wrenches on links and their exact derivatives; None if only differences have them."""
        return None if type(self).wrenches is not ForceElement.wrenches else ()

    def sides(self, small: SmallChange) -> Iterable[Array]:
        """Numbers (K,) that differ between states on different sides of its law's switches."""
        return ()

    def channels(self, at: ElementState) -> Mapping[str, Array]:
        """Recorded channels by name, (N,) each."""
        return {}

    @property
    def channel_names(self) -> tuple[str, ...]:
        """The channels that an element on links records, whatever its state."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the run about the element's numbers."""
        return ()

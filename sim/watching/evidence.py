"""Evidence: a watched loop step by step, and the engine's robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sim.dynamics.gravity import Gravity
from sim.engine_names import EngineName
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import turns_between
from sim.recording.schema.watched_facts import WatchedEngine
from sim.robots.robot import Robot
from sim.simulation.resource_limits import FARTHEST_DRIVE
from sim.watching.cause import Cause
from sim.watching.free_base import carried_rows, free_rows

LIGHTEST = 1e-15  # [kg]; substituted for the mass of a massless engine link with a tensor


@dataclass(frozen=True, eq=False)
class EngineRobot:
    """The robot as in the engine.

    Parameters
    ----------
    robot : Robot
        The user's robot with masses, tensors and base of the engine, without friction.
    damping : ndarray, shape (n,)
        Viscous damping of each joint [N·m·s/rad or N·s/m].
    gravity : tuple of float
        [m/s²]
    settings : mapping of str to float or str
        Time step, solver and the like, by the engine's own names.
    numbers : mapping of str to int
        The engine's indices of the links.
    friction : ndarray, shape (n,), optional
        The engine's own dry friction of each joint [N·m or N].
    ends : ndarray, shape (n, 2), optional
        Lower and upper limit of each joint as read by the engine from the file [rad or m].
    """

    robot: Robot
    damping: Array
    gravity: Gravity
    settings: Mapping[str, float | str]
    numbers: Mapping[str, int] = field(default_factory=dict)
    friction: Array | None = None
    ends: Array | None = None

    def facts(self, dt: float) -> WatchedEngine:
        """Facts of the watched loop for the description of a run."""
        from sim.maths.rotations import quaternion_xyzw

        T, robot = self.robot.T_0b, self.robot
        turn = quaternion_xyzw(T[:3, :3, None])[:, 0]
        return WatchedEngine(
            gravity=self.gravity,
            base=(*T[:3, 3].tolist(), *turn.tolist()),
            dt=dt,
            settings=dict(self.settings),
            masses={link.name: float(link.inertia.mass) for link in robot.links if link.inertia},
        )


@dataclass(frozen=True, eq=False)
class Evidence:
    """N steps of a loop: states before and after each, and the torques during it.

    Parameters
    ----------
    engine : EngineName
    robot : Robot
        The user's model.
    gravity : tuple of float
        In the user's model [m/s²].
    held : EngineRobot
    dt : float
        Time step [s].
    q, qd, q_next, qd_next : ndarray, shape (n, N)
    tau : ndarray, shape (n, N)
        Motor torques assumed by the loop.
    torque_from : str
        Their source.
    steps : ndarray of int, shape (N,)
        Engine steps between the samples; zeros if they could not be counted.
    brake : ndarray, shape (n, N)
        Torque of motors that the loop did not command.
    acting : ndarray, shape (n, N), optional
        Motor torques by the engine, whatever the loop passes.
    contacts : mapping of str to ndarray of bool, shape (N,)
        Steps in which each pair of bodies touches.
    ties : tuple of str
        Descriptions of the engine's constraints on the robot.
    changes : tuple of str
        Calls that changed the engine's robot or world during the loop.
    named : tuple of Cause
        Causes reported by the engine itself.
    repeated : int
        Omitted samples without a step between them.
    set_by_hand : ndarray of bool, shape (N,), optional
        Steps before which the loop is known to have set a part of the state.
    episodes : ndarray of bool, shape (N,), optional
        Steps before which it set the whole state, as at the start of an episode.
    spins : tuple of ndarray, shape (n, N)
        Torques of unit moments that contacts may transmit unseen.
    lengths : ndarray, shape (N,), optional
        Length of each step by its positions [s] (default: `dt`).
    numbers : ndarray of int, shape (N,), optional
        Number of each step in the loop, from 0 (default: no step was left out).
    """

    engine: EngineName
    robot: Robot
    gravity: Gravity
    held: EngineRobot
    dt: float
    q: Array
    qd: Array
    q_next: Array
    qd_next: Array
    tau: Array
    torque_from: str
    steps: NDArray[np.intp]
    brake: Array
    contacts: Mapping[str, Mask] = field(default_factory=dict)
    repeated: int = 0
    ties: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    named: tuple[Cause, ...] = ()
    set_by_hand: Mask | None = None
    episodes: Mask | None = None
    spins: tuple[Array, ...] = ()
    lengths: Array | None = None
    numbers: NDArray[np.intp] | None = None
    acting: Array | None = None

    @property
    def count(self) -> int:
        """Number of steps."""
        return self.q.shape[1]

    @property
    def begins(self) -> Mask:
        """Mask of steps whose previous step was left out, (N,)."""
        if self.numbers is None:
            return np.zeros(self.count, dtype=bool)
        return np.diff(self.numbers, prepend=self.numbers[0]) > 1

    def number(self, step: int | np.integer) -> int:
        """Return the number of a step in the whole loop, from 0."""
        return int(step if self.numbers is None else self.numbers[step])

    @cached_property
    def step_lengths(self) -> Array:
        """Length of each step, (N,) [s]."""
        return np.full(self.count, self.dt) if self.lengths is None else self.lengths

    @cached_property
    def qdd(self) -> Array:
        """Accelerations of the discrete law, (qd' - qd)/dt, shape (n, N)."""
        return np.asarray((self.qd_next - self.qd) / self.step_lengths)

    @cached_property
    def shares_friction(self) -> Mask:
        """Mask of joints with equal dry friction in the model and in the engine, (n,)."""
        own = np.array([0.0 if j.friction_law else j.friction for j in self.robot.tree_row_joints])
        there = self.held.friction
        return np.zeros(len(own), dtype=bool) if there is None else (own == there) & (own > 0)

    @cached_property
    def position_change(self) -> Array:
        """Change of the positions in each step, (n, N); for balls the rotation in prior axes."""
        return turns_between(self.robot.balls, self.q, self.q_next)

    @cached_property
    def free_rows(self) -> Mask:
        """Mask of the rows of a free base, (n,)."""
        return free_rows(self.robot)

    @cached_property
    def carried_mask(self) -> Mask:
        """Rows of a base that no motor moves, and that contacts carry, (n,): free, or planar."""
        rows = carried_rows(self.robot)
        is_driven = self.tau[rows].any() or self.brake[rows].any()
        return self.free_rows if is_driven else rows

    @cached_property
    def at_ends(self) -> Array:
        """Joints at or beyond a limit of the file, (n, N): -1 at the lower, 1 at the upper.

        Zero elsewhere.
        """
        if self.held.ends is None:
            return np.zeros_like(self.q)
        low, high = self.held.ends[:, :1], self.held.ends[:, 1:]
        reach = 2 * self.dt * np.abs(self.qd_next)
        return np.where(
            self.q_next <= low + reach, -1.0, np.where(self.q_next >= high - reach, 1.0, 0.0)
        )

    @property
    def first_not_finite(self) -> int | None:
        """First step with a state or torque that is not finite, or a speed as where it diverges."""
        rows = np.concatenate([self.q_next, self.qd_next, self.tau])
        bad = ~np.isfinite(rows).all(axis=0)
        bad |= (np.abs([self.q_next, self.qd_next]) > FARTHEST_DRIVE).any(axis=(0, 1))
        return int(np.argmax(bad)) if bad.any() else None

    def part(self, steps: slice | Mask) -> Evidence:
        """Return some of the steps."""
        rows = ["q", "qd", "q_next", "qd_next", "tau", "brake", "acting", "steps", "lengths"]
        rows += ["set_by_hand", "episodes"]
        cut = {name: x[..., steps] for name in rows if (x := getattr(self, name)) is not None}
        contacts = {pair: touching[steps] for pair, touching in self.contacts.items()}
        named = tuple(
            replace(cause, torque=None if cause.torque is None else cause.torque[:, steps])
            for cause in self.named
        )
        cut["spins"] = tuple(columns[:, steps] for columns in self.spins)
        whole = np.arange(self.count) if self.numbers is None else self.numbers
        cut["numbers"] = whole[steps]
        return replace(self, **cut, contacts=contacts, named=named)

    def with_step_lengths(self, lengths: Array) -> Evidence:
        """Return the evidence with the actual lengths of the steps (N,) [s]."""
        return replace(self, lengths=lengths)

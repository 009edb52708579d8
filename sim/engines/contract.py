"""Interface of an engine, used by every solution method.

An engine holds one robot on a fixed base under gravity, and is the only object with state. It has
the joints of the tree in the order of ``robot.tree_joints``, but no coupling, friction, force
elements or payload schedules: these reach it as torques on joints, wrenches on links, and links
with or without their mass.

1. **Load.** It parses the robot's URDF text with a reader of its own. Immediately afterwards
   `require_same` compares its model (`Engine.readback`) with ours: masses, mass centres, tensors,
   and axis, origin and limits of each joint. A difference is an `EngineError`.
2. **Hybrid dynamics.** `Engine.hybrid_dynamics` completes accelerations of loose joints and efforts
   of held ones at given states, without discretisation error. Method `ideal` holds every joint;
   method `adaptive` integrates the result.
3. **Energies.** `Engine.energies` gives the energies of links and the motion of the tool frame at
   given states, from the engine's own masses and poses.
4. **Payloads.** `Engine.set_payloads` sets payload links to their mass, or to nearly zero. These
   links are an argument on opening; all other fixed links may be welded to their moving links.
5. **March** (`Marching`, optional). `Marching.march` steps through time with the engine's own
   integrator; method `stepped` runs it twice and extrapolates.
6. **React** (`Reacting`, optional). `Reacting.reactions` returns joint reactions of the tree, and
   `Reacting.loops` the gradients of the engine's own loop constraints. Without them, Newton-Euler
   and the model's loop equations are evaluated on the engine's motion.
7. **Reflect** (`Reflecting`, optional). `Reflecting.set_rotor_inertia` adds the rotors of drive
   trains to the diagonal of the engine's own mass matrix. Otherwise, as in PyBullet, accelerations
   are computed from the engine's efforts at several accelerations and those of the rotors.
8. **Count.** It reports its progress by `Engine.count`: one for each step or state.
9. **Close.** It is a context manager, and releases everything in all cases.

A number that is not finite is never a result: `hybrid_dynamics` returns NaN for an invalid state,
`march` raises `EngineError` with joint and time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, Self, runtime_checkable

import msgspec
import numpy as np
from msgspec import Struct

from sim.dynamics.gravity import Gravity
from sim.dynamics.solved_motion import EnergySamples
from sim.dynamics.wrench import Acting
from sim.errors import EngineError
from sim.kinematics.loop_equations import LoopEquations
from sim.maths.arrays import Array, Mask
from sim.robots.coordinate import Limits
from sim.robots.inertia import Inertia
from sim.robots.robot import Robot

# For axes and origins: rounding of a few multiplied poses, [m] and of a unit vector.
JOINT_TOLERANCE = 1e-9


class ModelReadback(Struct, frozen=True, eq=False):
    """Model of a robot as read back from an engine.

    Parameters
    ----------
    inertias : mapping of str to Inertia
        For each link with mass except the root, in the link frame.
    origins : mapping of str to ndarray, shape (4, 4)
        Pose T_pc of each joint frame in the parent link frame [m].
    axes : mapping of str to ndarray, shape (3,)
        For each row of q_tree, in the joint frame: motion of the child at unit speed.
    limits : mapping of str to Limits
        For each movable joint; infinite where the engine has none.
    welded : frozenset of str
        Links that are parts of a common body in the engine: the engine's separate reading of each.
    """

    inertias: Mapping[str, Inertia]
    origins: Mapping[str, Array]
    axes: Mapping[str, Array]
    limits: Mapping[str, Limits]
    welded: frozenset[str] = frozenset()


# Number of a step, positions and velocities of all tree joints before it -> torques during it.
Torques = Callable[[int, Sequence[float], Sequence[float]], Sequence[float]]


class March(msgspec.Struct, frozen=True, eq=False):
    """N steps of equal size, and the loads during each.

    Parameters
    ----------
    h : float
        Step size [s].
    t : ndarray, shape (N,)
        End of each step [s].
    start : ndarray, shape (n_tree, 2), or None
        Positions and velocities before the first step; None to continue from the engine's state.
    driven : ndarray of bool, shape (n_tree,)
        Joints whose velocity a motor prescribes.
    commands : ndarray, shape (n_tree, N)
        Velocity of the driven joints at the end of each step [rad/s or m/s].
    places : ndarray, shape (n_tree, N)
        Required positions of the driven joints at the end of each step [rad or m].
    torques : callable or None
        Torques on the undriven joints; zero for the others, whose motors account for the loads in
        their joints [N·m or N].
    wrenches : sequence of AppliedWrench
        Wrenches on links, over the N steps.
    places_of_wrenches : ndarray, shape (n_tree, N), or None
        Joint positions at which the wrenches act; required with wrenches.
    carried : mapping of int to mapping of str to bool
        Payload links with mass, from a step index on.
    """

    h: float
    t: Array
    start: Array | None
    driven: Mask
    commands: Array
    places: Array
    torques: Torques | None = None
    wrenches: Acting = ()
    places_of_wrenches: Array | None = None
    carried: Mapping[int, Mapping[str, bool]] = msgspec.field(default_factory=dict)


class Engine(Protocol):
    """A physics engine with a robot; the interface is described at the head of this file."""

    @property
    def robot(self) -> Robot:
        """The robot, with every payload of the run."""
        ...

    @property
    def gravity(self) -> Gravity:
        """Gravity in the world [m/s²]."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def readback(self) -> ModelReadback:
        """Return the model of the robot in the engine."""
        ...

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete qdd and effort so that ``M qdd + C qd + g = effort + Jᵀ F`` at N states.

        The arguments are those of `sim.dynamics.hybrid.HybridDynamics`, of shape (n_tree, N).
        """
        ...

    def energies(self, q: Array, qd: Array, links: tuple[str, ...]) -> EnergySamples:
        """Return energies of `links` and motion of the tool at states (n_tree, N)."""
        ...

    def set_payloads(self, carried: Mapping[str, bool]) -> None:
        """Set these payload links to their mass (True) or to nearly zero, from now on."""
        ...

    def count(self, steps: int) -> None:
        """Report that `steps` more steps or states are done."""
        ...


class Marching(Engine, Protocol):
    """An engine with a time integrator of its own."""

    def march(self, march: March) -> Array:
        """Step once for each command.

        The law of a step from k to k+1 is first order in h,

            tau_k = M(q_k) (v_k+1 - v_k)/h + C(q_k, v_k) v_k + g(q_k),    q_k+1 = q_k + h v_k+1

        Returns
        -------
        ndarray, shape (n_tree, 3, N)
            Position and velocity after each step, motor torque during it.

        Raises
        ------
        EngineError
            If a number is not finite or a driven joint leaves its path; names joint and time.
        """
        ...


@runtime_checkable
class Reacting(Engine, Protocol):
    """An engine that computes joint reactions and loop constraints itself."""

    def reactions(self, q: Array, qd: Array, qdd: Array, wrenches: Acting = ()) -> Array:
        """Return force and moment of the parent on the child of each tree joint, (n_tree, 6, N).

        They refer to the joint frame's origin and are along its axes, which move with the child [N,
        N·m]. All tree joints (n_tree, N) are held; loop forces are among the wrenches.
        """
        ...

    def loops(self, q: Array) -> LoopEquations:
        """Return errors, gradients and directions of the robot's loops at states (n_tree, N)."""
        ...


@runtime_checkable
class Reflecting(Engine, Protocol):
    """An engine whose joints may have inertia of their own."""

    def set_rotor_inertia(self, inertia: Array) -> None:
        """Set the inertia of the tree joints in addition to that of the links, (n_tree,)."""
        ...


def require_same(robot: Robot, held: ModelReadback, engine: str, tolerance: float) -> None:
    """Check that two readings of a text agree on all masses, tensors, axes, origins and limits.

    Parameters
    ----------
    robot : Robot
        According to the model.
    held : ModelReadback
        According to the engine.
    engine : str
        Its name, for the message.
    tolerance : float
        For masses relative to the mass [kg], for tensors to their trace [kg·m²], for mass centres
        and limits absolute [m, rad] and relative. Axes and origins must agree to `JOINT_TOLERANCE`.

    Raises
    ------
    EngineError
        Names the first link or joint that differs, the quantity, and both values.
    """
    for link in robot.links[1:]:
        model = link.inertia
        if model is None or model.mass == 0:
            continue
        read = held.inertias[link.name]
        size = float(np.trace(model.tensor))
        for what, read_back, expected, allowed in (
            ("mass [kg]", read.mass, model.mass, tolerance * model.mass),
            (
                "mass centre [m]",
                read.com,
                model.com,
                tolerance * (1.0 + float(np.abs(model.com).max())),
            ),
            ("inertia [kg·m²]", read.tensor, model.tensor, tolerance * size),
        ):
            _require_near(f"{engine} read link {link.name!r}", what, read_back, expected, allowed)
    for joint in robot.joints:
        who = f"{engine} read joint {joint.name!r}"
        size = 1.0 + float(np.max(np.abs(joint.T_pc)))
        origin = held.origins[joint.name]
        _require_near(who, "origin [m, 1]", origin, joint.T_pc, JOINT_TOLERANCE * size)
        if not joint.is_movable:
            continue
        for row in joint.coordinates:
            _require_near(who, "axis", held.axes[row.name], np.array(row.axis), JOINT_TOLERANCE)
        for name in ("lower", "upper", "velocity", "effort"):
            read_back, expected = (
                getattr(held.limits[joint.name], name),
                getattr(joint.limits, name),
            )
            allowed = tolerance * (1.0 + abs(expected)) if np.isfinite(expected) else 0.0
            _require_near(who, f"{name} limit", read_back, expected, allowed)


def _require_near(
    who: str, what: str, read_back: float | Array, expected: float | Array, allowed: float
) -> None:
    with np.errstate(invalid="ignore"):  # two infinite limits are equal
        near = np.abs(np.asarray(read_back) - expected) <= allowed
    if not np.all(near | (np.asarray(read_back) == expected)):
        raise EngineError(
            f"{who} with another {what}: {np.asarray(read_back).tolist()} instead of "
            f"{np.asarray(expected).tolist()}"
        )

"""Newton–Euler inverse dynamics with joint reactions: the second formulation.

Two sweeps over the tree (`sim.dynamics.sweeps`) propagate motions outwards from the root and
wrenches inwards from the tips. It shares the parsed robot (`sim.kinematics.tree`) with the
Lagrangian model, and for external wrenches their points and axes (`sim.dynamics.wrench`); nothing
of inertia, gravity or velocity.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.sweeps import FEATURES, hand_inwards, sweep_constants, sweep_out
from sim.dynamics.wrench import Acting, body_wrenches
from sim.kinematics.state_arrays import of_states
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array, columns, evaluate_in_batches, workspace
from sim.maths.rotation_vectors import rotations_of_vectors
from sim.maths.rotations import cosine_and_sine
from sim.robots.robot import Robot

# Samples per pass; keeps the intermediate arrays in the cache. Not a power of two: rows a multiple
# of 4096 bytes apart would evict each other.
CHUNK = 2600


class Wrenches(Struct, frozen=True, eq=False):
    """Joint torques and the corresponding reactions.

    Parameters
    ----------
    tau : ndarray, shape (n, N)
        Torque that moves each independent joint, positive along its axis [N·m or N].
    reaction : ndarray, shape (n_tree, 6, N)
        Force [N] and moment [N·m] (fx fy fz mx my mz) by the parent on the child of each tree
        joint, at the joint frame's origin, along the axes of the joint frame (which moves with the
        child). It is the total load: the moment about a hinge's axis, or the force along a slide's,
        is the drive's torque less the joint's friction.
    """

    tau: Array
    reaction: Array


@of_states("q", "qd", "qdd")
def inverse_dynamics(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    gravity: Gravity = GRAVITY,
    external: Acting = (),
) -> Array:
    """Return joint torques M(q) qdd + C(q, qd) qd + g(q) - Jᵀ F, shape (n, N) [N·m or N].

    M includes rotors; friction, springs, stops and gear losses: see `sim.dynamics.drive_torque`.

    Parameters
    ----------
    q, qd, qdd : array_like, shape (n, N), (n,) or (N, n)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²]); the result has its time axis where
        `q` has, see `of_states`.
    gravity : tuple of float
        In the world [m/s²].
    external : sequence of AppliedWrench
        Forces and torques of the environment on links.

    Raises
    ------
    ModelError
        If an external wrench acts on a link that is not in the robot.
    ValueError
        If an array has another shape.
    """
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)

    memory = _memory(tree_of(robot).n, q.shape[1])
    arrays = (q, qd, qdd, *_loads(robot, q, external))
    tau = np.empty_like(q)
    for k in range(0, q.shape[1], CHUNK):
        part = slice(k, k + CHUNK)
        q, qd, qdd, *loads = (array[..., part] for array in arrays)
        _torques(robot, _sweep(robot, q, qd, qdd, gravity, memory, *loads), tau[:, part])
    return tau + robot.rotor_inertia[:, None] * arrays[2] if robot.has_drives else tau


def wrenches(
    robot: Robot, q: Array, qd: Array, qdd: Array, gravity: Gravity = GRAVITY, external: Acting = ()
) -> Wrenches:
    """Return torques and reactions of the links without rotors; arguments: `inverse_dynamics`."""
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)
    R_ji = tree_of(robot).R_ji
    # without memory for fast cosines NumPy's are used; terms cancel as well
    memory = _memory(len(R_ji), q.shape[1])[:3]

    def kernel(q: Array, qd: Array, qdd: Array, *loads: Array) -> tuple[Array, Array]:
        swept = _sweep(robot, q, qd, qdd, gravity, memory, *loads)
        # swept rows are fx nx fy ny fz nz; rotated from the body frame into the joint frame
        turned = np.einsum("jab,jbkN->jkaN", R_ji, swept.reshape(len(swept), 3, 2, -1))
        return _torques(robot, swept, np.empty_like(q)), turned.reshape(swept.shape)

    tau, reaction = evaluate_in_batches(kernel, CHUNK, q, qd, qdd, *_loads(robot, q, external))
    return Wrenches(tau, reaction)


def _loads(robot: Robot, q: Array, external: Acting) -> tuple[Array, ...]:
    """Return external wrenches on the bodies in the rows of `_sweep`, (n, 6, N); empty without."""
    external = tuple(external)
    if not external:
        return ()
    on_bodies = body_wrenches(robot, q, external)
    rows = np.swapaxes(on_bodies.reshape(len(on_bodies), 2, 3, -1), 1, 2)
    return (rows.reshape(on_bodies.shape),)


def _torques(robot: Robot, swept: Array, out: Array) -> Array:
    """Fill `out` (n, N) with the torques of the independent joints."""
    tree = tree_of(robot)
    rows = [4 if prismatic else 5 for prismatic in tree.prismatic]  # fz or nz
    if not robot.is_plain:
        return np.matmul(robot.coupling[0].T, swept[np.arange(tree.n), rows], out=out)
    for joint, row in enumerate(rows):
        out[joint] = swept[joint, row]
    return out


def _memory(n: int, N: int) -> list[Array]:
    """Return features (n, 15, N), wrenches (n, 6, N), scratch (12, N), cosines (3, n, N)."""
    return workspace(min(CHUNK, N), (n, FEATURES), (n, 6), (12,), (3, n))


def _sweep(
    robot: Robot,
    q: Array,
    qd: Array,
    qdd: Array,
    gravity: Gravity,
    memory: list[Array],
    loads: Array | None = None,
) -> Array:
    """Return the wrench by the parent on every body, at its origin in its own frame, (n, 6, N).

    Rows are fx nx fy ny fz nz, as in `loads`, the external wrenches on the bodies.
    """
    tree = tree_of(robot)
    if not robot.is_plain:
        q, qd, qdd = robot.on_tree(q, qd, qdd)
    features, wrench, scratch, *turns = (array[..., : q.shape[1]] for array in memory)
    cos, sin = cosine_and_sine(q, turns[0]) if turns else (np.cos(q), np.sin(q))
    swivels = {first: rotations_of_vectors(q[first : first + 3]) for first in tree.balls}
    sweep_out(tree, (q, qd, qdd), (cos, sin, swivels), gravity, features, scratch)
    np.matmul(sweep_constants(tree).wrench, features, out=wrench)
    if loads is not None:
        wrench -= loads
    np.negative(sin, out=sin)
    hand_inwards(tree, q, (cos, sin, swivels), wrench, scratch)
    return wrench

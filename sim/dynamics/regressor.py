"""The regressor: joint torques as a linear function of the inertial parameters of the bodies."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.inertial_parameters import bodies_of, change_of_frame
from sim.dynamics.sweeps import FEATURES, sweep_out, through_ball, to_parent, unit_wrenches
from sim.kinematics.state_arrays import of_states
from sim.kinematics.tree import Tree, tree_of
from sim.maths.arrays import Array, columns, evaluate_in_batches
from sim.maths.rotation_vectors import rotations_of_vectors
from sim.maths.rotations import pose
from sim.robots.robot import Robot

CHUNK = 400  # samples per pass: sixty columns of this length fit in the cache


@of_states("q", "qd", "qdd")
def regressor(
    robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: Gravity = GRAVITY
) -> Array:
    """Return Y of ``tau = Y theta``: M(q) qdd + C(q, qd) qd + g(q) per unit of each parameter.

    theta has ten numbers per moving body, a link with all links fixed to it: m [kg], m c [kg·m] and
    the tensor about the ORIGIN of the link's frame [kg·m²], Ixx, Ixy, Iyy, Ixz, Iyz, Izz, along the
    axes of that frame. Bodies are in the order of ``robot.tree_joints``, with one for a ball. The
    robot's own values are `sim.inertial_parameters`. Without ``<mimic>`` Y equals Pinocchio's joint
    torque regressor, column by column.

    Parameters
    ----------
    q, qd, qdd : array_like, shape (n, N), (n,) or (N, n)
        [rad], [rad/s], [rad/s²] (prismatic: [m], [m/s], [m/s²]); the result has its time axis where
        `q` has, see `of_states`.
    gravity : tuple of float
        In the world [m/s²].

    Returns
    -------
    ndarray, shape (n, 10 bodies, N)
        [N·m or N] per unit of each parameter, without friction, springs and stops.

    Raises
    ------
    ValueError
        If an array has another shape.

    References
    ----------
    Atkeson, An, Hollerbach: Estimation of Inertial Parameters of Manipulator Loads and Links,
    International Journal of Robotics Research 5(3), 1986, equation 14.
    """
    q, qd, qdd = columns(len(robot.coordinates), q=q, qd=qd, qdd=qdd)
    tree, (S, _) = tree_of(robot), robot.coupling

    def kernel(*states: Array) -> tuple[Array]:
        return (np.einsum("tn,tpN->npN", S, _on_tree(robot, tree, states, gravity)),)

    return evaluate_in_batches(kernel, CHUNK, q, qd, qdd)[0]


def _on_tree(robot: Robot, tree: Tree, states: tuple[Array, ...], gravity: Gravity) -> Array:
    """Return efforts of all tree joints per unit of each parameter, (n_tree, 10 bodies, N)."""
    q, qd, qdd = robot.on_tree(*states)
    N, cos, sin = q.shape[1], np.cos(q), np.sin(q)
    features = np.empty((tree.n, FEATURES, N))
    swivels = {first: rotations_of_vectors(q[first : first + 3]) for first in tree.balls}
    sweep_out(tree, (q, qd, qdd), (cos, sin, swivels), gravity, features, np.empty((12, N)))
    minus_sin = -sin
    bodies, every = bodies_of(tree), _unit_wrenches(tree)
    Y = np.zeros((tree.n, len(bodies), 10, N))
    for column, body in enumerate(bodies):
        units = every[body]
        wrench, scratch = (units @ features[body]).reshape(6, 10, N), np.empty((6, 10, N))
        at = body
        while at >= 0:
            if at - 2 in swivels:
                at -= 2
                Y[at : at + 3, column] = wrench[1::2]  # nx, ny, nz along the child's axes
                if tree.parent[at] >= 0:
                    wrench = through_ball(tree, at, wrench, swivels[at])
                at = tree.parent[at]
                continue
            Y[at, column] = wrench[4 if tree.prismatic[at] else 5]  # fz or nz
            if tree.parent[at] >= 0:
                turn = cos[at], minus_sin[at]
                wrench, scratch = to_parent(tree, at, wrench, q[at], turn, scratch), wrench
            at = tree.parent[at]
    return Y.reshape(tree.n, 10 * len(bodies), N)


@lru_cache(maxsize=64)
def _unit_wrenches(tree: Tree) -> Array:
    """Return `unit_wrenches` in the tree's frames for parameters in the links', (n, 60, 15).

    The ten parameters of a component are consecutive rows, fx first.
    """
    turned = [
        np.einsum("kp,kwf->wpf", change_of_frame(pose(R.T)), unit_wrenches()) for R in tree.R_ji
    ]
    return np.reshape(turned, (tree.n, 60, FEATURES))

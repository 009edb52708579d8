"""Ball joint in PyBullet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from sim.maths.arrays import Array, Mask


class Ball(Struct, frozen=True, eq=False, dict=True):
    """A ball joint, with rotations along the principal axes of its child.

    Parameters
    ----------
    row : int
        First of its three rows.
    joint : int
        PyBullet's joint number.
    axes : ndarray, shape (3, 3)
        Principal axes in the child's frame, according to PyBullet.
    """

    row: int
    joint: int
    axes: Array

    @cached_property
    def turning(self) -> tuple[list[list[float]], list[list[float]]]:
        """Rows of the rotations to the principal axes, and from them."""
        return self.axes.T.tolist(), self.axes.tolist()

    def inward(self, v: Sequence[float]) -> list[float]:
        """Transform a vector (3,) from the child's axes to the principal axes."""
        x, y, z = v
        return [a * x + b * y + c * z for a, b, c in self.turning[0]]

    def outward(self, v: Sequence[float]) -> list[float]:
        """Transform a vector (3,) from the principal axes to the child's axes."""
        x, y, z = v
        return [a * x + b * y + c * z for a, b, c in self.turning[1]]


def hold_balls(
    loose: Callable[[Array], Array], qdd: Array, held: Mask, effort: Array
) -> tuple[Array, Array]:
    """Compute accelerations and efforts with balls held, from those with every joint loose.

    Accelerations are linear in the efforts: the response to unit efforts at the held rows gives the
    efforts for the prescribed accelerations.

    Parameters
    ----------
    loose : callable
        Efforts (n_tree, N) -> accelerations (n_tree, N).
    qdd, effort : ndarray, shape (n_tree, N)
        Accelerations of the held rows, and efforts of the others.
    held : ndarray of bool, shape (n_tree,)

    Returns
    -------
    qdd, effort : ndarray, shape (n_tree, N)
    """
    effort = np.where(held[:, None], 0.0, effort)
    start = loose(effort)
    units = np.eye(held.size)[held]
    changes = np.stack([loose(effort + unit[:, None]) - start for unit in units], axis=-1)
    lacking = (qdd - start)[held].T[:, :, None]
    given = np.linalg.solve(np.moveaxis(changes[held], 1, 0), lacking)[:, :, 0].T
    effort[held] = given
    reached = start + np.einsum("ikh,hk->ik", changes, given)
    return reached, effort

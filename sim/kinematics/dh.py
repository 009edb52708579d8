"""Denavit–Hartenberg tables, standard and modified.

Standard (Denavit and Hartenberg 1955):  ``A_i = Rz(θ_i) Tz(d_i) Tx(a_i) Rx(α_i)``.
Modified (Craig 1986):                   ``A_i = Rx(α_{i-1}) Tx(a_{i-1}) Rz(θ_i) Tz(d_i)``;
its row i contains ``a_{i-1}`` and ``α_{i-1}``. The joint variable is added to θ, or to d for a
prismatic joint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError
from sim.maths.arrays import Array, columns, frozen
from sim.maths.screws import compose
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from sim.robots.card import Card

Convention = Literal["standard", "modified"]


@dataclass(frozen=True, eq=False)
class DHTable:
    """A Denavit–Hartenberg table with one row per joint.

    Parameters
    ----------
    a, d : ndarray, shape (n,)
        [m]
    alpha, theta : ndarray, shape (n,)
        [rad]; `theta` is the offset of a revolute joint's variable.
    convention : str
        ``standard`` or ``modified``.
    prismatic : tuple of bool
        Joints whose variable is added to d; all revolute if empty.

    Raises
    ------
    ModelError
        If the lists differ in length.
    """

    a: Array
    d: Array
    alpha: Array
    theta: Array
    convention: Convention = "standard"
    prismatic: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        lengths = {key: len(np.atleast_1d(getattr(self, key))) for key in _LISTS}
        if len(set(lengths.values())) > 1:
            raise ModelError(f"the lists of a D-H table must have one length; got {lengths}")
        for key in _LISTS:
            object.__setattr__(self, key, frozen(getattr(self, key), (lengths["a"],)))
        if len(self.prismatic) not in (0, lengths["a"]):
            raise ModelError(
                f"prismatic needs {lengths['a']} entries, one per joint; got {len(self.prismatic)}"
            )

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.a)


_LISTS = ("a", "d", "alpha", "theta")


def table_of(robot: Robot) -> DHTable:
    """Return the D-H table in the robot's card, from the root link to the tool frame.

    Raises
    ------
    ModelError
        If the robot has no card, or its card has no table.
    """
    card: Card | None = robot.card
    if card is None or card.dh is None:
        raise ModelError(f"Robot {robot.name!r} has no card with a D-H table")
    dh = card.dh
    prismatic = tuple(name in card.prismatic for name in card.joints)
    a, d, alpha, theta = (frozen(getattr(dh, key)) for key in _LISTS)
    return DHTable(a, d, alpha, theta, prismatic=prismatic)


def transforms(table: DHTable, q: ArrayLike) -> Array:
    """Return the matrices A_i(q_i), shape (n, 4, 4, N).

    Parameters
    ----------
    q : ndarray, shape (n, N)
        [rad or m]
    """
    (q,) = columns(table.n, q=q)
    prismatic = np.array(table.prismatic or [False] * table.n)[:, None]
    theta = table.theta[:, None] + np.where(prismatic, 0.0, q)
    d = table.d[:, None] + np.where(prismatic, q, 0.0)
    a = np.broadcast_to(table.a[:, None], q.shape)
    c, s = np.cos(theta), np.sin(theta)
    ca, sa = (f(table.alpha)[:, None] for f in (np.cos, np.sin))
    A = np.zeros((table.n, 4, 4, q.shape[1]))
    A[:, 3, 3] = 1.0
    if table.convention == "standard":
        rows = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0 * c, sa, ca, d]]
    else:
        rows = [[c, -s, 0 * c, a], [s * ca, c * ca, -sa, -d * sa], [s * sa, c * sa, ca, d * ca]]
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            A[:, i, j] = entry
    return A


def forward(table: DHTable, q: ArrayLike) -> Array:
    """Return the pose T_0n = A_1 A_2 … A_n of the last frame in the base frame, (4, 4, N)."""
    A = transforms(table, q)
    T = A[0]
    for A_i in A[1:]:
        T = compose(T, A_i)
    return T

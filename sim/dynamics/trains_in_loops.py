"""Drive trains of loose joints in closed loops, whose friction is coupled through the loops.

At rest a motor gives u and its rotor does not turn: with r of its dry friction, -c_back <= r <= c,
the gear passes on E y, y = u - r, E between eta_f and 1/eta_b. The torque u - E y of motor and gear
is between

    -c_back + (1 - E) (u + c_back)    and    c + (1 - E) (u - c)

with E by the sign of y, backwards in the first and forwards in the second; behind an elastic gear
between -c_back and c with the losses of its spring's torque. In motion a gear takes (1 - E) y as in
`sim.dynamics.kernels.dry_friction`; for each pattern of E that is linear in the friction that holds
joints at rest, whose motion is that of a mechanism with the inertia M + (E - 1) A.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sim.dynamics.drive_trains import DriveTrains
from sim.maths.arrays import Array, Mask


class TrainsInLoops(Struct, frozen=True, eq=False, dict=True):
    """Drive trains of n independent joints at N states.

    Parameters
    ----------
    trains : DriveTrains
    is_rough : ndarray of bool, shape (n,)
        Trains with dry friction or losses at joints that are not held.
    rows : ndarray of int, shape (n,)
        Rows of the joints among the tree joints.
    sense : ndarray, shape (n, N)
        Sense of the motion, 1 or -1; 0 at rest.
    motor, rotor : ndarray, shape (n, N)
        u, and the part of it taken by the friction of moving rotors [N·m or N].
    loads : ndarray, shape (n, N)
        Efforts of force elements in the joints [N·m or N].
    """

    trains: DriveTrains
    is_rough: Mask
    rows: NDArray[np.intp]
    sense: Array
    motor: Array
    rotor: Array
    loads: Array

    @cached_property
    def bounds_at_rest(self) -> tuple[Array, Array]:
        """Bounds of motor and gear torque at rest, ``least <= 0 <= most``, (n, N) each."""
        trains, ones = self.trains, np.ones_like(self.motor)
        forwards, backwards = (trains.breakaway * trains.dry)[..., None]
        elastic = trains.is_elastic[:, None]
        bounds = []
        for dry, sense in ((-backwards, -ones), (forwards, ones)):
            y = self.motor - dry
            loss = np.where(
                elastic,
                trains.mesh(-self.loads, sense),
                (1.0 - _passed_on(y, sense, trains.efficiency[..., None])) * y,
            )
            bounds.append(np.where(self.is_rough[:, None], dry + loss, 0.0))
        return bounds[0], bounds[1]

    def with_bounds(
        self, rows: NDArray[np.intp], least: Array, most: Array, k: int
    ) -> tuple[Array, Array]:
        """Return bounds of friction of tree joints at rest (r,) with their trains, at a state."""
        of_rows = self.rows[:, None] == rows  # (n, r), trains of these joints
        below, above = (bound[:, k] @ of_rows for bound in self.bounds_at_rest)
        return least + below, most + above


def _passed_on(y: Array, sense: Array, efficiency: Array) -> Array:
    """Return E by the sign of the torque behind rotors and of the motion; `efficiency` (2, …)."""
    return np.where(y * sense > 0, efficiency[0], 1.0 / efficiency[1])

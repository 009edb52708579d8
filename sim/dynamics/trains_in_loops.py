"""Drive trains of loose joints in closed loops, which other rough joints of the loops rub with.

At rest a motor gives u and nothing turns its rotor: with r of its dry friction, -c_back <= r <= c,
the gear passes on E y, y = u - r, and E lies between eta_f and 1/eta_b. So all that motor and gear
take, u - E y, lies between

    -c_back + (1 - E) (u + c_back)    and    c + (1 - E) (u - c)

with E by the sign of y, backwards in the first and forwards in the second; behind an elastic gear
between -c_back and c with the losses of its spring's torque. In motion a gear takes (1 - E) y as in
`sim.dynamics.gear_mesh`. For each pattern of E that is linear in what holds joints at rest, so that
the motion of a mechanism is that of one with the inertia M + (E - 1) A, and one pattern fits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.dynamics.drive_trains import DriveTrains
from sim.dynamics.gear_mesh import AT_ONCE
from sim.dynamics.holding_friction import holding
from sim.errors import ScenarioError
from sim.maths.arrays import Array, Mask

Linear = tuple[Array, Array]
"""A quantity (n, N) without dry friction, and its change per unit of each (n, k, N)."""


@dataclass(frozen=True, eq=False)
class TrainsInLoops:
    """Drive trains of n independent joints at N states.

    Parameters
    ----------
    trains : DriveTrains
    is_rough : ndarray of bool, shape (n,)
        Those with dry friction or losses in joints that are not held.
    rows : ndarray of int, shape (n,)
        Of the joints among the tree joints.
    sense : ndarray, shape (n, N)
        Of the motion, 1 or -1; 0 at rest.
    motor, rotor : ndarray, shape (n, N)
        u, and what of it friction of moving rotors takes [N·m or N].
    loads : ndarray, shape (n, N)
        Of the force elements in joints [N·m or N].
    """

    trains: DriveTrains
    is_rough: Mask
    rows: NDArray[np.intp]
    sense: Array
    motor: Array
    rotor: Array
    loads: Array

    def at_rest(self) -> tuple[Array, Array]:
        """Least and most that motor and gear take at rest, ``least <= 0 <= most``, (n, N) each."""
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

    def fit(
        self,
        qdd: Linear,
        dry: Array,
        acting: NDArray[np.intp],
        rest: tuple[NDArray[np.intp], Array],
        limit: Array,
        t: Array,
    ) -> Array:
        """Friction of joints and trains (k, N) that fits the accelerations that it leaves.

        Parameters
        ----------
        qdd : pair of ndarray
        dry : ndarray, shape (k, N)
            Dry friction of the joints that move; zero for those at rest.
        acting : ndarray of int, shape (k,)
            The tree joints whose friction is sought.
        rest : tuple of ndarray
            Which of them rest, (r,), and their motion by the independent joints, (r, n).
        limit : ndarray, shape (r, N)
            Dry friction of the joints at rest by themselves.
        t : ndarray, shape (N,)
            For the message [s].
        """
        places = {int(row): k for k, row in enumerate(acting)}
        least, most = self._bounds(acting[rest[0]], limit)
        lossy = np.flatnonzero(self.is_rough & self.trains.is_lossy)
        result = dry.copy()
        for k in range(t.size):
            moving = lossy[self.sense[lossy, k] != 0]
            at = np.array([places[int(self.rows[joint])] for joint in moving], dtype=np.intp)
            state = _OneState(qdd[0][:, k], qdd[1][..., k], *rest, least[:, k], most[:, k])
            gears = _Gears(
                moving,
                at,
                self.sense[moving, k],
                (self.motor - self.rotor)[moving, k],
                self.trains.inertia[moving],
                self.trains.efficiency[:, moving],
            )
            fitting = state.fit(dry[:, k], gears)
            if fitting is None:
                raise ScenarioError(f"No sense of the gears' losses fits at t = {t[k]:.6g} s")
            result[:, k] = fitting
        return result

    def _bounds(self, resting: NDArray[np.intp], limit: Array) -> tuple[Array, Array]:
        """Least and most of the friction of tree joints at rest, with their trains, (r, N) each."""
        least, most = -limit, limit.copy()
        if resting.size:
            joints = {int(row): joint for joint, row in enumerate(self.rows)}
            of_trains = self.at_rest()
            for k, row in enumerate(resting.tolist()):
                if row in joints:
                    least[k] += of_trains[0][joints[row]]
                    most[k] += of_trains[1][joints[row]]
        return least, most


@dataclass(frozen=True, eq=False)
class _Gears:
    """Lossy gears of m moving joints: their rows, and places among the acting friction."""

    joints: NDArray[np.intp]
    places: NDArray[np.intp]
    sense: Array
    torque: Array  # u less the rotors' friction
    inertia: Array
    efficiency: Array


@dataclass(frozen=True, eq=False)
class _OneState:
    """Accelerations ``free + units f`` under frictions f (k,), and r joints at rest within bounds.

    Parameters
    ----------
    free : ndarray, shape (n,)
    units : ndarray, shape (n, k)
    resting : ndarray of int, shape (r,)
    motion : ndarray, shape (r, n)
    least, most : ndarray, shape (r,)
    """

    free: Array
    units: Array
    resting: NDArray[np.intp]
    motion: Array
    least: Array
    most: Array

    def fit(self, dry: Array, gears: _Gears) -> Array | None:
        """f (k,) with what gears and joints at rest take; None where no pattern of E fits."""
        count = gears.joints.size
        y = gears.torque - gears.inertia * (self.free + self.units @ dry)[gears.joints]
        drives = y * gears.sense > 0
        for tries in range(AT_ONCE + 2**count):
            E = np.where(drives, gears.efficiency[0], 1.0 / gears.efficiency[1])
            f = self._under(dry, gears, 1.0 - E)
            y = gears.torque - gears.inertia * (self.free + self.units @ f)[gears.joints]
            wrong = np.where(drives, y * gears.sense < 0, y * gears.sense > 0)
            if not wrong.any():
                return f
            if tries >= AT_ONCE:  # the last one alone, as in `sim.dynamics.gear_mesh`
                wrong &= np.arange(count) == count - 1 - np.argmax(wrong[::-1])
            drives ^= wrong
        return None

    def _under(self, dry: Array, gears: _Gears, share: Array) -> Array:
        """f (k,) where gears take a `share` (m,) of y."""
        joints, places = gears.joints, gears.places
        carried = (share * gears.inertia)[:, None] * self.units[joints]
        taken = share * (gears.torque - gears.inertia * (self.free + self.units @ dry)[joints])
        to_losses = np.linalg.inv(np.eye(joints.size) + carried[:, places])
        losses, f = to_losses @ taken, dry.copy()
        if self.resting.size:
            by_rest = -to_losses @ carried[:, self.resting]
            a = self.motion @ (self.free + self.units @ dry + self.units[:, places] @ losses)
            units = self.units[:, self.resting] + self.units[:, places] @ by_rest
            held = holding(-self.motion @ units, a, self.least, self.most)
            f[self.resting] += held
            losses = losses + by_rest @ held
        f[places] += losses
        return f


def _passed_on(y: Array, sense: Array, efficiency: Array) -> Array:
    """E of what rotors leave, by its sign and that of the motion; `efficiency` (2, …)."""
    return np.where(y * sense > 0, efficiency[0], 1.0 / efficiency[1])

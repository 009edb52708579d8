"""Accelerations under gears that lose a part of the torque that passes them.

With y what the rotor leaves of the motor's torque, `sim.dynamics.drive_trains` has ``tau = E y``,
E = eta_f or 1/eta_b by the signs of y and of the motion. So the mesh takes ``(1 - E) y``, and as
accelerations are linear in torques,

    y = u - A qdd = y_0 + A B (1 - E) y

with y_0 as if no gear lost any, and B the accelerations under a unit at each joint. That is linear
in each pattern of signs. M + E A is positive definite, and tau rises with y; thus one pattern, and
one only, fits, whatever the efficiencies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.dynamics.drive_trains import DriveTrains
from sim.errors import ScenarioError
from sim.maths.arrays import Array

AT_ONCE = 4  # rounds in which all signs that do not fit change; later one does, which must end


@dataclass(frozen=True, eq=False)
class SlidingMeshes:
    """Lossy gears of sliding joints at N states.

    Parameters
    ----------
    rows : ndarray of int, shape (k,)
    sense : ndarray, shape (k,)
        1 or -1.
    inertia : ndarray, shape (k,)
        A of each [kg·m² or kg].
    efficiency : ndarray, shape (2, k)
    motor : ndarray, shape (k, N)
        u, the motors' torques less friction at the rotors [N·m or N].
    t : ndarray, shape (N,)
        For the message [s].
    """

    rows: NDArray[np.intp]
    sense: Array
    inertia: Array
    efficiency: Array
    motor: Array
    t: Array

    @classmethod
    def of(
        cls, trains: DriveTrains | None, slide: Array, motor: Array, t: Array
    ) -> SlidingMeshes | None:
        """Lossy gears of joints that slide in a sense `slide` (n,); None if there are none.

        `motor` (n, N) is u of all joints.
        """
        if trains is None:
            return None
        rows = np.flatnonzero(trains.is_lossy & (slide != 0))
        if not rows.size:
            return None
        of_rows = slide[rows], trains.inertia[rows], trains.efficiency[:, rows]
        return cls(rows, *of_rows, motor[rows], t)

    def losses(self, qdd: Array, units: Array) -> Array:
        """``(1 - E) y`` of each gear, (k, N) [N·m or N].

        Parameters
        ----------
        qdd : ndarray, shape (k, N)
            Accelerations of these joints as if no gear lost any.
        units : ndarray, shape (k, k, N)
            Their changes under a unit of effort at each of them.
        """
        y_0 = self.motor - self.inertia[:, None] * qdd
        carried = self.inertia[:, None, None] * units
        y, E = _solve(y_0, carried, self.sense, self.efficiency, self.t)
        return np.asarray((1.0 - E) * y)


@dataclass(frozen=True, eq=False)
class LossyGears:
    """Sliding joints at one state whose gears lose a part of their torque.

    Parameters
    ----------
    trains : DriveTrains
    rows : ndarray of int, shape (k,)
    sense : ndarray, shape (k,)
        1 or -1.
    dry : ndarray, shape (n,)
        Coulomb friction of the motors in this sense, at the joints [N·m or N].
    units : ndarray, shape (n, 1 + k)
        What the efforts of the cases differ by: nothing, and a unit at each.
    """

    trains: DriveTrains
    rows: NDArray[np.intp]
    sense: Array
    dry: Array
    units: Array

    @classmethod
    def of(cls, trains: DriveTrains | None, slide: Array) -> LossyGears | None:
        """Lossy gears of joints that slide as `slide` says, shape (n,); None without any."""
        if trains is None:
            return None
        rows = np.flatnonzero(trains.is_lossy & (slide != 0))
        if not rows.size:
            return None
        units = np.zeros((slide.size, 1 + rows.size))
        units[rows, 1 + np.arange(rows.size)] = 1.0
        return cls(trains, rows, slide[rows], trains.coulomb(slide[:, None])[:, 0], units)

    def solve(
        self, qdd: Array, effort: Array, motor: Array, qd: Array
    ) -> tuple[Array, Array, Array]:
        """Accelerations, efforts and what the meshes take, (n,) each, of the cases (n, 1 + k).

        `motor` (n,) are the motors' torques at the joints, `qd` (n,) the speeds.
        """
        rows, trains = self.rows, self.trains
        more = qdd[:, 1:] - qdd[:, :1]
        torque = motor - trains.viscous * qd - self.dry  # by the rotors' friction
        y_0 = (torque - trains.inertia * qdd[:, 0])[rows]
        carried = trains.inertia[rows, None] * more[rows]
        y, E = _solve(
            y_0[:, None], carried[:, :, None], self.sense, trains.efficiency[:, rows], np.zeros(1)
        )
        loss = ((1.0 - E) * y)[:, 0]
        mesh = np.zeros_like(motor)
        mesh[rows] = loss
        return qdd[:, 0] - more @ loss, effort[:, 0] - (effort[:, 1:] - effort[:, :1]) @ loss, mesh


def _solve(
    y_0: Array, carried: Array, sense: Array, efficiency: Array, t: Array
) -> tuple[Array, Array]:
    """y and E (k, N) of ``y = y_0 + carried (1 - E) y``, each in the pattern of signs that fits.

    Raises
    ------
    ScenarioError
        If a number is not finite; names the time.
    """
    k = len(sense)
    along, against = efficiency[0], 1.0 / efficiency[1]
    forwards = y_0 * sense[:, None] > 0
    for count in range(AT_ONCE + 2**k):
        E = np.where(forwards, along[:, None], against[:, None])
        A = np.eye(k)[:, :, None] - carried * (1.0 - E)[None]
        y = np.linalg.solve(np.moveaxis(A, -1, 0), y_0.T[:, :, None])[:, :, 0].T
        wrong = np.where(forwards, y * sense[:, None] < 0, y * sense[:, None] > 0)
        if not wrong.any():
            return y, E
        if count >= AT_ONCE:  # the last one alone: no pattern comes twice (Murty 1974)
            last = k - 1 - np.argmax(wrong[::-1], axis=0)
            wrong &= np.arange(k)[:, None] == last
        forwards ^= wrong
    late = float(t[int(np.argmax(wrong.any(axis=0)))])
    raise ScenarioError(f"No sense of the gears' losses fits at t = {late:.6g} s")

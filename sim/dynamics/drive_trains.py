"""Losses of drive trains: friction at the rotor and in the mesh of the gear.

`sim.robots.drive_train.DriveTrain` has the law of one; this module has all of a robot, at the
joints. With tau the torque of the gears on the links, A = N² J and all positive along the motion,

    N tau_m = tau + A qdd + taken,    taken = v qd + s c + mesh

    mesh = y - tau = (1/eta_f - 1) tau     where tau drives the motion, s tau > 0
                   = -(1 - eta_b) tau      where it brakes it

s is the sense of the motion. All terms but the mesh are ordinary friction.

The row of an elastic gear is the motor's own. The torque through the mesh is then that of the
spring, which depends on the twist, and the loss is a friction under a known load.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np

from sim.maths.arrays import Array, Mask
from sim.robots.payload import rotor_link
from sim.robots.robot import Robot


class DriveTrains(msgspec.Struct, frozen=True, eq=False):
    """Drive trains of n independent joints; a joint without one has a ratio of 1 and no losses.

    Parameters
    ----------
    has_one : ndarray of bool, shape (n,)
    ratio : ndarray, shape (n,)
        Motor speed over joint speed.
    inertia : ndarray, shape (n,)
        A, inertia of the rotors at the joints [kg·m² or kg].
    viscous : ndarray, shape (n,)
        v, at the joints [N·m·s/rad or N·s/m].
    dry : ndarray, shape (2, n)
        c, at the joints, forwards and backwards, both positive [N·m or N].
    efficiency : ndarray, shape (2, n)
        eta_f and eta_b.
    breakaway : ndarray, shape (n,) or (1,)
        c at rest over c in motion.
    is_elastic : ndarray of bool, shape (n,) or (1,)
        Rows of motors of elastic gears.
    """

    has_one: Mask
    ratio: Array
    inertia: Array
    viscous: Array
    dry: Array
    efficiency: Array
    breakaway: Array = msgspec.field(default_factory=lambda: np.ones(1))
    is_elastic: Mask = msgspec.field(default_factory=lambda: np.zeros(1, dtype=bool))

    @property
    def has_losses(self) -> Mask:
        """Mask of the gears that lose a part of their torque, shape (n,)."""
        return np.asarray((self.efficiency < 1.0).any(axis=0))

    @property
    def is_lossy(self) -> Mask:
        """Mask of the trains whose loss depends on accelerations: the rigid ones, shape (n,)."""
        return np.asarray(self.has_losses & ~self.is_elastic)

    @property
    def is_dry(self) -> Mask:
        """Mask of the trains that can hold their joint at rest by themselves, shape (n,)."""
        return np.asarray(self.has_losses | (self.dry > 0.0).any(axis=0))

    def coulomb(self, sense: Array) -> Array:
        """Return s c of joints that move in a sense (n, N), 1 or -1; zero at rest."""
        forwards, backwards = self.dry[..., None]
        return np.asarray(np.where(sense > 0, forwards, 0.0) - np.where(sense < 0, backwards, 0.0))

    def rotor_friction(self, qd: Array, sense: Array) -> Array:
        """Return v qd + s c of joints for a sense (n, N), 1 or -1; s c is zero for sense 0."""
        return np.asarray(self.viscous[:, None] * qd + self.coulomb(sense))

    def mesh(self, tau: Array, sense: Array) -> Array:
        """Return y - tau of joints that move in a sense (n, N), 1 or -1; zero at rest."""
        driving, driven = self.efficiency[..., None]
        loss = np.where(tau * sense > 0, 1.0 / driving - 1.0, driven - 1.0) * tau
        return np.asarray(np.where(sense == 0, 0.0, loss))

    def passes(self, tau: Array, loads: Array) -> Array:
        """Return torque through the mesh, (n, N): tau, or joint loads for elastic trains."""
        return np.where(self.is_elastic[:, None], -loads, tau)

    def known_mesh(self, loads: Array, sense: Array) -> Array:
        """Return losses of elastic gears under the loads in joints, (n, N); zero for the others."""
        return self.mesh(np.where(self.is_elastic[:, None], -loads, 0.0), sense)

    def lost_torque(self, tau: Array, qd: Array, sense: Array | None = None) -> Array:
        """Return the torque lost to friction and mesh at moving joints, (n, N); zero at rest.

        At rest the gear locks and its friction may take any value in `band`; zero is returned for a
        prescribed rest. `sense` (n, N) is that of the motion (default: the sign of `qd`).
        """
        sense = np.sign(qd) if sense is None else sense
        return self.rotor_friction(qd, sense) + self.mesh(tau, sense)

    def band(self, tau: Array, bearing: Array) -> tuple[Array, Array]:
        """Return least and largest N tau_m at which the joints stay at rest, (n, N) each.

        Parameters
        ----------
        tau : ndarray, shape (n, N)
            Torque that holds the links without friction [N·m or N].
        bearing : ndarray, shape (n, N)
            Dry friction of the joints themselves.
        """
        up, down = tau + bearing, tau - bearing
        ones, (forwards, backwards) = np.ones_like(tau), (self.breakaway * self.dry)[..., None]
        most = up + self.mesh(up, ones) + forwards
        least = down + self.mesh(down, -ones) - backwards
        return least, most

    def at_motors(self, motor: Array) -> Array:
        """Return tau_m for N tau_m, (n, N) [N·m]."""
        return np.asarray(motor / self.ratio[:, None])


@lru_cache(maxsize=64)
def drive_trains_of(robot: Robot) -> DriveTrains | None:
    """Return the drive trains of a robot; None if no joint has one."""
    if not robot.has_drives:
        return None
    n, drives = len(robot.coordinates), robot.drives
    ratio, inertia, viscous, breakaway = np.ones(n), np.zeros(n), np.zeros(n), np.ones(n)
    dry, efficiency, is_elastic = np.zeros((2, n)), np.ones((2, n)), np.zeros(n, dtype=bool)
    for row, drive in drives.items():
        ratio[row], inertia[row] = drive.ratio, drive.reflected_inertia
        viscous[row], breakaway[row] = drive.ratio**2 * drive.viscous, drive.breakaway
        dry[:, row], efficiency[:, row] = drive.dry, drive.efficiencies
    has_one = np.zeros(n, dtype=bool)
    has_one[list(drives)] = True
    for joint, (motor, _) in robot.motor_rows.items():
        is_elastic[motor] = True
        if (elastic := robot.joint(robot.row_names[joint]).drive) is not None:
            efficiency[:, motor] = elastic.efficiencies
    return DriveTrains(has_one, ratio, inertia, viscous, dry, efficiency, breakaway, is_elastic)


def rotor_names(robot: Robot) -> tuple[str, ...]:
    """Return names of the rotors that are not links, in the form ``rotor_of_<joint>``."""
    return tuple(rotor_link(robot.row_names[row]) for row in _inertias_in_joints(robot))


def rotor_energies(robot: Robot, qd: Array) -> Array:
    """Return ½ N² J qd² of each rotor, (rotors, N) [J]; `qd` (n, N) of the independent joints."""
    rows = _inertias_in_joints(robot)
    return np.asarray(0.5 * robot.rotor_inertia[rows, None] * qd[rows] ** 2)


def _inertias_in_joints(robot: Robot) -> list[int]:
    """Return the rows of the joints whose rotor is not a separate body."""
    return [row for row, drive in robot.drives.items() if not drive.gyroscopic]

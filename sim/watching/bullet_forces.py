"""ExternalForces: forces and torques that a PyBullet loop applies to links of a body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from sim.dynamics.wrench import AppliedWrench, joint_torque
from sim.kinematics.forward import Kinematics
from sim.maths.arrays import Array
from sim.maths.rotations import cross
from sim.robots.robot import Robot
from sim.watching.cause import Cause
from sim.watching.sample_store import SampleStore

NEAR = 5e-3  # [m] from a link's place, which the loop may have read a step before
LEVER = 0.05  # [m] from which on a force acts elsewhere than at a link
TURNED = 5.0  # [°] of a link, from which on it matters along whose axes a force acts
FITS = 0.05  # of the forces: what a drag leaves whose velocity was read a step before

Account = tuple[str, str, bool]  # what a force does, the remedy, and whether that is an error


class ExternalForces:
    """Calls of ``applyExternalForce`` and ``applyExternalTorque`` for a body."""

    def __init__(self, bullet: Any, body: int, client: int) -> None:
        self._place, self._base = bullet.getLinkState, bullet.getBasePositionAndOrientation
        self._body, self._of = body, {"physicsClientId": client}
        self._own_axes = int(bullet.LINK_FRAME)
        self._calls = SampleStore(17)

    def add(self, step: int, link: int, vector: Any, point: Any, flags: int) -> None:
        """Record a force at a point, or a torque if that is None, during an engine step.

        PyBullet uses the pose of a link as last computed, which may be that before the last step.
        """
        pose = self._base(self._body, **self._of) if link < 0 else None
        place, turn = pose or self._place(self._body, link, **self._of)[:2]
        at = (0.0, 0.0, 0.0) if point is None else point
        is_own = bool(flags & self._own_axes)
        self._calls.add(step, link, is_own, point is None, *vector, *at, *place, *turn)

    def causes(
        self, robot: Robot, names: Mapping[int, str], q: Array, qd: Array, last: NDArray[np.intp]
    ) -> Iterator[Cause]:
        """Yield a note on the force on each link, or an error if it cannot be intended.

        Parameters
        ----------
        robot : Robot
            As in the engine.
        names : mapping of int to str
            Links by their indices.
        q, qd : ndarray, shape (n, N)
            States before each step.
        last : ndarray of int, shape (N,)
            Number of the last engine step before each sample.
        """
        calls = self._calls.rows()
        step = np.searchsorted(last, calls[:, 0])
        calls, step = calls[step < len(last)], step[step < len(last)]
        moving = Kinematics(robot, q, qd)
        for kind in np.unique(calls[:, 1:4], axis=0):
            same = (calls[:, 1:4] == kind).all(axis=1)
            link, is_own, is_torque = kind.astype(int).tolist()
            if link in names:
                of = link, names[link], bool(is_own), bool(is_torque), step[same]
                rows = calls[same, 4:7].T, calls[same, 7:10].T, calls[same, 10:13].T
                yield _Acting(*of, *rows, Rotation.from_quat(calls[same, 13:])).cause(moving)


@dataclass(frozen=True, eq=False)
class _Acting:
    """K calls of one function for a link, all along its own axes or all along the world's.

    Parameters
    ----------
    link : int
    name : str
    is_own, is_torque : bool
    step : ndarray of int, shape (K,)
    vector, point : ndarray, shape (3, K)
        Arguments.
    place : ndarray, shape (3, K)
        Mass centre of the link in the world; `turn` has its axes.
    turn : Rotation
    """

    link: int
    name: str
    is_own: bool
    is_torque: bool
    step: NDArray[np.intp]
    vector: Array
    point: Array
    place: Array
    turn: Rotation

    def cause(self, moving: Kinematics) -> Cause:
        """Return the cause, with its torque at the states before each step."""
        count = moving.q.shape[1]
        largest = float(np.linalg.norm(self.vector, axis=0).max())
        title, unit = ("Torque", "N·m") if self.is_torque else ("Force", "N")
        axes = "its own axes (LINK_FRAME)" if self.is_own else "the world's axes"
        text = f"p.applyExternal{title} on {self.name} in {len(np.unique(self.step))} of {count} "
        text += f"steps, up to {largest:.4g} {unit} along {axes}"
        what, remedy, is_error = self._misplacement() or self._drag(moving) or self._constant()
        torque = -self._torque(moving)
        return Cause("external force", text + what, remedy, self.name, torque, is_error)

    def _in_world(self) -> Array:
        return self.turn.apply(self.vector.T).T if self.is_own else self.vector

    def _centre(self, robot: Robot) -> Array:
        inertia = robot.link(self.name).inertia
        return np.zeros(3) if inertia is None else inertia.com

    def _torque(self, moving: Kinematics) -> Array:
        """Return the generalised forces, (n, N)."""
        count, vector = moving.q.shape[1], self._in_world()
        force, moment = np.zeros((3, count)), np.zeros((3, count))
        turning = vector
        if not self.is_torque:
            np.add.at(force.T, self.step, vector.T)
            arm = self.turn.apply(self.point.T).T if self.is_own else self.point - self.place
            turning = cross(arm, vector)
        np.add.at(moment.T, self.step, turning.T)
        wrench = AppliedWrench(self.name, self._centre(moving.robot), force, moment)
        return np.asarray(joint_torque(moving.robot, moving.q, [wrench]))

    @property
    def _here(self) -> str:
        of_base = "p.getBasePositionAndOrientation(body)[0]"
        return of_base if self.link < 0 else f"p.getLinkState(body, {self.link})[0]"

    def _misplacement(self) -> Account | None:
        """Account for points given in the frame of the other flag."""
        if self.is_torque or np.linalg.norm(self.place, axis=0).min() < LEVER:
            return None
        if self.is_own:
            if np.linalg.norm(self.point - self.place, axis=0).max() > NEAR:
                return None
            what = "; its point is where the link is in the world, but is counted from the link"
            return what, "flags=p.WORLD_FRAME, or the point [0, 0, 0]", True
        size = np.linalg.norm(self.vector, axis=0)
        lever = np.linalg.norm(cross(self.place, self.vector), axis=0) / np.maximum(size, 1e-300)
        if self.point.any() or lever.max() < LEVER:
            return None
        what = f" at the world's origin [0, 0, 0], {lever.max():.3g} m beside the link"
        return what, f"the point {self._here}, or flags=p.LINK_FRAME", True

    def _drag(self, moving: Kinematics) -> Account | None:
        """Account for vectors along the velocity of the mass centre, or the angular velocity."""
        if np.ptp(self.vector, axis=1).max() <= FITS * np.abs(self.vector).max():
            return None  # constant
        frame = moving.frame(self.name)
        R, v, w = (x[..., self.step] for x in (frame.R, frame.v, frame.w))
        offset = np.einsum("abN,b->aN", R, self._centre(moving.robot))
        in_world = w if self.is_torque else v + cross(w, offset)
        in_link = self.turn.inv().apply(in_world.T).T
        meant, other = (in_link, in_world) if self.is_own else (in_world, in_link)
        if (law := self._law(meant)) is not None:
            is_drag = law[0] == "-"
            what = f", {law}, a drag: included" if is_drag else f", {law}: no drag, a drive"
            return what, "" if is_drag else "the force of a drag has a minus", not is_drag
        if (law := self._law(other)) is None:
            return None
        what = f"; it is {law} along {'the world' if self.is_own else 'the link'}'s axes"
        remedy = f"flags=p.WORLD_FRAME, with the point {self._here}"
        return what, remedy if self.is_own else "flags=p.LINK_FRAME, with the point [0, 0, 0]", True

    def _law(self, velocity: Array) -> str | None:
        """Return the law by which the vectors follow a velocity (3, K); None if they do not."""
        units = ("N·m·s/rad", "N·m·s²/rad²") if self.is_torque else ("N·s/m", "N·s²/m²")
        speed, fits = np.linalg.norm(velocity, axis=0), list[tuple[float, str]]()
        for law, unit in ((velocity, f"{units[0]} v"), (speed * velocity, f"{units[1]} |v| v")):
            factor = np.sum(self.vector * law) / max(float(np.sum(law * law)), 1e-300)
            left = float(np.linalg.norm(self.vector - factor * law))
            fits.append((left, f"{factor:.3g} {unit}"))
        left, best = min(fits)
        return best if left <= FITS * np.linalg.norm(self.vector) else None

    def _constant(self) -> Account:
        """Account for other vectors; of constant ones that turn with the link, name the others."""
        is_constant = np.ptp(self.vector, axis=1).max() <= 1e-9 * np.abs(self.vector).max()
        turned = float(np.degrees((self.turn[:1].inv() * self.turn).magnitude().max()))
        if not (self.is_own and is_constant and turned > TURNED):
            return ": included", "", False
        what = f", which turn by up to {turned:.3g}°: included"
        point = "" if self.is_torque else f" and the point {self._here}"
        return what, f"if it is meant along the world's axes, flags=p.WORLD_FRAME{point}", False

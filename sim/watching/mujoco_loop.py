"""MujocoLoop: a watched MuJoCo loop with the replay of its steps."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim.maths.arrays import Array, Mask
from sim.robots.mjcf.compiled import compiled_of
from sim.watching.cause import Law, unit_of
from sim.watching.episodes import MOST
from sim.watching.evidence import Evidence
from sim.watching.mujoco_laws import Laws, are_shared, laws_of
from sim.watching.mujoco_readback import Places
from sim.watching.mujoco_replay import Recorded, Replay, replay
from sim.watching.own_torques import OWN_TORQUES

NOTHING = 1e-11  # of the largest torque: what is rounding


@dataclass(frozen=True, eq=False)
class Resets:
    """Steps (N,) before which the loop sets a new state.

    Parameters
    ----------
    known : ndarray of bool, shape (N,)
        As the loop states.
    possible : ndarray of bool, shape (N,)
        Those among which one is, as the time has gone on for too few steps.
    samples : ndarray of int, shape (N,)
        Sample at the end of each step, from 0.
    """

    known: Mask
    possible: Mask
    samples: NDArray[np.intp]

    def between(self, samples: NDArray[np.intp]) -> Resets:
        """Return the same of single steps, of which several belong to a sample, (N,)."""
        return Resets(self.known[samples], self.possible[samples], samples)

    def episodes(self, other: Mask) -> Mask:
        """Return the first steps of episodes, (N,): known, or possible and `other` than MuJoCo's.

        All steps of a sample are, if one is.
        """
        begins = self.possible & other
        if begins.mean() > MOST:  # no resets, but a loop without mj_step, whose time stands still
            begins = np.zeros_like(begins)
        return np.isin(self.samples, self.samples[self.known | begins])


@dataclass(frozen=True, eq=False)
class MujocoLoop:
    """A loop with its replay.

    Parameters
    ----------
    has_late_control : bool
        Whether each control acts one step later than it is in ``data.ctrl`` after a step.
    resets : Resets
    own : Laws
        What the robot's own file states; without a file what the model did as the watch began.
    former : MjModel
        As the watch began.
    unread : ndarray of bool, shape (N,), or False
        Steps between two looks at forces on bodies that differ.
    """

    model: mujoco.MjModel
    former: mujoco.MjModel
    evidence: Evidence
    recorded: Recorded
    replay: Replay
    places: Places
    resets: Resets
    has_late_control: bool = False
    own: Laws = field(default_factory=dict)
    unread: Mask | bool = False

    def without(self, steps: Mask) -> MujocoLoop:
        """Return the loop without forces in steps (N,) that are not judged."""
        forces = {name: np.where(steps, 0.0, x) for name, x in self.replay.forces.items()}
        far = np.where(steps, np.inf, self.replay.apart)
        evidence = replace(self.evidence, tau=np.where(steps, 0.0, self.evidence.tau))
        left = replace(self.replay, forces=forces, apart=far)
        return replace(self, evidence=evidence, replay=left)

    @property
    def is_constrained(self) -> Mask:
        """Mask of steps that change without contacts, limits and all other constraints, (N,)."""
        free = copy(self.model)
        free.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        return replay(free, self.recorded, self.places).is_other

    @property
    def has_own_torque(self) -> bool:
        """Whether the loop passes the torques that it assumes."""
        return self.evidence.torque_from == OWN_TORQUES

    @property
    def has_servos(self) -> bool:
        """Whether the force of an actuator depends on the state or on an internal state."""
        laws = (
            self.model.actuator_biastype,
            self.model.actuator_gaintype,
            self.model.actuator_dyntype,
        )
        return any(law.any() for law in laws)  # 0: no bias, a fixed gain, no dynamics

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.evidence.robot.row_names

    @cached_property
    def _laws(self) -> Laws:
        return laws_of(self.model)

    def shares(self, kind: str) -> bool:
        """Whether all forces of a kind on the robot are in its own file too."""
        joints, robot = compiled_of(self.model).joints, self.evidence.robot
        names = {joints[k] for k in self.places.joint} | {link.name for link in robot.links}
        return are_shared(self._laws, self.own, kind, names)

    @property
    def damps_at_the_end(self) -> bool:
        """Whether only damping acts with the velocity at the end of a step."""
        is_off = self.model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
        return self.evidence.held.settings["integrator"] == "Euler" and not is_off

    @property
    def largest(self) -> float:
        """Largest torque that acts, weight and centrifugal forces among them [N·m or N]."""
        forces = self.replay.forces
        held = forces["actuator"] + forces["applied"] - forces["integrator"]
        every = [held, forces["actuator"], self.replay.bias]
        return float(np.max(np.abs(every), initial=1e-300))

    def is_noticeable(self, torque: Array) -> bool:
        """Whether a torque (n, N) is more than rounding of the largest."""
        return float(np.abs(torque).max(initial=0.0)) > NOTHING * self.largest

    def per_joint(self, values: Array, law: Law = "torque") -> str:
        """Numbers of a law in the joints with their units, those that are zero left out."""
        units = [unit_of(row, law) for row in self.evidence.robot.tree_coordinates]
        if len(set(values.tolist())) == len(set(units)) == 1 < len(values) and values[0]:
            return f"{values[0]:.6g} {units[0]} in every joint"
        each = zip(self.names, values, units, strict=True)
        parts = [f"{v:.6g} {unit} at {name}" for name, v, unit in each if v]
        more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
        return ", ".join(parts[:3]) + more

    def tendons_with(self, values: Array) -> str:
        """Names of the tendons (ntendon,) that have a number."""
        compiled = compiled_of(self.model)
        return ", ".join(compiled.name("tendon", int(k)) for k in np.flatnonzero(values))

    def largest_of(self, torque: Array) -> str:
        """The largest of torques (n, N) with its unit."""
        row = int(np.argmax(np.abs(torque).max(axis=1)))
        unit = self.evidence.robot.tree_coordinates[row].units.effort
        return f"{np.abs(torque[row]).max():.4g} {unit}"

"""MujocoLoop: a watched MuJoCo loop with the replay of its steps."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from sim.maths.arrays import Array, Mask
from sim.watching.evidence import Evidence
from sim.watching.mujoco_readback import Places
from sim.watching.mujoco_replay import Recorded, Replay, replay

OWN = "watch.sample(torque)"


@dataclass(frozen=True, eq=False)
class MujocoLoop:
    """A loop with its replay.

    Parameters
    ----------
    has_late_control : bool
        Whether each control acts one step later than it is in ``data.ctrl`` after a step.
    time_back : tuple of int
        Samples at which time has decreased.
    is_own_robot : bool
        Whether the robot is that of the MuJoCo model, and not of a file.
    """

    model: mujoco.MjModel
    evidence: Evidence
    recorded: Recorded
    replay: Replay
    places: Places
    has_late_control: bool = False
    time_back: tuple[int, ...] = ()
    is_own_robot: bool = False

    def without(self, steps: Mask) -> MujocoLoop:
        """The loop with no forces in some steps (N,), which are not MuJoCo's own."""
        forces = {name: np.where(steps, 0.0, x) for name, x in self.replay.forces.items()}
        return replace(self, replay=replace(self.replay, forces=forces))

    @property
    def is_constrained(self) -> Mask:
        """Mask of steps that change without contacts, limits and all other constraints, (N,)."""
        free = copy(self.model)
        free.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        return replay(free, self.recorded, self.places).is_other

    @property
    def has_own_torque(self) -> bool:
        """Whether the loop passes the torques that it assumes."""
        return self.evidence.torque_from == OWN

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.evidence.robot.row_names

    @property
    def damps_at_the_end(self) -> bool:
        """Whether damping, and nothing else, acts with the velocity at the end of a step."""
        is_off = self.model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
        return self.evidence.held.settings["integrator"] == "Euler" and not is_off

    @property
    def largest(self) -> float:
        """Largest torque that acts [N·m or N]."""
        forces = self.replay.forces
        held = forces["actuator"] + forces["applied"] - forces["integrator"]
        return float(np.max(np.abs([held, forces["actuator"]]), initial=1e-300))

    def per_joint(self, values: Array, unit: str = "") -> str:
        """Return numbers of some joints, zero ones omitted."""
        unit = f" {unit}" if unit else ""
        if len(set(values.tolist())) == 1 < len(values) and values[0]:
            return f"{values[0]:.6g}{unit} in every joint"
        some = [(name, v) for name, v in zip(self.names, values, strict=True) if v]
        parts = [f"{v:.6g}{unit} at {name}" for name, v in some]
        more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
        return ", ".join(parts[:3]) + more

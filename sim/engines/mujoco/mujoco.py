"""Mujoco: MuJoCo as an engine, set up so that its numbers can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Self

import numpy as np

from sim.dynamics.gravity import Gravity
from sim.dynamics.wrench import Acting
from sim.engines.contract import EnergySamples, March, ModelReadback, require_same
from sim.engines.mujoco.constraints import loops_of
from sim.engines.mujoco.energies import survey_of
from sim.engines.mujoco.forward_inverse import complete
from sim.engines.mujoco.marching import march_through
from sim.engines.mujoco.mujoco_model import MujocoModel
from sim.engines.mujoco.reactions import reactions_of
from sim.engines.mujoco.readback import read_model
from sim.engines.mujoco.warnings_as_errors import mujoco_warnings_as_errors
from sim.kinematics.loop_equations import LoopEquations
from sim.maths.arrays import Array, Mask
from sim.robots.robot import Robot

SAME = 1e-12  # of masses, centres and tensors: the rounding of a search for principal axes


class Mujoco:
    """MuJoCo with a robot, an engine by `sim.engines.contract`; it can march.

    Parameters
    ----------
    robot : Robot
    gravity : tuple of float
        In the world [m/s²].
    progress : callable, optional
        Called now and then with the number of steps or states done.
    keep_separate : collection of str
        Links whose mass comes and goes. Every link is a body of its own here, so any may.

    Raises
    ------
    EngineError
        If MuJoCo cannot load the robot or its reader reads it otherwise than the model did.
    """

    def __init__(
        self,
        robot: Robot,
        gravity: Gravity,
        progress: Callable[[int], None] | None = None,
        keep_separate: Collection[str] = (),
    ) -> None:
        self.plant = MujocoModel(robot, gravity)
        self.progress = progress
        self.steps = 0
        self._carried: dict[str, bool] = {}
        with mujoco_warnings_as_errors(robot.name):
            require_same(robot, read_model(self.plant), "MuJoCo", SAME)

    @property
    def robot(self) -> Robot:
        """The robot, with every payload of the run."""
        return self.plant.robot

    @property
    def gravity(self) -> Gravity:
        """In the world [m/s²]."""
        return self.plant.gravity

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is left to close: MuJoCo keeps everything in memory of its own objects."""

    def readback(self) -> ModelReadback:
        """What MuJoCo holds of the robot; see `Engine`."""
        with mujoco_warnings_as_errors(self.robot.name):
            return read_model(self.plant)

    def set_payloads(self, carried: Mapping[str, bool]) -> None:
        """Give these payload links their own mass and inertia, or none; see `Engine`."""
        changed = {
            link: has for link, has in carried.items() if self._carried.get(link, True) != has
        }
        if changed:
            self.plant.set_mass(changed)
            self._carried |= changed

    def energies(self, q: Array, qd: Array, links: tuple[str, ...]) -> EnergySamples:
        """Energies of `links` and motion of the tool at states (n_tree, N); see `Engine`."""
        with mujoco_warnings_as_errors(self.robot.name):
            return survey_of(self.plant, q, qd, links, self.count)

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts of all tree joints; see `Engine`.

        Efforts are those of ``mj_inverse``. Where joints are loose, MuJoCo's own mass matrix and
        bias forces give their accelerations first.
        """
        sound = np.isfinite(np.concatenate([q, qd, qdd, effort])).all(axis=0)
        answers = np.full((2, *q.shape), np.nan)
        q, qd, qdd, effort = (x[:, sound] for x in (q, qd, qdd, effort))
        here = [wrench.during(sound) for wrench in wrenches]
        with mujoco_warnings_as_errors(self.robot.name):
            answers[..., sound] = complete(self.plant, q, qd, qdd, effort, held, here)
        return answers[0], answers[1]

    def reactions(self, q: Array, qd: Array, qdd: Array, wrenches: Acting = ()) -> Array:
        """What the joints of the tree carry, by ``mj_rnePostConstraint``; see `Reacting`."""
        with mujoco_warnings_as_errors(self.robot.name):
            return reactions_of(self.plant, q, qd, qdd, wrenches)

    def loops(self, q: Array) -> LoopEquations:
        """The loop equations, from MuJoCo's own ``connect`` constraints; see `Reacting`."""
        with mujoco_warnings_as_errors(self.robot.name):
            return loops_of(self.plant, q)

    def march(self, march: March) -> Array:
        """Step through time with ``mj_step``; see `Marching`."""
        with mujoco_warnings_as_errors(self.robot.name):
            return march_through(self.plant, march, self.set_payloads, self.count)

    def count(self, steps: int) -> None:
        """Note that `steps` more steps or states are done."""
        self.steps += steps
        if self.progress is not None:
            self.progress(self.steps)

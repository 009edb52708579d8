"""Methods that solve a case: the analytic model, Newton-Euler, and the modes of each engine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sim.engine_names import ENGINES, EngineName, is_installed
from sim.errors import ScenarioError
from sim.maths.arrays import Array, Mask
from sim.recording.columns import ColumnTable, concatenate

if TYPE_CHECKING:
    from sim.dynamics.gravity import Gravity
    from sim.dynamics.hybrid import HybridDynamics
    from sim.robots.robot import Robot
    from sim.scenario.scenario import Scenario

EARTH = (0.0, 0.0, -9.81)  # m/s²


@dataclass(frozen=True)
class SolvingMethod:
    """One way to an answer.

    Parameters
    ----------
    name : str
    title : str
        Display name.
    engine : str, optional
        Engine of the method.
    is_stepped : bool
        Whether the engine steps through time by its own integrator.
    """

    name: str
    title: str
    engine: EngineName | None = None
    is_stepped: bool = False

    @property
    def lacks(self) -> str:
        """Return the package that is missing for the method; empty if none is."""
        if self.engine is None or is_installed(self.engine):
            return ""
        return f"{ENGINES[self.engine].package} is not installed"

    def solve(self, scenario: Scenario) -> ColumnTable:
        """Return the channels of a scenario by this method.

        Raises
        ------
        ScenarioError, ModelError, EngineError
            As for a run.
        """
        from sim.simulation.build_problem import build_problem
        from sim.simulation.engine_answer import engine_answer
        from sim.simulation.model_answer import model_answer
        from sim.simulation.table import tables

        if self.engine is not None:
            way = "stepped" if self.is_stepped else scenario.method
            problem = build_problem(replace(scenario, engine=self.engine, method=way))
            return concatenate(list(tables(problem, engine_answer(problem, None))))
        self._require_model()
        problem = build_problem(scenario)
        return concatenate(list(tables(problem, model_answer(problem))))

    def inverse_dynamics(
        self, robot: Robot, q: Array, qd: Array, qdd: Array, gravity: Gravity = EARTH
    ) -> Array:
        """Return efforts ``M qdd + C qd + g`` at N states, shape (n, N) [N·m or N]."""
        if self.name == "newton_euler":
            from sim.dynamics import newton_euler

            return newton_euler.inverse_dynamics(robot, q, qd, qdd, gravity)
        held = np.ones(len(q), dtype=bool)
        return self._hybrid(robot, q, qd, qdd, held, np.zeros_like(q), gravity)[1]

    def forward_dynamics(
        self, robot: Robot, q: Array, qd: Array, tau: Array, gravity: Gravity = EARTH
    ) -> Array:
        """Return accelerations under efforts at N states, shape (n, N) [rad/s² or m/s²]."""
        self._require_model()
        held = np.zeros(len(q), dtype=bool)
        return self._hybrid(robot, q, qd, np.zeros_like(q), held, tau, gravity)[0]

    def mass_matrix(self, robot: Robot, q: Array) -> Array:
        """Return M at one state (n,), from efforts at unit accelerations, shape (n, n)."""
        n = len(q)
        states = np.repeat(q[:, None], n, axis=1)
        return self.inverse_dynamics(robot, states, 0 * states, np.eye(n), (0.0, 0.0, 0.0))

    def _hybrid(
        self,
        robot: Robot,
        q: Array,
        qd: Array,
        qdd: Array,
        held: Mask,
        effort: Array,
        gravity: Gravity,
    ) -> tuple[Array, Array]:
        with self._dynamics(robot, gravity) as dynamics:
            return dynamics.hybrid_dynamics(q, qd, qdd, held, effort, ())

    @contextlib.contextmanager
    def _dynamics(self, robot: Robot, gravity: Gravity) -> Iterator[HybridDynamics]:
        from sim.dynamics.hybrid import LagrangianDynamics

        if self.engine is None:
            yield LagrangianDynamics(robot, gravity)
            return
        from sim.engines.coupled import EngineDynamics
        from sim.engines.opening import open_engine

        with open_engine(self.engine, robot, gravity) as engine:
            yield EngineDynamics(engine)

    def _require_model(self) -> None:
        if self.name == "newton_euler":
            raise ScenarioError("Newton-Euler gives efforts only; a case asks `inverse_dynamics`")


METHODS: dict[str, SolvingMethod] = {
    method.name: method
    for method in (
        SolvingMethod("model", "model"),
        SolvingMethod("newton_euler", "Newton–Euler"),
        *(SolvingMethod(name, ENGINES[name].title, name) for name in ENGINES),
        *(SolvingMethod(f"{n}_stepped", f"{ENGINES[n].title} stepped", n, True) for n in ENGINES),
    )
}

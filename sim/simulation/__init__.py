"""Simulation: runs a scenario through the engine and the analytic model, into a recording."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.simulation.answer import Answer
    from sim.simulation.build_problem import build_problem
    from sim.simulation.model_answer import solved_motion
    from sim.simulation.problem import Problem
    from sim.simulation.run import Progress, run
else:
    load_names_on_use(__name__)

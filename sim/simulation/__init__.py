"""One run: a scenario through the engine and through the analytic model, into a recording."""

from sim.simulation.answer import Answer
from sim.simulation.posing import problem_of
from sim.simulation.problem import Problem
from sim.simulation.run import Progress, run

__all__ = [
    "Answer",
    "Problem",
    "Progress",
    "problem_of",
    "run",
]

"""Notes on what makes a run that is integrated slow."""

from __future__ import annotations

from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.single_state.switch import is_installed
from sim.simulation.problem import Problem

# How much longer runs of a UR10 took on one machine, against machine code: by NumPy without
# forces (20 times) and with one (92 times); with one force that is a Python function.
BY_NUMPY, BY_PYTHON = "20 to 100", 50


def slow_notes(problem: Problem) -> tuple[str, ...]:
    """A note where numba is missing, else one on each force that is a Python function."""
    if not problem.is_solved:
        return ()
    if not is_installed():
        return (
            f"numba is not installed: NumPy integrates the motion, which takes {BY_NUMPY} times as "
            "long; pip install numba",
        )
    return tuple(
        f"{force.label} is a Python function: the run takes about {BY_PYTHON} times as long as "
        "with an expression; define components_on_i"
        for force in problem.elements.elements
        if isinstance(force, MarkerForce) and force.law_on_i is None
    )

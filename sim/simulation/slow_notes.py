"""Notes on causes of slow integration."""

from __future__ import annotations

from collections.abc import Iterator

from sim.dynamics.marker_force import MarkerForce
from sim.dynamics.shape_contact import Contact
from sim.dynamics.single_state.switch import SWITCH, is_installed, is_on
from sim.simulation.problem import Problem

# Measured slow-down of UR10 runs on one machine, relative to machine code: NumPy without forces (20
# times) and with one (92 times); with one force that is a Python function.
BY_NUMPY, BY_PYTHON = "20 to 100", 50


def slow_notes(problem: Problem) -> tuple[str, ...]:
    """Return a note if machine code is not used, else on each force that it does not support."""
    forces = [one for one in problem.elements.elements if isinstance(one, MarkerForce)]
    # machine code is not loaded for a single joint
    if not problem.is_solved or not (forces or len(problem.robot.tree_coordinates) > 1):
        return ()
    if is_on():
        return tuple(_slow_forces(forces))
    slower = f"NumPy integrates the motion, which takes {BY_NUMPY} times as long"
    if is_installed():
        return (f"{SWITCH} is 0: {slower}; unset {SWITCH}",)
    return (f"numba is not installed: {slower}; pip install numba",)


def _slow_forces(forces: list[MarkerForce]) -> Iterator[str]:
    from sim.dynamics.single_state.program_table import python_function

    slower = f"the run takes about {BY_PYTHON} times as long"
    for force in forces:
        if isinstance(force, Contact):
            continue
        if force.law_on_i is None:
            yield (
                f"{force.label} is a Python function: {slower} as with an expression; define "
                "components_on_i"
            )
        elif name := python_function(force):
            yield f"{force.label} calls {name}, which machine code lacks: {slower}"

"""Motors of a run by its description, as a force element, and notes on omitted loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from msgspec import UNSET

from sim.checks.robot_by_description import unknown_forces
from sim.checks.run_view import RunView
from sim.dynamics.motor_torques import MotorTorques
from sim.errors import ScenarioError
from sim.functions.time_function import TimeFunction
from sim.maths.arrays import Array
from sim.motion.row_drives import row_drives
from sim.motion.state_torque import StateTorque
from sim.motion.typed_drive import parse_typed_function
from sim.recording.schema.element_facts import NamesFacts, value_of
from sim.recording.schema.facts import DriveFacts
from sim.robots.actuation import WrittenLaw
from sim.robots.robot import Robot


def motors_of_run(view: RunView, robot: Robot) -> tuple[MotorTorques, ...]:
    """Return the motors with a given torque: none, or one element of all of them.

    Torques of a controller or of a Python function are the recorded ones over time.

    Raises
    ------
    ScenarioError
        If a law has internal states.
    """
    run = view.run
    if run.controller is not UNSET:
        names = [name for name in robot.row_names if name in run.settings.free]
        return (MotorTorques(_torques_over_time(view, robot, names)),) if names else ()
    typed = {one.joint: one for one in run.drives if one.level == "torque"}
    known = {name: _function(one) for name, one in typed.items()}
    functions = {name: ("torque", one) for name, one in known.items() if one is not None}
    if not typed:
        return ()
    rows = row_drives(functions, robot)  # type: ignore[arg-type]
    laws = tuple(
        WrittenLaw(row, one.function.expression, one.function.names, one.ratio)
        for row, one in rows.items()
        if isinstance(one.function, StateTorque)
    )
    recorded = _torques_over_time(view, robot, [name for name, one in known.items() if one is None])

    def over_time(t: Array) -> Array:
        torque = recorded(t)
        for row, one in rows.items():
            if not isinstance(one.function, StateTorque):
                torque[row] = one.function.value(t) / one.ratio
        return torque

    return (MotorTorques(over_time, laws),)


def notes_of_run(view: RunView) -> Iterator[str]:
    """Yield notes on loads of a run that have no slope in its modes."""
    run = view.run
    if run.controller is not UNSET:
        yield (
            f"the sampled controller {run.controller.law} holds its torques between samples: they "
            "count as constant, and its feedback is left out"
        )
    unknown = [one.joint for one in run.drives if one.level == "torque" and _function(one) is None]
    if unknown and run.controller is UNSET:
        yield (
            f"the torque of joint {', '.join(unknown)} is a program's function, which the run does "
            "not contain: it counts as constant"
        )
    if frames := unknown_forces(view):
        yield (
            f"the force on {', '.join(frames)} is a program's function, which the run does not "
            "contain: it is left out"
        )


def _function(drive: DriveFacts) -> TimeFunction | StateTorque | None:
    """Return the torque as typed; None for a Python function.

    Raises
    ------
    ScenarioError
        If its law has internal states.
    """
    if not isinstance(drive.names, NamesFacts):
        return parse_typed_function(drive.function)
    names = value_of(drive.names)
    if names.states:
        raise ScenarioError(
            f"The motor of joint {drive.joint!r} has states with rates of their own "
            f"({', '.join(names.states)}), which small motions do not have"
        )
    law = names.parse(f"Torque of joint {drive.joint!r}", drive.function)
    return StateTorque(law, names)


def _torques_over_time(view: RunView, robot: Robot, names: list[str]) -> Callable[[Array], Array]:
    """Return recorded torques of joints over time, (n, N); zero for the others."""
    values = {robot.row_names.index(name): view.recorded_values(f"tau.{name}") for name in names}

    def torque(t: Array) -> Array:
        rows = np.zeros((len(robot.coordinates), t.size))
        for row, recorded in values.items():
            rows[row] = np.interp(t, view.t, recorded)
        return rows

    return torque

"""Natural frequencies along a run: at each sample those of the robot at rest in that pose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import UNSET

from sim.checks.by_law import own_states
from sim.checks.robot_by_description import (
    known_elements,
    robot_by_description,
    stages,
    unknown_forces,
)
from sim.checks.run_view import RunView
from sim.dynamics.counted_angle import turned_to
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.gravity import Gravity
from sim.dynamics.linearise import linearise
from sim.dynamics.motor_torques import MotorTorques
from sim.errors import ScenarioError
from sim.functions.time_function import TimeFunction
from sim.kinematics.closure import require_closed
from sim.maths.arguments import checked
from sim.maths.arrays import Array
from sim.motion.row_drives import row_drives
from sim.motion.state_torque import StateTorque
from sim.motion.typed_drive import parse_typed_function
from sim.recording.recorded_robot import loops_of
from sim.recording.recording import Recording
from sim.recording.schema.element_facts import NamesFacts, value_of
from sim.recording.schema.facts import DriveFacts
from sim.robots.actuation import WrittenLaw
from sim.robots.loop import Loop
from sim.robots.robot import Robot
from sim.showing.one_line import one_line
from sim.vibration.elastic_drives import ElasticDrives, PerJoint, elastic_drives, require_moving
from sim.vibration.modes import Modes, modes_at
from sim.vibration.roots import natural_frequencies

MOST_SAMPLES = 20_001  # longer runs are decimated


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


@dataclass(frozen=True, eq=False)
class RunModes:
    """Natural frequencies of a run, without damping.

    Parameters
    ----------
    recording : Recording
    gravity : tuple of float
        Gravity of the run [m/s²].
    t : ndarray, shape (N,)
        [s]
    q : ndarray, shape (n, N)
        [rad or m]
    z : ndarray, shape (states, N)
        Own states of the force elements.
    frequency : ndarray, shape (m, N)
        Ascending at each time [Hz]; NaN where weight exceeds the stiffness.
    every : int
        Stride of the samples in the run.
    notes : tuple of str
        Loads of the run without a slope here.
    """

    recording: Recording
    gravity: Gravity
    stages: tuple[tuple[slice, ElasticDrives], ...]
    t: Array
    q: Array
    z: Array
    frequency: Array
    every: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return one_line(
            f"RunModes of {self.recording.run.scenario}:",
            f"{len(self.frequency)} frequencies",
            f"{self.t.size} samples",
        )

    def at(self, t: float, *, moving: bool = False) -> Modes:
        """Return the modes at the sample nearest to a time [s], of the pose at rest.

        With `moving`, the recorded speeds and accelerations there are included.

        Raises
        ------
        ScenarioError
            If the time is outside the run.
        """
        first, last = float(self.t[0]), float(self.t[-1])
        if not first <= t <= last:
            raise ScenarioError(f"The run is from {first:g} to {last:g} s; got {t:g} s")
        k = int(np.argmin(np.abs(self.t - t)))
        drives = next(drives for part, drives in self.stages if part.start <= k < part.stop)
        speeds = self._speeds(drives.robot, k) if moving else None
        states = {name: self.z[row, k] for name, row in drives.elements.state_rows.items()}
        drives = replace(drives, elements=turned_to(drives.elements, states))
        here = self.q[:, k : k + 1], self.gravity, float(self.t[k])
        modes = modes_at(drives, *here, speeds)
        return replace(modes, notes=(*modes.notes, *self.notes))

    def _speeds(self, robot: Robot, k: int) -> tuple[Array, Array]:
        """Return recorded qd and qdd of a sample, (n, 1) each."""
        view = RunView(self.recording)
        row = [k * self.every]
        qd, qdd = (
            np.stack([view.recorded_values(f"{group}.{name}")[row] for name in robot.row_names])
            for group in ("qd", "qdd")
        )
        return qd, qdd


@checked
def run_modes(
    recording: Recording,
    stiffness: PerJoint | None = None,
    damping: PerJoint | None = None,
    loops: Sequence[Loop] | None = None,
) -> RunModes:
    """Return natural frequencies along a run, of its robot with its payloads.

    Driven joints have the given stiffness; free ones are held by their springs, motors and weight.
    Other loads in the run's description are included.

    Parameters
    ----------
    stiffness, damping : mapping of str to float, or float, optional
        Of the drives, as for `modes`.
    loops : sequence of Loop, optional
        Closed loops of the run's robot (default: those stored with the run, of kind ``point``).

    Raises
    ------
    ScenarioError
        As for `modes`; if the run has other loops, or these are open at a sample.
    RecordingError
        If the run's description is invalid, or its loops are not stored.
    """
    view = RunView(recording)
    loops = loops_of(recording) if loops is None else loops
    robot, run = robot_by_description(view), recording.run
    if tuple(run.robot.loops) != tuple(loop.name for loop in loops):
        raise ScenarioError(
            f"The run's robot {run.robot.name!r} has the closed loops {_list(run.robot.loops)}; "
            f"given are {_list([one.name for one in loops])}"
        )
    robot = replace(robot, loops=tuple(loops))
    every = -(-view.t.size // MOST_SAMPLES)
    t = view.t[::every]
    q = np.stack([view.recorded_values(f"q.{name}")[::every] for name in robot.row_names])
    require_closed(robot, t, q)
    elements = known_elements(view, robot)
    z = own_states(elements, view.table(analytic=False), slice(None, None, every))
    motors, notes = motors_of_run(view, robot), tuple(notes_of_run(view))
    parts, rows = [], []
    for part, carrying in stages(robot, run.events, t):
        elements = ElementSum(carrying, (*known_elements(view, carrying).elements, *motors))
        free = tuple(run.settings.free)
        drives = elastic_drives(carrying, stiffness, damping, free, elements)
        require_moving(drives, float(t[part][0]), q[:, part][:, :1])
        here = (q[:, part], drives.loose, drives.stiffness, drives.damping)
        system = linearise(drives.elements, *here, run.settings.gravity, t[part], z=z[:, part])
        parts.append((slice(part.start, part.stop), drives))
        rows.append(natural_frequencies(system))
    frequency = np.concatenate(rows, axis=1)
    gravity = run.settings.gravity
    return RunModes(recording, gravity, tuple(parts), t, q, z, frequency, every, notes)


def _list(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"

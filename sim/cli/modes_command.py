"""`sim modes`: natural frequencies of a robot or a run with elastic drives, and a load on it."""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from sim.cli.arguments import add_json, number
from sim.cli.exit_status import WANTING, WELL
from sim.engine_names import ENGINES, installed_engines
from sim.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sim.robots import Robot
    from sim.vibration import LoadStep, Modes, RunModes
    from sim.vibration.elastic_drives import PerJoint

URDFS = (".urdf", ".xacro", ".xml")


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The arguments of the command, and what it does."""
    command.description = (
        "Natural frequencies, damping and shapes of a robot whose drives are elastic: in a pose, "
        "or along a run. A joint whose stiffness is not given is rigid. Exit status 1 if an "
        "engine, asked too, has another answer."
    )
    command.add_argument(
        "subject", metavar="RUN|ROBOT", help="a run's folder or scenario; a robot or a URDF file"
    )
    command.add_argument(
        "--stiffness",
        nargs="+",
        default=[],
        metavar="[JOINT=]K",
        help="of drives [N·m/rad or N/m], by joint or pattern; a number alone is for all joints",
    )
    command.add_argument(
        "--damping",
        nargs="+",
        default=[],
        metavar="[JOINT=]D",
        help="of drives [N·m·s/rad or N·s/m], likewise",
    )
    command.add_argument("--at", type=number, metavar="T", help="one time of a run [s]")
    command.add_argument(
        "--pose", default="zero", metavar="NAME", help="pose of the robot's card; zero without it"
    )
    command.add_argument(
        "--load", type=number, metavar="KG", help="put this mass on the tool, and say what happens"
    )
    command.add_argument(
        "--engine", choices=tuple(ENGINES), help="of the second answer; an installed one without it"
    )
    command.add_argument("--out", metavar="FILE.csv", help="write the frequencies of a run over t")
    add_json(command)
    command.set_defaults(action=show_modes)


def show_modes(options: argparse.Namespace) -> int:
    """Print the modes, with an engine's answer beside them."""
    from sim.shipped import robot_names

    is_robot = options.subject in robot_names() or options.subject.lower().endswith(URDFS)
    return (_of_robot if is_robot else _of_run)(options)


def _of_robot(options: argparse.Namespace) -> int:
    from sim.robots import load_robot
    from sim.vibration import load_step, modes

    for option, given in (("--at", options.at), ("--out", options.out)):
        if given is not None:
            raise ScenarioError(f"{option} is for a run, and {options.subject!r} is a robot")
    robot = load_robot(options.subject)
    drives = (_given(robot, "stiffness", options), _given(robot, "damping", options))
    q = robot.pose(options.pose)
    found = modes(robot, q, *drives)
    load = None if options.load is None else load_step(robot, q, options.load, *drives)
    return _show(options, found, load, None, f"in pose {options.pose}")


def _of_run(options: argparse.Namespace) -> int:
    from pathlib import Path

    import numpy as np

    from sim.cli.runs import fitting
    from sim.recording.files.named_file import require_place
    from sim.recording.files.run_folders import find_run
    from sim.recording.recorded_robot import robot_of
    from sim.recording.recording import Recording
    from sim.vibration import run_modes
    from sim.vibration.load_step import load_step_on

    out = None if options.out is None else Path(options.out)
    if out is not None:
        require_place(out, ".csv")
    folder = find_run(options.subject)
    with fitting(folder):
        recording = Recording.read(folder)
        robot = robot_of(recording)
        drives = (_given(robot, "stiffness", options), _given(robot, "damping", options))
        found = run_modes(recording, *drives)
        lowest = np.where(np.isnan(found.frequency[0]), -1.0, found.frequency[0])
        at = float(found.t[np.argmin(lowest)]) if options.at is None else options.at
        there = found.at(at)
        load = None
        if options.load is not None:
            load = load_step_on(
                there.drives, there.q[:, None], options.load, found.gravity, t=there.t
            )
    if out is not None:
        _write(found, out)
    word = "where the first is lowest, " if options.at is None else ""
    return _show(options, there, load, found, f"{word}at {at:.4g} s")


def _given(robot: Robot, what: str, options: argparse.Namespace) -> PerJoint | None:
    """Numbers by joint, from words such as 2e5, elbow_joint=1e5 and wrist*=3e4."""
    words: Sequence[str] = getattr(options, what)
    by_joint: dict[str, float] = {}
    for word in words:
        pattern, sign, text = word.rpartition("=")
        try:
            value = number(text)
        except argparse.ArgumentTypeError as error:
            raise ScenarioError(f"--{what} {word}: {error}") from None
        names = [name for name in robot.row_names if fnmatchcase(name, pattern if sign else "*")]
        if not names:
            raise ScenarioError(
                f"--{what} {word}: robot {robot.name!r} has no such joint; joints: "
                f"{', '.join(robot.row_names) or 'none'}"
            )
        by_joint |= dict.fromkeys(names, value)
    return by_joint or None


def _second(
    options: argparse.Namespace, modes: Modes, run: RunModes | None
) -> tuple[str, float] | None:
    """Name of an engine, and how far its differentiated roots are; None where there is none."""
    from sim.engines.coupled import EngineDynamics
    from sim.engines.opening import open_engine
    from sim.vibration.second_answer import roots_apart

    names = (options.engine,) if options.engine else installed_engines()
    if not names:
        return None
    robot = modes.drives.robot
    come_and_go = {event.link for event in run.recording.run.events} if run else set()
    carried = {link: robot.link(link).inertia is not None for link in sorted(come_and_go)}
    with open_engine(names[0], robot, modes.gravity, keep_separate=come_and_go) as engine:
        return names[0], roots_apart(modes, EngineDynamics(engine, robot, carried))


def _write(found: RunModes, out: Path) -> None:
    """Frequencies over time as a table; what is not a number stays empty."""
    from math import isnan

    import numpy as np

    from sim.recording.files.named_file import write_named

    headings = ["t [s]", *(f"mode {k + 1} [Hz]" for k in range(len(found.frequency)))]
    lines = [",".join(f'"{heading}"' for heading in headings)]
    for row in np.vstack([found.t, found.frequency]).T.tolist():
        lines.append(",".join("" if isnan(x) else repr(x) for x in row))
    write_named(out, ("\n".join(lines) + "\n").encode("utf-8"), ".csv")


def _show(
    options: argparse.Namespace,
    modes: Modes,
    load: LoadStep | None,
    run: RunModes | None,
    where: str,
) -> int:
    """Print all; the exit status is 1 where the engine has another answer."""
    from sim.cli.output import console, print_json
    from sim.vibration.to_terminal import AGREED, document, to_terminal

    second = _second(options, modes, run)
    code = WELL if second is None or second[1] <= AGREED else WANTING
    if options.json:
        print_json(document(modes, load, run, second))
        return code
    from sim.reports.terminal.summary import show

    show(console(), to_terminal(modes, load, run, second, where))
    if options.out is not None:
        console().print(f"written  {options.out}", highlight=False, markup=False)
    return code

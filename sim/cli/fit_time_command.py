"""`sim fit-time`: largest speed-up of a motion and largest payload within the ratings."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.arguments import SCENARIO_HELP, add_flag, add_json, add_set, joints_and_number, number
from sim.cli.exit_status import WANTING, WELL
from sim.cli.robot_options import (
    add_mount_option,
    add_tool_options,
    mount_of,
    mounted_at,
    with_mount,
    with_options,
)
from sim.errors import ScenarioError

if TYPE_CHECKING:
    from sim.capacity import FitTime, LargestPayload, RatedMotion, TimeOptimal
    from sim.capacity.to_terminal import SpeedProof


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Compute the largest speed-up of a prescribed motion within the rated torques, speeds and "
        "powers of all joints, and the largest payload at its own speed, in closed form; "
        "Lagrange's equations check the result. Exit status 1 if a rating is already exceeded."
    )
    command.add_argument(
        "subject",
        metavar="RUN|SCRIPT",
        help=f"{SCENARIO_HELP}; or run folder, or name of another scenario for its newest run",
    )
    add_set(command)
    for what, unit in (("torque", "N·m or N"), ("speed", "rad/s or m/s"), ("power", "W")):
        command.add_argument(
            f"--{what}",
            nargs="+",
            default=[],
            metavar="[JOINT=]X",
            help=f"{what} rating [{unit}], by joint or pattern (default: from the URDF)",
        )
    add_flag(command, "--payload", "also compute the largest payload at the original speed")
    command.add_argument(
        "--com",
        nargs=3,
        type=number,
        metavar=("X", "Y", "Z"),
        help="with --payload: mass centre in the carrying frame [m] (default: its origin)",
    )
    command.add_argument(
        "--frame",
        metavar="LINK",
        help="with --payload: carrying link (default: link of the tool frame)",
    )
    add_tool_options(command, link=False)
    add_mount_option(command)
    add_flag(
        command,
        "--optimal",
        "also compute the minimum time along the same path (toppra; jerk is not limited)",
    )
    command.add_argument(
        "--out",
        metavar="FILE.csv",
        help="with --optimal: write t, q, qd, qdd and tau of each joint",
    )
    add_flag(command, "--run", "simulate the motion at the largest speed as a check")
    add_json(command)
    command.set_defaults(action=show_fit_time)


def show_fit_time(options: argparse.Namespace) -> int:
    """Print speed-up and payload, their limiting ratings, and the check of both."""
    from sim.capacity import fit_time, largest_payload, time_optimal
    from sim.capacity.to_terminal import document, to_terminal
    from sim.cli.output import console, place_of, print_json

    carries = (options.com, options.frame, options.tcp) != (None, None, None)
    if carries and not options.payload:
        raise ScenarioError("--com, --frame and --tcp require --payload")
    if options.out is not None and not options.optimal:
        raise ScenarioError("--out requires --optimal")
    out = place_of(options.out, ".csv")
    motion = _motion(options)
    if options.run and motion.scenario is None:
        raise ScenarioError("--run simulates a scenario script; a recorded run has none")
    robot = motion.robot
    torque, power = (_parse_ratings(robot.row_names, what, options) for what in ("torque", "power"))
    speed = _parse_ratings(robot.tree_row_names, "speed", options)
    fit = fit_time(motion, torque=torque, speed=speed, power=power)
    heaviest: LargestPayload | None = None
    if options.payload:
        com = (0.0, 0.0, 0.0) if options.com is None else tuple(options.com)
        carrier, frame = motion, options.frame
        if options.tcp is not None:
            link = robot.require_tool(options.frame, "--frame")
            offset = with_options(robot, options, tool=link)
            carrier, frame = replace(motion, robot=offset), offset.tool
        heaviest = largest_payload(carrier, com=com, frame=frame, torque=torque, power=power)
    least: TimeOptimal | None = None
    if options.optimal:
        least = time_optimal(motion, torque=torque, speed=speed, power=power)
        if out is not None:
            _write(least, out)
    proof = _prove(fit) if options.run and fit.scale else None
    if options.json:
        print_json(document(fit, heaviest, least, proof))
    else:
        from sim.reports.terminal.printing import show

        show(console(), to_terminal(fit, heaviest, least, proof))
    parts = (fit, heaviest, least, proof)
    return WELL if all(part is None or part.ok for part in parts) else WANTING


def _write(least: TimeOptimal, out: Path) -> None:
    """Write the time-optimal motion as a table."""
    import numpy as np

    from sim.recording.files.named_file import write_named

    motion = least.motion
    groups = {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd, "tau": motion.torque()}
    names = [f"{group}.{name}" for group in groups for name in motion.robot.row_names]
    lines = [",".join(["t", *names])]
    for row in np.vstack([motion.t, *groups.values()]).T.tolist():
        lines.append(",".join(map(repr, row)))
    write_named(out, ("\n".join(lines) + "\n").encode("utf-8"), ".csv")


def _motion(options: argparse.Namespace) -> RatedMotion:
    """Return the motion of a run, from its samples, or of a scenario.

    A name is a shipped scenario, otherwise the newest run of that scenario.
    """
    from sim.capacity import RatedMotion
    from sim.cli.run_options import parameters_of
    from sim.cli.runs import explain_mismatch
    from sim.recording.files.run_folders import DESCRIPTION, RUNS, find_run
    from sim.recording.recording import Recording
    from sim.scenario.script import load_script
    from sim.shipped import scenario_names

    settings, place = parameters_of(options.settings), Path(options.subject)
    is_own_name = options.subject not in scenario_names() and (RUNS / place).is_dir()
    if place.is_dir() or place.name == DESCRIPTION or is_own_name:
        if settings:
            raise ScenarioError(f"--set requires a scenario; {options.subject!r} is a run")
        folder = find_run(options.subject)
        with explain_mismatch(folder):
            motion = RatedMotion.of(Recording.read(folder))
        return replace(motion, robot=mounted_at(motion.robot, mount_of(options)))
    scenario, _ = load_script(options.subject).build(settings)
    return RatedMotion.of(with_mount(scenario, options))


def _parse_ratings(
    names: tuple[str, ...], what: str, options: argparse.Namespace
) -> dict[str, float]:
    """Return ratings by joint, from words such as 40, elbow_joint=30 and wrist*=12."""
    by_joint: dict[str, float] = {}
    for word in getattr(options, what):
        chosen, value = joints_and_number(f"--{what}", word, names, ScenarioError)
        if not chosen:
            raise ScenarioError(f"--{what} {word}: no joint matches; joints: {', '.join(names)}")
        by_joint |= dict.fromkeys(chosen, value)
    return by_joint


def _prove(fit: FitTime) -> SpeedProof:
    """Simulate the motion at its largest speed; return its use of the limiting ratings."""
    from sim.capacity.to_terminal import SpeedProof
    from sim.cli.output import progress
    from sim.simulation.run import run

    with progress("run") as tick:
        recording = run(fit.scenario, method="ideal", name="fit-time", progress=tick)
    return SpeedProof.of(fit, recording)

"""`sim compare RUN LOG --measured`: compare a run with the log of a real robot."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sim.cli.arguments import add_flag
from sim.cli.exit_status import WANTING, WELL
from sim.cli.log_options import add_log_options, log_from
from sim.cli.robot_options import add_mount_option, mount_of, require_mount

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sim.recording.schema.measured_facts import MeasuredJoint

SAME_MOTION = 0.01  # of a joint's travel, RMS; torques of different motions are not comparable


def add_measured_options(command: argparse.ArgumentParser) -> None:
    """Add the options of a comparison with a robot's log."""
    group = command.add_argument_group("log of a real robot")
    add_flag(
        group,
        "--measured",
        "FILE is a log of measured positions and torques: filter both sides with the "
        "same low-pass; print the torque unexplained by rigid bodies and friction per joint",
    )
    add_mount_option(group)
    add_log_options(group)


def given_log_option(options: argparse.Namespace) -> str | None:
    """Return the first given option about a log, or None."""
    named = (
        ("gain", "--gain"),
        ("hold", "--hold"),
        ("cutoff", "--cutoff"),
        ("log_from", "--from"),
        ("log_to", "--to"),
        ("despite_doubts", "--despite-doubts"),
        ("mount", "--mount"),
    )
    for name, option in named:
        value = getattr(options, name)
        if value is not None and value is not False and value != []:
            return option
    return None


def follows_log(folder: Path) -> bool:
    """Whether a run follows a robot's log."""
    from sim.recording.files.run_folders import DESCRIPTION
    from sim.recording.schema.description import read_run

    return bool(read_run(folder / DESCRIPTION).measured)


def compare_with_log(options: argparse.Namespace) -> int:
    """Compare a run's motion and torques with those of a robot's log."""
    from dataclasses import replace

    import msgspec

    from sim.cli.judge_run_again import judge_run_again
    from sim.cli.output import console, print_json
    from sim.cli.runs import explain_mismatch
    from sim.errors import ForeignError
    from sim.identification.beside_log import beside_log
    from sim.recording.files.run_folders import find_run
    from sim.recording.recorded_robot import robot_of

    if options.run is None or options.other is None:
        raise ForeignError("--measured requires a run and the log of a robot: sim compare RUN LOG")
    folder = find_run(options.run)
    with explain_mismatch(folder):
        recording = judge_run_again(folder)
    robot = robot_of(recording)
    require_mount(
        robot, mount_of(options), "mount the run the same way: sim run NAME --mount PLACE"
    )
    log = log_from(options, options.other, robot)
    comparison = beside_log(
        recording, log, robot, cutoff=options.cutoff, despite_doubts=options.despite_doubts
    )
    differences = _motion_differences(comparison.joints)
    if options.json:
        print_json(
            {
                "scenario": recording.run.scenario,
                "against": log.source,
                "ok": not differences,
                "filter": msgspec.to_builtins(comparison.how),
                "joints": msgspec.to_builtins(comparison.joints),
                "notes": [*comparison.notes, *differences],
            }
        )
        return WANTING if differences else WELL
    from sim.reports.terminal.measured_lines import compared_lines
    from sim.reports.terminal.printing import show

    comparison = replace(comparison, notes=(*differences, *comparison.notes))
    show(
        console(),
        compared_lines(
            recording.run, log.source, comparison.joints, comparison.how, comparison.notes
        ),
    )
    return WANTING if differences else WELL


def _motion_differences(joints: Sequence[MeasuredJoint]) -> list[str]:
    """Return joints whose motion differs from the log."""
    return [
        f"{one.joint} differs from the log by {one.motion:.3g} {one.length} RMS, "
        f"{one.motion / size:.2g} of its travel of {one.travel:.3g} {one.length}: the torques "
        "belong to another motion; sim.follow_log creates a run that follows the log"
        for one in joints
        if one.motion is not None and one.motion > SAME_MOTION * (size := max(one.travel, 1e-3))
    ]

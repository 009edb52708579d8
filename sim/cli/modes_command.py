"""`sim modes`: natural frequencies of a robot, a scenario or a run, and its response to a load."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sim.cli.arguments import ROBOT_HELP, RUN_HELP, add_flag, add_json, add_number, add_set
from sim.cli.exit_status import WANTING, WELL
from sim.cli.robot_options import add_meshes_option, add_reading_options, add_tool_options
from sim.engine_names import ENGINES, installed_engines

if TYPE_CHECKING:
    from pathlib import Path

    from sim.cli.modes_subject import Subject
    from sim.vibration import RunModes
    from sim.vibration.to_terminal import Second


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Compute natural frequencies, damping ratios and mode shapes of a robot in a pose, of a "
        "scenario at its start or at static equilibrium, or along a run. Elastic drives, undriven "
        "joints, springs and closed loops are included; a driven joint without a stiffness is "
        "rigid. Exit status 1 if the engine's result disagrees."
    )
    command.add_argument(
        "subject",
        metavar="RUN|ROBOT|SCRIPT",
        help=f"{RUN_HELP}; {ROBOT_HELP}; or scenario script (.py) or ADAMS deck (.adm), which is "
        "not run",
    )
    command.add_argument(
        "--stiffness",
        nargs="+",
        default=[],
        metavar="[JOINT=]K",
        help="drive stiffness [N·m/rad or N/m], by joint or pattern; a number alone applies to all "
        "joints (default: rigid)",
    )
    command.add_argument(
        "--damping",
        nargs="+",
        default=[],
        metavar="[JOINT=]D",
        help="drive damping [N·m·s/rad or N·s/m], by joint or pattern (default: 0)",
    )
    add_number(
        command,
        "--at",
        "T",
        "time in a run or script [s] (default: start of a script, time of a run with the "
        "lowest first frequency)",
    )
    add_flag(
        command,
        "--moving",
        "linearise about the motion at that time, including its inertial forces (default: at rest)",
    )
    add_flag(
        command,
        "--equilibrium",
        "linearise a script about the static equilibrium of its undriven joints",
    )
    add_set(command)
    command.add_argument(
        "--loops",
        metavar="FILE",
        help="loops file (.loops.toml) of a run's robot; required for all loop kinds except points",
    )
    command.add_argument(
        "--pose",
        metavar="NAME",
        help="named pose of the robot card (default: zero)",
    )
    add_number(command, "--load", "KG", "report the response to this payload at the tool [kg]")
    add_tool_options(command)
    add_reading_options(command)
    add_meshes_option(command)
    command.add_argument(
        "--engine",
        choices=tuple(ENGINES),
        help="engine for the cross-check (default: first installed)",
    )
    command.add_argument(
        "--out", metavar="FILE.csv", help="write the frequencies of a run over time"
    )
    command.add_argument(
        "--page", metavar="FILE.html", help="write an HTML page with animated mode shapes"
    )
    add_json(command)
    command.set_defaults(action=show_modes)


def show_modes(options: argparse.Namespace) -> int:
    """Print the modes and the cross-check by an engine."""
    from sim.cli.modes_subject import subject_of
    from sim.cli.output import console, place_of, print_json
    from sim.vibration.to_terminal import document, engines_agree, to_terminal

    out, page = place_of(options.out, ".csv"), place_of(options.page, ".html")
    subject = subject_of(options)
    second = _second_answer(options, subject)
    if out is not None and subject.run is not None:
        _write(subject.run, out)
    code = WELL if engines_agree(second) else WANTING
    subject_parts = (subject.modes, subject.load, subject.run, second)
    if page is not None:
        from sim.vibration.modes_page import modes_page, write_modes_page

        write_modes_page(page, modes_page(*subject_parts, subject.where, subject.rest))
    if options.json:
        print_json(document(*subject_parts, subject.rest))
        return code
    from sim.reports.terminal.printing import show

    show(console(), to_terminal(*subject_parts, subject.where, subject.rest))
    for label, path in (("written", out), ("page", page)):
        if path is not None:
            console().print(f"{label:8} {path}", highlight=False, markup=False, soft_wrap=True)
    return code


def _second_answer(options: argparse.Namespace, subject: Subject) -> Second | None:
    """Return an engine, and the difference of its eigenvalues, or why it is not computed."""
    from sim.engines.coupled import EngineDynamics
    from sim.engines.opening import open_engine
    from sim.vibration.second_answer import NotComparedError, roots_apart

    names = (options.engine,) if options.engine else installed_engines()
    if not names:
        return None
    modes = subject.modes
    robot, come_and_go = modes.drives.robot, subject.payload_links
    carried = {link: robot.link(link).inertia is not None for link in sorted(come_and_go)}
    with open_engine(names[0], robot, modes.gravity, keep_separate=come_and_go) as engine:
        try:
            return names[0], roots_apart(modes, EngineDynamics(engine, robot, carried))
        except NotComparedError as error:
            return names[0], str(error)


def _write(modes: RunModes, out: Path) -> None:
    """Write frequencies over time as a table; NaN is left empty."""
    from math import isnan

    import numpy as np

    from sim.recording.files.named_file import write_named

    headings = ["t [s]", *(f"mode {k + 1} [Hz]" for k in range(len(modes.frequency)))]
    lines = [",".join(f'"{heading}"' for heading in headings)]
    for row in np.vstack([modes.t, modes.frequency]).T.tolist():
        lines.append(",".join("" if isnan(x) else repr(x) for x in row))
    write_named(out, ("\n".join(lines) + "\n").encode("utf-8"), ".csv")

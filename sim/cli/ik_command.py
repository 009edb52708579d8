"""`sim ik`: all joint positions that bring the tool to a pose."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from sim.cli.arguments import add_flag, add_json, add_robot, number
from sim.cli.exit_status import WANTING, WELL
from sim.cli.repairs import add_strict
from sim.cli.robot_options import (
    LARGEST,
    add_mount_option,
    add_reading_options,
    add_tool_options,
    load_robot_from,
)
from sim.errors import ScenarioError

if TYPE_CHECKING:
    from sim.kinematics.inverse import InverseKinematics, Shortfall, Solution
    from sim.maths.arrays import Array
    from sim.robots import Robot

TYPED = 1e-4  # [m, rad]: four decimals
TOLERANCE = 1e-10  # [m, rad]: a smaller miss is none


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Compute all joint positions that bring the tool frame to a pose in the world frame, or "
        "several of those that bring it to a position in any orientation."
    )
    add_robot(command)
    target = command.add_mutually_exclusive_group(required=True)
    target.add_argument(
        "--pose",
        nargs=6,
        type=number,
        metavar=("X", "Y", "Z", "RX", "RY", "RZ"),
        help="tool pose: position [m] and fixed-axis roll, pitch, yaw [rad]",
    )
    target.add_argument(
        "--position",
        nargs=3,
        type=number,
        metavar=("X", "Y", "Z"),
        help="tool position [m], in any orientation: for an arm of three joints, for example",
    )
    command.add_argument(
        "--from",
        nargs="+",
        type=number,
        dest="start",
        metavar="Q",
        help="start configuration [rad, m]; the nearest solution is marked (default: zero)",
    )
    add_flag(command, "--degrees", "read angles on the command line in degrees (default: radians)")
    add_tool_options(command)
    add_mount_option(command)
    add_reading_options(command)
    add_strict(command)
    add_json(command)
    command.set_defaults(action=show_inverse)


def show_inverse(options: argparse.Namespace) -> int:
    """Print all solutions; return status 1 if the pose is out of reach."""
    from sim.cli.output import print_json
    from sim.kinematics.inverse import inverse_kinematics

    robot = load_robot_from(options, options.robot, tool=options.tool)
    near = None if options.start is None else _position(robot, options)
    answer = inverse_kinematics(robot, _target(options), near=near)
    if options.json:
        print_json(_document(robot, answer))
    else:
        _print(robot, answer)
    return WELL if answer.nearest is not None or _is_rounding(robot, answer) else WANTING


def _is_rounding(robot: Robot, answer: InverseKinematics) -> bool:
    """Whether an arm of few joints misses a pose only by the rounding of its typed digits.

    Fewer than six joints do not reach a pose in decimals exactly.
    """
    from sim.kinematics.inverse.branches import moving_joints

    short = answer.shortfall
    return (
        short is not None
        and max(short.distance, short.angle) <= TYPED
        and moving_joints(robot, None).size < 6
    )


def _target(options: argparse.Namespace) -> Array:
    """Return the pose (4, 4), or the position (3,)."""
    import numpy as np

    from sim.maths.rotations import pose, rotation_from_rpy

    option, count, numbers_typed = "--pose", "six", options.pose
    if numbers_typed is None:
        option, count, numbers_typed = "--position", "three", options.position
    numbers = np.array(numbers_typed)
    if not np.isfinite(numbers).all():
        raise ScenarioError(f"{option} takes {count} finite numbers, got {numbers_typed}")
    _require_sized(option, numbers_typed)
    if options.pose is None:
        return numbers
    angles = np.radians(numbers[3:]) if options.degrees else numbers[3:]
    return pose(rotation_from_rpy(angles), numbers[:3])


def _require_sized(option: str, numbers: list[float]) -> None:
    if large := [value for value in numbers if abs(value) > LARGEST]:
        raise ScenarioError(
            f"{option} {large[0]:g} is too large: such an angle or position is lost in "
            f"rounding; the largest number is {LARGEST:g}"
        )


def _position(robot: Robot, options: argparse.Namespace) -> Array:
    import numpy as np

    q = np.array(options.start, dtype=np.float64)
    if q.shape != (len(robot.coordinates),):
        raise ScenarioError(
            f"--from takes {len(robot.coordinates)} numbers, one per joint of {robot.name!r} "
            f"({', '.join(robot.row_names)}); got {q.size}"
        )
    _require_sized("--from", options.start)
    turning = np.array([row.is_angle for row in robot.coordinates])
    return np.where(turning, np.radians(q), q) if options.degrees else q


def _document(robot: Robot, answer: InverseKinematics) -> dict[str, object]:
    solutions = [
        {
            "q": s.q.tolist(),
            "residual": s.residual,
            "inside_limits": s.inside_limits,
            "branch": s.branch,
            "singular": s.singular,
            "singularities": list(s.singularities),
            "free_joints": list(s.free_joints),
        }
        for s in answer.solutions
    ]
    document: dict[str, object] = {
        "family": answer.family,
        "solutions": solutions,
        "nearest": answer.nearest,
        "complete": answer.is_complete,
        "root_count": answer.root_count,
        "degree": answer.degree,
        "completeness": answer.completeness,
    }
    if answer.shortfall is not None:
        document["within_rounding"] = _is_rounding(robot, answer)
        document["shortfall"] = {
            "distance": answer.shortfall.distance,
            "angle": answer.shortfall.angle,
            "length": answer.shortfall.length,
            "q": answer.shortfall.q.tolist(),
            "reason": answer.shortfall.reason,
        }
    if robot.repairs:
        from msgspec.structs import asdict

        document["repairs"] = [asdict(repair) for repair in robot.repairs]
    return document


def _print(robot: Robot, answer: InverseKinematics) -> None:
    from sim.cli.output import console
    from sim.reports.terminal.tables import FittedTable

    out = console()
    if answer.shortfall is not None:
        degrees = ", ".join(_joint_values(robot, answer.shortfall.q))
        if _is_rounding(robot, answer):
            text = "pose reached within the rounding of the input, 0.1 mm and 0.1 mrad, at"
            out.print(f"{robot.name}: {text} ({degrees})", highlight=False)
            out.print("others may exist", highlight=False)
            return
        out.print(f"{robot.name}: {answer.shortfall.reason}", highlight=False)
        out.print(f"nearest pose at ({degrees}){_exchange(answer.shortfall)}", highlight=False)
        out.print(answer.completeness, highlight=False, soft_wrap=True)
        return
    joints = [row.heading for row in robot.coordinates]
    words, facts = ("branch", "limits", "singular"), ("branch", "limits", "singular", "residual")
    headings = ("", "branch", *joints, "residual", "limits", "singular")
    table = FittedTable(headings, ("residual",), left=words)
    values = FittedTable(("", *joints), airy=False)
    decisive = FittedTable(("", *facts), ("residual",), left=words, airy=False)
    for k, s in enumerate(answer.solutions):
        mark = "→" if k == answer.nearest else "" if s.inside_limits else "×"
        q, residual = _joint_values(robot, s.q), f"{s.residual:.0e}"
        limits = "inside" if s.inside_limits else "outside"
        singular = ", ".join(s.singularities) or "no"
        table.add_row(mark, s.branch, *q, residual, limits, singular)
        values.add_row(f"{mark} {k + 1}".strip(), *q)
        decisive.add_row(f"{mark} {k + 1}".strip(), s.branch, limits, singular, residual)
    fits = table.narrowest() <= out.width
    for one in (table,) if fits else (values, decisive):
        out.print(one, highlight=False, crop=False)
    for line in dict.fromkeys(_free(s) for s in answer.solutions if s.free_joints):
        out.print(line, highlight=False, soft_wrap=True)
    out.print(answer.completeness, highlight=False, soft_wrap=True)
    if answer.nearest is None:
        out.print("all solutions are outside the joint limits", highlight=False)
    else:
        if not all(s.inside_limits for s in answer.solutions):
            out.print("× outside the joint limits", highlight=False)
        out.print("→ nearest to the start configuration", highlight=False)


def _exchange(short: Shortfall) -> str:
    """State how much of a distance counts as much as an angle, where both are missing."""
    if min(short.distance, short.angle) <= TOLERANCE:
        return ""
    return f"; 1 rad counts as {short.length:.4g} m, the length of the chain"


def _free(solution: Solution) -> str:
    return f"singular: {', '.join(solution.singularities)} ({', '.join(solution.free_joints)} free)"


def _joint_values(robot: Robot, q: Array) -> list[str]:
    """Format joint positions: degrees, or metres for a prismatic joint."""
    return [
        f"{round(math.degrees(value), 3) + 0.0:.3f}°" if row.is_angle else f"{value:.6f} m"
        for row, value in zip(robot.coordinates, q, strict=True)
    ]

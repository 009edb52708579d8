"""`sim ik`: every joint position that brings the tool to a pose."""

from __future__ import annotations

import argparse
import math

import numpy as np

from sim.cli.command import WANTING, WELL
from sim.cli.output import console, print_json
from sim.errors import ScenarioError
from sim.kinematics.inverse import InverseKinematics, inverse_kinematics
from sim.robots import Robot, load_robot
from sim.spatial import Array, pose, rotation_from_rpy


def show_inverse(options: argparse.Namespace) -> int:
    """Print all solutions; the exit status is 1 where the pose is out of reach."""
    robot = load_robot(options.robot)
    near = None if options.start is None else _position(robot, options)
    found = inverse_kinematics(robot, _pose(options), near=near)
    if options.json:
        print_json(_document(found))
    else:
        _print(robot, found)
    return WELL if found.nearest is not None else WANTING


def _pose(options: argparse.Namespace) -> Array:
    numbers = np.array(options.pose)
    if not np.isfinite(numbers).all():
        raise ScenarioError(f"--pose takes six finite numbers, got {options.pose}")
    angles = np.radians(numbers[3:]) if options.degrees else numbers[3:]
    return pose(rotation_from_rpy(angles), numbers[:3])


def _position(robot: Robot, options: argparse.Namespace) -> Array:
    q = np.array(options.start, dtype=np.float64)
    if q.shape != (len(robot.joint_names),):
        raise ScenarioError(
            f"--from takes {len(robot.joint_names)} numbers, one a joint of {robot.name!r} "
            f"({', '.join(robot.joint_names)}); got {q.size}"
        )
    turning = np.array([not joint.is_prismatic for joint in robot.independent_joints])
    return np.where(turning, np.radians(q), q) if options.degrees else q


def _document(found: InverseKinematics) -> dict[str, object]:
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
        for s in found.solutions
    ]
    document: dict[str, object] = {
        "family": found.family,
        "solutions": solutions,
        "nearest": found.nearest,
    }
    if found.shortfall is not None:
        document["shortfall"] = {
            "distance": found.shortfall.distance,
            "angle": found.shortfall.angle,
            "q": found.shortfall.q.tolist(),
            "reason": found.shortfall.reason,
        }
    return document


def _print(robot: Robot, found: InverseKinematics) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    out = console()
    if found.shortfall is not None:
        degrees = ", ".join(_shown(robot, found.shortfall.q))
        out.print(f"{robot.name}: {found.shortfall.reason}", highlight=False)
        out.print(f"nearest pose at ({degrees})", highlight=False)
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    joints = [name.removesuffix("_joint") for name in robot.joint_names]
    for column in ("", "branch", *joints, "residual", "limits", "singular"):
        left = column in ("", "branch", "limits", "singular")
        table.add_column(column, justify="left" if left else "right", no_wrap=True)
    for k, s in enumerate(found.solutions):
        singular = ", ".join(s.singularities)
        if s.free_joints:
            singular += f" ({', '.join(s.free_joints)} free)"
        table.add_row(
            "→" if k == found.nearest else "",
            s.branch,
            *_shown(robot, s.q),
            f"{s.residual:.0e}",
            "inside" if s.inside_limits else "outside",
            singular or "no",
        )
    # A line that a narrow terminal wraps keeps its digits; a column that is cut does not.
    out.width = max(out.width, out.measure(table, options=out.options.update(width=1000)).maximum)
    out.print(table)
    if found.nearest is None:
        out.print("every solution is outside the joint limits", highlight=False)
    else:
        out.print("→ the shortest way from the start position", highlight=False)


def _shown(robot: Robot, q: Array) -> list[str]:
    """Joint positions for a person: degrees, or metres where the joint slides."""
    return [
        f"{value:.6f} m" if joint.is_prismatic else f"{round(math.degrees(value), 3) + 0.0:.3f}°"
        for joint, value in zip(robot.independent_joints, q, strict=True)
    ]

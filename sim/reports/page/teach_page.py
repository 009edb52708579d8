"""The teach page: one HTML file in which a robot is moved by sliders and by poses typed."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ModelError, ScenarioError
from sim.kinematics.inverse.sliders import poses_of, slider_ends
from sim.kinematics.inverse.travel import turns
from sim.kinematics.jacobian import chain_length
from sim.kinematics.loop_equations import loop_error
from sim.maths.arrays import Array
from sim.recording.files.named_file import write_named
from sim.reports.page.glb_scene import GlbScene, scene_of
from sim.reports.page.page import (
    asset,
    environment,
    notices,
    pack_bytes,
    pack_script,
    page_style,
    policy,
)
from sim.reports.page.standalone import provenance_rows, within_script
from sim.robots.robot import Robot
from sim.showing.one_line import count_text

CLOSED = 1e-9  # m and rad; loops that joints which follow others keep closed
SAMPLES = 5  # places between the joints' ends at which that is seen


class SliderRow(msgspec.Struct, frozen=True):
    """An independent joint: where it begins, and its ends [rad or m]."""

    name: str
    low: float
    high: float
    start: float
    sliding: bool
    turns: bool


class TreeJoint(msgspec.Struct, frozen=True):
    """A joint of the scene, at ``of · q + offset`` [rad or m]."""

    name: str
    of: list[float]
    offset: float


class TeachFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the page's script reads.

    Parameters
    ----------
    name, tool : str
        Of the robot.
    robot : str
        What the taught script loads.
    chosen_tool : str or None
        The tool frame that it asks for, where it was asked for here.
    rows : list of SliderRow
    tree : list of TreeJoint
    poses : dict of str to list of float
        Named poses [rad or m].
    length : float
        By which lengths in the Jacobian are divided [m].
    """

    name: str
    tool: str
    robot: str
    chosen_tool: str | None
    rows: list[SliderRow]
    tree: list[TreeJoint]
    poses: dict[str, list[float]]
    length: float


def write_teach_page(
    path: Path,
    robot: Robot,
    source: str,
    *,
    start: ArrayLike | None = None,
    tool: str | None = None,
) -> None:
    """Write the teach page of a robot.

    Parameters
    ----------
    path : Path
        The HTML file.
    robot : Robot
        A tree; joints that follow others move with them.
    source : str
        What ``sim.load_robot`` takes for it in the scripts that the page writes.
    start : array_like, shape (n,), optional
        Joint positions to begin with [rad or m]; the pose ``home`` of the card without it, or zero.
    tool : str, optional
        The tool frame that was asked for, for the same scripts.

    Raises
    ------
    ModelError
        If the robot has no tool frame, a joint is a ball, or a loop is not kept closed by joints
        that follow others.
    ScenarioError
        If it has no joint that moves, or `start` is not one finite number a joint.
    RecordingError
        If the file cannot be written, or one is there that is no page of sim.
    """
    write_named(path, teach_page(robot, source, start=start, tool=tool).encode("utf-8"), ".html")


def teach_page(
    robot: Robot, source: str, *, start: ArrayLike | None = None, tool: str | None = None
) -> str:
    """HTML of the teach page; see `write_teach_page`."""
    facts = _facts(robot, source, start, tool)
    style = page_style() + asset("teach.css")
    loader = asset("loader.js")
    scripts = {name: asset(f"vendor/{name}.min.js") for name in ("teach", "robot")}
    scene = scene_of(robot)
    return (
        environment()
        .get_template("teach.html.j2")
        .render(
            name=robot.name,
            tool=facts.tool,
            length=f"{facts.length:.4g}",
            notes=GlbScene.read(scene).facts.notes,
            facts=within_script(msgspec.json.encode(facts, enc_hook=float).decode()),
            blocks={
                "player": pack_script("teach"),
                "robot": pack_script("robot"),
                "scene": pack_bytes(scene),
            },
            style=style,
            loader=loader,
            policy=policy([loader, *scripts.values()], style),
            provenance=provenance_rows(robot),
            notices=notices(),
        )
    )


def _facts(robot: Robot, source: str, start: ArrayLike | None, tool: str | None) -> TeachFacts:
    if not robot.joint_names:
        raise ScenarioError(f"Robot {robot.name!r} has no joint that moves")
    if robot.tool is None:
        raise ModelError(f"Robot {robot.name!r} has no tool frame to teach: name one with --tool")
    robot.require_no_balls("it is taught by joints with one number each")
    ends = slider_ends(robot)
    _require_closed(robot, *ends)
    poses = poses_of(robot)
    q = np.asarray(poses.get("home", poses["zero"]) if start is None else start, dtype=np.float64)
    if q.shape != (len(robot.coordinates),) or not np.isfinite(q).all():
        raise ScenarioError(
            f"Robot {robot.name!r} needs one finite number for each of its joints "
            f"({', '.join(robot.joint_names)}); got {q.tolist()}"
        )
    columns = zip(robot.coordinates, *ends, q, turns(robot), strict=True)
    S, q_0 = robot.coupling
    return TeachFacts(
        name=robot.name,
        tool=robot.tool,
        robot=source,
        chosen_tool=tool,
        rows=[
            SliderRow(row.name, float(low), float(high), float(x), not row.is_angle, bool(whole))
            for row, low, high, x, whole in columns
        ],
        tree=[
            TreeJoint(joint.name, of.tolist(), float(offset))
            for joint, of, offset in zip(robot.tree_joints, S, q_0, strict=True)
        ],
        poses={name: pose.tolist() for name, pose in poses.items()},
        length=chain_length(robot),
    )


def _require_closed(robot: Robot, low: Array, high: Array) -> None:
    """Check that joints which follow others keep all loops closed, wherever the sliders stand.

    Raises
    ------
    ModelError
        If they do not: the page moves joints, and solves no loops.
    """
    if not robot.loops:
        return
    # Other shares for each joint: equal ones could close a loop by symmetry.
    shares = np.modf(np.outer(np.arange(1, low.size + 1) * 0.618034, np.arange(1, SAMPLES + 1)))[0]
    q = low[:, None] + shares * (high - low)[:, None]
    apart = loop_error(robot, robot.q_tree(q)).max(axis=1)
    if open_loops := [
        loop.name for loop, most in zip(robot.loops, apart, strict=True) if not most <= CLOSED
    ]:
        raise ModelError(
            f"Robot {robot.name!r} closes {count_text(len(open_loops), 'loop')} by its passive "
            f"joints ({', '.join(map(repr, open_loops))}), which the teach page does not solve; "
            "drive its independent joints in a scenario instead, which closes loops"
        )

"""Teach page: one HTML file in which a robot is moved by sliders and typed poses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from sim.errors import ScenarioError
from sim.kinematics.inverse.branches import moving_joints
from sim.kinematics.inverse.recognition import family_of
from sim.kinematics.inverse.sliders import poses_of, slider_ends
from sim.kinematics.inverse.travel import joint_limits, turns
from sim.kinematics.jacobian import chain_length
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arrays import Array
from sim.reports.page.glb_scene import GlbScene, scene_of
from sim.reports.page.page import notices, pack_bytes, pack_script, script_of
from sim.reports.page.standalone import asset, provenance_rows, render, within_script
from sim.reports.page.teach_loops import (
    CLOSED,
    TeachLoop,
    close_pose,
    close_poses,
    find_closed_pose,
    loop_facts,
)
from sim.robots.robot import Robot


class TeachJoint(msgspec.Struct, frozen=True):
    """An independent joint: its initial value and its ends [rad or m].

    A passive joint follows the others through the loops; it has no slider, perhaps no ends.
    """

    name: str
    low: float | None
    high: float | None
    start: float
    sliding: bool
    turns: bool
    passive: bool


class TeachTreeJoint(msgspec.Struct, frozen=True):
    """A row of a joint of the scene, at ``of · q + offset`` [rad or m]."""

    name: str
    of: list[float]
    offset: float


class ClosedForm(msgspec.Struct, frozen=True, kw_only=True):
    """Constants of an arm with closed-form inverse kinematics, as in its `Family`.

    Parameters
    ----------
    name : str
    words : tuple of tuple of str
        Names of the shoulder, elbow and wrist branches.
    moving : list of int
        The rows that move the tool.
    T_0a, E, K, back : list of list of float
        ``back`` is the inverse of K.
    tool, k : list of float
    lateral, offset, forearm : float
        Constants that a family lacks are zero, here and below [m, rad].
    lengths : tuple of float
    hand, base : tuple of float
        Radial and up [m].
    """

    name: str
    words: tuple[tuple[str, ...], ...]
    moving: list[int]
    T_0a: list[list[float]]
    E: list[list[float]]
    K: list[list[float]]
    back: list[list[float]]
    tool: list[float]
    k: list[float]
    lateral: float
    offset: float
    forearm: float
    lengths: tuple[float, float]
    hand: tuple[float, float]
    base: tuple[float, float]


class TeachFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Data for the script of a teach page.

    Parameters
    ----------
    name, tool : str
        Names of the robot and its tool frame.
    robot : str
        Robot argument of the taught script.
    keywords : str
        Further arguments of ``load_robot`` in that script, as Python.
    rows : list of TeachJoint
    tree : list of TeachTreeJoint
    loops : list of TeachLoop
        Empty where no joint is passive.
    poses : dict of str to list of float
        Named poses [rad or m].
    length : float
        Divisor of the lengths in the Jacobian [m].
    family : ClosedForm or None
        None if poses are searched numerically.
    """

    name: str
    tool: str
    robot: str
    keywords: str
    rows: list[TeachJoint]
    tree: list[TeachTreeJoint]
    loops: list[TeachLoop]
    poses: dict[str, list[float]]
    length: float
    family: ClosedForm | None


def teach_page(
    robot: Robot,
    source: str,
    *,
    start: ArrayLike | None = None,
    loaded_with: Mapping[str, object] | None = None,
) -> str:
    """Return the HTML of the teach page of a robot.

    Parameters
    ----------
    robot : Robot
        Mimic joints move with their leaders, passive ones as the loops require.
    source : str
        Argument of ``sim.load_robot`` in the scripts that the page writes.
    start : array_like, shape (n,), optional
        Initial joint positions [rad or m] (default: pose ``home`` of the card, or zero, or another
        pose at which the loops close).
    loaded_with : mapping of str to object, optional
        Further arguments of ``sim.load_robot`` in these scripts; those of None are left out.

    Raises
    ------
    ModelError
        If the robot has no tool frame, a joint is a ball, or a loop is a function or is closed by
        no joint.
    ScenarioError
        If it has no movable joint, its loops close nowhere or not at `start`, or `start` is not one
        finite number per joint.
    """
    facts = teach_facts(robot, source, start, loaded_with or {})
    loader = asset("loader.js")
    scene = scene_of(robot)
    return render(
        "teach.html.j2",
        extra=asset("teach.css") + asset("teach_panel.css"),
        scripts=[loader, script_of("teach"), script_of("robot")],
        name=robot.name,
        notes=GlbScene.read(scene).facts.notes,
        facts=within_script(msgspec.json.encode(facts, enc_hook=float).decode()),
        blocks={
            "player": pack_script("teach"),
            "robot": pack_script("robot"),
            "scene": pack_bytes(scene),
        },
        loader=loader,
        provenance=provenance_rows(robot),
        notices=notices(("three", "fflate")),
    )


def teach_facts(
    robot: Robot, source: str, start: ArrayLike | None, loaded_with: Mapping[str, object]
) -> TeachFacts:
    """Return facts of a robot for its teach panel; arguments and errors as in `teach_page`."""
    if not robot.joint_names:
        raise ScenarioError(f"Robot {robot.name!r} has no movable joint")
    tool = robot.require_tool()
    robot.require_no_balls("teaching requires joints with one coordinate each")
    loops = loop_facts(robot)
    poses, q = _poses(robot, start)
    return TeachFacts(
        name=robot.name,
        tool=tool,
        robot=source,
        keywords="".join(
            f", {name}={value!r}" for name, value in loaded_with.items() if value is not None
        ),
        rows=joint_rows(robot, q),
        tree=tree_joints(robot),
        loops=loops,
        poses={name: pose.tolist() for name, pose in poses.items()},
        length=chain_length(robot),
        family=None if loops else _closed_form(robot),
    )


def joint_rows(robot: Robot, q: Array) -> list[TeachJoint]:
    """Return the independent joints at their initial positions q, shape (n,), with slider ends."""
    passive = passive_joints(robot)
    ends = (
        np.where(passive, *both)
        for both in zip(joint_limits(robot), slider_ends(robot), strict=True)
    )
    columns = zip(robot.coordinates, *ends, q, turns(robot), passive, strict=True)
    return [
        TeachJoint(
            row.name, _end(low), _end(high), float(x), not row.is_angle, bool(turn), bool(loose)
        )
        for row, low, high, x, turn, loose in columns
    ]


def tree_joints(robot: Robot) -> list[TeachTreeJoint]:
    """Return the joints of the robot's scene, as functions of the independent ones."""
    S, q_0 = robot.coupling
    return [
        TeachTreeJoint(row.name, of.tolist(), float(offset))
        for row, of, offset in zip(robot.tree_coordinates, S, q_0, strict=True)
    ]


def _end(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _poses(robot: Robot, start: ArrayLike | None) -> tuple[dict[str, Array], Array]:
    """Return the named poses and the initial one, with closed loops."""
    poses = poses_of(robot)
    q = np.asarray(poses.get("home", poses["zero"]) if start is None else start, dtype=np.float64)
    if q.shape != (len(robot.coordinates),) or not np.isfinite(q).all():
        raise ScenarioError(
            f"Robot {robot.name!r} needs one finite number for each of its joints "
            f"({', '.join(robot.joint_names)}); got {q.tolist()}"
        )
    if not passive_joints(robot).any():
        return poses, q
    q = find_closed_pose(robot, q) if start is None else close_pose(robot, q)
    named = close_poses(robot, poses)
    known = any(np.allclose(q, pose, rtol=0.0, atol=CLOSED) for pose in named.values())
    return named if known else {"start": q, **named}, q


def _closed_form(robot: Robot) -> ClosedForm | None:
    if (family := family_of(robot)) is None:
        return None

    def plane_point(name: str) -> tuple[float, float]:
        point = complex(getattr(family, name, 0.0))
        return point.real, point.imag

    constants: dict[str, Any] = {
        "lateral": getattr(family, "lateral", 0.0),
        "offset": getattr(family, "shoulder_offset", 0.0),
        "forearm": getattr(family, "forearm", 0.0),
        "lengths": getattr(family, "lengths", (0.0, 0.0)),
    }
    return ClosedForm(
        name=family.name,
        words=family.words,
        moving=moving_joints(robot, None).tolist(),
        T_0a=family.T_0a.tolist(),
        E=family.E.tolist(),
        K=family.K.tolist(),
        back=np.linalg.inv(family.K).tolist(),
        tool=family.tool.tolist(),
        k=family.k.tolist(),
        hand=plane_point("hand"),
        base=plane_point("base"),
        **constants,
    )

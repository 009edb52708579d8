"""The robot of a run, from the data stored with the run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec.structs import asdict

from sim import shipped
from sim.errors import ModelError, RecordingError
from sim.recording.recording import Recording
from sim.recording.schema.channels import GROUPS
from sim.recording.schema.facts import LoopFacts
from sim.recording.schema.provenance import text_hash
from sim.robots import Loop, Robot, read_urdf
from sim.robots.joint import JointForce

VECTORS = ("poin", "norm", "axis", "acro")  # prefixes of the vector fields of a loop


def robot_of(recording: Recording) -> Robot:
    """Return the robot of a run: its URDF with payload, its tool frame and its mounting.

    Meshes are searched at their original location, or among the shipped ones. There is no card: its
    contents do not belong to a run.

    Raises
    ------
    RecordingError
        If the run has no URDF, or the URDF cannot be read.
    """
    facts = recording.run.robot
    name = facts.name
    if recording.urdf is None:
        raise RecordingError(
            f"The run of {recording.run.scenario!r} has not kept the URDF of its robot "
            f"{name!r}; run the scenario again"
        )
    if text_hash(recording.urdf) != facts.urdf_sha256:
        raise RecordingError(
            f"The URDF in the run of {recording.run.scenario!r} is not that of its robot "
            f"{name!r}: run.json has another hash"
        )
    try:
        robot = _read(recording.urdf, name, facts.tool, facts.mesh_folder)
        return replace(robot, T_0b=np.array(facts.T_0b, dtype=np.float64))
    except (ModelError, ValueError) as error:
        raise RecordingError(f"The robot of the run cannot be read: {error}") from None


def loops_of(recording: Recording) -> tuple[Loop, ...]:
    """Return the closed loops of a run's robot.

    Raises
    ------
    RecordingError
        If the run, of an earlier version, lacks their geometry.
    """
    facts = recording.run.robot
    kinds = dict(facts.kinds_of_loops)
    names = {one.name for one in facts.closures if one.kind == kinds.get(one.name)}
    if missing := [name for name in facts.loops if name not in names]:
        raise RecordingError(
            f"The robot of the run, {facts.name!r}, has closed loops whose geometry is not in the "
            f"run: {missing[0]!r} is of an earlier version; run the scenario again, or give "
            "--loops FILE.loops.toml, or `loops` in Python"
        )
    try:
        return tuple(loop_of(one) for one in facts.closures)
    except ModelError as error:
        raise RecordingError(f"The loops of the run cannot be read: {error}") from None


def with_kept_loops(robot: Robot, recording: Recording) -> Robot:
    """Return a run's robot with its loops, if the run has their geometry.

    Runs of earlier versions lack it, and their robots are drawn without loops.
    """
    with suppress(RecordingError, ModelError):
        return robot.with_loops(*loops_of(recording))
    return robot


def joint_law(channel: str, fields: Mapping[str, object]) -> JointForce:
    """Return the law of a kind of joint element with the fields of a run's description.

    Raises
    ------
    RecordingError
        If the kind has no such fields, or the values are invalid.
    """
    group = GROUPS.get(channel)
    if group is None or group.law is None:
        raise RecordingError(f"There are no force elements {channel!r} in joints")
    try:
        return group.law(**fields)
    except (TypeError, ModelError) as error:
        raise RecordingError(f"There are no such {group.law.title}: {error}") from None


def loop_of(one: LoopFacts) -> Loop:
    """Return a loop with its points; raises as `Loop`."""
    fields = asdict(one)
    vectors = {key: np.array(x) for key, x in fields.items() if key[:4] in VECTORS and x}
    return Loop(**{**fields, **vectors})


@lru_cache(maxsize=4)
def _read(urdf: str, name: str, tool: str | None, folder: str | None) -> Robot:
    """Return the robot before mounting; cached for checks, page and summary of a run."""
    robot = read_urdf(
        urdf,
        folder=Path(folder) if folder and Path(folder).is_dir() else shipped.urdf(),
        tool=tool,
        source=f"robot {name!r} of the run",
    )
    return replace(robot, tool=tool, tool_note="")  # no tool frame is chosen for a run without one

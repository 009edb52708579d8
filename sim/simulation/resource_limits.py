"""Limits of simulated quantities, checked before the run; the error names the one exceeded.

An engine's motor supplies at most 1e12 N·m, and a number of 1e7 has nine decimals left. Values far
beyond end as a joint that leaves its path, for which the step would wrongly be blamed.
"""

from __future__ import annotations

import math
import os

import numpy as np

from sim.errors import ModelError, ScenarioError
from sim.kinematics.trajectory import Trajectory
from sim.maths.arrays import Array
from sim.maths.pieces import pieces
from sim.maths.units import Quantity
from sim.robots.inertia import FARTHEST_PLACE
from sim.robots.robot import Robot
from sim.scenario.scenario import Scenario

FARTHEST_DRIVE = 1e7  # [rad or m], and per second

# Numbers per sample at the peak of a run: for each joint, in states, efforts, powers and works; and
# for each channel, if its tables are in memory: both, and the pieces of one.
KEPT_OF_JOINT, KEPT_OF_CHANNEL = 14, 3
# Numbers per channel and sample that a piece takes while it is evaluated.
OF_PIECE = 5
BYTES_IN_FILE = 5.0  # bytes per number
PROGRAM = 1.5e8  # bytes of the process, with engine, tables and figures loaded


def require_possible_sizes(robot: Robot, prescribed: Trajectory) -> None:
    """Check that lengths and drives are possible for a robot; masses are checked when read.

    Parameters
    ----------
    robot : Robot
        Robot with every payload of the run.
    prescribed : Trajectory
        Prescribed motion.

    Raises
    ------
    ModelError
        Names the link or joint, the number and the limit.
    ScenarioError
        Names the joint that is driven too far or too fast, the number, the limit and the time.
    """
    for link in robot.links:
        if link.inertia is None:
            continue
        far = float(np.linalg.norm(link.inertia.com))
        _require_small(f"Link {link.name!r} has its mass centre at", far, FARTHEST_PLACE, "m")
    for joint in robot.joints:
        far = float(np.linalg.norm(joint.T_pc[:3, 3]))
        who = f"Joint {joint.name!r} is away from link {joint.parent!r} by"
        _require_small(who, far, FARTHEST_PLACE, "m")
    _require_near(robot, prescribed.t, prescribed.q, "position")
    _require_near(robot, prescribed.t, prescribed.qd, "velocity")


def require_memory(
    scenario: Scenario, memory: float | None = None, *, stored: bool = False
) -> None:
    """Check that the machine has enough memory for a run.

    Parameters
    ----------
    memory : float, optional
        Bytes (default: memory of this machine).
    stored : bool
        Whether large tables stay in files.

    Raises
    ------
    ScenarioError
        States the memory required and available, and a remedy.
    """
    there = _memory() if memory is None else memory
    samples = round(scenario.duration / scenario.dt) + 1
    required, least = (memory_of(scenario.robot, n, stored=stored) for n in (samples, 1))
    if required > there:
        longest = scenario.duration * max(there - least, 0.0) / (required - least)
        raise ScenarioError(
            f"{samples} samples of about {channels_of(scenario.robot)} channels take "
            f"{required / 1e9:.3g} GB of memory, and this machine has {there / 1e9:.3g} GB; take a "
            f"longer step than {scenario.dt:g} s (`--dt`, `Scenario.dt`), or a run of less than "
            f"{longest:.3g} s"
        )


def memory_of(robot: Robot, samples: int, *, stored: bool = False) -> float:
    """Estimate the bytes required by a run with this number of samples; see `require_memory`."""
    channels = channels_of(robot)
    per_sample = KEPT_OF_JOINT * len(robot.tree_coordinates) + (
        0 if stored else KEPT_OF_CHANNEL * channels
    )
    piece = next(pieces(samples))
    return PROGRAM + 8.0 * (per_sample * samples + OF_PIECE * channels * (piece.stop - piece.start))


def disk_of(robot: Robot, samples: int) -> float:
    """Estimate the bytes of the tables for this number of samples."""
    return 2.0 * BYTES_IN_FILE * samples * channels_of(robot)


def channels_of(robot: Robot) -> int:
    """Estimate the number of table columns: nine and a reaction per joint, links, and a tool."""
    return 9 * len(robot.tree_coordinates) + 6 * len(robot.tree_joints) + len(robot.links) + 21


def _memory() -> float:
    """Return the memory of the machine in bytes; infinite if the system hides it (Windows)."""
    sysconf = getattr(os, "sysconf", None)
    if sysconf is None:
        return math.inf
    return float(sysconf("SC_PAGE_SIZE")) * sysconf("SC_PHYS_PAGES")


def _require_small(subject: str, value: float, most: float, unit: str) -> None:
    if value > most:
        raise ModelError(f"{subject} {value:g} {unit}; at most {most:g} {unit} can be simulated")


def _require_near(robot: Robot, t: Array, rows: Array, quantity: Quantity) -> None:
    far = np.abs(rows) > FARTHEST_DRIVE
    if not far.any():
        return
    k = int(np.argmax(far.any(axis=0)))
    i = int(np.argmax(far[:, k]))
    row = robot.coordinates[i]
    unit = row.units.of(quantity)
    raise ScenarioError(
        f"The drive of joint {row.name!r} asks for a {quantity} of {rows[i, k]:.6g} {unit} at "
        f"t = {t[k]:.6g} s; at most {FARTHEST_DRIVE:g} {unit} can be simulated"
    )

"""Recorded against analytic position, orientation and motion of the tool."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import UNSET
from msgspec.structs import replace

from sim.checks.allowed_error import AllowedError
from sim.checks.error_propagation import error_propagation
from sim.checks.judgement import Judgement
from sim.checks.limits import TURNED
from sim.checks.run_view import Follows, RunView
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces
from sim.maths.rotations import cross
from sim.recording.schema.corners import distance


def tool_agreement(view: RunView, propagation: Follows) -> Iterator[Judgement]:
    """Check pose, velocity and acceleration of the tool, and its distance from the prescribed path.

    The position has a limit of its own in each method. The other limits follow from those of the
    joints: see `sim.checks.error_propagation`. Largest fraction of the limit, measured on the
    shipped scenarios:

    =====================  ========  =======  =========
    what                   stepped   ideal    adaptive
    =====================  ========  =======  =========
    orientation            7e-7      9e-4     9e-5
    velocity               8e-5      2e-4     4e-5
    angular velocity       1e-4      3e-4     2e-5
    acceleration           4e-2      3e-5     2e-5
    angular acceleration   5e-2      5e-5     5e-6
    =====================  ========  =======  =========

    Raises
    ------
    RecordingError
        If a channel of the tool or the URDF of the robot is missing.
    """
    limits, off = view.limits, view.comparable(tool_error(view))
    place = view.judge_errors(
        "tool position",
        "tool.x",
        off,
        AllowedError.of(method=limits.tool),
        plot="tool.error",
        bounds="error",
    )
    yield replace(place, holds=_parts("x", "y", "z"))
    tolerance = view.run.settings.path_tolerance
    is_answer = view.run.controller is not UNSET and tolerance is None  # tracking quality
    if view.has("target.x") and not is_answer:
        limit, off = limits.tool if tolerance is None else tolerance, distance_from_path(view)
        yield view.judge_errors(
            "tool path", "target.x", off, limit, plot="path.error", bounds="error"
        )
    way, turn = error_propagation(view)
    dqdd = np.array([view.acceleration_limit(joint) for joint in view.row_names])
    lever = limits.position * float(turn.turn.sum())
    angle = AllowedError.of(lever=lever, rounding=TURNED)
    turned = view.judge_errors(
        "tool orientation", "tool.qx", _rotation_error(view), angle, unit="rad"
    )
    yield replace(turned, holds=_parts("qx", "qy", "qz", "qw"))
    for name, parts, allowed in (
        ("tool velocity", "v", way.velocity_limit()),
        ("tool angular velocity", "w", turn.velocity_limit()),
        ("tool acceleration", "a", way.acceleration_limit(dqdd)),
        ("tool angular acceleration", "wd", turn.acceleration_limit(dqdd)),
    ):
        off = _vector_difference(view, parts)
        error, allowance = view.beyond(off, allowed, propagation, f"tool.{parts}")
        judged = view.judge_errors(name, f"tool.{parts}x", error, allowance)
        yield replace(judged, holds=_parts(*(f"{parts}{c}" for c in "xyz")))


def _parts(*names: str) -> tuple[str, ...]:
    return tuple(f"tool.{name}" for name in names)


def tool_error(view: RunView) -> Array:
    """Return the distance between the recorded and the analytic tool, shape (N,) [m]."""
    return _away(view, "tool")


def distance_from_path(view: RunView) -> Array:
    """Return the distance of the recorded tool from its target, shape (N,) [m]."""
    return _away(view, "target")


def _away(view: RunView, aim: str) -> Array:
    away = np.stack(
        [view.recorded_values(f"tool.{c}") - view.analytic(f"{aim}.{c}") for c in "xyz"]
    )
    return np.asarray(np.sqrt(np.sum(away**2, axis=0)))


def _vector_difference(view: RunView, parts: str) -> Array:
    """Return the length of the difference of two vectors; at a corner each component has a band."""
    channels = [f"tool.{parts}{c}" for c in "xyz"]
    off = [distance(view.recorded_values(c), view.analytic(c), view.corner) for c in channels]
    return view.comparable(np.sqrt(np.sum(np.square(off), axis=0)))


def _rotation_error(view: RunView) -> Array:
    """Return the rotation angle between the recorded and the analytic tool, shape (N,) [rad]."""
    q, p = (
        np.stack([table(f"tool.q{c}") for c in "xyzw"])
        for table in (view.recorded_values, view.analytic)
    )
    angle = by_pieces(view.t.size, lambda part: rotation_angle(q[:, part], p[:, part]))
    return view.comparable(angle)


def rotation_angle(q: Array, p: Array) -> Array:
    """Return the rotation angle between quaternions x, y, z, w of shape (4, N), shape (N,) [rad].

    The quaternions q and -q represent the same rotation. The deviation of `q` from unit length is
    included.

    Parameters
    ----------
    q : ndarray, shape (4, N)
        Quaternions to be judged.
    p : ndarray, shape (4, N)
        Unit quaternions.
    """
    vector = p[3] * q[:3] - q[3] * p[:3] - cross(p[:3], q[:3])
    angle = 2 * np.arctan2(np.sqrt(np.sum(vector**2, axis=0)), np.abs(np.sum(p * q, axis=0)))
    return np.maximum(angle, np.abs(np.sqrt(np.sum(q**2, axis=0)) - 1))

"""Position, orientation and motion of the tool: recorded, analytic, and by the joints."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from msgspec import UNSET
from msgspec.structs import replace

from sim.checks.allowed_error import AllowedError
from sim.checks.corner_motion import CornerMotion
from sim.checks.error_propagation import error_propagation, instants
from sim.checks.judgement import Judgement
from sim.checks.limits import EPS, TURNED
from sim.checks.run_view import Follows, RunView
from sim.kinematics.forward import frame_of, frame_pose
from sim.kinematics.jacobian import chain_length, frame_acceleration, least_singular_value, twist
from sim.kinematics.tree import tree_of
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces
from sim.maths.rotations import cross, quaternion_xyzw
from sim.recording.schema.corners import distance

# Relative to the extent beyond a joint: sine, cosine and a product of rotations are about ten
# roundings, a velocity is one more product. Machines may round each of them differently.
PER_JOINT = 16 * EPS

SINGULAR = "least_singular_value"
NAME = "forward kinematics"
# Vectors of the tool, by prefix of their channels.
VECTORS = ("", "v", "w", "a", "wd")


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
    corners = CornerMotion(view)
    for name, parts, allowed in (
        ("tool velocity", "v", way.velocity_limit()),
        ("tool angular velocity", "w", turn.velocity_limit()),
        ("tool acceleration", "a", way.acceleration_limit(dqdd)),
        ("tool angular acceleration", "wd", turn.acceleration_limit(dqdd)),
    ):
        off = _vector_difference(view, parts, corners)
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


def _vector_difference(view: RunView, parts: str, corners: CornerMotion) -> Array:
    """Return the length of the difference of two vectors, (N,); a component has a band at a corner.

    At a corner it is at most the difference from the vector by the recorded joints.
    """
    channels = [f"tool.{parts}{c}" for c in "xyz"]
    off = [distance(view.recorded_values(c), view.analytic(c), view.corner) for c in channels]
    total = np.sqrt(np.sum(np.square(off), axis=0))
    if (at := corners.at).any():
        recorded = np.stack([view.recorded_values(c)[at] for c in channels])
        total[at] = np.minimum(total[at], np.linalg.norm(recorded - corners.tool[parts], axis=0))
    return view.comparable(total)


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


def forward_kinematics(view: RunView) -> Iterator[Judgement]:
    """Check pose, velocity and acceleration of the tool by `robot.urdf` and the table's own joints.

    Two tables with the same wrong tool would agree. Therefore the model's tool is compared with
    forward kinematics and Jacobian of the run's own URDF, at the instants of
    `sim.checks.error_propagation.INSTANTS`. Both are exact, and the limit is rounding. The same
    applies to the least singular value of the Jacobian, in both tables, if recorded.

    Raises
    ------
    RecordingError
        If a channel of the tool or of a joint, or the URDF of the robot, is missing.
    """
    if not view.has("tool.x"):
        return
    k = instants(view.t.size)
    q, qd, qdd = (
        np.stack([view.analytic(f"{group}.{joint}")[k] for joint in view.robot.row_names])
        for group in ("q", "qd", "qdd")
    )
    T, V = frame_pose(view.robot, q), twist(view.robot, q, qd)
    A = frame_acceleration(view.robot, None, q, qd, qdd)
    limits = _limits(view)
    for name, expected in zip(VECTORS, (T[:3, 3], V[:3], V[3:], A[:3], A[3:]), strict=True):
        channels = [f"tool.{name}{c}" for c in "xyz"]
        difference = np.stack([view.analytic(channel)[k] for channel in channels]) - expected
        off = np.sqrt(np.sum(difference**2, axis=0))
        yield view.judge_samples(NAME, channels[0], k, off, limits[name])
    channels = [f"tool.q{c}" for c in "xyzw"]
    quaternions = np.stack([view.analytic(channel)[k] for channel in channels])
    off = rotation_angle(quaternions, quaternion_xyzw(T[:3, :3]))
    yield view.judge_samples(NAME, channels[0], k, off, limits["q"], unit="rad")
    if view.has(SINGULAR):
        yield view.judge_samples(NAME, SINGULAR, k, _singular_errors(view), limits[SINGULAR])


def _singular_errors(view: RunView) -> Array:
    """Return errors of each table's least singular value by its own joints, at the instants.

    The two tables are not compared in it, hence both are judged here. Position errors allowed by
    the method change it by at most the norm of the change of the Jacobian.
    """
    k, n = instants(view.t.size), len(view.robot.row_names)
    errors = []
    change = view.limits.position * n * math.hypot(n, 1.0)
    for values, allowed in ((view.recorded_values, change), (view.analytic, 0.0)):
        q = np.stack([values(f"q.{joint}")[k] for joint in view.robot.row_names])
        off = np.abs(values(SINGULAR)[k] - least_singular_value(view.robot, q))
        errors.append(np.maximum(off - allowed, 0.0))
    return np.asarray(np.max(errors, axis=0))


def _limits(view: RunView) -> dict[str, float]:
    """Return the rounding of each tool vector, in its unit, and of its orientation [rad].

    Each joint of the chain contributes rounding relative to the length beyond it. This length is at
    most that of the stretched chain, from the world on, or the distance to the tool's mass centre,
    which the engine uses; for velocities it is multiplied by the joint rates, for accelerations by
    joint accelerations and products of rates.
    """
    robot = view.robot
    tree, (body, T_bl) = tree_of(robot), frame_of(robot)
    chain = list(tree.ancestors(body))
    slides = np.array([not robot.tree_coordinates[j].is_angle for j in chain], dtype=bool)
    q, qd, qdd = (_peaks(view, group, chain) for group in ("q", "qd", "qdd"))
    offsets = np.concatenate([T_bl[None, :3, 3], tree.T_pi[chain, :3, 3]])
    length = float(np.sum(np.sqrt(np.sum(offsets**2, axis=1))) + np.sum(q[slides]))
    to_mass = (float(np.linalg.norm(mass.com)) for mass in tree.masses if mass.body == body)
    length = max(length, *to_mass, 0.0)
    levers = np.where(slides, 1.0, length)
    carried, spun = float(levers @ qd), float(np.sum(qd[~slides]))
    sizes = {
        "": length,
        "q": 1.0,
        "v": carried,
        "w": spun,
        "a": float(levers @ qdd) + 2 * spun * carried,
        "wd": float(np.sum(qdd[~slides])) + spun**2,
        # a singular value changes by at most the norm of the change of the matrix
        SINGULAR: math.hypot(length / chain_length(robot), 1.0) * math.sqrt(len(chain)),
    }
    return {name: PER_JOINT * (len(chain) + 1) * size for name, size in sizes.items()}


def _peaks(view: RunView, group: str, chain: list[int]) -> Array:
    """Return the largest magnitudes of the joints of a chain, shape (k,)."""
    names = [view.robot.tree_row_names[j] for j in chain]
    return np.array([view.peak(f"{group}.{name}") for name in names])

"""Modes of a robot whose drives are elastic: frequencies, damping, shapes.

    (s² M + s D + K) φ = 0,      s = -ζ ω ± i ω √(1 - ζ²),      f = |s| / 2π

about a pose at rest. The modes of a moving robot change slowly; those of each pose are its natural
frequencies as long as they are fast compared with the motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics.drive_trains import drive_trains_of
from sim.dynamics.element_slopes import ElementStates, Roughness, roughness
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ForceElement
from sim.dynamics.friction import dry_joints
from sim.dynamics.gravity import GRAVITY, Gravity
from sim.dynamics.joint_forces import joint_elements
from sim.dynamics.lagrange import gravity as gravity_torque
from sim.dynamics.linearise import LinearSystem, linearise, torque_needed
from sim.errors import ScenarioError
from sim.kinematics.closure import close_motion, require_closed
from sim.kinematics.loop_equations import passive_joints
from sim.maths.arguments import checked
from sim.maths.arrays import Array, frozen
from sim.robots.friction_surface import friction_surfaces
from sim.robots.robot import Robot
from sim.showing.one_line import one_line
from sim.vibration.elastic_drives import (
    ElasticDrives,
    PerJoint,
    elastic_drives,
    require_moving,
    require_pose,
)
from sim.vibration.roots import REAL, first_order, natural_frequencies, roots_of

BALANCED = 1e-6  # of the weight: a smaller torque counts as zero


@dataclass(frozen=True)
class Mode:
    """One motion δq = Re φ eˢᵗ.

    Parameters
    ----------
    root : complex
        s [1/s]; of a pair the one with Im s > 0.
    shape : mapping of str to complex
        φ by compliant joint, its largest component 1.
    """

    root: complex
    shape: Mapping[str, complex]

    @property
    def frequency(self) -> float:
        """|s| / 2π [Hz], the natural frequency without damping; zero for a pure decay."""
        return abs(self.root) / (2 * np.pi) if self.oscillates else 0.0

    @property
    def damping_ratio(self) -> float:
        """-Re s / |s|; 1 and more never oscillates; NaN for a root of zero."""
        return float(-self.root.real / abs(self.root)) if self.root else float("nan")

    @property
    def oscillates(self) -> bool:
        """Whether the motion oscillates."""
        return self.root.imag > 0

    @property
    def runs_away(self) -> bool:
        """Whether the motion grows: weight exceeds the stiffness."""
        return self.root.real > REAL * abs(self.root)


@dataclass(frozen=True, eq=False)
class Modes:
    """All modes about one pose, the slowest first.

    Parameters
    ----------
    drives : ElasticDrives
    q : ndarray, shape (n,)
        Pose [rad or m].
    speeds : tuple of ndarray, shape (n,), or None
        qd and qdd if the motion is included (default: at rest).
    t : float
        Time in a run [s].
    gravity : tuple of float
        [m/s²]
    system : LinearSystem
        A single sample.
    modes : tuple of Mode
    unbalanced : mapping of str to float
        By undriven joint, the effort that it would need to stay at rest [N·m or N]; empty in an
        equilibrium.
    rough : tuple of Roughness
        Force elements that are not smooth at the pose; the modes use the mean of their slopes.
    notes : tuple of str
        Effects that are ignored, or not linearised, and the reasons.
    """

    drives: ElasticDrives
    q: Array
    speeds: tuple[Array, Array] | None
    t: float
    gravity: Gravity
    system: LinearSystem
    modes: tuple[Mode, ...]
    unbalanced: Mapping[str, float]
    rough: tuple[Roughness, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", frozen(self.q))

    def __repr__(self) -> str:
        shown = ", ".join(f"{f:.4g}" for f in self.frequency)
        return one_line(f"Modes of {self.drives.robot.name}:", f"{shown} Hz")

    @property
    def frequency(self) -> Array:
        """Natural frequencies without damping, ascending, (m,) [Hz]; see `natural_frequencies`."""
        return natural_frequencies(self.system)[:, 0]


@checked
def modes(
    robot: Robot,
    q: ArrayLike,
    stiffness: PerJoint | None = None,
    damping: PerJoint | None = None,
    gravity: Gravity = GRAVITY,
    forces: tuple[ForceElement, ...] = (),
    free: Sequence[str] | None = None,
    speeds: tuple[ArrayLike, ArrayLike] | None = None,
) -> Modes:
    """Return the modes of a robot at rest in a pose, with elastic drives and closed loops.

    Springs and dampers in joints and between links, stops and contacts that act in the pose, and
    viscous friction are included. The notes list omitted effects, such as dry friction.

    Parameters
    ----------
    q : array_like, shape (n,)
        Pose [rad or m]; a guess for joints positioned by closed loops.
    stiffness, damping : mapping of str to float, or float, optional
        Of the drives, by joint [N·m/rad or N/m], [N·m·s/rad or N·s/m]; one number applies to all.
        Joints with neither stiffness nor spring are rigid.
    gravity : tuple of float
        In the world [m/s²].
    forces : tuple of ForceElement
        Forces on links, such as a `Spring` between markers, at t = 0.
    free : sequence of str, optional
        Joints without a drive (default: those with a spring).
    speeds : tuple of array_like, shape (n,), optional
        qd and qdd of all joints, [rad/s], [rad/s²] (prismatic: [m/s], [m/s²]): the modes are then
        those about that motion, with Coriolis and centrifugal terms (default: at rest). Those of
        joints positioned by closed loops follow from the others.

    Raises
    ------
    ScenarioError
        If a joint or a number is invalid, no joint is compliant, a compliant joint moves no
        inertia, a loop cannot be closed there, or the pose is singular.
    """
    elements = ElementSum(robot, (*joint_elements(robot), *forces))
    for force in forces:
        force.require_usable(robot, 0.0)
    named = None if free is None else tuple(free)
    drives = elastic_drives(robot, stiffness, damping, named, elements)
    pose = require_pose(robot, q)
    still = np.zeros_like(pose)
    qd, qdd = (still, still) if speeds is None else _require_speeds(robot, speeds)
    pose, qd, qdd = close_motion(robot, np.zeros(1), pose, qd, qdd)
    return modes_at(drives, pose, gravity, 0.0, None if speeds is None else (qd, qdd))


def _require_speeds(robot: Robot, speeds: tuple[ArrayLike, ArrayLike]) -> tuple[Array, Array]:
    """Return qd and qdd, (n, 1) each; raises as `require_pose`."""
    if len(speeds) != 2:
        raise ScenarioError(f"speeds must be two arrays, qd and qdd; got {len(speeds)}")
    qd, qdd = (require_pose(robot, one) for one in speeds)
    return qd, qdd


def modes_at(
    drives: ElasticDrives,
    q: Array,
    gravity: Gravity,
    t: float = 0.0,
    speeds: tuple[Array, Array] | None = None,
) -> Modes:
    """Return the modes of elastic drives at one pose (n, 1), with forces as at `t` [s].

    With speeds qd and qdd, (n, 1) each, they are those about the motion at that instant.
    """
    require_moving(drives, t, q)
    when = np.array([t])
    require_closed(drives.robot, when, q)
    system = linearise(
        drives.elements, q, drives.loose, drives.stiffness, drives.damping, gravity, when, speeds
    )
    if np.isnan(system.Z).any():
        raise ScenarioError(
            f"The pose of robot {drives.robot.name!r} is singular: its closed loops allow more "
            "motions there than nearby, so that it has no modes; choose another pose"
        )
    modes = _modes(system)
    lacking = _unbalanced_efforts(drives, q, gravity, when, speeds)
    single = None if speeds is None else (frozen(speeds[0][:, 0]), frozen(speeds[1][:, 0]))
    whole = np.zeros((q.shape[0], *system.Z.shape[1:]))
    whole[drives.loose] = system.Z
    qd = np.zeros_like(q) if speeds is None else speeds[0]
    at = ElementStates(when, q, qd, drives.elements.start[:, None])
    rough = tuple(roughness(drives.elements, at, whole))
    notes = *(_rough_text(drives, one) for one in rough), *_friction_notes(drives)
    return Modes(drives, q[:, 0], single, t, gravity, system, modes, lacking, rough, notes)


def _rough_text(drives: ElasticDrives, one: Roughness) -> str:
    """Describe a kink at a pose, with both slopes."""
    rows = drives.robot.coordinates
    row = rows[one.row]
    where = f"{one.title} and is not smooth at this pose: its torque in {row.name}"
    if one.jump:
        what = "position" if one.of == "q" else "speed"
        return (
            f"{where} jumps by {one.jump:.6g} {row.units.effort} as the {what} passes; the jump "
            "has no slope and is left out of the modes"
        )
    unit = f"{row.units.effort} per unit of {'position' if one.of == 'q' else 'speed'}"
    return (
        f"{where} has the slopes {one.behind:.6g} and {one.ahead:.6g} {unit} to either side; the "
        "modes have their mean"
    )


def _friction_notes(drives: ElasticDrives) -> list[str]:
    """Return notes on compliant joints whose dry friction is ignored."""
    robot = drives.robot
    is_dry = np.abs(robot.coupling[0]).T @ dry_joints(robot) > 0
    if (trains := drive_trains_of(robot)) is not None:
        is_dry |= trains.is_dry
    rubbing = {surface.joint.name for surface in friction_surfaces(robot)}
    names = [
        row.name
        for row, is_loose, dry in zip(robot.coordinates, drives.loose, is_dry, strict=True)
        if is_loose and (dry or row.joint in rubbing)
    ]
    if not names:
        return []
    return [
        f"dry friction in {', '.join(names)} has no slope at rest and is left out; it may hold "
        "the robot anywhere near an equilibrium"
    ]


def _unbalanced_efforts(
    drives: ElasticDrives, q: Array, gravity: Gravity, t: Array, speeds: tuple[Array, Array] | None
) -> Mapping[str, float]:
    """Return efforts above rounding that would keep undriven joints at rest."""
    torque = torque_needed(drives.elements, t, q, gravity, speeds)[:, 0]
    free = drives.loose & (drives.stiffness == 0.0) & ~passive_joints(drives.robot)
    least = BALANCED * (1.0 + np.abs(gravity_torque(drives.robot, q, gravity)).max(initial=0.0))
    rows = zip(drives.robot.row_names, torque.tolist(), free, strict=True)
    return {name: value for name, value, is_free in rows if is_free and not abs(value) <= least}


def _modes(system: LinearSystem) -> tuple[Mode, ...]:
    roots, vectors = roots_of(first_order(system), system)
    modes = []
    for root, vector in zip(roots, (system.Z[..., 0] @ vectors).T, strict=True):
        shape = vector / vector[np.argmax(np.abs(vector))]
        by_joint = dict(zip(system.joints, map(complex, shape), strict=True))
        modes.append(Mode(complex(root), by_joint))
    return tuple(modes)

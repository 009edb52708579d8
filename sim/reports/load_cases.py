"""Worst load cases of each joint, for a strength analysis of its links.

A load case is an instant at which one component of a joint's reaction has its largest magnitude,
with the other five components and the link's acceleration at that instant (inertia relief).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from sim.kinematics.forward import kinematics_of
from sim.kinematics.jacobian import frame_acceleration
from sim.maths.arrays import Array
from sim.recording.files.table_files import numbers_at, numbers_in
from sim.recording.held_tables import recorded_of
from sim.recording.recorded_robot import robot_of
from sim.recording.recording import Recording

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")
MOTION = ("ax", "ay", "az", "wx", "wy", "wz", "alx", "aly", "alz")


class LoadCase(Struct, frozen=True, eq=False):
    """The reaction of a joint on its child link at one instant.

    Parameters
    ----------
    joint, component : str
        Component with its largest magnitude at this instant.
    t : float
        [s]
    wrench : ndarray, shape (6,)
        Force [N] and moment [N·m] by the parent on the child, at the origin and along the axes of
        the joint frame.
    link : str
        The child link.
    motion : ndarray, shape (9,)
        Acceleration of the link's mass centre [m/s²], angular velocity [rad/s] and angular
        acceleration [rad/s²] in the world, along the axes of the joint frame (those of the link).
    """

    joint: str
    component: str
    t: float
    wrench: Array
    link: str
    motion: Array


def load_cases(recording: Recording) -> list[LoadCase]:
    """Return six load cases per movable joint; none without a robot, its motion or reactions.

    Raises
    ------
    RecordingError
        If the robot of the run cannot be read.
    """
    rows, table = recording.run.robot.coordinates, recorded_of(recording)
    motion = (f"{group}.{row.name}" for group in ("q", "qd", "qdd") for row in rows)
    if recording.urdf is None or not rows or any(name not in table for name in motion):
        return []
    return list(_cases(recording))


def _cases(recording: Recording) -> Iterator[LoadCase]:
    table, t, robot = recorded_of(recording), recording.t, robot_of(recording)
    rows = [row.name for row in recording.run.robot.coordinates]
    worst = {}
    for joint in robot.tree_joints:
        names = [f"reaction.{joint.name}.{c}" for c in COMPONENTS]
        if all(name in table for name in names):
            # Columns are read one by one, since those of a long run do not fit into memory.
            instants = np.array([_worst_instant(numbers_in(table, name)) for name in names])
            worst[joint] = instants, numbers_at(table, names, instants)
    every = np.concatenate([instants for instants, _ in worst.values()] or [np.zeros(0, int)])
    states = [
        np.stack([numbers_in(table, f"{group}.{name}")[every] for name in rows])
        for group in ("q", "qd", "qdd")
    ]
    for n, (joint, (instants, wrench)) in enumerate(worst.items()):
        begin = n * len(COMPONENTS)
        q, qd, qdd = (state[:, begin : begin + len(COMPONENTS)] for state in states)
        motion = kinematics_of(robot, q, qd).frame(joint.child)
        acceleration = frame_acceleration(robot, joint.child, q, qd, qdd)
        inertia = robot.link(joint.child).inertia
        lever = np.zeros(3) if inertia is None else inertia.com
        for k, (component, at) in enumerate(zip(COMPONENTS, instants, strict=True)):
            R, w = motion.R[:, :, k], motion.w[:, k]
            r = R @ lever
            a, alpha = acceleration[:3, k], acceleration[3:, k]
            a = a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
            turned = np.concatenate([R.T @ a, R.T @ w, R.T @ alpha])
            yield LoadCase(joint.name, component, float(t[at]), wrench[:, k], joint.child, turned)


def _worst_instant(column: Array) -> int:
    """Return the sample of the largest magnitude."""
    return int(np.argmax(np.nan_to_num(np.abs(column))))


def load_case_table(cases: list[LoadCase]) -> str:
    """Return load cases as CSV, one line each."""
    units = ["[N]"] * 3 + ["[N*m]"] * 3 + ["[m/s^2]"] * 3 + ["[rad/s]"] * 3 + ["[rad/s^2]"] * 3
    titles = [f"{name} {unit}" for name, unit in zip((*COMPONENTS, *MOTION), units, strict=True)]
    lines = [",".join(["joint", "largest", "t [s]", *titles[:6], "link", *titles[6:]])]
    for case in cases:
        numbers = [f"{x:.9g}" for x in case.wrench], [f"{x:.9g}" for x in case.motion]
        words = [case.joint, case.component, f"{case.t:.9g}", *numbers[0], case.link, *numbers[1]]
        lines.append(",".join(f'"{w}"' if "," in w or '"' in w else w for w in words))
    return "\n".join(lines) + "\n"

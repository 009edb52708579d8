"""Torques of a robot file by a program, against those of the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sim.audit.states import states_of
from sim.conversion.asked_program import ProgramAnswer, ask
from sim.conversion.original import Format, Original, load_original, tree_torque, uncouple
from sim.conversion.programs import RobotProgram
from sim.conversion.question import MovingPart, TorqueQuestion
from sim.conversion.written import Written
from sim.errors import SimError
from sim.maths.arrays import Array
from sim.robots.robot import Robot
from sim.versions import version_of

SAME = 1e-9
"""Of a joint's largest torque; programs agree to 1e-12 or so, and files have all digits."""
LEAST = 1e-3
"""Of the largest torque of all joints: a joint with less is measured by it."""
OURS = "sim"
WITH_ROTORS: frozenset[Format] = frozenset({"MJCF", "SDF"})


@dataclass(frozen=True, eq=False)
class TorqueComparison:
    """Torques of a file by a program, against the original's.

    Parameters
    ----------
    program, version : str
    of_original : bool
        Whether the file is the original, not the written one.
    is_judged : bool
        Whether the comparison decides the verdict.
    errors : ndarray, shape (n,), or None
        Largest difference of each joint over its largest torque; None without torques.
    reason : str
        Reason for missing torques; for different torques, the program's warnings.
    is_installed : bool
    """

    program: str
    version: str
    of_original: bool = False
    is_judged: bool = False
    errors: Array | None = None
    reason: str = ""
    is_installed: bool = True

    @property
    def worst(self) -> float | None:
        """Largest error of all joints."""
        return None if self.errors is None else float(np.max(self.errors, initial=0.0))

    @property
    def agrees(self) -> bool | None:
        """Whether it has the same torques; None if the program is not installed."""
        if not self.is_installed:
            return None
        return self.worst is not None and self.worst <= SAME


@dataclass(frozen=True, eq=False)
class TorqueReference:
    """Torques of an original at random states.

    Parameters
    ----------
    robot, tree : Robot
        The original, and the same without couplings of its joints.
    q, qd, qdd, torque : ndarray, shape (n_tree, N)
        Of all joints; positions satisfy the couplings.
    rotors : ndarray, shape (n_tree,)
        Inertia of the rotors in the joints.
    """

    robot: Robot
    tree: Robot
    q: Array
    qd: Array
    qdd: Array
    torque: Array
    rotors: Array

    @property
    def peaks(self) -> Array:
        """Largest torque of each joint, shape (n_tree,)."""
        return np.asarray(np.abs(self.torque).max(axis=1, initial=0.0))

    def compare(
        self, programs: Mapping[str, RobotProgram], path: Path, kind: Format, output: Written
    ) -> dict[str, TorqueComparison]:
        """Return the torques of a file by programs; an exception is the reason for missing ones."""
        able = [key for key, one in programs.items() if one.is_installed and kind in one.torque]
        answers = ask(self._question(path, kind, output), able)
        return {
            key: self._comparison(program, kind, output, answers.get(key))
            for key, program in programs.items()
        }

    def _comparison(
        self, program: RobotProgram, kind: Format, output: Written, answer: ProgramAnswer | None
    ) -> TorqueComparison:
        head = TorqueComparison(program.name, version_of(program.package) or "")
        if not program.is_installed:
            return replace(head, reason="not installed", is_installed=False)
        if answer is None:
            return replace(head, reason=f"it does not read {kind}")
        if answer.torque is None or not np.isfinite(answer.torque).all():
            return replace(head, reason=answer.reason or "its torques are not finite")
        has_rotors = kind in program.with_rotors
        errors = self._errors(answer.torque, output, has_rotors=has_rotors)
        is_other = float(errors.max(initial=0.0)) > SAME
        return replace(head, errors=errors, reason="; ".join(answer.warnings) if is_other else "")

    def read_back(self, path: Path, kind: Format, output: Written) -> TorqueComparison:
        """Return the torques and rotors of a file as read here."""
        head = TorqueComparison(OURS, version_of("sim") or "", is_judged=True)
        try:
            robot = load_original(path).robot
        except SimError as error:
            return replace(head, reason=str(error).splitlines()[0])
        tree = uncouple(robot)
        names = [_name_of(row, output) for row in self.tree.row_names]
        if set(names) != set(tree.row_names):
            return replace(head, reason=f"it has other joints: {', '.join(tree.row_names)}")
        order = [names.index(name) for name in tree.row_names]
        q = self.q
        if kind == "ADAMS":  # its positions are relative to those of the joints at the start
            zero = np.zeros((len(self.robot.coordinates), 1))
            q = q - self.robot.on_tree(zero, zero, zero)[0]
        torque = np.empty_like(self.torque)
        torque[order] = tree_torque(tree, *(of[order] for of in (q, self.qd, self.qdd)))
        errors = self._errors(torque, Written(""), has_rotors=False)
        if kind in WITH_ROTORS:
            inertia = dict(zip(robot.row_names, robot.rotor_inertia, strict=True))
            rotors = np.array([inertia.get(name, 0.0) for name in names])
            off = np.abs(rotors - self.rotors) / np.maximum(self.rotors, 1e-300)
            errors = np.maximum(errors, np.where(rotors == self.rotors, 0.0, off))
        return replace(head, errors=errors)

    def _question(self, path: Path, kind: Format, output: Written) -> TorqueQuestion:
        """Return the states, with the joint names of the file."""
        motions, row = list[MovingPart](), 0
        for joint in self.tree.tree_joints:
            size = len(joint.coordinates)
            if joint.name not in output.absorbed:
                name, number = output.places.get(joint.name, (joint.name, 0))
                motions.append(MovingPart(name, slice(row, row + size), number))
            row += size
        states = (self.q, self.qd, self.qdd)
        return TorqueQuestion(path, kind, motions, *states, cut=output.cut, model=self.tree.name)

    def _errors(self, torque: Array, output: Written, *, has_rotors: bool) -> Array:
        """Return the deviation of each joint, relative to its largest torque, shape (n_tree,)."""
        tau = self.torque + self.rotors[:, None] * self.qdd if has_rotors else self.torque.copy()
        torque, rows = torque.copy(), self.tree.row_names
        for name, (leader, ratio) in output.absorbed.items():
            slide, turn = rows.index(name), rows.index(leader)
            tau[turn] += ratio * tau[slide]
            tau[slide] = torque[slide] = 0.0
        peaks = np.abs(tau).max(axis=1, initial=0.0)
        floor = max(LEAST * float(peaks.max(initial=0.0)), 1e-12)
        return np.asarray(np.abs(torque - tau).max(axis=1, initial=0.0) / np.maximum(peaks, floor))


def reference_of(original: Original, count: int) -> TorqueReference:
    """Return the torques of an original at some random states."""
    robot, tree = original.robot, original.tree
    states = states_of(robot, count)
    q, qd, qdd = robot.on_tree(states.q, states.qd, states.qdd)
    inertia = dict(zip(robot.row_names, robot.rotor_inertia, strict=True))
    rotors = np.array([inertia.get(name, 0.0) for name in tree.row_names])
    return TorqueReference(robot, tree, q, qd, qdd, tree_torque(tree, q, qd, qdd), rotors)


def _name_of(row: str, output: Written) -> str:
    """Return the name of a row of the robot after the file is read here."""
    joint, dot, component = row.rpartition(".")
    if row in output.absorbed:
        return f"{output.places[output.absorbed[row][0]][0]}.slide"
    is_ball = dot and row not in output.places and joint in output.places
    name, number = output.places.get(joint if is_ball else row, (row, 0))
    if is_ball:
        return f"{name}.{component}"
    is_universal = sum(place[0] == name for place in _places(output).values()) > 1
    return f"{name}.{('turn_a', 'turn_b')[number]}" if is_universal else name


def _places(output: Written) -> Mapping[str, tuple[str, int]]:
    return {name: place for name, place in output.places.items() if name not in output.absorbed}

"""A run as a complete ADAMS dataset: parts, joints, motions, forces and requests.

Parts have their initial poses; PART/1 is the ground.

Source: MSC Adams Solver, statements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.checks.robot_by_description import robot_by_description
from sim.checks.run_view import RunView
from sim.errors import RecordingError
from sim.functions.write_expression import number
from sim.kinematics.jacobian import jacobian
from sim.maths.arrays import Array
from sim.motion.typed_drive import parse_typed_function
from sim.recording.recorded_robot import loops_of
from sim.recording.recording import Recording
from sim.recording.schema.element_facts import NamesFacts, value_of
from sim.recording.schema.facts import DriveFacts
from sim.reports.exports.adams_drives import drive_function, drive_statements, require_drives
from sim.reports.exports.adams_elements import AdamsElements, add_elements
from sim.reports.exports.adams_functions import parenthesise
from sim.reports.exports.adams_joint_laws import (
    add_joint_effort,
    ball_damping,
    friction_statement,
    joint_terms,
)
from sim.reports.exports.adams_joints import AdamsJoints, AdamsParts, parts_of
from sim.reports.exports.adams_requests import request_statements
from sim.reports.exports.adams_statements import comment, statement
from sim.reports.exports.adams_units import AdamsUnits, is_sliding
from sim.reports.exports.exported_table import plain_names, provenance_facts
from sim.robots.joint import Joint
from sim.robots.robot import Robot

POINTS = ("SPL", "INTERP", "spline")  # functions in a drive's text that interpolate points


def model_text(recording: Recording, *, degrees: bool, millimetres: bool) -> str:
    """Return a dataset that ADAMS/Solver simulates without changes.

    Parameters
    ----------
    recording : Recording
    degrees, millimetres : bool
        As in `drives_text`.

    Raises
    ------
    RecordingError
        If a part of the run cannot be written for ADAMS; the message names it and the reason.
    """
    model = _Model(RunView(recording), AdamsUnits(degrees, millimetres))
    _require_constant(recording)
    sections = {
        "parts": model.parts.statements(model.length, model.speeds),
        "joints": model.joints.statements(*model.start),
        "loops": model.joints.loop_statements(),
        "motions": model.drives(),
        "forces": model.forces(),
        "requests": model.requests(),
        "output": (statement("OUTPUT/", "REQSAVE"), "RESULTS/"),
    }
    lines = [*model.head()]
    for title, section in sections.items():
        if section_lines := list(section):
            lines += ["!", f"!{f' {title} ':-^60}", "!", *section_lines]
    return "\n".join((*lines, "END", ""))


def _require_constant(recording: Recording) -> None:
    require_drives(recording)
    for event in recording.run.events:
        raise RecordingError(
            f"{event.kind.capitalize()} of payload {event.payload!r} at t = {event.t:g} s: ADAMS "
            "parts cannot appear or disappear; only the drives can be exported (--drives, or "
            "drives=True)"
        )


@dataclass(frozen=True, eq=False)
class _Model:
    """A run, and the units of its ADAMS model."""

    view: RunView
    units: AdamsUnits

    @property
    def length(self) -> float:
        return self.units.length

    @cached_property
    def robot(self) -> Robot:
        """Robot with its force elements in joints."""
        return robot_by_description(self.view)

    @cached_property
    def start(self) -> tuple[Array, Array]:
        """Initial positions and velocities of all movable joints, (n_tree,) each."""
        names = self.view.row_names
        rows = ([self.view.analytic(f"{group}.{n}")[:1] for n in names] for group in ("q", "qd"))
        q, qd = (np.array(row) for row in rows)
        q_tree, qd_tree = self.robot.on_tree(q, qd)
        return q_tree[:, 0], qd_tree[:, 0]

    @cached_property
    def parts(self) -> AdamsParts:
        q = np.array([self.view.analytic(f"q.{name}")[0] for name in self.view.row_names])
        return parts_of(self.robot, q)

    @cached_property
    def joints(self) -> AdamsJoints:
        """Joints of the model; raises a RecordingError if the run has not kept its loops."""
        free = frozenset(self.view.run.settings.free)
        return AdamsJoints(self.parts, self.units, free, loops_of(self.view.recording))

    @cached_property
    def speeds(self) -> Mapping[str, tuple[Array, Array]]:
        """Velocity of each link's mass centre and its angular velocity, along the world axes.

        For robots with ball joints only, which have no initial conditions in ADAMS.
        """
        robot, twists = self.robot, dict[str, tuple[Array, Array]]()
        if not robot.ball_names:
            return twists
        names = self.view.row_names
        q, qd = (
            np.array([self.view.analytic(f"{group}.{name}")[:1] for name in names])
            for group in ("q", "qd")
        )
        for part in self.parts.parts:
            v, w = np.split(jacobian(robot, q, part.link.name)[..., 0] @ qd[:, 0], 2)
            com = np.zeros(3) if part.link.inertia is None else part.link.inertia.com
            twists[part.link.name] = v + np.cross(w, part.T_0l[:3, :3] @ com), w
        return twists

    def head(self) -> Iterator[str]:
        """Yield title, provenance and units."""
        run, settings = self.view.run, self.view.run.settings
        yield f"ADAMS/View model name: {plain_names([run.scenario], 60)[0]}"
        yield "! A model of a run, for ADAMS"
        for name, text in provenance_facts(self.view.recording).items():
            yield comment(f"{name}: {text}")
        yield comment(
            f"To be run as SIMULATE/DYNAMICS, END = {settings.duration:g}, STEPS = "
            f"{settings.samples - 1}"
        )
        yield "!"
        unit = "MILLIMETER" if self.units.millimetres else "METER"
        names = {"FORCE": "NEWTON", "MASS": "KILOGRAM", "LENGTH": unit, "TIME": "SECOND"}
        yield statement("UNITS/", *(f"{key} = {name}" for key, name in names.items()))
        pull = (
            f"{axis}GRAV = {number(self.length * value)}"
            for axis, value in zip("IJK", settings.gravity, strict=True)
        )
        yield statement("ACCGRAV/", *pull)

    def drives(self) -> Iterator[str]:
        """Yield MOTION statements; motors are written as forces."""
        recording, driven = self.view.recording, {one.joint: one for one in self.view.run.drives}
        joints = recording.run.robot.joints
        names = plain_names([joint.name for joint in joints], 60)
        for joint, name in zip(joints, names, strict=True):
            if (drive := driven.get(joint.name)) is None or drive.level != "torque":
                k = self.joints.numbers[joint.name]
                yield from drive_statements(
                    recording, self.units, k, name, joint, drive, is_exact=True
                )

    @cached_property
    def elements(self) -> AdamsElements:
        """Counters of markers, splines, variables and forces."""
        return AdamsElements(self.parts, self.length, self.joints.after_loops)

    def forces(self) -> Iterator[str]:
        """Yield forces between markers, and forces in joints."""
        elements = self.elements
        add_elements(elements, self.view.run.elements)
        motors = {one.joint: one for one in self.view.run.drives if one.level == "torque"}
        for joint in self.robot.tree_joints:
            if joint.name in self.robot.ball_names:
                k = self.joints.numbers[joint.name]
                elements.lines += ball_damping(elements, k, joint)
                elements.lines += friction_statement(k, joint, self.length, is_free=True)
                continue
            self._act_in_joint(elements, joint, motors.get(joint.name))
        yield from elements.lines
        elements.lines.clear()

    def _act_in_joint(
        self, elements: AdamsElements, joint: Joint, motor: DriveFacts | None
    ) -> None:
        k = self.joints.numbers[joint.name]
        i, j = 100 * k + 1, 100 * k + 2
        q, qd = self._state_texts(joint, i, j)
        is_free = joint.name in self.joints.free
        if terms := list(joint_terms(joint, q, qd, is_free=is_free)):
            id = elements.number_of("VFORCE" if is_sliding(joint) else "SFORCE")
            add_joint_effort(elements, f"in_{joint.name}", id, joint, (i, j), sum_of(terms))
        elements.lines += friction_statement(k, joint, self.length, is_free=is_free)
        if motor is not None:
            text = self._motor(elements, joint, motor)
            add_joint_effort(elements, f"torque_{joint.name}", k, joint, (i, j), text)

    def _state_texts(self, joint: Joint, i: int, j: int) -> tuple[str, str]:
        """Return position and velocity of a joint in SI units, as functions of its markers."""
        offset = self.joints.offsets[joint.name]
        if is_sliding(joint):
            per = "" if self.length == 1.0 else f"{number(1.0 / self.length)} * "
            q, qd = f"{per}DZ({i}, {j}, {j})", f"{per}VZ({i}, {j}, {j}, {j})"
        else:
            q, qd = f"AZ({i}, {j})", f"WZ({i}, {j}, {j})"
        return (f"({q} + {parenthesise(offset)})" if offset else q), qd

    def _motor(self, elements: AdamsElements, joint: Joint, drive: DriveFacts) -> str:
        """Return the torque or force of a motor in SI units."""
        if isinstance(drive.names, NamesFacts):
            names, what = value_of(drive.names), f"The torque of joint {joint.name!r}"
            return elements.text(names.parse(what, drive.function), names, what, 1.0)
        if parse_typed_function(drive.function) is None and not any(
            p in drive.function for p in POINTS
        ):
            raise RecordingError(
                f"The motor of joint {joint.name!r} follows {drive.function!r}, a Python function "
                "or sampled law that the run records by name only; it cannot be written for ADAMS"
            )
        (row,) = joint.coordinates
        k = self.joints.numbers[joint.name]
        si = AdamsUnits(self.units.degrees, millimetres=False)
        title = f"JOINT/{k} {joint.name} ({joint.kind})"
        _, text, before = drive_function(self.view.recording, si, k, title, row, drive)
        elements.lines += before
        return text

    def requests(self) -> Iterator[str]:
        """Yield the requests of the run, and displacement, velocity and force of each joint."""
        first = 10 * (len(self.joints.numbers) + 1)
        requests = (one for one in self.view.run.requests or () if not one.group)
        for one in requests:
            statements = list(request_statements(one, first, self.elements, self.joints.numbers))
            yield from (*self.elements.lines, *statements)
            self.elements.lines.clear()
            first += 10
        undriven = {*self.joints.free, *(n for loop in self.joints.loops for n in loop.passive)}
        for joint in self.robot.tree_joints:
            k = self.joints.numbers[joint.name]
            ends = (f"I = {k}01", f"J = {k}02", f"RM = {k}02")
            for digit, what in enumerate(("DISPLACEMENT", "VELOCITY", "FORCE"), start=1):
                title = f"{what.lower()} in {joint.name}"
                yield statement(f"REQUEST/{10 * k + digit}, {what}", *ends, f"COMMENT = {title}")
            is_ball = joint.name in self.robot.ball_names
            if joint.mimic is None and not is_ball and joint.name not in undriven:
                component = 4 if is_sliding(joint) else 8
                yield statement(
                    f"REQUEST/{10 * k + 4}",
                    f"F2 = MOTION({k}, 0, {component}, {k}02)",
                    f"COMMENT = tau.{joint.name}",
                )


def sum_of(terms: list[str]) -> str:
    """Return the sum of texts, each of which may begin with a minus."""
    first, *others = terms
    return first + "".join(
        f" - {one[1:]}" if one.startswith("-") else f" + {one}" for one in others
    )

"""The whole model of a run as an ADAMS dataset: parts, joints, motions, forces and requests.

Parts stand where they are at the start. PART/1 is the ground; JOINT/k is the k-th joint that moves,
its markers are k01 on the child and k02 on the parent, with z along the axis of the URDF and equal
x at zero, so that ADAMS's coordinate of the joint is the run's.

Source: MSC Adams Solver, statements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.checks.robot_by_description import robot_by_description
from sim.checks.run_view import RunView
from sim.dynamics.force_element import names_of
from sim.errors import RecordingError
from sim.functions.write_expression import number
from sim.maths.arrays import Array
from sim.maths.rotations import pose
from sim.motion.typed_drive import parse_typed_function
from sim.recording.recording import Recording
from sim.recording.schema.element_facts import NamesFacts
from sim.recording.schema.facts import DriveFacts
from sim.reports.exports.adams_drives import drive_function, drive_statements
from sim.reports.exports.adams_elements import AdamsElements, add_elements, parted
from sim.reports.exports.adams_frames import about_z, marker, named, rotation_to_axis
from sim.reports.exports.adams_joint_laws import (
    add_joint_effort,
    friction_statement,
    joint_terms,
)
from sim.reports.exports.adams_parts import AdamsParts, parts_of
from sim.reports.exports.adams_statements import comment, statement, word_list
from sim.reports.exports.adams_units import AdamsUnits, is_sliding
from sim.reports.exports.exported_table import about, plain_names
from sim.robots.joint import Joint
from sim.robots.robot import Robot

POINTS = ("SPL", "INTERP", "spline")  # in the text of a drive that is a function of time by points


def model_text(recording: Recording, *, degrees: bool, millimetres: bool) -> str:
    """A dataset that ADAMS/Solver simulates as it stands.

    Parameters
    ----------
    recording : Recording
    degrees, millimetres : bool
        As in `drives_text`.

    Raises
    ------
    RecordingError
        If ADAMS cannot say a part of the run; names it and the reason.
    """
    model = _Model(RunView(recording), AdamsUnits(degrees, millimetres))
    _require_constant(recording)
    sections = {
        "parts": model.parts.statements(model.length),
        "joints": model.joints(),
        "loops": model.loops(),
        "motions": model.drives(),
        "forces": model.forces(),
        "requests": model.requests(),
        "output": (statement("OUTPUT/", "REQSAVE"), "RESULTS/"),
    }
    lines = [*model.head()]
    for title, section in sections.items():
        if own := list(section):
            lines += ["!", f"!{f' {title} ':-^60}", "!", *own]
    return "\n".join((*lines, "END", ""))


def _require_constant(recording: Recording) -> None:
    for event in recording.run.events:
        raise RecordingError(
            f"{event.kind.capitalize()} of payload {event.payload!r} at t = {event.t:g} s: parts "
            "of ADAMS neither come nor go; the drives alone can be exported (--drives, or "
            "drives=True)"
        )


@dataclass(frozen=True, eq=False)
class _Model:
    """A run, and the units of the model that it becomes."""

    view: RunView
    units: AdamsUnits

    @property
    def length(self) -> float:
        return self.units.length

    @cached_property
    def robot(self) -> Robot:
        """With its force elements in joints."""
        return robot_by_description(self.view)

    @cached_property
    def start(self) -> tuple[Array, Array]:
        """Positions and velocities of all joints that move, at the start, (n_tree,) each."""
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
    def numbers(self) -> dict[str, int]:
        """Numbers of the joints, those that move first."""
        moving = [joint.name for joint in self.robot.tree_joints]
        fixed = [part.held.name for part in self.parts.parts if part.held is not None]
        return {name: index for index, name in enumerate((*moving, *fixed), start=1)}

    @property
    def first_marker(self) -> int:
        """Number after the markers of joints and mass centres."""
        return 100 * (max(len(self.numbers), len(self.parts.parts) + 1) + 1)

    @cached_property
    def free(self) -> frozenset[str]:
        """The joints that nothing prescribes."""
        return frozenset(self.view.run.settings.free)

    def head(self) -> Iterator[str]:
        """Title, provenance and units."""
        run, settings = self.view.run, self.view.run.settings
        yield f"ADAMS/View model name: {plain_names([run.scenario], 60)[0]}"
        yield comment(f"Model of {run.scenario}, for ADAMS")
        for name, text in about(self.view.recording).items():
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

    def joints(self) -> Iterator[str]:
        """JOINT statements with their markers, and COUPLERs."""
        for row, joint in enumerate(self.robot.tree_joints):
            yield from self._joint(joint, *(float(start[row]) for start in self.start))
        for part in self.parts.parts:
            if part.held is not None:
                k = self.numbers[part.held.name]
                carrier, T = self.parts.carrier(part)
                yield from self._joint_statement(
                    k, part.held.name, "FIXED", (part.id, np.eye(4)), (carrier, T)
                )
        for joint in self.robot.tree_joints:
            if joint.mimic is not None:
                yield from self._coupler(joint)

    def _joint(self, joint: Joint, q: float, qd: float) -> Iterator[str]:
        """A joint that moves; its J marker is where a follower's coordinate is its leader's."""
        R = pose(rotation_to_axis(joint.axis))
        (part, T_pl), (carrier, T_ql) = (
            self.parts.places[joint.child],
            self.parts.places[joint.parent],
        )
        T_j = T_ql @ joint.T_pc @ R
        offset = 0.0 if joint.mimic is None else joint.mimic.offset
        T_j = about_z(T_j, *((0.0, offset) if is_sliding(joint) else (offset, 0.0)))
        start = []
        if joint.name in self.free:
            (row,) = joint.coordinates
            key = "ICTRAN" if is_sliding(joint) else "ICROT"
            start = [word_list(key, (self.units.position(row, x) for x in (q, qd)))]
        kind = "TRANSLATIONAL" if is_sliding(joint) else "REVOLUTE"
        k, ends = self.numbers[joint.name], ((part, T_pl @ R), (carrier, T_j))
        yield from self._joint_statement(k, joint.name, kind, *ends, *start)

    def _joint_statement(
        self, k: int, name: str, kind: str, i: tuple[int, Array], j: tuple[int, Array], *more: str
    ) -> Iterator[str]:
        yield marker(100 * k + 1, *i, self.length)
        yield marker(100 * k + 2, *j, self.length)
        yield from named(name, statement(f"JOINT/{k}, {kind}", f"I = {k}01", f"J = {k}02", *more))

    def _coupler(self, joint: Joint) -> Iterator[str]:
        """``q_follower - multiplier q_leader = 0``, in the model's length and radians."""
        assert joint.mimic is not None
        leader = self.robot.joint(joint.mimic.joint)
        unit, unit_of_leader = (self.length if is_sliding(one) else 1.0 for one in (joint, leader))
        ratio = -joint.mimic.multiplier * unit / unit_of_leader
        ids = [str(self.numbers[one.name]) for one in (joint, leader)]
        yield from named(
            f"coupler_{joint.name}",
            statement(
                f"COUPLER/{ids[0]}",
                word_list("JOINTS", ids),
                word_list("SCALES", ("1.0", number(ratio))),
            ),
        )

    def loops(self) -> Iterator[str]:
        """JPRIMs of the loops that decide joints; those that COUPLERs close are a comment."""
        facts = self.view.run.robot
        if len(facts.closures) < len(facts.loops):
            raise RecordingError(
                f"Loop {facts.loops[0]!r}: the run, of an earlier version, has not kept its "
                "points; run the scenario again"
            )
        for k, loop in enumerate(facts.closures, start=1):
            if not loop.passive:
                yield comment(
                    f"Loop {loop.name!r} is closed by COUPLERs: what its rods carry in the run is "
                    "in them"
                )
                continue
            j = self.first_marker + 2 * k
            i = j - 1
            R = np.eye(3) if loop.normal is None else rotation_to_axis(np.array(loop.normal))
            for id, link, T in (
                (i, loop.link_b, pose(None, loop.point_b)),
                (j, loop.link_a, pose(R, loop.point_a)),
            ):
                part, T_pl = self.parts.places[link]
                yield marker(id, part, T_pl @ T, self.length)
            kind = "ATPOINT" if loop.normal is None else "INLINE"
            yield from named(loop.name, statement(f"JPRIM/{k}, {kind}", f"I = {i}", f"J = {j}"))

    def drives(self) -> Iterator[str]:
        """MOTION statements; motors are among the forces."""
        recording, driven = self.view.recording, {one.joint: one for one in self.view.run.drives}
        joints = recording.run.robot.joints
        names = plain_names([joint.name for joint in joints], 60)
        for joint, name in zip(joints, names, strict=True):
            drive = driven.get(joint.name)
            if drive is None or drive.level != "torque":
                k = self.numbers[joint.name]
                yield from drive_statements(recording, self.units, k, name, joint, drive)

    def forces(self) -> Iterator[str]:
        """Forces between markers, and what acts in joints."""
        after_loops = self.first_marker + 2 * len(self.view.run.robot.closures) + 1
        found = AdamsElements(self.parts, self.length, after_loops)
        add_elements(found, self.view.run.elements)
        motors = {one.joint: one for one in self.view.run.drives if one.level == "torque"}
        for joint in self.robot.tree_joints:
            self._act_in_joint(found, joint, motors.get(joint.name))
        yield from found.lines

    def _act_in_joint(self, found: AdamsElements, joint: Joint, motor: DriveFacts | None) -> None:
        k = self.numbers[joint.name]
        i, j = 100 * k + 1, 100 * k + 2
        q, qd = self._state_texts(joint, i, j)
        is_free = joint.name in self.free
        terms = list(joint_terms(joint, q, qd, is_free=is_free))
        if terms:
            id = found.number_of("VFORCE" if is_sliding(joint) else "SFORCE")
            add_joint_effort(found, f"in_{joint.name}", id, joint, (i, j), sum_of(terms))
        found.lines += friction_statement(k, joint, self.length)
        if motor is not None:
            text = self._motor(found, joint, motor)
            add_joint_effort(found, f"torque_{joint.name}", k, joint, (i, j), text)

    def _state_texts(self, joint: Joint, i: int, j: int) -> tuple[str, str]:
        """Position and velocity of a joint in SI units, as functions of its markers."""
        offset = 0.0 if joint.mimic is None else joint.mimic.offset
        if is_sliding(joint):
            per = "" if self.length == 1.0 else f"{number(1.0 / self.length)} * "
            q, qd = f"{per}DZ({i}, {j}, {j})", f"{per}VZ({i}, {j}, {j}, {j})"
        else:
            q, qd = f"AZ({i}, {j})", f"WZ({i}, {j}, {j})"
        return (f"({q} + {parted(offset)})" if offset else q), qd

    def _motor(self, found: AdamsElements, joint: Joint, drive: DriveFacts) -> str:
        """The torque or force of a motor in SI units."""
        if isinstance(drive.names, NamesFacts):
            names, what = names_of(drive.names), f"The torque of joint {joint.name!r}"
            return found.text(names.parse(what, drive.function), names, what, 1.0)
        if parse_typed_function(drive) is None and not any(p in drive.function for p in POINTS):
            raise RecordingError(
                f"The motor of joint {joint.name!r} follows {drive.function!r}, a law of a program "
                "or a sampled one, of which the run has kept the name alone; ADAMS cannot say it"
            )
        (row,) = joint.coordinates
        k = self.numbers[joint.name]
        si = AdamsUnits(self.units.degrees, millimetres=False)
        title = f"JOINT/{k} {joint.name} ({joint.kind})"
        _, text, before = drive_function(self.view.recording, si, k, title, row, drive)
        found.lines += before
        return text

    def requests(self) -> Iterator[str]:
        """Displacement, velocity and force in each joint, and what its motion gives."""
        for joint in self.robot.tree_joints:
            k = self.numbers[joint.name]
            ends = (f"I = {k}01", f"J = {k}02", f"RM = {k}02")
            for digit, what in enumerate(("DISPLACEMENT", "VELOCITY", "FORCE"), start=1):
                title = f"{what.lower()} in {joint.name}"
                yield statement(f"REQUEST/{10 * k + digit}, {what}", *ends, f"COMMENT = {title}")
            if joint.mimic is None and joint.name not in self.free:
                component = 4 if is_sliding(joint) else 8
                yield statement(
                    f"REQUEST/{10 * k + 4}",
                    f"F2 = MOTION({k}, 0, {component}, {k}02)",
                    f"COMMENT = tau.{joint.name}",
                )


def sum_of(terms: list[str]) -> str:
    """The sum of texts, each of which may begin with a minus."""
    first, *others = terms
    return first + "".join(
        f" - {one[1:]}" if one.startswith("-") else f" + {one}" for one in others
    )

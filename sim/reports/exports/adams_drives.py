"""Drives of a run as statements of an ADAMS dataset: MOTION, SFORCE and SPLINE.

A drive that was typed as an expression is written as one, in ADAMS's syntax, if it gives the
motion of the run. Any other drive (an array, a spline whose points the run has not kept, a tool's
path) becomes a spline through samples of the joint's motion, and a comment states its error. In a
whole model the spline is that of the acceleration, which reproduces the run to 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from sim.errors import RecordingError
from sim.functions.expression import Expression, expression
from sim.functions.spline import FEWEST
from sim.functions.write_expression import number
from sim.maths.arrays import Array
from sim.motion.typed_drive import CHANNELS, SAME_CURVE, parse_typed_function
from sim.recording.recording import Recording
from sim.recording.schema.channels import unit_of
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.element_facts import value_of
from sim.recording.schema.facts import DriveFacts, JointFacts
from sim.reports.exports.adams_functions import AdamsNames, spline_statement
from sim.reports.exports.adams_statements import comment, function, number_list, statement
from sim.reports.exports.adams_units import AdamsUnits
from sim.reports.exports.exported_table import plain_names, provenance_facts
from sim.reports.exports.spline_points import (
    EXACT,
    TOLERANCE,
    SplinePoints,
    acceleration_points,
    spline_points,
)
from sim.reports.exports.units_shown import unit_shown
from sim.robots.coordinate import Coordinate

LATER = 10_000  # difference between the numbers of two splines of one drive
REST = 1e-12
"""Largest motion of a joint at rest: rounding of the inverse kinematics [rad], [m]."""


def drives_text(recording: Recording, *, degrees: bool, millimetres: bool) -> str:
    """Return statements for all joints of a run, to be inserted into a dataset before its END.

    Parameters
    ----------
    recording : Recording
    degrees : bool
        Points of splines and initial positions of revolute joints are in degrees.
    millimetres : bool
        The model's unit of length is the millimetre: displacements of prismatic joints are in mm,
        torques in N·mm.

    Raises
    ------
    RecordingError
        If a motion is not finite, has too few samples for a spline, or is controlled.
    """
    require_drives(recording)
    model = AdamsUnits(degrees, millimetres)
    blocks = ["\n".join(_head(recording, model))]
    drives = {drive.joint: drive for drive in recording.run.drives}
    names = plain_names([joint.name for joint in recording.run.robot.joints], 60)
    for index, joint in enumerate(recording.run.robot.joints):
        drive = drives.get(joint.name)
        blocks.append(
            "\n".join(drive_statements(recording, model, index + 1, names[index], joint, drive))
        )
    return "\n!\n".join(blocks) + "\n"


def require_drives(recording: Recording) -> None:
    """Check that the run is moved by its drives and not by a controller.

    Raises
    ------
    RecordingError
        If a controller moves it.
    """
    controller = recording.run.controller
    if isinstance(controller, ControllerFacts):
        raise RecordingError(
            f"Controller {controller.law!r}: the drives are what it tracks, and its law is not in "
            "the run; export the curves as a table instead"
        )


def _head(recording: Recording, model: AdamsUnits) -> Iterator[str]:
    length = "millimetre, newton" if model.millimetres else "metre, newton"
    yield comment(f"Drives of {recording.run.scenario}, for ADAMS")
    for name, text in provenance_facts(recording).items():
        yield comment(f"{name}: {text}")
    yield comment(
        f"Units: {length}, kilogram, second; angles in radians, except numbers that end in D and "
        "splines after DTOR. The UNITS statement of the model must be the same."
    )
    yield comment(
        "JOINT/k is the k-th joint below: use the same numbers, or edit them. Zero is the "
        "pose of the URDF "
        "with all joints at 0, and positive turns or slides the I marker of the joint (on the "
        "child) along +z of the J marker (on the parent), which is the axis of the URDF."
    )
    for drive in _of_the_tool(recording):
        yield comment(f"typed for the tool: {drive.joint} = {drive.function}")


def _of_the_tool(recording: Recording) -> list[DriveFacts]:
    """Return the drives of components of a frame, whose names are not those of joints."""
    joints = {joint.name for joint in recording.run.robot.joints}
    return [drive for drive in recording.run.drives if drive.joint not in joints]


def drive_statements(
    recording: Recording,
    model: AdamsUnits,
    number_of: int,
    name: str,
    joint: JointFacts,
    drive: DriveFacts | None,
    *,
    is_exact: bool = False,
) -> Iterator[str]:
    """Yield the block of one joint; `is_exact`: a sampled motion is written as acceleration."""
    settings, rows = recording.run.settings, {row.name for row in joint.coordinates}
    title = f"JOINT/{number_of} {joint.name} ({joint.kind})"
    if joint.mimic is not None:
        yield comment(f"{title}: follows {joint.mimic}; a COUPLER in ADAMS, no motion")
    elif drive is None and rows <= {*settings.passive}:
        yield comment(f"{title}: a closed loop decides its position; no motion")
    elif drive is None and rows <= {*settings.free}:
        yield comment(f"{title}: free; no motion")
    else:
        (row,) = joint.coordinates
        level, body, before = drive_function(
            recording, model, number_of, title, row, drive, is_exact=is_exact
        )
        yield from before
        yield from _motion_statement(recording, model, number_of, name, row, level, body)


def drive_function(
    recording: Recording,
    model: AdamsUnits,
    number_of: int,
    title: str,
    row: Coordinate,
    drive: DriveFacts | None,
    *,
    is_exact: bool = False,
) -> tuple[str, str, tuple[str, ...]]:
    """Return the level of a drive, its function as text, and preceding comments and SPLINE."""
    level = "displacement" if drive is None else drive.level
    typed = None if drive is None else _as_typed(recording, row, drive)
    if typed is not None:
        head = comment(f"{title}: {level} as typed [{_unit(row, model, level)}]")
        ids = {key: number_of + LATER * k for k, key in enumerate(typed.splines)}
        by_name = {key.upper(): id for key, id in ids.items()}
        text = AdamsNames({}, {}, by_name, {}, {}, int, 1.0).text(typed)
        points = (spline_statement(ids[key], one) for key, one in typed.splines.items())
        return level, _scale_text(text, model.factor(row, level)[0]), (head, *points)
    level = "torque" if level == "torque" else "displacement"
    held = "the tool's path" if _of_the_tool(recording) else "held"
    source = held if drive is None else drive.function
    curves = _curves(recording, row, level)
    samples = _sample_drive(recording, row, level, curves, is_exact=is_exact)
    if isinstance(samples, SplinePoints) and samples.order == 2:
        level = "acceleration"
    head = comment(f"{title}: {level} [{_unit(row, model, level)}], {source}")
    body, *spline = _sample_function(model, number_of, row, level, samples)
    return level, body, (head, *spline)


def _motion_statement(
    recording: Recording,
    model: AdamsUnits,
    number_of: int,
    name: str,
    row: Coordinate,
    level: str,
    body: str,
) -> Iterator[str]:
    """Yield the MOTION of a joint, or the SFORCE of its motor."""
    kind = "ROTATION" if row.is_angle else "TRANSLATION"
    if level == "torque":
        yield comment(f"I and J stand for the markers of JOINT/{number_of}: insert your own.")
        yield f"!  adams_view_name='torque_{name}'"
        markers = (f"I = {number_of}01", f"J = {number_of}02")
        yield statement(f"SFORCE/{number_of}", kind, *markers, function(body))
        return
    arguments = [f"JOINT = {number_of}", kind]
    if level != "displacement":
        arguments += [level.upper(), f"ICDISP = {model.position(row, _first(recording, row, 'q'))}"]
    if level == "acceleration":
        arguments.append(f"ICVEL = {model.position(row, _first(recording, row, 'qd'))}")
    yield f"!  adams_view_name='motion_{name}'"
    yield statement(f"MOTION/{number_of}", *arguments, function(body))


def _as_typed(recording: Recording, row: Coordinate, drive: DriveFacts) -> Expression | None:
    """Return the typed expression; None if it needs data that is not kept, or was not run."""
    typed = parse_typed_function(drive.function)
    if typed is None and drive.splines is not msgspec.UNSET:
        typed = expression(drive.function, {k: value_of(s) for k, s in drive.splines.items()})
    if typed is None:
        return None
    curve = _channel(recording, row, CHANNELS[drive.level])
    error = np.abs(typed.value(recording.t) - curve)
    same = bool(np.all(error <= SAME_CURVE * max(1.0, float(np.abs(curve).max()))))
    return typed if same else None


def _sample_drive(
    recording: Recording, row: Coordinate, level: str, curves: tuple[Array, ...], *, is_exact: bool
) -> SplinePoints | float:
    """Return a spline through samples of a joint's motion, or a number where it is constant."""
    y = curves[0]
    if np.ptp(y) <= REST:
        return float(y[0])
    if recording.t.size < FEWEST:
        raise RecordingError(
            f"Joint {row.name!r} needs a spline, which needs {FEWEST} samples; the run has "
            f"{recording.t.size}"
        )
    tolerance = TOLERANCE * float(np.abs(y).max()) if level == "torque" else TOLERANCE
    corners = np.array(recording.run.settings.corners)
    points = spline_points(recording.t, curves, corners, tolerance)
    if not is_exact or level == "torque" or corners.size or points.errors[0] <= EXACT:
        return points
    exact = acceleration_points(recording.t, curves)
    return exact if exact.errors[0] < points.errors[0] else points


def _sample_function(
    model: AdamsUnits, number_of: int, row: Coordinate, level: str, samples: SplinePoints | float
) -> tuple[str, ...]:
    """Return a function of a joint's samples, with the comment and the SPLINE that it reads."""
    before, scale = model.points(row, level)
    if isinstance(samples, float):
        return (number(samples * scale) if level == "torque" else model.position(row, samples),)
    return (
        f"{before}{samples.function}(TIME, 0, {number_of})",
        comment(_nearness(samples, row, level)),
        f"!  adams_view_name='spline_{number_of}'",
        statement(
            f"SPLINE/{number_of}",
            number_list("X", samples.t.tolist()),
            number_list("Y", (samples.y * scale).tolist()),
        ),
    )


def _nearness(points: SplinePoints, row: Coordinate, level: str) -> str:
    """Return a comment on the largest difference of a spline from the motion, in SI units."""
    channels = ("tau",) if level == "torque" else ("q", "qd", "qdd")
    units = (_plain(unit_of(f"{channel}.{row.name}", (row,))) for channel in channels)
    errors = (f"{e:.2g} {unit}" for e, unit in zip(points.errors, units, strict=True))
    beyond = points.t.size - points.taken
    around = f" and {beyond} points before and after the run" if beyond else ""
    return (
        f"{points.function} through {points.taken} of {points.samples} samples{around}; largest "
        f"distance from all samples {', '.join(errors)}"
        + ("; ADAMS integrates it, to the accuracy of INTEGRATOR/ERROR" if points.order else "")
    )


def _curves(recording: Recording, row: Coordinate, level: str) -> tuple[Array, ...]:
    channels = ("tau",) if level == "torque" else ("q", "qd", "qdd")
    curves = tuple(_channel(recording, row, channel) for channel in channels)
    for channel, curve in zip(channels, curves, strict=True):
        bad = ~np.isfinite(curve)
        if bad.any():
            raise RecordingError(
                f"{channel}.{row.name} is not finite at t = {recording.t[np.argmax(bad)]:.9g} s; "
                "such a drive cannot be exported"
            )
    return curves


def _channel(recording: Recording, row: Coordinate, channel: str) -> Array:
    """Return an analytic channel; its motion is the prescribed one, independent of the engine."""
    return recording.analytic[f"{channel}.{row.name}"].to_numpy(dtype=np.float64)


def _first(recording: Recording, row: Coordinate, channel: str) -> float:
    return float(_channel(recording, row, channel)[0])


def _scale_text(text: str, factor: str) -> str:
    return f"{factor} * ({text})" if factor else text


def _unit(row: Coordinate, model: AdamsUnits, level: str) -> str:
    """Return the unit of a FUNCTION's value."""
    unit = unit_of(f"{CHANNELS[level]}.{row.name}", (row,))
    if model.millimetres and unit == "N·m":
        return "N*mm"
    return unit_shown(unit, degrees=False, millimetres=model.millimetres)[0]


def _plain(unit: str) -> str:
    return unit_shown(unit, degrees=False, millimetres=False)[0]

"""`audit`: check a URDF file by its text, by its readers, and by its torques."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sim.audit.against_shapes import against_shapes
from sim.audit.at_rest import at_rest
from sim.audit.finding import Finding, in_order
from sim.audit.inertias import inertias
from sim.audit.joints import joints
from sim.audit.lenient import line_of
from sim.audit.mjcf_readings import mjcf_readings
from sim.audit.one_cause import OF_SHAPES, one_cause
from sim.audit.readings import FeatureReading, readings_of
from sim.audit.refusals import (
    is_part,
    part_of_others,
    refusals,
    repair_warnings,
    unexpanded_macros,
    with_repairs,
)
from sim.audit.robot_audit import RobotAudit
from sim.audit.sdf_readings import sdf_readings
from sim.audit.singular import massless_finding, singular_findings
from sim.audit.sizes import extents
from sim.audit.spelling import spelling
from sim.audit.states import states_of
from sim.audit.torques import OTHERS, Torques, disagreements, torques_of
from sim.audit.units import links_of_unknown_size, units
from sim.audit.weak_drives import weak_drives
from sim.errors import ModelError
from sim.kinematics.tree import tree_of
from sim.robots.loading import load_robot, read_file, read_urdf, translate
from sim.robots.mending import mend
from sim.robots.robot import Robot
from sim.robots.tool_frame import USUAL_NAMES, end_links
from sim.robots.translated_robot import NoSuchModelError
from sim.robots.xacro_file import expand, lacks_surroundings, names_unknown_argument
from sim.robots.xml_text import is_mjcf, is_xacro, parse

if TYPE_CHECKING:
    from lxml.etree import _Element

OF_MANY = ("copied-inertia", "no-mass")  # not about the body of a single link
USUAL = ", ".join(USUAL_NAMES)
FLOOR = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # position [m] and roll, pitch, yaw [rad]
_TELLING = ("impossible-inertia", "unexpanded")
# Our URDF text rates each joint, even if the file does not, and marks joints of one body.
_OF_OUR_TEXT = ("zero-limit", "unknown-attribute")


def audit(
    name_or_path: str | Path,
    *,
    xacro: Mapping[str, str] | None = None,
    mount: Sequence[float] = FLOOR,
    model: str | None = None,
) -> RobotAudit:
    """Audit a URDF, MJCF or SDF file, or a shipped robot by name.

    A template, called ``*.xacro``, is expanded, which runs the Python expressions in it; its
    findings have no lines.

    Parameters
    ----------
    name_or_path : str or Path
    xacro : mapping of str to str, optional
        Values of the ``<xacro:arg>`` of a template.
    mount : sequence of float
        Position [m] and roll, pitch, yaw [rad] of the root link in the world, for its torques.
    model : str, optional
        Model of an SDF file that has several (default: the only one).

    Raises
    ------
    ModelError
        If there is no such file, it is not text, it is a template and xacro is not installed,
        values are given for another file or for unknown arguments, or none of several models is
        named. Faults in the text are findings.
    """
    path, text = read_file(name_or_path)
    if is_xacro(path):
        return _audit_template(path, xacro or {}, mount)
    if xacro:
        raise ModelError(f"{path} is not a *.xacro file: it has no template arguments")
    return _audit_translated(path, text, mount, model) or _audit(path, text, mount, {})


def _audit_translated(
    path: Path, text: str, mount: Sequence[float], model: str | None
) -> RobotAudit | None:
    """Audit an MJCF or SDF file as URDF; findings have no lines. None for another file."""
    as_mjcf = is_mjcf(text)
    try:
        translated = translate(path, text, model)
    except ModelError as error:
        if isinstance(error, NoSuchModelError) or (as_mjcf and find_spec("mujoco") is None):
            raise
        kind = "mjcf" if as_mjcf else "sdf"
        fault = Finding("error", kind, "robot", None, str(error), "correct the file")
        return RobotAudit(str(path), (fault,), None, audited=False)
    if translated is None:
        return None
    audit = _audit(
        path, translated.text, mount, {}, is_translated=True, as_mjcf=as_mjcf, model=model
    )
    robot = read_urdf(translated.text, folder=path.parent, source=str(path))
    states = None if audit.torques is None else audit.torques.states
    omissions = [
        Finding("note", "left-out", one.part, None, one.says, f"read as: {one.taken}")
        for one in translated.left_out
    ]
    if not as_mjcf:
        readings = sdf_readings(path, text, model, translated.complete(robot), states)
    else:
        try:
            readings = mjcf_readings(path, robot, states, text)
        except ModelError as error:  # MuJoCo tolerates faults of XML
            remedy = "correct the file: MuJoCo reads it, other programs may not"
            omissions.append(Finding("warning", "mjcf", "file", None, str(error), remedy))
            readings = ()
    findings = tuple(
        replace(one, line=None)
        for one in audit.findings
        if one.code not in _OF_OUR_TEXT
        and not one.text.startswith(tuple(f"{name} refuses" for name in OTHERS))
    )
    torques = None if audit.torques is None else audit.torques.of_translated_text
    return replace(audit, torques=torques, findings=(*findings, *omissions), readings=readings)


def _audit_template(path: Path, values: Mapping[str, str], mount: Sequence[float]) -> RobotAudit:
    """Audit the expansion of a xacro template."""
    try:
        text = expand(path, values)
    except ModelError as error:
        if find_spec("xacro") is None or names_unknown_argument(error):
            raise
        fault = Finding("error", "template", "robot", None, str(error), "correct the template")
        if lacks_surroundings(error):
            remedy = (
                "not audited: set its arguments (--xacro NAME=VALUE), install its packages, or "
                "audit the file that includes it"
            )
            fault = replace(fault, severity="warning", remedy=remedy)
        return RobotAudit(str(path), (fault,), None, audited=False)
    root = _root(text)
    part = None if root is None else part_of_others(root)
    if part is not None:
        return RobotAudit(str(path), (part,), None, audited=False)
    audit = _audit(path, text, mount, values)
    return replace(audit, findings=tuple(replace(one, line=None) for one in audit.findings))


def _audit(
    path: Path,
    text: str,
    mount: Sequence[float],
    values: Mapping[str, str],
    *,
    is_translated: bool = False,
    as_mjcf: bool = False,
    model: str | None = None,
) -> RobotAudit:
    """Audit a URDF text; `path` is its file, and `values` expand a template."""
    root = _root(text)
    if root is not None and root.find("deformable") is not None and root.find("link") is None:
        text = "it describes a deformable body for PyBullet's loadSoftBody, not a robot"
        none = Finding("note", "no-robot", "robot", line_of(root), text, "none if this is intended")
        return RobotAudit(str(path), (none,), None, audited=False)
    if root is not None and is_part(root) and (part := part_of_others(root)):
        inside = () if root.find("link") is None else _of_the_text(root, path.parent)
        settled = _sort_findings([part, *inside], root)
        return RobotAudit(str(path), settled, None, audited=root.find("link") is not None)
    findings = [*refusals(text, root)]
    loads = not findings
    if root is not None and root.tag == "robot":
        findings += _of_the_text(root, path.parent)
    findings = _without_duplicates(findings)
    torques, robot = None, None
    if loads:
        robot = read_urdf(text, folder=path.parent, source=str(path))
        robot = robot.mounted(mount[:3], mount[3:])
        findings = _with_repairs(findings, robot, parse(text, "FILE"))
        findings += _findings_of_files(path, values, model)
        more, torques = _of_the_robot(robot, others=True, mjcf=path if as_mjcf else None)
        findings += more
    readings = () if is_translated else _readings(text, robot, torques)
    return RobotAudit(str(path), _sort_findings(findings, root), torques, readings=readings)


def _readings(
    text: str, robot: Robot | None, torques: Torques | None
) -> tuple[FeatureReading, ...]:
    """Return other programs' readings of the file without repairs."""
    try:
        root = parse(text, "FILE")
    except ModelError:
        return ()
    return readings_of(root, robot, None if torques is None else torques.states)


def _with_repairs(findings: Sequence[Finding], robot: Robot, root: _Element) -> list[Finding]:
    """Return the findings with the reader's repairs; a massless robot has no "nothing to move"."""
    is_massless = not tree_of(robot).masses
    repairs = [r for r in robot.repairs if not (is_massless and r.kind == "nothing to move")]
    return [*with_repairs(findings, repair_warnings(repairs, root), repairs)]


def _with_lines(findings: Iterable[Finding], root: _Element | None) -> Iterator[Finding]:
    """Yield the findings, with the line of the joint for those on joints without line."""
    by_name = {} if root is None else {j.get("name"): j for j in root.iterchildren("joint")}
    for one in findings:
        joint = by_name.get(one.link_or_joint) if one.line is None else None
        yield one if joint is None else replace(one, line=line_of(joint))


def audit_text(robot: Robot, file: str = "robot.urdf") -> RobotAudit:
    """Audit a loaded robot, by computations of this package only.

    Lines are those of its text, which includes its payload. Pinocchio and MuJoCo are not called,
    and there is no card.
    """
    root = mend(robot.text, file, chained=False)
    findings = _with_repairs([*_of_the_text(root, robot.folder)], robot, parse(robot.text, file))
    more, torques = _of_the_robot(robot, others=False)
    return RobotAudit(file, _sort_findings([*findings, *more], root), torques)


def _sort_findings(findings: Iterable[Finding], root: _Element | None) -> tuple[Finding, ...]:
    """Return the findings in order, with their severity for a run."""
    return in_order(_with_lines(at_rest(one_cause(findings), root), root))


def _of_the_robot(
    robot: Robot, *, others: bool, mjcf: Path | None = None
) -> tuple[list[Finding], Torques | None]:
    """Return findings from computations with a robot, and its torques."""
    if not robot.joint_names:
        return [], None
    if not tree_of(robot).masses:  # every torque is 0, and no program is wrong
        return [massless_finding(robot, parse(robot.text, "FILE"))], None
    states = states_of(robot)
    torques = torques_of(robot, states, others=others, mjcf=mjcf)
    # the payload of a robot in a run is as requested
    weak = weak_drives(robot, states.q) if others else ()
    light = [*singular_findings(robot, states.q)]
    return [*light, *weak, *disagreements(torques, light)], torques


def _root(text: str) -> _Element | None:
    try:
        return mend(text, "FILE", chained=False)
    except ModelError:
        return None


def _without_duplicates(findings: list[Finding]) -> list[Finding]:
    """Return the findings without the reader's errors that others report with a remedy."""
    reported = {(f.link_or_joint, f.line) for f in findings if f.code in _TELLING}
    return [f for f in findings if f.code != "refused" or (f.link_or_joint, f.line) not in reported]


def _of_the_text(root: _Element, folder: Path | None) -> Iterator[Finding]:
    """Yield the findings on any document, loaded or not."""
    sizes = extents(root, folder)
    yield from spelling(root)
    yield from unexpanded_macros(root)
    unsized = links_of_unknown_size(root, sizes)  # findings by their sizes would be meaningless
    of_bodies = (
        one
        for one in inertias(root, sizes)
        if one.code not in OF_SHAPES or one.link_or_joint not in unsized
    )
    weighed = [*units(root, sizes), *of_bodies]
    yield from weighed
    doubted = {*unsized, *(one.link_or_joint for one in weighed if one.code not in OF_MANY)}
    yield from against_shapes(root, folder, sizes, doubted)
    yield from joints(root, folder)


def _findings_of_files(
    path: Path, values: Mapping[str, str], model: str | None
) -> Iterator[Finding]:
    """Yield errors in the card and the loops of a file, and in its tool."""
    try:
        robot = load_robot(path, xacro=values, model=model)
    except ModelError as error:
        remedy = "correct or remove the .toml or .loops.toml next to the file"
        yield Finding("error", "card", "robot", None, str(error), remedy)
        return
    if robot.tool is None:
        ends = end_links(robot.links, robot.joints)
        shown = ", ".join(ends[:6]) + (", …" if len(ends) > 6 else "")
        text = (
            f"{len(ends)} end links ({shown}), none named {', '.join(USUAL_NAMES)}: no tool frame"
        )
        remedy = "name one: --tool LINK of other commands, load_robot(…, tool=LINK)"
        yield Finding("note", "no-tool", "robot", None, text, remedy)

"""Recorded contacts: impulses against changes of momentum, depths against the shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim.checks.allowed_error import AllowedError
from sim.checks.by_law import own_states
from sim.checks.judgement import Judgement
from sim.checks.limits import FORMULATIONS
from sim.checks.robot_by_description import known_elements, robot_by_description, unknown_forces
from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.dynamics.contact import GroundContact
from sim.dynamics.contact_shape import ContactShape
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ForceElement
from sim.dynamics.lagrange import link_torque
from sim.dynamics.shape_contact import Contact
from sim.dynamics.wrench import AppliedWrench, joint_torque
from sim.kinematics.forward import FrameMotion, Kinematics, marker_place
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces
from sim.maths.rotations import cross
from sim.recording.files.table_files import Table
from sim.robots.robot import Robot

PROVED = 1e-12  # relative to positions [m]: support along a normal and depth are exact


def contact_impulses(view: RunView) -> Iterator[Judgement]:
    """Check the summed impulse of all contacts along each joint, in each table.

    The change of momentum M qdd + C qd + g, minus motors, friction and all other forces, must be
    due to contacts; no contact law is needed. Both sides are sums over the same samples, so that no
    impact is too short for the check.

    Robots with loops, drive trains or temporary payloads are not judged.
    """
    robot = robot_by_description(view)
    if view.run.robot.loops or robot.has_drives or view.run.events or unknown_forces(view):
        return
    elements = known_elements(view, robot).elements
    contacts = [one for one in elements if isinstance(one, GroundContact | Contact)]
    others = [one for one in elements if one not in contacts]
    dt = np.diff(view.t, append=view.t[-1:])
    lasted = float(view.t[-1] - view.t[0])
    for table, of in view.tables:
        if not any(column(table, name).any() for c in contacts for name in c.channel_names[3:9]):
            continue
        residual, terms, of_contacts = _momentum(view, table, robot, contacts, others)
        for k, name in enumerate(view.row_names):
            if not of_contacts[k].any():
                continue
            error = np.abs(np.cumsum(residual[k] * dt))
            exact = FORMULATIONS * float(np.nansum(terms[k] * dt))
            limit = AllowedError.of(torque=view.torque_limit(name) * lasted, exact=exact)
            unit = "N·m·s" if robot.coordinates[k].is_angle else "N·s"
            check = f"impulse of contacts{of}"
            yield view.judge_errors(check, f"qd.{name}", error, limit, unit=unit)


def _momentum(
    view: RunView,
    table: Table,
    robot: Robot,
    contacts: Sequence[GroundContact | Contact],
    others: Sequence[ForceElement],
) -> Array:
    """Return the unexplained rate of momentum, its largest term, and contacts', (3, n, N)."""
    gravity = view.run.settings.gravity
    rest = ElementSum(robot, tuple(others))

    def rows(part: slice) -> Array:
        q, qd, qdd, tau, friction = (
            view.rows(table, of, part) for of in ("q", "qd", "qdd", "tau", "friction")
        )
        at = rest.at(view.t[part], q, qd, own_states(rest, table, part))
        kinematics = Kinematics(robot, q, qd)
        wrenches = [one for c in contacts for one in _on_record(c, table, part, kinematics)]
        by_contacts = joint_torque(robot, q, wrenches)
        terms = (
            link_torque(robot, q, qd, qdd, gravity), -tau, friction, -rest.torque(at), -by_contacts
        )  # fmt: skip
        return np.stack([sum(terms), sum(map(np.abs, terms)), by_contacts]).reshape(-1, q.shape[1])

    return by_pieces(view.t.size, rows).reshape(3, len(view.row_names), -1)


def _on_record(
    contact: GroundContact | Contact, table: Table, part: slice, kinematics: Kinematics
) -> Iterator[AppliedWrench]:
    """Yield the recorded force and moment on a, and the reaction on b."""
    names = contact.channel_names[3:9]
    force, moment = np.stack([column(table, name)[part] for name in names]).reshape(2, 3, -1)
    i, j = (kinematics.marker(one) for one in (contact.i, contact.j))
    ends = ((contact.i, force, moment), (contact.j, -force, -moment - cross(i.p - j.p, force)))
    for marker, push, turn in ends:
        if marker_place(kinematics.robot, marker)[0] >= 0:
            yield AppliedWrench(marker.link, marker.point, push, turn)


def contact_depths(view: RunView) -> Iterator[Judgement]:
    """Check the depth of each contact against the overlap along its normal, in each table.

    For any normal, no translation along it separates the shapes by less than their overlap along
    it, n·(p_a - p_b) + reach_a(n) + reach_b(-n), so that any other depth is wrong.
    """
    robot = robot_by_description(view)
    pairs = [
        (one.channel_names[2], one.of_shapes if isinstance(one, GroundContact) else one)
        for one in known_elements(view, robot).elements
        if isinstance(one, GroundContact | Contact)
    ]
    for table, of in view.tables:
        for name, contact in pairs:
            overlap, size = _overlap(view, table, robot, contact)
            depth = contact.is_on(view.t) * np.maximum(overlap, 0.0)
            error = np.abs(column(table, name) - depth)
            flat = sum(one.hull.flatness for one in (contact.a, contact.b) if one.hull)
            limit = AllowedError.of(rounding=PROVED * (1.0 + size) + flat)
            yield view.judge_errors(f"depth by its certificate{of}", name, error, limit)


def _overlap(view: RunView, table: Table, robot: Robot, contact: Contact) -> tuple[Array, float]:
    """Return the overlap along the normal (N,) [m], and the largest distance of a shape [m]."""

    def rows(part: slice) -> Array:
        q, qd = (view.rows(table, of, part) for of in ("q", "qd"))
        kinematics = Kinematics(robot, q, qd)
        ends = [kinematics.place(one) for one in (contact.i, contact.j)]
        if (gap := _gap_of_spheres(contact, *ends)).min(initial=np.inf) > 0.0:
            far = np.maximum(*(np.abs(place).max(axis=0) for place, _ in ends))
            return np.stack([-gap, np.broadcast_to(far, gap.shape)])
        normal = contact.features(kinematics)[:, 1:4].T
        a, b = (kinematics.marker(one) for one in (contact.i, contact.j))
        between = np.sum(normal * (a.p - b.p), axis=0)
        reach = _reach(contact.a, a, normal) + _reach(contact.b, b, -normal)
        places = np.maximum(np.abs(a.p).max(axis=0), np.abs(b.p).max(axis=0))
        return np.stack([between + reach, np.broadcast_to(places, between.shape)])

    overlap, places = by_pieces(view.t.size, rows)
    return overlap, float(np.nanmax(places, initial=0.0))


def _gap_of_spheres(contact: Contact, a: tuple[Array, Array], b: tuple[Array, Array]) -> Array:
    """Return the distance of spheres around the shapes at their origins and z axes, (N,) [m].

    A plane is itself. Where it is positive, exact distances are not needed. The dynamics omit them
    likewise by their own radii, which are judged here and therefore not used.
    """
    between = b[0] - a[0]
    for shape, other, normal in ((contact.a, contact.b, a[1]), (contact.b, contact.a, -b[1])):
        if shape.kind == "plane":
            return np.asarray(np.sum(between * normal, axis=0) - _radius(other))
    return np.asarray(np.linalg.norm(between, axis=0) - _radius(contact.a) - _radius(contact.b))


def _radius(shape: ContactShape) -> float:
    """Return the radius of a sphere around a shape [m]."""
    if shape.hull is not None:
        return float(np.linalg.norm(shape.hull.points, axis=1).max())
    first, second, _ = size = np.asarray(shape.size)
    of_round = {"sphere": first, "capsule": first + second, "cylinder": np.hypot(first, second)}
    return float(of_round.get(shape.kind, np.linalg.norm(size)))


def _reach(shape: ContactShape, at: FrameMotion, n: Array) -> Array:
    """Return the support of a shape along unit vectors (3, N), relative to its centre, (N,) [m]."""
    along = np.einsum("abN,aN->bN", at.R, n)
    if shape.hull is not None:
        return np.asarray((shape.hull.points @ along).max(axis=0))
    x, y, z = np.abs(along)
    first, second, third = np.asarray(shape.size)
    if shape.kind == "sphere":
        return np.full_like(z, first)
    if shape.kind == "capsule":
        return first + second * z
    if shape.kind == "cylinder":
        return first * np.hypot(x, y) + second * z
    if shape.kind == "box":
        return first * x + second * y + third * z
    return np.zeros_like(z)  # plane, along its normal

"""Recorded contact impulses against the change of momentum of the bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sim.checks.allowed_error import AllowedError
from sim.checks.forces_by_law import own_states
from sim.checks.judgement import Judgement
from sim.checks.limits import FORMULATIONS
from sim.checks.robot_by_description import known_elements, robot_by_description, unknown_forces
from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.dynamics.contact import GroundContact
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.force_element import ForceElement
from sim.dynamics.lagrange import link_torque
from sim.dynamics.shape_contact import Contact
from sim.dynamics.wrench import AppliedWrench, joint_torque
from sim.kinematics.forward import Kinematics, marker_place
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces
from sim.maths.rotations import cross
from sim.recording.files.table_files import Table
from sim.robots.robot import Robot


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
    for analytic in (False, True):
        of, table = " of model" if analytic else "", view.table(analytic=analytic)
        if not any(column(table, name).any() for c in contacts for name in c.channel_names[3:9]):
            continue
        residual, terms, of_contacts = _momentum(view, robot, contacts, others, analytic=analytic)
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
    robot: Robot,
    contacts: Sequence[GroundContact | Contact],
    others: Sequence[ForceElement],
    *,
    analytic: bool,
) -> Array:
    """Return the unexplained rate of momentum, its largest term, and contacts', (3, n, N)."""
    table, gravity = view.table(analytic=analytic), view.run.settings.gravity
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
    ends = (
        (contact.i, force, moment),
        (contact.j, -force, -moment - cross(i.p - j.p, force)),
    )
    for marker, push, turn in ends:
        if marker_place(kinematics.robot, marker)[0] >= 0:
            yield AppliedWrench(marker.link, marker.point, push, turn)

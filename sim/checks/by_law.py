"""Recorded forces between markers, and requests, against their laws in the run's description."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.checks.judgement import Judgement
from sim.checks.limits import CANCELLED, EPS, FORMULATIONS
from sim.checks.robot_by_description import known_elements, robot_by_description
from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.request import Request
from sim.dynamics.request_reading import SolvedState, loop_ends
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces
from sim.recording.files.table_files import Table
from sim.recording.recorded_robot import loop_of
from sim.recording.recording import Recording
from sim.recording.schema.request_facts import request_of
from sim.robots.loop_kinds import LoopKind, components_of

# Relative to positions and velocities: rounding that differs with the number of samples per call.
ROUNDED = 8 * EPS
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


def forces_by_law(view: RunView) -> Iterator[Judgement]:
    """Check forces and lengths between markers, in each table, on its own motion.

    Both sides evaluate the law of the description, so the limit is rounding of the values, or the
    effect of rounding of the motion if that is larger.

    Raises
    ------
    SimError
        If the description has an impossible force.
    """
    robot = robot_by_description(view)
    elements = known_elements(view, robot)
    names = [name for element in elements.elements for name in element.channel_names]
    if not names:
        return
    for table, of in view.tables:
        values = _channels(view, table, elements, names)
        errors = np.abs([column(table, name) for name in names] - values)
        limits = FORMULATIONS * np.max(np.abs(values), axis=1) + CANCELLED
        if np.any(np.max(errors, axis=1) > limits):
            displaced = _channels(view, table, elements, names, aside=ROUNDED)
            limits += np.max(np.abs(displaced - values), axis=1)
        for name, error, limit in zip(names, errors, limits.tolist(), strict=True):
            yield view.judge_errors(f"force by its law{of}", name, error, limit)


def _channels(
    view: RunView, table: Table, elements: ElementSum, names: list[str], *, aside: float = 0.0
) -> Array:
    """Return channels by their laws, (channels, N), at the motion or slightly displaced from it."""

    def rows(part: slice) -> Array:
        q, qd = (view.rows(table, of, part) for of in ("q", "qd"))
        t, z = view.t[part], own_states(elements, table, part)
        is_known = np.isfinite(np.concatenate([q, qd, z])).all(axis=0)
        t, q, qd, z = (x[..., is_known] for x in (t, q, qd, z))
        at = elements.at(t, q + aside * (1 + np.abs(q)), qd + aside * np.abs(qd), z)
        channels, values = elements.channels(at), np.full((len(names), is_known.size), np.nan)
        for row, name in zip(values, names, strict=True):
            row[is_known] = channels[name]
        return values

    return by_pieces(view.t.size, rows)


def own_states(elements: ElementSum, table: Table, part: slice | NDArray[np.intp]) -> Array:
    """Return the elements' own states at some samples of a table, (states, N)."""
    rows = [column(table, f"state.{row}") for row in range(elements.states)]
    return np.reshape(rows, (elements.states, len(table)))[:, part]


def requests_by_law(view: RunView) -> Iterator[Judgement]:
    """Check the curves of requests, in each table, on its own motion and reactions.

    Both sides evaluate the function of the description, so the limit is rounding: of the values,
    and its propagation from motion and reactions.

    Raises
    ------
    SimError
        If the description has an impossible request.
    """
    if not view.run.requests:
        return
    requests, elements = _requests_and_elements(view, map(request_of, view.run.requests))
    for table, of in view.tables:
        for request in requests:
            curves = _curves(view, table, elements, request)
            displaced = _curves(view, table, elements, request, aside=ROUNDED)
            for name, values, other in zip(request.units, curves, displaced, strict=True):
                limit = FORMULATIONS * float(np.max(np.abs(values))) + CANCELLED
                limit += float(np.max(np.abs(other - values)))
                error = np.abs(column(table, name) - values)
                yield view.judge_errors(f"request by its function{of}", name, error, limit)


def curves_of_requests(
    recording: Recording, requests: Iterable[Request]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return curves of additional requests by channel, from either table of a run.

    Raises
    ------
    SimError
        If one cannot be computed from the run.
    """
    view = RunView(recording)
    usable, elements = _requests_and_elements(view, requests)
    recorded, analytic = (
        {
            channel: values
            for one in usable
            for channel, values in zip(one.units, _curves(view, table, elements, one), strict=True)
        }
        for table, _ in view.tables
    )
    return recorded, analytic


def _requests_and_elements(
    view: RunView, requests: Iterable[Request]
) -> tuple[list[Request], ElementSum]:
    """Return the requests with the loops of a run among their joints, and its force elements."""
    robot, loops = robot_by_description(view), map(loop_of, view.run.robot.closures)
    in_loops = tuple(map(loop_ends, loops))  # the robot itself has open loops
    bound = [replace(one, joints=(*one.joints, *in_loops)) for one in requests]
    for request in bound:
        request.require_usable(robot)
    return bound, known_elements(view, robot)


def _curves(
    view: RunView, table: Table, elements: ElementSum, request: Request, *, aside: float = 0.0
) -> Array:
    """Return curves by their functions, (functions, N), at the solution or displaced from it."""

    def rows(part: slice) -> Array:
        q, qd, qdd = (view.rows(table, of, part) for of in ("q", "qd", "qdd"))
        reaction = {
            joint.name: (1 + aside)
            * np.stack([column(table, f"reaction.{joint.name}.{c}")[part] for c in WRENCH])
            for joint in view.run.robot.joints
        }
        displaced = q + aside * (1 + np.abs(q)), qd + aside * np.abs(qd)
        states = own_states(elements, table, part)
        kinematics = elements.at(view.t[part], *displaced, states).kinematics
        tau = {name: column(table, f"tau.{name}")[part] for name in view.row_names}
        tau = {name: (1 + aside) * row for name, row in tau.items()}
        in_loops = {
            name: (1 + aside) * _of_loop(table, name, kind, part)
            for name, kind in view.run.robot.kinds_of_loops
        }
        at = SolvedState(view.t[part], kinematics, (1 + aside) * qdd, reaction, tau, in_loops)
        return np.stack(list(request.channels(at).values()))

    return by_pieces(view.t.size, rows)


def _of_loop(table: Table, name: str, kind: LoopKind, part: slice) -> Array:
    """Return the force and moment of a loop, (6, N); components absent in its kind are zero."""
    rows = np.zeros((6, part.stop - part.start))
    for component in {*WRENCH} & {*components_of(kind)}:
        channel = f"loop.{name.replace(' ', '_')}.{component}"
        rows[WRENCH.index(component)] = column(table, channel)[part]
    return rows

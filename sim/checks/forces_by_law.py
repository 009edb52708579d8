"""Recorded forces between markers against their laws in the run's description."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sim.checks.judgement import Judgement
from sim.checks.limits import CANCELLED, EPS, FORMULATIONS
from sim.checks.robot_by_description import known_elements, robot_by_description
from sim.checks.run_tables import column
from sim.checks.run_view import RunView
from sim.dynamics.element_sum import ElementSum
from sim.maths.arrays import Array
from sim.maths.pieces import by_pieces
from sim.recording.files.table_files import Table

# Relative to positions and velocities: rounding that differs with the number of samples per call.
ROUNDED = 8 * EPS


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
    for analytic in (False, True):
        of = " of model" if analytic else ""
        values = _channels(view, elements, names, analytic=analytic)
        table = view.table(analytic=analytic)
        errors = np.abs([column(table, name) for name in names] - values)
        limits = FORMULATIONS * np.max(np.abs(values), axis=1) + CANCELLED
        if np.any(np.max(errors, axis=1) > limits):
            displaced = _channels(view, elements, names, analytic=analytic, aside=ROUNDED)
            limits += np.max(np.abs(displaced - values), axis=1)
        for name, error, limit in zip(names, errors, limits.tolist(), strict=True):
            yield view.judge_errors(f"force by its law{of}", name, error, limit)


def _channels(
    view: RunView, elements: ElementSum, names: list[str], *, analytic: bool, aside: float = 0.0
) -> Array:
    """Return channels by their laws, (channels, N), at the motion or slightly displaced from it."""
    table = view.table(analytic=analytic)

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

"""Slopes of objectives and constraints at an optimum, and the constraints that limit it.

A multiplier is the change of the optimum per unit by which a bound is relaxed: the gradient of the
objective is that of the limiting constraints times their multipliers (Karush, Kuhn and Tucker),
solved by least squares without negative multipliers.

References
----------
Nocedal and Wright, Numerical Optimization, 2nd ed., sec. 12.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from sim.maths.arrays import Array
from sim.studies.optimisation.answer import Sensitivity
from sim.studies.optimisation.evaluator import Evaluator
from sim.studies.optimisation.problem import DesignPoint, Key, OptimisationProblem

STEP = 1e-4  # of a range, for central differences
ACTIVE = 2e-3  # of its bound: smaller slacks may limit
SLIGHT = 1e-3  # of the slopes: smaller multipliers are rounding
AT_END = 1e-6  # of a range


def slopes_at(evaluator: Evaluator, point: DesignPoint) -> tuple[Array, dict[Key, Array]]:
    """Return slopes of costs (m, n) and slacks over the fractions of continuous parameters.

    NaN for discrete ones, and if a neighbour has no value.
    """
    free = evaluator.problem.space.free
    low, high = (np.clip(point.x[list(free)] + s, 0.0, 1.0) for s in (-STEP, STEP))
    xs = []
    for k, one in enumerate(free):
        for share in (low[k], high[k]):
            x = point.x.copy()
            x[one] = share
            xs.append(x)
    points = evaluator.at(xs) if xs else []
    size = point.x.size
    costs = np.full((point.cost.size, size), math.nan)
    slacks = {key: np.full(size, math.nan) for key in point.slacks}
    for k, one in enumerate(free):
        before, after = points[2 * k : 2 * k + 2]
        step = float(high[k] - low[k])
        costs[:, one] = (after.cost - before.cost) / step
        for key, slopes in slacks.items():
            rise = after.slacks.get(key, math.nan) - before.slacks.get(key, math.nan)
            slopes[one] = rise / step
    return costs, slacks


def limiting_of(
    point: DesignPoint, costs: Array, slacks: Mapping[Key, Array]
) -> tuple[dict[Key, float], dict[int, str]]:
    """Return multipliers of the limiting constraints, and the parameters at a limiting range end.

    Parameters
    ----------
    costs : ndarray, shape (n,)
        Slopes of the objective over the fractions.
    slacks : mapping
        Slopes of the slacks.
    """
    from scipy.optimize import nnls

    free = [k for k in range(costs.size) if math.isfinite(costs[k])]
    near = [
        key
        for key, slope in slacks.items()
        if np.isfinite(slope[free]).all() and abs(point.slacks[key]) <= ACTIVE * point.scales[key]
    ]
    ends = {k: end for k in free if (end := _end(point.x[k]))}
    columns = [slacks[key][free] / point.scales[key] for key in near]
    for k, end in ends.items():
        unit = np.zeros(len(free))
        unit[free.index(k)] = 1.0 if end == "lower" else -1.0
        columns.append(unit)
    size = float(np.max(np.abs(costs[free]), initial=0.0))
    if not columns or size == 0.0:
        return {}, {}
    multipliers, _ = nnls(np.column_stack(columns), costs[free])
    shares = multipliers * np.array([float(np.max(np.abs(one), initial=0.0)) for one in columns])
    chosen = shares > SLIGHT * size
    of_constraints = {
        key: float(value / point.scales[key])
        for key, value, is_chosen in zip(near, multipliers, chosen, strict=False)
        if is_chosen
    }
    of_ends = {
        k: end
        for (k, end), is_chosen in zip(ends.items(), chosen[len(near) :], strict=True)
        if is_chosen
    }
    return of_constraints, of_ends


def _end(share: float) -> str:
    return "lower" if share <= AT_END else "upper" if share >= 1.0 - AT_END else ""


def sensitivities_of(
    problem: OptimisationProblem, costs: Array, slacks: Mapping[Key, Array]
) -> list[Sensitivity]:
    """Return slopes of objectives and constraints in the units of the parameters."""
    sensitivities = []
    space = problem.space
    signs = [one.sign for one in problem.objectives]
    rows = [
        (one.quantity.text, sign * row)
        for one, sign, row in zip(problem.objectives, signs, costs, strict=True)
        if one.quantity.responses
    ]
    for (k, name), row in slacks.items():
        constraint = problem.constraints[k]
        if (
            constraint.quantity is not None
            and constraint.quantity.responses
            and name not in {text for text, _ in rows}
        ):
            rows.append((name, constraint.sign * row))
    for name, row in rows:
        for k in space.free:
            low, high = space.variations[k].range
            value = float(row[k])
            known = math.isfinite(value)
            sensitivities.append(
                Sensitivity(
                    response=name,
                    parameter=space.names[k],
                    slope=value / (high - low) if known else None,
                    over_range=math.copysign(1.0, high - low) * value if known else None,
                )
            )
    return sensitivities

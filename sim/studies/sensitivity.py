"""Sensitivity analysis: one parameter at a time (tornado), Morris's and Sobol's methods.

Parameters are represented as fractions of their ranges, so that all effects are those of the whole
range, in the unit of the response.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.scenario.script import Script
from sim.studies.case_rows import CaseRow, response_units
from sim.studies.design import (
    SAMPLES,
    TRAJECTORIES,
    Design,
    design_from_shares,
    require_different,
    require_not_too_many,
)
from sim.studies.request import DesignName
from sim.studies.variation import Variation

LEVELS = 4  # of Morris's grid


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """Effect of one parameter on one response.

    Parameters
    ----------
    response, parameter : str
    size : float or None
        Ranking of the parameters: the swing of a tornado, mu* of Morris, the total index of Sobol;
        None for a constant response, or if a required case has no value.
    numbers : dict of str to float
        All numbers of the method.
    """

    response: str
    parameter: str
    size: float | None
    numbers: dict[str, float | None]


def sensitivity_design(
    name: DesignName,
    script: Script,
    variations: Sequence[Variation],
    settings: Mapping[str, str],
    samples: int | None,
    seed: int,
) -> Design:
    """Return the cases of a tornado, of Morris's or of Sobol's method.

    Raises
    ------
    ScenarioError
        If a parameter has no range or no nominal value, or SALib is not installed.
    """
    require_different(variations)
    if not variations:
        raise ScenarioError(f"--design {name} needs parameters: --vary P=first:last")
    if name == "tornado":
        return _tornado(script, variations, settings)
    _ = [one.range for one in variations]
    size = len(variations)
    count = samples or (TRAJECTORIES if name == "morris" else SAMPLES)
    if name == "morris":
        require_not_too_many(count * (size + 1))
        draw = _salib("SALib.sample.morris").sample
        shares = draw(_problem(variations), count, num_levels=LEVELS, seed=seed)
    else:
        if count & (count - 1):
            raise ScenarioError(
                f"--design {name} needs a power of two as --samples, such as "
                f"{1 << count.bit_length()}; got {count}"
            )
        require_not_too_many(count * (size + 2))
        draw = _salib("SALib.sample.sobol").sample
        shares = draw(_problem(variations), count, calc_second_order=False, seed=seed)
    return design_from_shares(name, variations, np.asarray(shares).tolist())


def _tornado(
    script: Script, variations: Sequence[Variation], settings: Mapping[str, str]
) -> Design:
    nominal: list[object] = []
    for one in variations:
        value = script.value_of(one.name, settings.get(one.name, script.parameters[one.name]))
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise ScenarioError(
                f"--design tornado starts at the nominal value, and that of {one.name!r} is not "
                f"a number; give --set {one.name}=…"
            )
        nominal.append(value)
    points = [tuple(nominal)]
    for k, one in enumerate(variations):
        for share in (0.0, 1.0):
            points.append((*nominal[:k], one.at(share), *nominal[k + 1 :]))
    return Design("tornado", tuple(variations), tuple(points))


def effects(design: Design, rows: Sequence[CaseRow], seed: int) -> list[Effect]:
    """Return the effects of each parameter on each response, the strongest first in each.

    Raises
    ------
    ScenarioError
        If a case has no run: each method requires all.
    """
    if failures := [row for row in rows if not row.is_run]:
        raise ScenarioError(
            f"Sensitivities require every case, and {len(failures)} of {len(rows)} could not be "
            f"computed: {failures[0].reason}"
        )
    judge = {"tornado": _swings, "morris": _morris, "sobol-indices": _sobol}[design.name]
    ranked: list[Effect] = []
    for response in response_units(rows):
        values = [row.response(response) for row in rows]
        # None becomes NaN: a tornado loses only the bars that end there
        y = np.array(values, dtype=np.float64)
        of_response = judge(design, y, response, seed)
        ranked += sorted(
            of_response, key=lambda e: -1.0 if e.size is None else e.size, reverse=True
        )
    return ranked


def _swings(design: Design, y: Array, response: str, seed: int) -> list[Effect]:
    return [
        Effect(
            response=response,
            parameter=name,
            size=_number(abs(y[2 * k + 2] - y[2 * k + 1])),
            numbers={
                "nominal": _number(y[0]),
                "low": _number(y[2 * k + 1]),
                "high": _number(y[2 * k + 2]),
            },
        )
        for k, name in enumerate(design.names)
    ]


def _morris(design: Design, y: Array, response: str, seed: int) -> list[Effect]:
    names = ("mu_star", "mu_star_conf", "mu", "sigma")
    if np.isnan(y).any():
        return _effects_of(design, response, _no_indices(design, names), names, "mu_star")
    analyze = _salib("SALib.analyze.morris").analyze
    problem = _problem(design.variations)
    steps = _scale_to_requested_steps(design, y)
    indices = analyze(problem, np.array(design.shares), steps, num_levels=LEVELS, seed=seed)
    return _effects_of(design, response, indices, names, "mu_star")


def _scale_to_requested_steps(design: Design, y: Array) -> Array:
    """Return responses scaled linearly as if each step had the requested size.

    An integer changes by another fraction of its range than in the design; the effect of a step is
    divided by its actual size.
    """
    if not any(one.is_whole for one in design.variations):
        return y
    requested = np.array(design.shares)
    actual = requested.copy()
    for k, one in enumerate(design.variations):
        if one.is_whole:
            actual[:, k] = [one.share_of(float(str(point[k]))) for point in design.points]
    size = len(design.variations) + 1  # of a trajectory, in which each parameter changes once
    scaled = y.copy()
    for row in range(1, y.size):
        if row % size:
            k = int(np.argmax(np.abs(requested[row] - requested[row - 1])))
            share = requested[row, k] - requested[row - 1, k]
            share /= actual[row, k] - actual[row - 1, k]
            scaled[row] = scaled[row - 1] + share * (y[row] - y[row - 1])
    return scaled


def _sobol(design: Design, y: Array, response: str, seed: int) -> list[Effect]:
    names = ("S1", "S1_conf", "ST", "ST_conf")
    if np.isnan(y).any() or float(np.ptp(y)) <= 1e-12 * float(np.max(np.abs(y))):
        indices = _no_indices(design, names)
    else:
        analyze = _salib("SALib.analyze.sobol").analyze
        problem = _problem(design.variations)
        chance = np.random.default_rng(seed)  # SALib ignores a seed of 0
        indices = analyze(problem, y, calc_second_order=False, seed=chance)
    return _effects_of(design, response, indices, names, "ST")


def _no_indices(design: Design, names: Sequence[str]) -> Mapping[str, Any]:
    """Return empty results for a response that is constant, or missing in some cases."""
    return {name: [None] * len(design.names) for name in names}


def _effects_of(
    design: Design, response: str, indices: Mapping[str, Any], names: Sequence[str], size: str
) -> list[Effect]:
    return [
        Effect(
            response=response,
            parameter=parameter,
            size=_number(indices[size][k]),
            numbers={name: _number(indices[name][k]) for name in names},
        )
        for k, parameter in enumerate(design.names)
    ]


def _number(value: float | None) -> float | None:
    """Return a plain number; None for NaN."""
    return None if value is None or np.isnan(value) else float(value)


def _problem(variations: Sequence[Variation]) -> dict[str, object]:
    """Return a problem of SALib with fractions between 0 and 1."""
    names = [one.name for one in variations]
    return {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}


def _salib(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ScenarioError(
            "Morris's and Sobol's methods are those of SALib, which is not installed: "
            f"pip install 'sim[studies]' ({error})"
        ) from None

"""What a request asks for: its cases, or what is searched."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim.errors import ScenarioError
from sim.scenario.script import Script
from sim.studies.design import SAMPLED, SAMPLES, SENSITIVITY, Design, grid, sampled, searching
from sim.studies.optimum import PRECISION, Direction
from sim.studies.request import Request
from sim.studies.response_limit import Limit, limit
from sim.studies.sensitivity import sensitivity_design
from sim.studies.variation import DIGITS, Variation, variation

FINEST = 10.0 ** (2 - DIGITS)  # of the larger end: a hundred values lie within


@dataclass(frozen=True)
class Search:
    """An optimum that is asked for.

    Parameters
    ----------
    varied : Variation
    direction : {"largest", "smallest"}
    within : Limit
    precision : float
    """

    varied: Variation
    direction: Direction
    within: Limit
    precision: float


def search_of(script: Script, request: Request) -> Search | None:
    """The search that is asked for; None if none is.

    Raises
    ------
    ScenarioError
        If it cannot be done, or something else is asked for too.
    """
    wanted: dict[Direction, str | None] = {
        "largest": request.largest,
        "smallest": request.smallest,
    }
    asked = [(direction, text) for direction, text in wanted.items() if text is not None]
    others = {
        "--vary": request.vary,
        "--tolerance": request.tolerance,
        "--design": request.design,
        "--samples": request.samples,
    }
    if not asked:
        for option, given in (("--within", request.within), ("--to", request.to)):
            if given is not None:
                raise ScenarioError(f"{option} is for --largest P=A:B or --smallest P=A:B")
        return None
    (direction, text), *more = asked
    given_too = [option for option, given in others.items() if given] + ["--smallest"] * len(more)
    if given_too:
        raise ScenarioError(
            f"--{direction} searches one parameter and cannot go with {given_too[0]}"
        )
    varied = variation(script, text, f"--{direction}")
    if varied.values:
        raise ScenarioError(f"--{direction} {text}: give the ends of the range, {varied.name}=A:B")
    low, high = varied.range
    precision = PRECISION * abs(high - low) if request.to is None else request.to
    if not (math.isfinite(precision) and 0 < precision <= abs(high - low)):
        raise ScenarioError(
            f"--to must be above 0 and at most the range of {abs(high - low):g}, got {precision:g}"
        )
    finest = FINEST * max(abs(low), abs(high))
    if precision < finest:
        raise ScenarioError(
            f"--to {precision:g} is finer than values of {varied.name} are told apart, {finest:.1g}"
        )
    return Search(varied, direction, limit(request.within or "margin>=0"), precision)


def design_of(script: Script, request: Request, search: Search | None) -> Design:
    """The cases that are asked for; of a search the ends.

    Raises
    ------
    ScenarioError
        If they cannot be made.
    """
    if search is not None:
        design = searching(search.varied, search.varied.range)
    else:
        varied = [variation(script, text) for text in request.vary]
        design = _chosen(script, request, varied)
    both = sorted(set(design.names) & set(request.settings))
    if both and design.name != "tornado":
        raise ScenarioError(f"{both[0]!r} is varied and set; do one of both")
    return design


def _chosen(
    script: Script,
    request: Request,
    varied: list[Variation],
) -> Design:
    if not varied and not request.tolerance:
        raise ScenarioError(
            "Nothing varies: give --vary P=0:10:21, or --tolerance mass=2%; parameters of "
            f"{script.name}: {', '.join(script.parameters) or 'none'}"
        )
    name = request.design or "grid"
    if name in SENSITIVITY:
        if request.tolerance:
            raise ScenarioError(f"--tolerance cannot go with --design {name}")
        return sensitivity_design(
            name, script, varied, request.settings, request.samples, request.seed
        )
    samples = request.samples or SAMPLES
    if name in SAMPLED:
        draws = 1 if request.tolerance else 0
        return sampled(name, varied, samples, request.seed, draws)
    if request.samples is not None and not request.tolerance:
        raise ScenarioError("--samples is for a --design that samples, or for --tolerance")
    return grid(varied, samples if request.tolerance else 0)

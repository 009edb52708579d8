"""Design and search of a study, from its request."""

from __future__ import annotations

import math

from sim.errors import ScenarioError
from sim.scenario.script import Script
from sim.studies.design import (
    SAMPLED,
    SAMPLES,
    SENSITIVITY,
    Design,
    grid,
    sample_design,
    search_design,
)
from sim.studies.optimum import PRECISION, Direction, Search, parse_limit
from sim.studies.request import StudyRequest
from sim.studies.sensitivity import sensitivity_design
from sim.studies.variation import DIGITS, parse_variation

FINEST = 10.0 ** (2 - DIGITS)  # of the larger end: a hundred values are within


def study_search(script: Script, request: StudyRequest) -> Search | None:
    """Return the search of a request; None if it has none.

    Raises
    ------
    ScenarioError
        If it is impossible, or the request has incompatible options.
    """
    goals: dict[Direction, str | None] = {"largest": request.largest, "smallest": request.smallest}
    searches = [(direction, text) for direction, text in goals.items() if text is not None]
    others = {
        "--vary": request.vary,
        "--tolerance": request.tolerance,
        "--design": request.design,
        "--samples": request.samples,
    }
    if not searches:
        for option, value in (("--within", request.within), ("--to", request.to)):
            if value is not None:
                raise ScenarioError(f"{option} requires --largest P=A:B or --smallest P=A:B")
        return None
    (direction, text), *more = searches
    given_too = [option for option, value in others.items() if value] + ["--smallest"] * len(more)
    if given_too:
        raise ScenarioError(
            f"--{direction} searches one parameter and cannot be combined with {given_too[0]}"
        )
    varied = parse_variation(script, text, f"--{direction}")
    if varied.values:
        raise ScenarioError(f"--{direction} {text}: give the ends of the range, {varied.name}=A:B")
    low, high = varied.range
    precision = PRECISION * (high - low) if request.to is None else request.to
    if not (math.isfinite(precision) and 0 < precision <= high - low):
        raise ScenarioError(
            f"--to must be above 0 and at most the range of {high - low:g}, got {precision:g}"
        )
    finest = FINEST * max(abs(low), abs(high))
    if precision < finest:
        raise ScenarioError(
            f"--to {precision:g} is finer than the resolution of {varied.name}, {finest:.1g}"
        )
    return Search(varied, direction, parse_limit(request.within or "margin>=0"), precision)


def study_design(script: Script, request: StudyRequest, search: Search | None) -> Design:
    """Return the design of a request; for a search, the range ends.

    Raises
    ------
    ScenarioError
        If it cannot be created.
    """
    if search is not None:
        return search_design(search.varied, search.varied.range)
    varied = [parse_variation(script, text) for text in request.vary]
    if not varied and not request.tolerance:
        raise ScenarioError(
            "No parameter varies: give --vary P=0:10:21, or --tolerance mass=2%; parameters of "
            f"{script.name}: {', '.join(script.parameters) or 'none'}"
        )
    name = request.design or "grid"
    if name in SENSITIVITY:
        if request.tolerance:
            raise ScenarioError(f"--tolerance cannot be combined with --design {name}")
        if request.samples is not None and name == "tornado":
            raise ScenarioError("--samples does not apply to --design tornado; omit it")
        return sensitivity_design(
            name, script, varied, request.settings, request.samples, request.seed
        )
    samples = request.samples or SAMPLES
    if name in SAMPLED:
        if not varied:
            raise ScenarioError(
                f"--design {name} samples the ranges of --vary P=A:B and does not change the draws "
                "of --tolerance; remove --design"
            )
        draws = 1 if request.tolerance else 0
        return sample_design(name, varied, samples, request.seed, draws)
    if request.samples is not None and not request.tolerance:
        raise ScenarioError("--samples requires a sampling --design or --tolerance")
    return grid(varied, samples if request.tolerance else 0)

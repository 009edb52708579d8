"""StudyRequest: the options of a study as texts; its design, or its search."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from sim.errors import ScenarioError
from sim.recording.schema.methods import MethodName
from sim.scenario.script import Script
from sim.studies.design import (
    SAMPLED,
    SAMPLES,
    SENSITIVITY,
    Design,
    DesignName,
    grid,
    sample_design,
    search_design,
)
from sim.studies.optimum import PRECISION, Direction, Search, parse_limit
from sim.studies.sensitivity import sensitivity_design
from sim.studies.tolerances import Distribution
from sim.studies.variation import DIGITS, Variation, parse_variation

FINEST = 10.0 ** (2 - DIGITS)  # of the larger end: a hundred values lie within

AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]


class StudyRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The options of ``sim sweep``, or the arguments of `sim.sweep`.

    Parameters
    ----------
    scenario : str
        Name of a shipped one, or path of a script.
    vary, tolerance, response : tuple of str
        As they are typed: ``load=0:10:21``, ``mass=2%``, ``peak tau.*``.
    settings : mapping of str to str
        Of parameters that are the same in all cases.
    method, dt, design, samples : optional
    seed : int
    distribution : str
    largest, smallest, within : str, optional
        ``load=0:10`` and the limit to keep.
    to : float, optional
        Precision of the value that is searched.
    keep : int or "all"
        How many runs are kept.
    no_report : bool
    no_require : bool
        Cases beyond a limit are no failure.
    analytic : bool
    proof : int
        How many cases of an analytic study are simulated.
    """

    scenario: str
    vary: tuple[str, ...] = ()
    settings: Mapping[str, str] = {}
    method: MethodName | None = None
    dt: float | None = None
    design: DesignName | None = None
    samples: AtLeastOne | None = None
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    tolerance: tuple[str, ...] = ()
    distribution: Distribution = "normal"
    response: tuple[str, ...] = ()
    largest: str | None = None
    smallest: str | None = None
    within: str | None = None
    to: float | None = None
    keep: Annotated[int, msgspec.Meta(ge=0)] | Literal["all"] = 0
    no_report: bool = False
    no_require: bool = False
    analytic: bool = False
    proof: AtLeastOne = 5

    @property
    def function_files(self) -> list[Path]:
        """Files of Python whose functions are responses."""
        limit = re.split(r">=|<=", self.within or "")[0].strip()
        named = (text.rpartition(":")[0] for text in (*self.response, limit))
        return [Path(file).resolve() for file in named if file.endswith(".py")]

    @property
    def command(self) -> tuple[str, ...]:
        """The same request as a command."""
        arguments = ["sim", "sweep", self.scenario]
        for name, value in msgspec.structs.asdict(self).items():
            if name == "scenario" or value == _DEFAULTS[name]:
                continue
            option = f"--{name.replace('_', '-')}"
            if name == "settings":
                arguments += [word for key, v in value.items() for word in ("--set", f"{key}={v}")]
            elif isinstance(value, tuple):
                arguments += [word for one in value for word in (option, one)]
            else:
                arguments += [option] if value is True else [option, str(value)]
        return tuple(arguments)


_DEFAULTS = msgspec.structs.asdict(StudyRequest(scenario=""))


def study_search(script: Script, request: StudyRequest) -> Search | None:
    """The search of a request; None if it has none.

    Raises
    ------
    ScenarioError
        If it cannot be done, or the request has something else too.
    """
    wanted: dict[Direction, str | None] = {
        "largest": request.largest,
        "smallest": request.smallest,
    }
    searches = [(direction, text) for direction, text in wanted.items() if text is not None]
    others = {
        "--vary": request.vary,
        "--tolerance": request.tolerance,
        "--design": request.design,
        "--samples": request.samples,
    }
    if not searches:
        for option, given in (("--within", request.within), ("--to", request.to)):
            if given is not None:
                raise ScenarioError(f"{option} requires --largest P=A:B or --smallest P=A:B")
        return None
    (direction, text), *more = searches
    given_too = [option for option, given in others.items() if given] + ["--smallest"] * len(more)
    if given_too:
        raise ScenarioError(
            f"--{direction} searches one parameter and cannot be combined with {given_too[0]}"
        )
    varied = parse_variation(script, text, f"--{direction}")
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
            f"--to {precision:g} is finer than the resolution of {varied.name}, {finest:.1g}"
        )
    return Search(varied, direction, parse_limit(request.within or "margin>=0"), precision)


def study_design(script: Script, request: StudyRequest, search: Search | None) -> Design:
    """The design of a request; of a search the ends.

    Raises
    ------
    ScenarioError
        If they cannot be made.
    """
    if search is not None:
        design = search_design(search.varied, search.varied.range)
    else:
        varied = [parse_variation(script, text) for text in request.vary]
        design = _design_by_name(script, request, varied)
    both = sorted(set(design.names) & set(request.settings))
    if both and design.name != "tornado":
        raise ScenarioError(f"{both[0]!r} is both varied and set; remove one of them")
    return design


def _design_by_name(
    script: Script,
    request: StudyRequest,
    varied: list[Variation],
) -> Design:
    if not varied and not request.tolerance:
        raise ScenarioError(
            "No parameter varies: give --vary P=0:10:21, or --tolerance mass=2%; parameters of "
            f"{script.name}: {', '.join(script.parameters) or 'none'}"
        )
    name = request.design or "grid"
    if name in SENSITIVITY:
        if request.tolerance:
            raise ScenarioError(f"--tolerance cannot be combined with --design {name}")
        return sensitivity_design(
            name, script, varied, request.settings, request.samples, request.seed
        )
    samples = request.samples or SAMPLES
    if name in SAMPLED:
        draws = 1 if request.tolerance else 0
        return sample_design(name, varied, samples, request.seed, draws)
    if request.samples is not None and not request.tolerance:
        raise ScenarioError("--samples requires a sampling --design or --tolerance")
    return grid(varied, samples if request.tolerance else 0)

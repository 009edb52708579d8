"""sweep: a parameter study from Python, bitwise equal to that of the command."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import msgspec
import numpy as np

from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.recording.recording import Recording
from sim.recording.schema.methods import MethodName
from sim.scenario.script import MODULE, Script
from sim.studies.optimisation.goal_options import AlgorithmName, GoalOptions
from sim.studies.placement import place_study
from sim.studies.request import (
    DesignName,
    Distribution,
    ExecutionOptions,
    FolderOptions,
    StudyRequest,
)
from sim.studies.run_study import run_study
from sim.studies.study import StudyResult
from sim.studies.workers.execution import Message, Progress, ProgressCallbacks

# Values of a parameter, or text as in the command: 0:10:21.
Values: TypeAlias = str | Iterable[object]
# Text as in the command, or a function of a recording defined in a file.
Response: TypeAlias = str | Callable[[Recording], object]

Options = TypeVar("Options", bound=msgspec.Struct)


@checked
def sweep(
    scenario: str | Path | Script | None = None,
    vary: Mapping[str, Values] | None = None,
    *,
    settings: Mapping[str, object] | None = None,
    method: MethodName | None = None,
    dt: float | None = None,
    design: DesignName | None = None,
    samples: int | None = None,
    seed: int = 0,
    tolerance: Mapping[str, str | float] | None = None,
    distribution: Distribution = "normal",
    responses: Sequence[Response] | Response = (),
    largest: Mapping[str, tuple[float, float]] | None = None,
    smallest: Mapping[str, tuple[float, float]] | None = None,
    within: str | None = None,
    precision: float | None = None,
    keep: int | Literal["all"] = 0,
    analytic: bool = False,
    proof: int = 5,
    workers: int | None = None,
    cluster: str | None = None,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    trust: bool = False,
    page: bool = True,
    yes: bool = False,
    tell: Message | None = None,
    tick: Progress | None = None,
) -> StudyResult:
    """Run one scenario for many values of its parameters; the study of ``sim sweep``.

    Parameters
    ----------
    scenario : str, Path or Script
        Name of a shipped scenario, or a script.
    vary : mapping
        For each parameter an array or list of its values, or text as in the command: ``"0:10:21"``
        for 21 values, ``"0:10"`` for a range sampled by a design.
    settings : mapping
        Values of parameters that are equal in all cases.
    method, dt : optional
        Replace those of the scenario.
    design : {"grid", "lhs", "sobol", "random", "tornado", "morris", "sobol-indices"}, optional
    samples : int, optional
        Number of cases of a sampled design, or of tolerance draws.
    tolerance : mapping
        ``{"mass": "2%", "load": 0.1}``.
    responses : sequence of str or callable
        ``"margin"``, ``"peak tau.*"``; functions of a `Recording` defined in a file.
    largest, smallest : mapping of one parameter to its range, optional
        Searched by bracketing; `within` is the limit (default: ``"margin>=0"``).
    precision : float, optional
        Precision of the optimum.
    keep : int or "all"
        Number of runs to keep, those closest to their limits.
    analytic : bool
        Use the model only; `proof` cases are simulated.
    workers : int, optional
        Worker processes (default: one per core).
    cluster : str, optional
        Address of a Dask scheduler.
    out : path, optional
        Output folder; an existing study is resumed.
    resume : path, optional
        Folder of a study to resume as requested there; arguments that define a study are refused.
    trust : bool
        Allow executing the script of a resumed study that you have not run here by name.
    page : bool
        Whether ``study.html`` is written.
    yes : bool
        Start even if the estimate exceeds one hour.
    tell, tick : callable, optional
        Called with a sentence on the duration; called with (finished cases, all cases).

    Raises
    ------
    SimError
        If it cannot be prepared, started or written; finished cases are kept.
    """
    arguments = locals()
    require_not_in_a_scenario("sim.sweep")
    texts = {
        "vary": [f"{name}={values_text(name, values)}" for name, values in (vary or {}).items()],
        "tolerance": [f"{name}={size}" for name, size in (tolerance or {}).items()],
        "largest": _range_text("largest", largest),
        "smallest": _range_text("smallest", smallest),
        "to": precision,
    }
    example = " to study: sim.sweep('two_link', {'load': '0:2:5'})"
    return compute_study("sim.sweep", arguments, texts, example)


def compute_study(
    caller: str,
    arguments: Mapping[str, Any],
    texts: Mapping[str, object],
    example: str,
    *,
    has_goals: bool = False,
) -> StudyResult:
    """Compute the study of a function's arguments.

    Parameters
    ----------
    texts : mapping of str to object
        Options of the command in place of arguments of the function.
    example : str
        End of the message if no scenario is named.
    has_goals : bool
        True for an optimisation.
    """
    scenario, out, resume = (arguments[name] for name in ("scenario", "out", "resume"))
    values = {
        **arguments,
        **texts,
        "scenario": str(scenario.path if isinstance(scenario, Script) else scenario or ""),
        "settings": _setting_texts(arguments["settings"]),
        "response": response_texts(arguments["responses"]),
        "no_report": not arguments["page"],
        "out": None if out is None else os.fspath(out),
        "resume": None if resume is None else os.fspath(resume),
    }
    goals = _convert_options(values, GoalOptions, caller) if has_goals else None
    request = _convert_options(values, StudyRequest, caller)
    execution = _convert_options(values, ExecutionOptions, caller)
    place = _convert_options(values, FolderOptions, caller)
    if resume is None and scenario is None:
        raise ScenarioError(f"Name the scenario{example}")
    callbacks = _callbacks_of(arguments["tell"], arguments["tick"])
    return run_study(place_study(request, place, goals), execution, callbacks)


def _callbacks_of(tell: Message | None, tick: Progress | None) -> ProgressCallbacks:
    """Return the callbacks of a study run by a program; silent by default."""
    silent = ProgressCallbacks()
    progress = silent.progress if tick is None else _constant_context(tick)
    return ProgressCallbacks(tell or silent.message, progress)


def _constant_context(tick: Progress) -> Callable[[str], AbstractContextManager[Progress]]:
    return lambda _: nullcontext(tick)


def require_not_in_a_scenario(name: str) -> None:
    """Refuse a study started by a scenario script on loading: it would never end."""
    frame = sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__", "")).startswith("sim."):
        frame = frame.f_back
    if str(frame.f_globals.get("__name__", "")).startswith(MODULE):
        raise ScenarioError(
            f"{name} is called while the scenario's script is imported, as each case does; "
            'put the call below `if __name__ == "__main__":`, or into a separate file'
        )


def _convert_options(values: Mapping[str, object], kind: type[Options], caller: str) -> Options:
    """Return a struct from values, with their types checked."""
    names = kind.__struct_fields__
    try:
        return msgspec.convert({name: values[name] for name in names if name in values}, kind)
    except msgspec.ValidationError as error:
        why, _, place = str(error).partition(" - at `$.")
        name = place.rstrip("`")
        raise ScenarioError(f"{caller}: {name}: {why}{_choices_text(name)}") from None


def _choices_text(name: str) -> str:
    choices = {
        "design": DesignName,
        "distribution": Distribution,
        "method": MethodName,
        "algorithm": AlgorithmName,
    }
    return f"; choices: {', '.join(get_args(choices[name]))}" if name in choices else ""


def values_text(name: str, values: Values) -> str:
    """Return values as in the command."""
    if isinstance(values, str):
        return values
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        raise ScenarioError(
            f"vary[{name!r}] is a {type(values).__name__}; give a list or an array of values, or a "
            "text such as '0:10:21'"
        )
    return "".join(f"{_text('vary', name, value)};" for value in values)


def _setting_texts(settings: Mapping[str, object] | None) -> dict[str, str]:
    """Return settings as in the command."""
    return {k: _text("settings", k, value) for k, value in (settings or {}).items()}


def response_texts(responses: Sequence[Response] | Response) -> list[str]:
    """Return responses as in the command."""
    return [_response_text(one) for one in _as_sequence(responses)]


def _text(argument: str, name: str, value: object) -> str:
    """Return the text from which the command reads a value."""
    plain = value.tolist() if isinstance(value, np.generic | np.ndarray) else value
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, int | float):
        return repr(plain)
    if isinstance(plain, tuple | list):
        return ",".join(_text(argument, name, part) for part in plain)
    if isinstance(plain, str) and (argument != "vary" or (plain.strip() == plain != "")):
        if argument == "vary" and ";" in plain:
            raise ScenarioError(f"vary[{name!r}] has the text {plain!r}; a ; separates values")
        return plain
    raise ScenarioError(
        f"{argument}[{name!r}] has the value {plain!r} of type {type(plain).__name__}; give "
        "numbers, texts, True or False, or tuples of them"
    )


def _range_text(argument: str, ranges: Mapping[str, tuple[float, float]] | None) -> str | None:
    if ranges is None:
        return None
    if len(ranges) != 1 or any(len(ends) != 2 for ends in ranges.values()):
        raise ScenarioError(
            f"{argument} takes one parameter and the ends of its range: {{'load': (0, 10)}}"
        )
    ((name, ends),) = ranges.items()
    low, high = (_text(argument, name, end) for end in ends)
    return f"{name}={low}:{high}"


def _as_sequence(responses: Sequence[Response] | Response) -> Sequence[Response]:
    return (responses,) if isinstance(responses, str) or callable(responses) else responses


def _response_text(response: Response) -> str:
    """Return a response as in the command; a function by file and name.

    Raises
    ------
    ScenarioError
        If it is a function that a worker cannot import.
    """
    if isinstance(response, str):
        return response
    name = getattr(response, "__qualname__", type(response).__name__)
    module = getattr(response, "__module__", "")
    path = inspect.getsourcefile(response) if inspect.isfunction(response) else None
    is_there = path is not None and Path(path).is_file() and name.isidentifier()
    if path is None or not is_there or module == "__main__":
        raise ScenarioError(
            f"The response {name} cannot be sent to other processes: it is defined in "
            f"{_origin(module, name)}; write it into a separate file, such as responses.py, and "
            f"give responses=['responses.py:{name if name.isidentifier() else 'NAME'}'], or import "
            "it from there"
        )
    return f"{path}:{name}"


def _origin(module: str, name: str) -> str:
    if "<lambda>" in name or "<locals>" in name:
        return "another function or without a name"
    return "the program that is run, or in a notebook" if module == "__main__" else "no file"

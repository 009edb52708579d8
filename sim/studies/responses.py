"""Responses: the numbers that a study asks of each run."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import numpy as np

from sim.errors import RecordingError, ScenarioError, SimError
from sim.maths.arrays import Array
from sim.maths.quadrature import integral
from sim.recording.choosing import chosen as chosen_channels
from sim.recording.recording import Recording
from sim.studies.margins import NAMES, margins, power_used

# name: (value, unit)
Responses = dict[str, tuple[float | None, str]]

USUAL = ("margin", "margin.*", "peak tau.*", "energy")

# What the reason of a case begins with that has a run, and lacks what was asked of it.
OPTION = "--response "


def _rms(y: Array, t: Array) -> float:
    return float(integral(y**2, t).over(float(t[-1] - t[0])).root().value or 0.0)


def _mean(y: Array, t: Array) -> float:
    return float(integral(y, t).over(float(t[-1] - t[0])).value or 0.0)


STATISTICS: Mapping[str, Callable[[Array, Array], float]] = {
    "peak": lambda y, t: float(np.max(np.abs(y))),
    "rms": _rms,
    "mean": _mean,
    "min": lambda y, t: float(np.min(y)),
    "max": lambda y, t: float(np.max(y)),
    "end": lambda y, t: float(y[-1]),
}

FORMS = (
    f"{', '.join(NAMES)}, energy, one of {', '.join(STATISTICS)} before a channel or pattern, "
    "such as 'peak tau.*', or FILE.py:FUNCTION"
)


@dataclass(frozen=True)
class Asked:
    """One response as it was asked for.

    Parameters
    ----------
    text : str
    statistic, pattern : str
        Of channels; empty for others.
    file, function : str
        Of a user's own; empty for others.
    """

    text: str
    statistic: str = ""
    pattern: str = ""
    file: str = ""
    function: str = ""

    def of(self, recording: Recording) -> Responses:
        """Its values for a judged recording.

        Raises
        ------
        ScenarioError
            If no channel matches, nothing is rated so, or the user's function fails or gives no
            numbers.
        """
        if self.is_margin:
            run = recording.run
            return self.require_rated(margins(self.text, run.checks, power_used(run.sizing)))
        if self.text == "energy":
            delivered = (one.delivered.value for one in recording.run.sizing)
            return {"energy": (math.fsum(value or 0.0 for value in delivered), "J")}
        if self.function:
            return _own(self, recording)
        reduced, t, found = STATISTICS[self.statistic], recording.t, Responses()
        for channel in self.channels(list(map(str, recording.recorded.columns))):
            value = reduced(recording.recorded[channel].to_numpy(), t)
            found[f"{self.statistic} {channel}"] = (value, recording.units[channel])
        return found

    @property
    def is_margin(self) -> bool:
        """Whether it is one of the margins, or a pattern of them."""
        return not self.statistic and any(fnmatchcase(name, self.text) for name in NAMES)

    def require_rated(self, found: Responses) -> Responses:
        """Margins, of which one that is asked for by its name must be there.

        Raises
        ------
        ScenarioError
            If no joint is rated so.
        """
        if not found and self.text in NAMES:
            raise ScenarioError(f"{OPTION}{self.text}: no joint that is judged is rated so")
        return found

    def channels(self, there: Sequence[str]) -> list[str]:
        """The channels that it is asked of.

        Raises
        ------
        ScenarioError
            If there is none.
        """
        try:
            return chosen_channels(there, self.pattern)
        except RecordingError as error:
            raise ScenarioError(f"{OPTION}{self.text!r}: {error}") from None


def asked(text: str) -> Asked:
    """A response from its text.

    Raises
    ------
    ScenarioError
        If it is none; says what there is.
    """
    words = text.split()
    if text == "energy" or Asked(text).is_margin:
        return Asked(text)
    file, colon, function = text.rpartition(":")
    if colon and file.endswith(".py"):
        path = Path(file).resolve()
        if not path.is_file():
            raise ScenarioError(f"--response {text!r}: there is no file {file}")
        _function(str(path), function)
        return Asked(f"{path}:{function}", file=str(path), function=function)
    if len(words) == 2 and words[0] in STATISTICS:
        return Asked(" ".join(words), statistic=words[0], pattern=words[1])
    raise ScenarioError(f"--response {text!r} is none; there are {FORMS}")


@cache
def _function(path: str, name: str) -> Callable[[Recording], object]:
    spec = importlib.util.spec_from_file_location(f"sim_response_{Path(path).stem}", path)
    if spec is None or spec.loader is None:
        raise ScenarioError(f"{path} cannot be read as Python")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise ScenarioError(f"{path}: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise ScenarioError(f"{path} defines no function {name!r}")
    return function


def _own(one: Asked, recording: Recording) -> Responses:
    """What a user's function says: a number, or numbers by name."""
    try:
        said = _function(one.file, one.function)(recording)
        named = said.items() if isinstance(said, Mapping) else [(one.function, said)]
        return {str(name): (float(value), "1") for name, value in named}  # type: ignore[arg-type]
    except SimError:
        raise
    except Exception as error:
        raise ScenarioError(f"{OPTION}{one.text}: {type(error).__name__}: {error}") from error

"""Responses: numbers that a study extracts from each run.

A margin is the remaining fraction of the joints' ranges and ratings, by kind.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import numpy as np

from sim.checks.sizing import motor_loads
from sim.errors import RecordingError, ScenarioError, SimError, missing
from sim.maths.arrays import Array
from sim.maths.quadrature import integral
from sim.recording.recording import Recording
from sim.recording.schema.choosing import choose_channels as chosen_channels
from sim.recording.schema.verdicts import Check, DriveSizing
from sim.scenario.script import recorded_code, run_file

# name: (value, unit)
Responses = dict[str, tuple[float | None, str]]

USUAL = ("margin", "margin.*", "peak tau.*", "energy")

# Prefix of the reason of a case that has a run but lacks a response.
OPTION = "--response "


# Names of checks by kind of margin; `margin` combines the limiting ones.
KINDS: Mapping[str, tuple[str, ...]] = {
    "torque": ("rated torque",),
    "speed": ("rated speed",),
    "range": ("lower position limit", "upper position limit"),
}
RATINGS = tuple(name for names in KINDS.values() for name in names)

# 1 - largest |power| / (rated torque · rated speed). A URDF has no power rating: no check covers
# it, and it is not part of `margin`.
POWER = "margin.power"
NAMES = ("margin", *(f"margin.{kind}" for kind in KINDS), POWER)


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
class ResponseSpec:
    """A requested response, or pattern of responses.

    Parameters
    ----------
    text : str
    statistic, pattern : str
        For channels; otherwise empty.
    file, function : str
        For user functions; otherwise empty.
    """

    text: str
    statistic: str = ""
    pattern: str = ""
    file: str = ""
    function: str = ""

    @property
    def name(self) -> str:
        """Its text, without the folder of a user's function."""
        return without_folder(self.text)

    def evaluate(self, recording: Recording) -> Responses:
        """Return its values for a judged recording.

        Raises
        ------
        ScenarioError
            If no channel matches, there is no such rating, or the user's function fails or does not
            return numbers.
        """
        if self.is_margin:
            run = recording.run
            used = power_used(motor_loads(recording))
            return self.require_rated(margins(self.text, run.checks, used))
        if self.text == "energy":
            delivered = (one.delivered.value for one in motor_loads(recording))
            return {"energy": (math.fsum(value or 0.0 for value in delivered), "J")}
        if self.function:
            return _call_function(self, recording)
        reduced, t, responses = STATISTICS[self.statistic], recording.t, Responses()
        for channel in self.matching_channels(list(map(str, recording.recorded.columns))):
            value = reduced(recording.recorded[channel].to_numpy(), t)
            responses[f"{self.statistic} {channel}"] = (value, recording.units[channel])
        return responses

    @property
    def is_margin(self) -> bool:
        """Whether it is a margin, or a pattern of margins."""
        return not self.statistic and any(fnmatchcase(name, self.text) for name in NAMES)

    def require_rated(self, responses: Responses) -> Responses:
        """Check that a margin requested by name exists.

        Raises
        ------
        ScenarioError
            If no joint has such a rating.
        """
        if not responses and self.text in NAMES:
            raise ScenarioError(f"{OPTION}{self.text}: no checked joint has this rating")
        return responses

    def matching_channels(self, available: Sequence[str]) -> list[str]:
        """Return the channels that match its pattern.

        Raises
        ------
        ScenarioError
            If there is none.
        """
        try:
            return chosen_channels(available, self.pattern)
        except RecordingError as error:
            raise ScenarioError(f"{OPTION}{self.text!r}: {error}") from None


def without_folder(text: str) -> str:
    """Return the text of a response without the folder of a user's function."""
    file, _, function = text.rpartition(":")
    return f"{Path(file).name}:{function}" if file.endswith(".py") else text


def parse_response(text: str) -> ResponseSpec:
    """Parse a response.

    Raises
    ------
    ScenarioError
        If it is invalid; lists those available.
    """
    words = text.split()
    if text == "energy" or ResponseSpec(text).is_margin:
        return ResponseSpec(text)
    file, colon, function = text.rpartition(":")
    if colon and file.endswith(".py"):
        path = Path(file).resolve()
        if not path.is_file():
            raise ScenarioError(f"--response {text!r}: {missing(file)}")
        _load_function(str(path), function)
        return ResponseSpec(f"{path}:{function}", file=str(path), function=function)
    if len(words) == 2 and words[0] in STATISTICS:
        return ResponseSpec(" ".join(words), statistic=words[0], pattern=words[1])
    raise ScenarioError(f"--response {text!r} is not a response; responses: {FORMS}")


@cache
def _load_function(path: str, name: str) -> Callable[[Recording], object]:
    function = getattr(run_file(Path(path), "sim_response_"), name, None)
    if not callable(function):
        raise ScenarioError(f"{path} defines no function {name!r}")
    return function


def _call_function(one: ResponseSpec, recording: Recording) -> Responses:
    """Return the values of a user's function: a number, or numbers by name."""
    try:
        function = _load_function(one.file, one.function)
        with recorded_code(Path(one.file)):
            result = function(recording)
    except SimError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise ScenarioError(f"{OPTION}{one.name} failed: {why}") from error
    named = result.items() if isinstance(result, Mapping) else [(one.function, result)]
    try:
        return {str(name): (float(value), "1") for name, value in named}  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ScenarioError(
            f"{OPTION}{one.name} must return a number, math.nan where a run has none, or a dict of "
            f"numbers by name; got {reprlib.repr(result)}"
        ) from None


def checks_of(name: str) -> tuple[str, ...]:
    """Return the checks of a margin; empty for other responses."""
    return RATINGS if name == "margin" else KINDS.get(name.removeprefix("margin."), ())


def margins(pattern: str, checks: Iterable[Check], power: float | None) -> Responses:
    """Return the margins that match a name or pattern: 1 - fraction of the limit, 0 at the limit.

    A passed check has no negative margin: margins allow the same rounding. Negative if violated;
    None if a joint is beyond its range and there is no fraction. `margin` is the minimum of torque,
    speed and range, 1 without ratings; others exist only with ratings.

    Parameters
    ----------
    pattern : str
        One of `NAMES`, or a pattern with ``*``.
    checks : iterable of Check
    power : float or None
        Largest fraction of the power at a joint's rated torque and speed.
    """
    rated = [check for check in checks if check.name in RATINGS]
    responses: Responses = {}
    for name in (name for name in NAMES if fnmatchcase(name, pattern)):
        if name == POWER:
            if power is not None:
                responses[name] = (1.0 - power, "1")
            continue
        names = checks_of(name)
        matching = [check for check in rated if check.name in names]
        if matching or name == "margin":
            responses[name] = (least_margin(matching), "1")
    return responses


def least_margin(checks: Sequence[Check]) -> float | None:
    """Return the least margin of checks, 1 without any; None if one has no fraction."""
    shares = [
        min(check.used, 1.0) if check.ok and check.used is not None else check.used
        for check in checks
    ]
    known = [share for share in shares if share is not None]
    return None if len(known) < len(shares) else 1.0 - max(known, default=0.0)


def power_used(sizing: Iterable[DriveSizing]) -> float | None:
    """Return the largest fraction, of either sign, of the power at rated torque and rated speed.

    None if no drive has both ratings.
    """
    shares = [
        max(abs(point.power or 0.0) for point in (one.peak_power, one.least_power)) / corner
        for one in sizing
        if one.torque_margin is not None and one.speed_margin is not None
        and (corner := one.torque_margin.rated * one.speed_margin.rated)
    ]  # fmt: skip
    return max(shares, default=None)

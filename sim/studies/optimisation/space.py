"""Space: parameters of an optimisation, each as a fraction between 0 and 1 of its range."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sim.errors import ScenarioError
from sim.maths.arrays import Array
from sim.scenario.script import Script
from sim.studies.design import require_different
from sim.studies.variation import Variation, parse_variation, value_text

END = 1e-9  # of a range: distance that counts as its end
SMALLEST = 1e-5  # range over its larger end; a hundred-thousandth of it still has two digits


@dataclass(frozen=True)
class Space:
    """The varied parameters.

    Parameters
    ----------
    variations : tuple of Variation
        Ranges, and lists of values; an integer range includes all integers.
    """

    variations: tuple[Variation, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(one.name for one in self.variations)

    @property
    def free(self) -> tuple[int, ...]:
        """Indices of the continuous parameters."""
        return tuple(k for k, one in enumerate(self.variations) if not is_discrete(one))

    @property
    def discrete(self) -> tuple[int, ...]:
        """Indices of the discrete parameters."""
        return tuple(k for k, one in enumerate(self.variations) if is_discrete(one))

    def combination_count(self) -> int:
        """Number of combinations of the discrete values."""
        return math.prod(level_count(self.variations[k]) for k in self.discrete)

    def combinations(self) -> Iterator[tuple[float, ...]]:
        """Yield the fractions of the discrete parameters for all their combinations."""
        shares = (level_shares(self.variations[k]) for k in self.discrete)
        return itertools.product(*shares)

    def parameters(self, x: Array) -> dict[str, object]:
        """Return the parameter values at a point of fractions (n,)."""
        return {
            one.name: _value_at(one, float(share))
            for one, share in zip(self.variations, x, strict=True)
        }

    def shares(self, parameters: dict[str, object]) -> Array:
        """Return the point of some values, (n,); a discrete value is the middle of its interval."""
        return np.array([_share_of(one, parameters[one.name]) for one in self.variations])

    def middle(self) -> Array:
        """The middle of all ranges."""
        return np.full(len(self.variations), 0.5)

    def width(self, k: int) -> float:
        """Return the range of a continuous parameter, in its unit."""
        low, high = self.variations[k].range
        return high - low


def is_discrete(one: Variation) -> bool:
    """Whether a parameter has discrete values only."""
    return bool(one.values) or one.is_whole


def level_count(one: Variation) -> int:
    """Return the number of values of a discrete parameter."""
    if one.values:
        return len(one.values)
    low, high = one.range
    return round(high - low) + 1


def level_shares(one: Variation) -> list[float]:
    """Return the fractions of a discrete parameter's values, in the middle of their intervals."""
    count = level_count(one)
    return [(k + 0.5) / count for k in range(count)]


def _value_at(one: Variation, share: float) -> object:
    if one.values:
        return one.values[min(int(len(one.values) * share), len(one.values) - 1)]
    if share < END or share > 1.0 - END:
        return one.at(round(share))  # solvers reach the ends up to rounding
    return one.at(share)


def _share_of(one: Variation, value: object) -> float:
    if not is_discrete(one):
        return one.share_of(float(str(value)))
    if one.values:
        return (one.values.index(value) + 0.5) / len(one.values)
    return (float(str(value)) - one.range[0] + 0.5) / level_count(one)


def parse_space(script: Script, vary: Sequence[str]) -> Space:
    """Return the space of given ``--vary`` options.

    Raises
    ------
    ScenarioError
        If there is none, one occurs twice, or a range has a single value.
    """
    if not vary:
        raise ScenarioError(
            "No parameter varies: give --vary P=A:B; parameters of "
            f"{script.name}: {', '.join(script.parameters) or 'none'}"
        )
    variations = tuple(parse_variation(script, text) for text in vary)
    require_different(variations)
    for one in variations:
        _require_interior(one)
    return Space(variations)


def _require_interior(one: Variation) -> None:
    """Check that a parameter can have two values or more.

    Raises
    ------
    ScenarioError
        If it cannot; gives its range.
    """
    if one.values:
        if len(one.values) < 2:
            raise ScenarioError(
                f"--vary {one.name}={value_text(one.values[0])} has a single value, which leaves "
                f"nothing to vary; use --set {one.name}={value_text(one.values[0])}"
            )
        return
    low, high = one.range
    if high - low < SMALLEST * max(abs(low), abs(high)):
        raise ScenarioError(
            f"--vary {one.name}={low!r}:{high!r} is a range without interior: it is "
            f"narrower than {SMALLEST:g} of its larger end; give a wider one"
        )

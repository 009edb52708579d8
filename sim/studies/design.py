"""Design: the cases of a study, from a full grid or sampled between range ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Literal

from sim.errors import ScenarioError
from sim.recording.files.whole_files import json_text
from sim.studies.request import DesignName
from sim.studies.variation import MOST_CASES, Variation

SAMPLED: tuple[DesignName, ...] = ("lhs", "sobol", "random")
SENSITIVITY: tuple[DesignName, ...] = ("tornado", "morris", "sobol-indices")
SAMPLES = 64  # default of --samples
TRAJECTORIES = 10  # default of --samples for Morris


@dataclass(frozen=True)
class StudyCase:
    """Values of the varied parameters, and index of the tolerance draw.

    Parameters
    ----------
    parameters : mapping of str to object
    draw : int or None
        None if nothing is drawn.
    folder : str
        Folder of its run, below the study's folder; empty if the run is not kept.
    """

    parameters: Mapping[str, object]
    draw: int | None = None
    folder: str = ""

    @cached_property
    def text(self) -> str:
        """JSON of parameters and draw, which determine the numbers of a case."""
        return json_text([dict(sorted(self.parameters.items())), self.draw])


@dataclass(frozen=True)
class Design:
    """The cases of a study, in order, created on demand.

    Parameters
    ----------
    name : str
    variations : tuple of Variation
    points : tuple of tuple
        Parameter values of a sampled design; empty for a grid.
    draws : int
        Number of tolerance draws at each point; 0 without tolerances.
    shares : tuple of tuple of float
        Points of a sensitivity design in original form, between 0 and 1.
    note : str
        Remark on the design for the reader.
    """

    name: DesignName | Literal["search"]
    variations: tuple[Variation, ...]
    points: tuple[tuple[object, ...], ...] = ()
    draws: int = 0
    shares: tuple[tuple[float, ...], ...] = field(default=(), repr=False)
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the varied parameters."""
        return tuple(one.name for one in self.variations)

    @property
    def _at(self) -> int:
        if self.name == "grid":
            return math.prod(len(one.values) for one in self.variations)
        return len(self.points)

    @property
    def count(self) -> int:
        """Number of cases."""
        return self._at * max(self.draws, 1)

    def cases(self) -> list[StudyCase]:
        """Return all cases, in order."""
        is_grid, names = self.name == "grid", self.names
        points = product(*(one.values for one in self.variations)) if is_grid else self.points
        draws = range(self.draws) if self.draws else (None,)
        return [
            StudyCase(dict(zip(names, point, strict=True)), draw)
            for point in points
            for draw in draws
        ]

    def case(self, index: int) -> StudyCase:
        """Return the case of an index below `count`."""
        place, draw = divmod(index, max(self.draws, 1))
        if self.name == "grid":
            values = []
            for one in reversed(self.variations):
                place, k = divmod(place, len(one.values))
                values.append(one.values[k])
            point: tuple[object, ...] = tuple(reversed(values))
        else:
            point = self.points[place]
        return StudyCase(dict(zip(self.names, point, strict=True)), draw if self.draws else None)


def grid(variations: Sequence[Variation], draws: int = 0) -> Design:
    """Return all combinations of parameter values; the last parameter varies fastest.

    Raises
    ------
    ScenarioError
        If a parameter is named twice, has a range without a count, or there are too many cases.
    """
    require_different(variations)
    for one in variations:
        if not one.values:
            raise ScenarioError(
                f"--vary {one.text}: a grid needs values: {one.name}=first:last:count or a list; "
                "or choose a sampling design, such as --design lhs"
            )
    design = Design("grid", tuple(variations), draws=draws)
    require_not_too_many(design.count)
    return design


def sample_design(
    name: DesignName, variations: Sequence[Variation], samples: int, seed: int, draws: int = 0
) -> Design:
    """Return `samples` points of a Latin hypercube, a Sobol sequence or a random design.

    Raises
    ------
    ScenarioError
        As for `grid`, or if a parameter has no range.
    """
    from scipy.stats import qmc

    require_different(variations)
    require_not_too_many(samples * max(draws, 1))
    _ = [one.range for one in variations]
    size, note = len(variations), ""
    if name == "sobol":
        power = max(samples - 1, 1).bit_length()  # Sobol sequences are balanced in powers of two
        if samples < (whole := 1 << power):
            note = (
                f"the first {samples} of {whole} points of a Sobol sequence, which cover the "
                f"ranges evenly only as a whole: use --samples {whole // 2} or {whole}"
            )
        shares = qmc.Sobol(size, rng=seed).random_base2(power)[:samples]
    elif name == "lhs":
        shares = qmc.LatinHypercube(size, rng=seed).random(samples)
    else:
        import numpy as np

        shares = np.random.default_rng(seed).random((samples, size))
    points = _points(variations, shares.tolist())
    return Design(name, tuple(variations), points, draws, note=note)


def _points(
    variations: Sequence[Variation], shares: Sequence[Sequence[float]]
) -> tuple[tuple[object, ...], ...]:
    return tuple(
        tuple(one.at(share) for one, share in zip(variations, row, strict=True)) for row in shares
    )


def design_from_shares(
    name: DesignName, variations: Sequence[Variation], shares: Sequence[Sequence[float]]
) -> Design:
    """Return a design whose points are given as fractions of the ranges."""
    require_different(variations)
    require_not_too_many(len(shares))
    points = _points(variations, shares)
    return Design(name, tuple(variations), points, shares=tuple(map(tuple, shares)))


def search_design(one: Variation, values: Sequence[float]) -> Design:
    """Return the values of one parameter tried by a search, in order."""
    _ = one.range
    return Design("search", (one,), tuple((value,) for value in sorted(values)))


def require_different(variations: Sequence[Variation]) -> None:
    """Check that there are parameters, and that each occurs once.

    Raises
    ------
    ScenarioError
        If this is not the case.
    """
    names = [one.name for one in variations]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ScenarioError(f"--vary names {twice[0]!r} twice; give all its values in one option")


def require_not_too_many(cases: int) -> None:
    """Check that a study is of feasible size.

    Raises
    ------
    ScenarioError
        With the requested and the largest number of cases.
    """
    if cases > MOST_CASES:
        raise ScenarioError(
            f"The study has {cases:,} cases; at most {MOST_CASES:,} are allowed: vary fewer "
            "parameters or fewer values, or sample (--design lhs --samples N)"
        )

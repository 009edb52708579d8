"""What a study answers beyond its rows: an optimum or sensitivities; how the model was proved."""

from __future__ import annotations

import msgspec

from sim.studies.sensitivity import Effect
from sim.studies.variation import places_of


class SearchFound(msgspec.Struct, frozen=True, kw_only=True, tag="search"):
    """The optimum of one parameter.

    Parameters
    ----------
    parameter, direction, limit : str
    ends : tuple of float
        The range that was searched.
    holds, fails : float or None
        The value that keeps the limit and the nearest beyond that does not.
    value : float or None
        The answer: what is between both, as many digits of it as the precision has.
    precision : float
        How far they may be apart.
    binds : str
        What breaks the limit at `fails`, such as ``elbow_joint torque``; where nothing holds what
        is nearest to holding, and where nothing fails what is nearest to the limit.
    tried : int
        How many values.
    """

    parameter: str
    direction: str
    limit: str
    ends: tuple[float, float]
    holds: float | None
    fails: float | None
    value: float | None = None
    precision: float = 0.0
    binds: str = ""
    tried: int = 0

    @property
    def words(self) -> str:
        """The answer in a sentence."""
        low, high = self.ends
        asked = f"{self.direction} {self.parameter} with {self.limit}"
        why = f": {self.binds}" if self.binds else ""
        if self.holds is None:
            return f"{asked}: none between {low:g} and {high:g}"
        if self.fails is None:
            return f"{asked}: {self.holds:.12g}, the end of the range, still keeps it"
        value = self.text_of(self.holds if self.value is None else self.value)
        kept = f"{self.holds:.12g} keeps it, {self.fails:.12g} does not{why}"
        return f"{asked}: {value} ({kept})"

    @property
    def note(self) -> str:
        """What the answer takes for granted, and what was not found."""
        tried = f"{self.tried} values tried"
        if self.holds is None:
            return f"{tried}; what is nearest to keeping it breaks {self.binds}"
        if self.fails is None:
            return f"{tried}; nearest to its limit there: {self.binds}"
        end = self.ends[1] if self.direction == "largest" else self.ends[0]
        if end == self.fails:
            return tried
        between = f"{self.fails:.12g} and {end:g}"
        return f"{tried}; one crossing is assumed: that nothing between {between} keeps it"

    def text_of(self, value: float) -> str:
        """A value with as many digits as the precision asks for."""
        if self.precision <= 0:
            return f"{value:.6g}"
        return f"{value:.{max(places_of(self.precision), 0)}f}"


class EffectsFound(msgspec.Struct, frozen=True, kw_only=True, tag="effects"):
    """Sensitivities, of each response the strongest first.

    Parameters
    ----------
    design : str
    effects : list of Effect
    """

    design: str
    effects: list[Effect]


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """The model alone against runs of some cases.

    Parameters
    ----------
    cases : list of int
        Numbers of the cases, from 1, that were simulated.
    response : str
        The one that is farthest off.
    off : float
        How far, as a share of the largest size of that response in the study.
    limit : float
    ok : bool
    speed : float
        Cases a second of the model alone; 0 where none was computed now.
    """

    cases: list[int]
    response: str
    off: float
    limit: float
    ok: bool
    speed: float = 0.0


Answer = SearchFound | EffectsFound

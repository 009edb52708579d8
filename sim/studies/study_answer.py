"""What a study answers beyond its rows: an optimum or sensitivities; how the model was proved."""

from __future__ import annotations

import msgspec

from sim.studies.sensitivity import Effect


class SearchFound(msgspec.Struct, frozen=True, kw_only=True, tag="search"):
    """The optimum of one parameter.

    Parameters
    ----------
    parameter, direction, limit : str
    ends : tuple of float
        The range that was searched.
    holds, fails : float or None
        The value that keeps the limit and the nearest that does not.
    """

    parameter: str
    direction: str
    limit: str
    ends: tuple[float, float]
    holds: float | None
    fails: float | None

    @property
    def words(self) -> str:
        """The answer in a sentence."""
        low, high = self.ends
        asked = f"{self.direction} {self.parameter} with {self.limit}"
        if self.holds is None:
            return f"{asked}: none between {low:g} and {high:g}"
        if self.fails is None:
            return f"{asked}: {self.holds:.6g}, the end of the range, still keeps it"
        return f"{asked}: {self.holds:.6g} ({self.fails:.6g} does not)"


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

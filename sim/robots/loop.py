"""Loop: two points of two links that coincide, which a tree cannot state."""

from __future__ import annotations

from dataclasses import dataclass

from sim.maths.arrays import Array, frozen
from sim.showing.one_line import one_line


@dataclass(frozen=True, eq=False)
class Loop:
    """Two points of two links that coincide.

    Parameters
    ----------
    name : str
    link_a, link_b : str
    point_a, point_b : ndarray, shape (3,)
        In the frame of their link [m].
    normal : ndarray, shape (3,) or None
        Unit vector in the frame of `link_a`; the points coincide in the plane across it only.
    passive : tuple of str
        The joints whose positions the loop decides.
    """

    name: str
    link_a: str
    point_a: Array
    link_b: str
    point_b: Array
    normal: Array | None = None
    passive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "point_a", frozen(self.point_a, (3,)))
        object.__setattr__(self, "point_b", frozen(self.point_b, (3,)))
        if self.normal is not None:
            object.__setattr__(self, "normal", frozen(self.normal, (3,)))

    def __repr__(self) -> str:
        return one_line(f"Loop {self.name}:", f"{self.link_a} – {self.link_b}")

"""Smallest distances between links over a run, in its description."""

from __future__ import annotations

from sim.recording.schema.base import Facts, Vector


class PairFacts(Facts, frozen=True, kw_only=True):
    """Smallest distance between two links, or between floor and link, over a run.

    Parameters
    ----------
    first, second : str
    distance : float
        Negative: penetration depth [m].
    at : float
        [s]
    left_over : float
        Largest possible further reduction at any time of the run [m].
    points : tuple of two vectors
        Closest points of both at that time, in the world [m].
    first_touch : float or None
        Time of the first contact [s].
    second_answer : float or None
        Distance at that time by another library [m].
    """

    first: str
    second: str
    distance: float
    at: float
    left_over: float
    points: tuple[Vector, Vector]
    first_touch: float | None
    second_answer: float | None


class ClearanceFacts(Facts, frozen=True, kw_only=True):
    """Request for the distances between links, and its result.

    Parameters
    ----------
    wanted : float
        Smallest allowed distance [m].
    floor : float or None
        Height of the floor [m].
    excluded, left_out : tuple of pairs of str
        Pairs of links that are not judged: by request, and because they touch by design.
    pieces : int
        Number of convex pieces of all links.
    lever : float
        Largest displacement of a point of any pair if each joint moves by 1 rad or 1 m [m].
    channels : tuple of str
    by, second_by : str
        The libraries; None without a second one.
    pairs : tuple of PairFacts
        In order of distance.
    """

    wanted: float
    floor: float | None
    excluded: tuple[tuple[str, str], ...]
    left_out: tuple[tuple[str, str], ...]
    pieces: int
    lever: float
    channels: tuple[str, ...]
    by: str
    second_by: str | None
    pairs: tuple[PairFacts, ...]

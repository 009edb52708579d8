"""The smallest distances of links over a run, as its description keeps them."""

from __future__ import annotations

from sim.recording.schema.base import Facts, Vector


class PairFacts(Facts, frozen=True, kw_only=True):
    """The smallest distance of two links, or of the floor and a link, over a run.

    Parameters
    ----------
    first, second : str
    distance : float
        Negative: how deep they are in each other [m].
    at : float
        [s]
    left_over : float
        How much less it can still be at any time of the run [m].
    points : tuple of two vectors
        The nearest points of the two then, in the world [m].
    first_touch : float or None
        When they touch first [s].
    second_answer : float or None
        The distance then by another library [m].
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
    """Request for the distances between links, and its answer.

    Parameters
    ----------
    wanted : float
        Smallest distance that is allowed [m].
    floor : float or None
        Height of the floor [m].
    excluded, left_out : tuple of pairs of str
        Links that are not judged: as asked, and because they touch by design.
    pieces : int
        Convex pieces of all links.
    lever : float
        How far a point of any pair can move where each joint moves by 1 rad or 1 m [m].
    channels : tuple of str
    by, second_by : str
        The libraries; no second one is None.
    pairs : tuple of PairFacts
        The nearest first.
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

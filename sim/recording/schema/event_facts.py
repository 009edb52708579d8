"""Events of a run, as `run.json` keeps them."""

from __future__ import annotations

from sim.recording.schema.base import Facts


class OccurrenceFacts(Facts, frozen=True, kw_only=True):
    """One time at which a condition became true, by engine and model.

    Parameters
    ----------
    t, recorded : float or None
        By the model and by the engine [s]; None where it did not happen there.
    rate : float
        How fast the two sides of the condition pass each other, per second.
    by_position, by_velocity : float
        How much their difference changes with a unit of every position, and of every speed.
    q, qd : dict of str to float
        The motion then, by joint [rad or m], [rad/s or m/s].
    """

    t: float | None = None
    recorded: float | None = None
    rate: float
    by_position: float
    by_velocity: float
    q: dict[str, float]
    qd: dict[str, float]


class ConditionFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """An event that waits for a condition; see `sim.scenario.events.When`.

    Parameters
    ----------
    condition : str
    then : tuple of str
        What happens, such as ``end the run``.
    repeat : bool
    occurrences : tuple of OccurrenceFacts
        In order of time.
    """

    condition: str
    then: tuple[str, ...]
    repeat: bool = False
    occurrences: tuple[OccurrenceFacts, ...] = ()

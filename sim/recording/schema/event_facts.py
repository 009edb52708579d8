"""Events of a run, in `run.json`."""

from __future__ import annotations

from sim.recording.schema.base import Facts


class OccurrenceFacts(Facts, frozen=True, kw_only=True):
    """One time at which a condition became true, by engine and model.

    Parameters
    ----------
    t, recorded : float or None
        By the model and by the engine [s]; None if it did not occur there.
    rate : float
        Rate of the difference between both sides of the condition, per second.
    by_position, by_velocity : float
        Change of this difference per unit of every position, and of every velocity.
    q, qd : dict of str to float
        State at that time, by joint [rad or m], [rad/s or m/s].
    """

    t: float | None = None
    recorded: float | None = None
    rate: float
    by_position: float
    by_velocity: float
    q: dict[str, float]
    qd: dict[str, float]


class ConditionFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """A conditional event; see `sim.scenario.events.When`.

    Parameters
    ----------
    condition : str
    then : tuple of str
        Actions, such as ``end the run``.
    repeat : bool
    occurrences : tuple of OccurrenceFacts
        In order of time.
    """

    condition: str
    then: tuple[str, ...]
    repeat: bool = False
    occurrences: tuple[OccurrenceFacts, ...] = ()

"""The clock of a playback: what time to show next, from the controls and the time gone by."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

STEP = 0.05  # s of the run; one press of an arrow key


@dataclass(frozen=True)
class Controls:
    """What the controls of the window say.

    Parameters
    ----------
    time : float
        Where the time slider stands [s].
    speed : float
        Seconds of the run in a second.
    presses : int
        How often the button has been pressed.
    """

    time: float
    speed: float
    presses: int


@dataclass(frozen=True)
class Moment:
    """The time that is shown [s], and whether it runs."""

    t: float
    playing: bool


def advanced(
    moment: Moment,
    before: Controls,
    now: Controls,
    elapsed: float,
    duration: float,
    keys: Collection[str] = (),
) -> Moment:
    """The next moment.

    The time slider cannot follow the playback, so only its being moved counts: it takes the time
    there and stops. The button and the space bar start and stop; from the end they start at 0.
    An arrow key stops and steps.

    Parameters
    ----------
    before, now : Controls
        At the last moment, and at this one.
    elapsed : float
        Wall-clock time since the last moment [s].
    duration : float
        Of the run [s].
    keys : collection of str
        ``space``, ``left``, ``right``, as pressed since the last moment.
    """
    if now.time != before.time:
        return Moment(min(max(now.time, 0.0), duration), playing=False)
    if "left" in keys or "right" in keys:
        step = STEP * (("right" in keys) - ("left" in keys))
        return Moment(min(max(moment.t + step, 0.0), duration), playing=False)
    if (now.presses - before.presses + ("space" in keys)) % 2:
        start = 0.0 if moment.t >= duration and not moment.playing else moment.t
        return Moment(start, not moment.playing)
    if not moment.playing:
        return moment
    t = moment.t + elapsed * now.speed
    return replace(moment, t=t) if t < duration else Moment(duration, playing=False)

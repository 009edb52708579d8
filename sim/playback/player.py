"""The clock of a playback: what time to show next, from the keys and the time gone by."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

STEP = 0.05  # s of the run; one press of an arrow key
TENFOLD = 10  # steps of one press with shift
SLOWEST, FASTEST = 1 / 16, 16.0  # s of the run in a second


@dataclass(frozen=True)
class Moment:
    """The time that is shown [s], whether it runs, and how many seconds of it in one."""

    t: float
    playing: bool
    speed: float = 1.0


def advance(
    moment: Moment,
    elapsed: float,
    duration: float,
    keys: Collection[str] = (),
    chosen: float | None = None,
) -> Moment:
    """The next moment.

    A time that a person points at, and an arrow key, stop there. The space bar starts and stops;
    from the end it starts at 0. The other two arrow keys double and halve the speed.

    Parameters
    ----------
    elapsed : float
        Wall-clock time since the last moment [s].
    duration : float
        Of the run [s].
    keys : collection of str
        ``space``, ``left``, ``right``, ``up``, ``down``, ``r``, as pressed since the last moment,
        and ``shift`` while it is held.
    chosen : float, optional
        The time that a person points at [s].
    """
    faster = 2.0 ** (("up" in keys) - ("down" in keys))
    speed = min(max(moment.speed * faster, min(SLOWEST, moment.speed)), max(FASTEST, moment.speed))
    moment = replace(moment, speed=speed)
    if chosen is not None:
        return replace(moment, t=min(max(chosen, 0.0), duration), playing=False)
    if "left" in keys or "right" in keys:
        step = STEP * (TENFOLD if "shift" in keys else 1)
        t = moment.t + step * (("right" in keys) - ("left" in keys))
        return replace(moment, t=min(max(t, 0.0), duration), playing=False)
    if "r" in keys:
        return replace(moment, t=0.0)
    if "space" in keys:
        start = 0.0 if moment.t >= duration and not moment.playing else moment.t
        return replace(moment, t=start, playing=not moment.playing)
    if not moment.playing:
        return moment
    t = moment.t + elapsed * moment.speed
    return replace(moment, t=t) if t < duration else replace(moment, t=duration, playing=False)

"""A run in PyBullet's window: keys for time, speed and view, the tool's path, a ghost."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from sim.engines.bullet.view.camera import Camera
from sim.engines.bullet.view.scene import SceneItem
from sim.engines.bullet.view.window import FIELD_OF_VIEW, HEIGHT, WIDTH, Label, Window
from sim.playback.colours import BLUE, BROWN, GREY, GRID, INK, ORANGE, PEDESTAL, VERDICTS
from sim.playback.framing import framing, size_of
from sim.playback.reach import grid, ground_below, pedestal
from sim.playback.shown_run import PATH_RADIUS, ShownRun
from sim.playback.tube import tube
from sim.shapes.ground import Ground

FRAME = 1 / 60  # s between two poses
TEXT_INTERVAL = 0.2  # s between two texts; one takes as long as a picture

ROOM = 0.25  # around the motion, relative to the robot's length: wide lens

# Part of the window used, from -1 to 1: text is above, the line of help below.
FREE = (-1.0, 1.0, 2 * 40 / HEIGHT - 1, 1 - 2 * 100 / HEIGHT)
EDGE = 0.93  # of the height; below it the mouse selects the time

# Azimuth and elevation of the camera by key, in PyBullet's degrees: as on the page of a run.
VIEWS = {"1": (50.0, -20.0), "2": (90.0, -2.0), "3": (180.0, -2.0), "4": (90.0, -89.9)}

HELP_Y = HEIGHT - 14
HELP = (
    "space: play / pause   arrows: step (shift: 10 steps), faster, slower   r: from the start   "
    "1 2 3 4: views   drag along this edge: time   ctrl + drag: turn   Esc: close"
)


def open_run_window(shown: ShownRun, speed: float) -> Iterator[Moment]:
    """Open a window and play a run until the user closes it; yield each shown moment."""
    with Window(panels=False) as window:
        yield from play_in(window, shown, speed)


def play_in(
    window: Window,
    shown: ShownRun,
    speed: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Moment]:
    """Play a run in an open window; yield each shown moment.

    Parameters
    ----------
    clock, sleep : callable
        Wall-clock time [s], and sleep function.
    """
    ground = ground_below(shown)
    with window.draw_at_once():
        robot, ghost = _add_run(window, shown, ground)
    _look(window, shown, ground, "1")
    duration = shown.track.duration
    moment = Moment(0.0, playing=True, speed=speed)
    last, text_time = clock(), -TEXT_INTERVAL
    carried: dict[str, bool] = {}
    while True:
        time_now, keys, place = clock(), window.pressed_keys(), window.pointer_position()
        chosen = place[0] * duration if place is not None and place[1] > EDGE else None
        moment = advance(moment, time_now - last, duration, keys, chosen)
        last = time_now
        for key in keys & VIEWS.keys():
            _look(window, shown, ground, key)
        window.place(robot, shown.track.at(moment.t))
        if (now_carried := shown.carried_payloads(moment.t)) != carried:
            carried = now_carried
            window.show(robot, carried)
        if ghost is not None and shown.ghost is not None:
            window.place(ghost, shown.ghost.track.at(moment.t))
        if time_now - text_time >= TEXT_INTERVAL:
            window.write(labels(shown, moment))
            text_time = time_now
        yield moment
        sleep(FRAME)


def _add_run(window: Window, shown: ShownRun, ground: Ground) -> tuple[SceneItem, SceneItem | None]:
    """Add robot, ghost and path to the window."""
    robot = window.add(shown.robot, shown.look.shapes, keep_separate=shown.carried_payloads(0.0))
    ghost = None
    if shown.ghost is not None and shown.ghost.is_visible:
        ghost = window.add(shown.robot, shown.look.shapes, ORANGE)
    size = size_of(shown.robot)
    if (path := tube(shown.path, PATH_RADIUS * size)) is not None:
        window.add_mesh(path, BLUE)
    if (drum := pedestal(ground)) is not None:
        window.add_mesh(drum, (*PEDESTAL[:3], 0.35 if ground.pierced else 1.0))
    window.add_mesh(grid(ground, size), GRID)
    return robot, ghost


def _look(window: Window, shown: ShownRun, ground: Ground, key: str) -> None:
    """View all that is reached, from one of the standard sides."""
    yaw, pitch = VIEWS[key]
    wide = Camera(np.zeros(3), 1.0, yaw, pitch, FIELD_OF_VIEW)
    room = ROOM * size_of(shown.robot)
    window.look(framing(ground.reached.T, room, WIDTH / HEIGHT, FREE, wide))


def labels(shown: ShownRun, moment: Moment) -> dict[str, Label]:
    """Return the text next to the robot."""
    state = "" if moment.playing else "   (paused)"
    of = f" of {shown.track.duration:.4g} s   speed {moment.speed:.3g}"
    caption = shown.caption(moment.t).removesuffix(" s") + of + state
    texts = {"time": Label(24, 34, caption, size=1.4)}
    if shown.verdict:
        colour = VERDICTS.get(shown.verdict, INK)
        texts["verdict"] = Label(24, 60, f"verdict: {shown.verdict}", colour, 1.2)
    if shown.ghost is not None:
        texts["ghost"] = Label(24, 84, shown.ghost.words, BROWN)
    texts["help"] = Label(24, HELP_Y, HELP, GREY, 0.9)
    return {key: replace(label, text=ascii_text(label.text)) for key, label in texts.items()}


def ascii_text(text: str) -> str:
    """Return the text in ASCII, the letters of the window."""
    return text.encode("ascii", "replace").decode()


STEP = 0.05  # s of the run; one press of an arrow key
TENFOLD = 10  # steps per press with shift
SLOWEST, FASTEST = 1 / 16, 16.0  # seconds of the run per second


@dataclass(frozen=True)
class Moment:
    """Shown time [s], whether the run plays, and its speed (seconds per second)."""

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
    """Return the next moment.

    Selecting a time and the arrow keys left and right pause the run. The space bar plays and
    pauses; at the end it restarts at 0. The other two arrow keys double and halve the speed.

    Parameters
    ----------
    elapsed : float
        Wall-clock time since the last moment [s].
    duration : float
        Duration of the run [s].
    keys : collection of str
        ``space``, ``left``, ``right``, ``up``, ``down``, ``r``, if pressed since the last moment,
        and ``shift`` while it is held.
    chosen : float, optional
        Time selected by the user [s].
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

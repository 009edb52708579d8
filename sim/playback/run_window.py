"""A run in PyBullet's window: sliders for time and speed, the tool's path, a ghost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from sim.engines.bullet.view.camera import Camera
from sim.engines.bullet.view.scene import Shown
from sim.engines.bullet.view.window import (
    BOTTOM,
    FIELD_OF_VIEW,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Label,
    Window,
)
from sim.playback.colours import BLUE, BROWN, GREY, GRID, INK, ORANGE, PEDESTAL, VERDICTS
from sim.playback.framing import framing, size_of
from sim.playback.player import Controls, Moment, advanced
from sim.playback.reach import grid, ground_below, pedestal
from sim.playback.shown_run import PATH_RADIUS, ShownRun
from sim.playback.tube import tube

SLOWEST, FASTEST = 0.05, 4.0  # ends of the speed slider
FRAME = 1 / 60  # s between two poses
FOLLOW = 0.5  # s between two places of the time slider while the run plays and nobody touches it
TEXT_INTERVAL = 0.2  # s between two texts; one takes as long as a picture

ROOM = 0.25  # around the motion, of the robot's length: the wide lens distorts what is near

# What the panels leave of the window, from -1 to 1.
FREE = (
    2 * LEFT / WIDTH - 1,
    1 - 2 * RIGHT / WIDTH,
    2 * BOTTOM / HEIGHT - 1,
    1 - 2 * (TOP + 90) / HEIGHT,  # and room for the text
)

HELP_Y = HEIGHT - TOP - BOTTOM - 14
HELP = "space: play / pause    arrow keys: step    ctrl + drag: turn    wheel: zoom    Esc: close"


def open_run_window(shown: ShownRun, speed: float) -> Iterator[Moment]:
    """Open a window and play a run in it until the person closes it; yields what is shown."""
    with Window() as window:
        yield from play_in(window, shown, speed)


def play_in(
    window: Window,
    shown: ShownRun,
    speed: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Moment]:
    """Play a run in a window that is open; yields every moment that is shown.

    Parameters
    ----------
    clock, sleep : callable
        Wall-clock time [s], and waiting.
    """
    with window.drawn_at_once():
        robot, ghost = _added(window, shown)
    duration = shown.track.duration
    panel = _Panel.added(window, duration, 0.0, speed)
    moment = Moment(0.0, playing=True)
    before, last, written = panel.read(window), clock(), -TEXT_INTERVAL
    last_read, touched, placed = before, last, last
    carried: dict[str, bool] = {}
    while True:
        now, time_now = panel.read(window), clock()
        was_playing, moved = moment.playing, now.time != before.time
        moment = advanced(moment, before, now, time_now - last, duration, window.pressed())
        before, last = now, time_now
        window.place(robot, shown.track.at(moment.t))
        if (now_carried := shown.carried(moment.t)) != carried:
            carried = now_carried
            window.show(robot, carried)
        if ghost is not None and shown.ghost is not None:
            window.place(ghost, shown.ghost.track.at(moment.t))
        if time_now - written >= TEXT_INTERVAL:
            window.write(labels(shown, moment))
            written = time_now
        if window.held() or now != last_read:
            touched = time_now
        last_read = now
        stopped = was_playing and not moment.playing and not moved
        untouched = moment.playing and time_now - max(touched, placed) >= FOLLOW
        if stopped or untouched:
            with window.drawn_at_once():
                panel = _Panel.added(window, duration, moment.t, now.speed)
            before = last_read = panel.read(window)
            placed = time_now
        yield moment
        sleep(FRAME)


def _added(window: Window, shown: ShownRun) -> tuple[Shown, Shown | None]:
    """Put robot, ghost and path into the window, and look at them."""
    robot = window.add(shown.robot, shown.look.shapes, apart=shown.carried(0.0))
    ghost = None
    if shown.ghost is not None and shown.ghost.is_visible:
        ghost = window.add(shown.robot, shown.look.shapes, ORANGE)
    size = size_of(shown.robot)
    path = tube(shown.path, PATH_RADIUS * size)
    if path is not None:
        window.add_mesh(path, BLUE)
    ground = ground_below(shown)
    drum = pedestal(ground)
    if drum is not None:
        window.add_mesh(drum, (*PEDESTAL[:3], 0.35 if ground.pierced else 1.0))
    window.add_mesh(grid(ground, size), GRID)
    wide = Camera(np.zeros(3), 1.0, field_of_view=FIELD_OF_VIEW)
    window.look(framing(ground.reached.T, ROOM * size, WIDTH / HEIGHT, FREE, wide))
    return robot, ghost


def labels(shown: ShownRun, moment: Moment) -> dict[str, Label]:
    """The text beside the robot."""
    state = "" if moment.playing else "   (paused)"
    texts = {"time": Label(24, 34, shown.caption(moment.t) + state, size=1.4)}
    if shown.verdict:
        colour = VERDICTS.get(shown.verdict, INK)
        texts["verdict"] = Label(24, 60, f"verdict: {shown.verdict}", colour, 1.2)
    if shown.ghost is not None:
        texts["ghost"] = Label(24, 84, shown.ghost.words, BROWN)
    texts["help"] = Label(24, HELP_Y, HELP, GREY, 0.9)
    return {key: replace(label, text=ascii_text(label.text)) for key, label in texts.items()}


def ascii_text(text: str) -> str:
    """The text in the letters that the window has."""
    return text.encode("ascii", "replace").decode()


@dataclass(frozen=True)
class _Panel:
    """The three controls. They cannot be set, so a new panel is made where the time has run on."""

    time: int
    speed: int
    button: int

    @classmethod
    def added(cls, window: Window, duration: float, t: float, speed: float) -> _Panel:
        window.remove_controls()
        return cls(
            window.add_slider("time [s]", 0.0, duration, t),
            window.add_slider("speed", SLOWEST, FASTEST, min(max(speed, SLOWEST), FASTEST)),
            window.add_button("play / pause"),
        )

    def read(self, window: Window) -> Controls:
        return Controls(
            window.value(self.time), window.value(self.speed), int(window.value(self.button))
        )

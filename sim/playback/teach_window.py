"""Teach panel: a slider per joint, and the resulting state next to the robot."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sim.engines.bullet.view.camera import Camera
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
from sim.kinematics.inverse.sliders import poses_of, slider_ends
from sim.maths.arrays import Array
from sim.playback.colours import GREEN, GREY, INK, RED, SLATE
from sim.playback.framing import framing, points_of, size_of
from sim.playback.run_window import FRAME, ROOM, ascii_text
from sim.playback.teach_state import (
    TeachLine,
    TeachState,
    factor_and_unit,
    lines_of,
    reach_of,
    teach_state,
)
from sim.robots.robot import Robot
from sim.shapes.look import Look

# Part of the window beside the panels, from -1 to 1; the robot is right of the text.
FREE = (
    2 * (LEFT + 300) / WIDTH - 1,
    1 - 2 * RIGHT / WIDTH,
    2 * BOTTOM / HEIGHT - 1,
    1 - 2 * TOP / HEIGHT,
)
HELP_Y = HEIGHT - TOP - BOTTOM - 14

AXES = 0.15  # length of the axes drawn at the tool, relative to the robot's length
HELP = "drag a slider    ctrl + drag: turn    wheel: zoom    Esc: close"

_COLOURS = {"plain": INK, "good": GREEN, "warning": RED, "table": SLATE}


def open_teach_window(robot: Robot, look: Look, start: Array) -> Iterator[TeachState | None]:
    """Open the panel until the user closes it; yield every new state, None in between."""
    with Window() as window:
        yield from teach_in(window, robot, look, start)


def teach_in(
    window: Window,
    robot: Robot,
    look: Look,
    start: Array,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[TeachState | None]:
    """Run the panel in an open window; yield every new state, None in between."""
    S, q_0 = robot.coupling
    with window.draw_at_once():
        shown = window.add(robot, look.shapes)
        if (carrier := tool_carrier(robot, look)) is not None:
            window.add_axes(shown, *carrier, AXES * size_of(robot))
        window.look(_camera(robot, S @ start + q_0))
    poses = poses_of(robot)
    panel = _Panel.create(window, robot, start, poses)
    before: Array | None = None
    while True:
        if (chosen := panel.chosen_pose(window)) is not None:
            panel = _Panel.create(window, robot, poses[chosen], poses)
        q = panel.positions(window, robot)
        state = None
        if before is None or not np.array_equal(q, before):
            state, before = teach_state(robot, q), q
            window.place(shown, S @ q + q_0)
            texts = labels(lines_of(robot, state), robot.name)
        window.write(texts)
        yield state
        sleep(FRAME)


def labels(lines: Mapping[str, TeachLine], title: str) -> dict[str, Label]:
    """The lines one below the other."""
    texts = {"title": Label(24, 34, ascii_text(title), size=1.4)}
    y = 62
    for key, line in lines.items():
        y += 14 if key == "dh" else 0
        texts[key] = Label(24, y, ascii_text(line.text), _COLOURS[line.tone])
        y += 22
    texts["help"] = Label(24, HELP_Y, HELP, GREY, 0.9)
    return texts


def tool_carrier(robot: Robot, look: Look) -> tuple[str, Array] | None:
    """Return the link with a shape that carries the tool frame rigidly, and the frame in it."""
    shaped = {shape.link for shape in look.shapes}
    above = {joint.child: joint for joint in robot.joints}
    link, T = robot.tool, np.eye(4)
    while link is not None and link not in shaped:
        if (joint := above.get(link)) is None or joint.is_movable:
            return None
        link, T = joint.parent, joint.T_pc @ T
    return None if link is None else (link, T)


@dataclass(frozen=True, eq=False)
class _Panel:
    """A slider per joint and a button per pose. Sliders cannot be set: a new pose, a new panel.

    A slider holds single precision; as long as it is not moved the exact position counts.
    """

    sliders: tuple[int, ...]
    buttons: Mapping[str, int]
    exact: Array
    untouched: tuple[float, ...]

    @classmethod
    def create(cls, window: Window, robot: Robot, q: Array, poses: Mapping[str, Array]) -> _Panel:
        window.remove_controls()
        sliders = []
        for row, x, low, high in zip(robot.coordinates, q, *slider_ends(robot), strict=True):
            factor, unit = factor_and_unit(row)
            label = ascii_text(f"{row.name} [{unit}]")
            sliders.append(window.add_slider(label, factor * low, factor * high, factor * x))
        buttons = {name: window.add_button(f"pose: {ascii_text(name)}") for name in poses}
        values = tuple(window.value(slider) for slider in sliders)
        return cls(tuple(sliders), buttons, q, values)

    def chosen_pose(self, window: Window) -> str | None:
        """Return the pose whose button was pressed."""
        return next((name for name, b in self.buttons.items() if window.value(b) > 0), None)

    def positions(self, window: Window, robot: Robot) -> Array:
        """Return joint positions of the sliders, shape (n,) [rad or m]."""
        now = [window.value(slider) for slider in self.sliders]
        factors = [factor_and_unit(row)[0] for row in robot.coordinates]
        return np.array(
            [
                exact if value == first else value / factor
                for exact, value, first, factor in zip(
                    self.exact, now, self.untouched, factors, strict=True
                )
            ]
        )


def _camera(robot: Robot, q_tree: Array) -> Camera:
    """Return a view of the robot and of the space around it, up to half its reach."""
    points = points_of(robot, q_tree[:, None])
    ball = 0.5 * reach_of(robot) * np.concatenate([np.eye(3), -np.eye(3)[:2]])
    around = robot.T_0b[:3, 3:] + ball.T
    wide = Camera(np.zeros(3), 1.0, field_of_view=FIELD_OF_VIEW)
    size = size_of(robot)
    return framing(
        np.concatenate([points, around], axis=1), ROOM * size, WIDTH / HEIGHT, FREE, wide
    )

"""A window without a screen: it remembers what it was told and plays a person's part."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from sim.engines.bullet.view.scene import SceneItem


class FakeWindow:
    """Stands in for `sim.engines.bullet.view.window.Window`.

    `values` are what a person has set; ``act(window, turn)`` is asked at every turn of the loop.
    """

    def __init__(self, act=lambda window, turn: None):
        self.act = act
        self.turn = 0
        self.time = 0.0
        self.added, self.meshes, self.axes, self.cameras = [], [], [], []
        self.controls, self.values = {}, {}
        self.poses, self.labels, self.writes = {}, {}, 0
        self.keys = frozenset()
        self.panels = 0
        self.place_of_hand = None
        self.shown_links = []

    # what the loops ask of a window
    @contextmanager
    def draw_at_once(self):
        yield

    def add(self, robot, shapes, colour=None, keep_separate=()):
        self.added.append((robot.name, len(shapes), colour))
        return SceneItem(
            len(self.added), {link.name: k for k, link in enumerate(robot.links)}, (), ()
        )

    def add_mesh(self, mesh, colour):
        self.meshes.append((mesh, colour))

    def add_axes(self, shown, link, T_lf, length):
        self.axes.append((link, T_lf, length))

    def look(self, camera):
        self.cameras.append(camera)

    def add_slider(self, label, lower, upper, start):
        number = 100 * self.panels + len(self.controls)
        self.controls[number] = (label, lower, upper, start)
        self.values[number] = float(np.float32(start))  # a slider holds single precision
        return number

    def add_button(self, label):
        return self.add_slider(label, 1, 0, 0)

    def remove_controls(self):
        self.controls, self.values = {}, {}
        self.panels += 1

    def value(self, control):
        return self.values[control]

    def pressed_keys(self):
        keys, self.keys = self.keys, frozenset()
        return keys

    def pointer_position(self):
        return self.place_of_hand

    def show(self, shown, links):
        self.shown_links.append((self.time, shown.body, dict(links)))

    def place(self, shown, q_tree):
        self.poses[shown.body] = np.array(q_tree)

    def write(self, labels):
        self.labels = dict(labels)
        self.writes += 1

    # the person's part
    def set(self, label, value):
        """Put the slider of this label somewhere, or press its button once more."""
        number = next(k for k, control in self.controls.items() if control[0] == label)
        self.values[number] = value

    def press(self, label):
        """Press a button once."""
        number = next(k for k, control in self.controls.items() if control[0] == label)
        self.values[number] += 1

    def clock(self):
        return self.time

    def sleep(self, seconds):
        self.time += seconds
        self.turn += 1
        self.act(self, self.turn)

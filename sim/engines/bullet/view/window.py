"""Window: PyBullet's own window with robots, sliders, buttons and lines of text.

PyBullet aborts the whole process if the window cannot be opened, as does X if its frame is closed.
Open a window in a separate process: see `sim.playback.process`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

import numpy as np

from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.engines.bullet.view.camera import Camera
from sim.engines.bullet.view.scene import Scene, SceneItem
from sim.maths.arrays import Array

WIDTH, HEIGHT = 1280, 800  # pixels
LEFT, RIGHT, TOP, BOTTOM = 250, 250, 22, 122  # pixels of the panels, if any
FIELD_OF_VIEW = 90.0  # [degrees] vertical; fixed by PyBullet
BACKGROUND = (0.955, 0.965, 0.975)

# Keys by PyBullet's codes.
KEYS = {
    **{32: "space", 65295: "left", 65296: "right", 65297: "up", 65298: "down", 114: "r"},
    **{ord(digit): digit for digit in "1234"},
}
SHIFT = 65306

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Label:
    """A line of text in the window.

    Parameters
    ----------
    x, y : float
        Its left end, in pixels from the left and upper edges of the free part of the window.
    text : str
        Plain ASCII: the window has no other letters.
    """

    x: float
    y: float
    text: str
    colour: Colour = (0.1, 0.1, 0.1)
    size: float = 1.1


class Window(Scene):
    """PyBullet's window; the context exits quietly if the user closes the window (Escape).

    Parameters
    ----------
    panels : bool
        Whether to reserve space for sliders. They appear with all of PyBullet's own panels, or not
        at all.
    """

    def __init__(self, *, panels: bool = True) -> None:
        super().__init__()
        p = self.bullet
        self.corner = (LEFT, TOP) if panels else (0, 0)
        self._labels: dict[str, tuple[Label, int]] = {}
        self._view: Array = np.zeros((4, 4))
        self._down: set[int] = set()
        self._held, self._mouse = False, (0.0, 0.0)
        for part in (
            p.COV_ENABLE_RGB_BUFFER_PREVIEW,
            p.COV_ENABLE_DEPTH_BUFFER_PREVIEW,
            p.COV_ENABLE_SEGMENTATION_MARK_PREVIEW,
            p.COV_ENABLE_KEYBOARD_SHORTCUTS,  # w, s, g, ... would hide parts of the picture
            p.COV_ENABLE_MOUSE_PICKING,
        ):
            p.configureDebugVisualizer(part, 0, physicsClientId=self.client)
        p.configureDebugVisualizer(p.COV_ENABLE_GUI, int(panels), physicsClientId=self.client)

    def _connect(self) -> int:
        red, green, blue = BACKGROUND
        options = (
            f"--width={WIDTH} --height={HEIGHT} --background_color_red={red} "
            f"--background_color_green={green} --background_color_blue={blue}"
        )
        with suppress_c_output():
            client: int = self.bullet.connect(self.bullet.GUI, options=options)
        return client

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Close the window; suppress the engine's error if the user has already closed it."""
        was_closed = isinstance(error, self.bullet.error) and not self.is_open
        self.close()
        return was_closed

    @property
    def is_open(self) -> bool:
        """False after the user has closed the window."""
        return bool(self.bullet.isConnected(self.client))

    @contextmanager
    def draw_at_once(self) -> Iterator[None]:
        """Draw everything added inside the block at once, instead of one picture for each part."""
        p = self.bullet
        p.configureDebugVisualizer(p.COV_ENABLE_RENDERING, 0, physicsClientId=self.client)
        yield
        p.configureDebugVisualizer(p.COV_ENABLE_RENDERING, 1, physicsClientId=self.client)

    def look(self, camera: Camera) -> None:
        """Look from `camera`; the user may rotate the view afterwards."""
        self.bullet.resetDebugVisualizerCamera(
            camera.distance,
            camera.yaw,
            camera.pitch,
            camera.target.tolist(),
            physicsClientId=self.client,
        )

    def add_axes(self, shown: SceneItem, link: str, T_lf: Array, length: float) -> None:
        """Draw a frame on a link, X red, Y green, Z blue; it moves with the link.

        PyBullet draws it only on links that have a shape.
        """
        T = shown.poses[link] @ T_lf if link in shown.poses else T_lf
        R, p = T[:3, :3], T[:3, 3]
        for column, colour in zip(R.T, np.eye(3), strict=True):
            self.bullet.addUserDebugLine(
                p.tolist(),
                (p + length * column).tolist(),
                lineColorRGB=colour.tolist(),
                lineWidth=3,
                parentObjectUniqueId=shown.body,
                parentLinkIndex=shown.links[link],
                physicsClientId=self.client,
            )

    def add_slider(self, label: str, lower: float, upper: float, start: float) -> int:
        """Add a slider; returns its number, the argument of `value`."""
        # Some drivers clip the first letter of a label.
        number: int = self.bullet.addUserDebugParameter(
            f" {label}", lower, upper, start, physicsClientId=self.client
        )
        return number

    def add_button(self, label: str) -> int:
        """Add a button; its `value` is the number of presses."""
        return self.add_slider(label, 1, 0, 0)  # PyBullet's encoding of a button

    def remove_controls(self) -> None:
        """Remove all sliders and buttons, which is the only way to reset one."""
        self.bullet.removeAllUserParameters(physicsClientId=self.client)

    def value(self, control: int) -> float:
        """Return the position of a slider, or the number of presses of a button."""
        value: float = self.bullet.readUserDebugParameter(control, physicsClientId=self.client)
        return value

    def pressed_keys(self) -> frozenset[str]:
        """Return the keys of `KEYS` pressed since the last call, and whether shift is held."""
        p = self.bullet
        events = p.getKeyboardEvents(physicsClientId=self.client)
        up = {key for key, state in events.items() if state & p.KEY_WAS_RELEASED}
        # A key pressed and released between two calls only appears as released.
        new = events.keys() - self._down
        self._down = (self._down | events.keys()) - up
        held = {"shift"} if SHIFT in events else set()
        return frozenset({KEYS[key] for key in new if key in KEYS} | held)

    def pointer_position(self) -> tuple[float, float] | None:
        """Return the mouse position with the left button down, 0 to 1 from the upper left."""
        p = self.bullet
        for _, x, y, button, state in p.getMouseEvents(physicsClientId=self.client):
            if button == 0:
                self._held = bool(state & p.KEY_IS_DOWN or state & p.KEY_WAS_TRIGGERED)
            self._mouse = (x, y)
        width, height = p.getDebugVisualizerCamera(physicsClientId=self.client)[:2]
        if not self._held or not width or not height:
            return None
        return self._mouse[0] / width, self._mouse[1] / height

    def write(self, labels: Mapping[str, Label]) -> None:
        """Show these lines; only changed ones are redrawn, or all after a change of the view."""
        p, client = self.bullet, self.client
        shown = p.getDebugVisualizerCamera(physicsClientId=client)
        view, projection = (np.reshape(m, (4, 4)).T for m in shown[2:4])
        if not view.any():
            return  # the window is closing
        turned = not np.array_equal(view, self._view)
        changed = [
            key
            for key, label in labels.items()
            if turned or key not in self._labels or self._labels[key][0] != label
        ]
        if not changed:
            return
        self._view = view
        to_world = np.linalg.inv(projection @ view)
        with self.draw_at_once():
            for key in changed:
                label = labels[key]
                old = self._labels.get(key)
                replaced = {} if old is None else {"replaceItemUniqueId": old[1]}
                number = p.addUserDebugText(
                    label.text or " ",
                    _on_screen(to_world, label, self.corner, shown[:2]).tolist(),
                    textColorRGB=label.colour,
                    textSize=label.size,
                    physicsClientId=client,
                    **replaced,
                )
                self._labels[key] = (label, number)


def _on_screen(
    to_world: Array, label: Label, corner: tuple[int, int], size: tuple[int, int]
) -> Array:
    """Return the world point seen at the label's position, right of and below `corner`."""
    x, y = corner[0] + label.x, corner[1] + label.y
    # 0.5: in front of the near plane; a label has the same size at any distance.
    point = to_world @ np.array([2 * x / size[0] - 1, 1 - 2 * y / size[1], 0.5, 1.0])
    return np.asarray(point[:3] / point[3])

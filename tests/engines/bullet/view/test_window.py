"""What of the window needs no display; the window itself is tried in tests/gui."""

from types import SimpleNamespace

import numpy as np
import pytest

from sim.engines.bullet.view.camera import Camera
from sim.engines.bullet.view.scene import SceneItem
from sim.engines.bullet.view.window import HEIGHT, LEFT, TOP, WIDTH, Label, Window, _on_screen
from sim.maths.rotations import pose

DOWN, TRIGGERED, RELEASED = 1, 2, 4  # PyBullet's words for a key
SPACE, ARROW, SHIFT = 32, 65295, 65306


@pytest.fixture
def window():
    """A window without its PyBullet; `events` is what the keyboard says next."""
    found = object.__new__(Window)
    found.client, found._down = 0, set()
    found.events = {}
    found.bullet = SimpleNamespace(
        KEY_WAS_RELEASED=RELEASED, getKeyboardEvents=lambda physicsClientId: found.events
    )
    return found


def pressed(window, **events):
    window.events = {SPACE: events["space"]} if "space" in events else {}
    if "arrow" in events:
        window.events[ARROW] = events["arrow"]
    return window.pressed_keys()


def test_a_key_that_is_held_is_pressed_once(window):
    assert pressed(window, space=TRIGGERED) == {"space"}
    assert pressed(window, space=DOWN) == set()
    assert pressed(window, space=DOWN, arrow=TRIGGERED) == {"left"}
    assert pressed(window, space=RELEASED, arrow=DOWN) == set()
    assert pressed(window, space=TRIGGERED) == {"space"}


def test_a_key_that_went_down_and_up_between_two_looks_is_pressed(window):
    assert pressed(window, space=RELEASED) == {"space"}
    assert pressed(window) == set()
    assert pressed(window, space=RELEASED) == {"space"}


def test_shift_counts_as_long_as_it_is_held(window):
    window.events = {SHIFT: TRIGGERED}
    assert window.pressed_keys() == {"shift"}
    window.events = {SHIFT: DOWN, ARROW: TRIGGERED}
    assert window.pressed_keys() == {"shift", "left"}
    window.events = {}
    assert window.pressed_keys() == set()


def test_the_mouse_points_while_its_button_is_down(window):
    said = []
    window._held, window._mouse = False, (0.0, 0.0)
    window.bullet.KEY_IS_DOWN, window.bullet.KEY_WAS_TRIGGERED = DOWN, TRIGGERED
    window.bullet.getMouseEvents = lambda physicsClientId: said
    window.bullet.getDebugVisualizerCamera = lambda physicsClientId: (1280, 800)
    assert window.pointer_position() is None
    said[:] = [(1, 640.0, 400.0, -1, 0), (2, 640.0, 400.0, 0, TRIGGERED)]
    assert window.pointer_position() == (0.5, 0.5)
    said[:] = [(1, 320.0, 790.0, -1, 0)]
    assert window.pointer_position() == (0.25, 790 / 800)
    said[:] = [(2, 320.0, 790.0, 0, RELEASED)]
    assert window.pointer_position() is None


def test_keys_without_a_meaning_are_passed_over(window):
    window.events = {119: TRIGGERED}
    assert window.pressed_keys() == set()


def test_axes_of_a_welded_link_are_drawn_on_what_carries_it():
    window, lines = object.__new__(Window), []
    window.client = 0
    window.bullet = SimpleNamespace(
        addUserDebugLine=lambda *ends, **more: lines.append((ends, more))
    )
    turned = pose([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (1.0, 2.0, 3.0))
    shown = SceneItem(7, {"hand": 3}, (), ((), ()), {"hand": turned})
    window.add_axes(shown, "hand", pose(position=(0.5, 0, 0)), 0.1)
    (start, end), more = lines[0]
    np.testing.assert_allclose(start, [1, 2.5, 3])
    np.testing.assert_allclose(end, [1, 2.6, 3])
    assert (more["parentObjectUniqueId"], more["parentLinkIndex"]) == (7, 3)


@pytest.mark.parametrize(("x", "y"), [(0, 0), (24, 34), (500, 300)])
def test_a_label_is_seen_where_it_was_put(x, y):
    camera = Camera(np.array([0.3, 0.2, 0.5]), 2.0, yaw=130.0, pitch=-30.0, field_of_view=90.0)
    to_clip = camera.projection(WIDTH / HEIGHT) @ camera.view
    corner = LEFT, TOP
    point = _on_screen(np.linalg.inv(to_clip), Label(x, y, "here"), corner, (WIDTH, HEIGHT))
    clip = to_clip @ np.array([*point, 1.0])
    across, up = clip[:2] / clip[3]
    assert WIDTH * (1 + across) / 2 == pytest.approx(LEFT + x, abs=1e-6)  # pixels
    assert HEIGHT * (1 - up) / 2 == pytest.approx(TOP + y, abs=1e-6)

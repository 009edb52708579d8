"""The page of modes in a real Chromium: the robot swings as the shape says, at any width."""

from __future__ import annotations

import numpy as np
import pytest

from sim.kinematics import frame_pose
from sim.robots import load_robot
from sim.vibration import modes
from sim.vibration.modes_page import modes_page
from tests.helpers.opened_page import Opened
from tests.helpers.small_robots import double_pendulum

CELLS = "[...row.cells].map((cell) => cell.textContent)"
ROWS = f"[...document.querySelectorAll('#shape tbody tr')].map((row) => {CELLS})"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """An arm of two modes of which one only decays."""
    found = modes(load_robot("ur10"), np.full(6, 0.3), {"elbow_joint": 4e3, "wrist_3_joint": 9.0},
                  {"elbow_joint": 60.0, "wrist_3_joint": 50.0})  # fmt: skip
    path = tmp_path_factory.mktemp("modes") / "modes.html"
    html = modes_page(found, None, None, ("mujoco", 3e-12), "in pose zero")
    path.write_text(html, encoding="utf-8")
    return found, path


def test_the_robot_swings_in_the_mode_that_is_chosen(shown, browser):
    found, path = shown
    one = Opened(browser, path).ready()
    one.js("run.play(false)")
    for k, mode in enumerate(found.modes):
        ways = []
        for phase in (0.0, 0.5):
            one.js(f"run.choose({k}); run.state.phase = {phase}; run.show()")
            T = np.reshape(one.js("run.robot.poseOf('wrist_3_link', 0)"), (4, 4)).T
            ways.append(T)
        shape = np.array([mode.shape.get(name, 0.0) for name in found.drives.robot.joint_names])
        swings = mode.oscillates
        # half a period later it is as far on the other side; what decays is nearer to the pose
        sizes = [_fit(found, shape.real, T) for T in ways]
        assert sizes[0] > 0.05
        wanted = -sizes[0] if swings else sizes[0] * np.exp(-1.5)
        assert sizes[1] == pytest.approx(wanted, abs=1e-3)
    assert one.js("document.querySelector('#pace').textContent").startswith("Mode 3 decays")
    assert one.asked == [path.as_uri()]


def _fit(found, shape, T):
    """How much of a shape is in a pose of the wrist, which it fits to a tenth of a millimetre."""
    from scipy.optimize import least_squares

    def apart(a):
        return (frame_pose(found.drives.robot, found.q + a[0] * shape, "wrist_3_link") - T).ravel()

    best = min((least_squares(apart, [a], xtol=1e-12) for a in (-0.3, 0.3)), key=lambda r: r.cost)
    assert np.abs(best.fun).max() < 3e-4
    return best.x[0]


@pytest.mark.parametrize("width", [400, 1280])
def test_modes_are_chosen_by_click_key_and_address(shown, flat_browser, width):
    found, path = shown
    one = Opened(flat_browser, path, "#mode=2")
    one.page.set_viewport_size({"width": width, "height": 800})
    one.ready()
    assert one.js("run.state.mode") == 1
    one.page.locator("[data-row='0'] td").nth(1).click()
    assert one.js("location.hash") == "#mode=1"
    wanted = [[name, f"{abs(x):.3f}"] for name, x in found.modes[0].shape.items() if abs(x) > 1e-3]
    assert [row[:2] for row in one.js(ROWS)] == sorted(wanted, key=lambda row: -float(row[1]))
    one.page.keyboard.press("ArrowDown")
    assert one.page.get_attribute("[data-mode='1']", "aria-pressed") == "true"
    assert one.page.is_visible("#no3d")
    assert one.js("document.documentElement.scrollWidth <= innerWidth")


def test_an_engine_with_another_answer_is_seen_at_once(tmp_path, flat_browser):
    found = modes(double_pendulum(1.3, 0.7, 0.8, 0.5), [np.pi, 0.1], 2.0)
    path = tmp_path / "modes.html"
    path.write_text(modes_page(found, None, None, ("bullet", 0.1), "upright"), encoding="utf-8")
    one = Opened(flat_browser, path).ready()
    assert one.page.inner_text(".verdict") == "✗ Engine disagrees"
    assert "grows ×e in" in one.page.inner_text(".list")
    assert one.js("document.querySelector('.wrong').textContent").endswith("differ by 1e-01")

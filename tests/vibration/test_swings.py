"""What a page of modes shows: swings that keep loops closed, and frequencies over a run."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from sim.kinematics import frame_pose
from sim.reports.page.glb_scene import GlbScene, scene_of
from sim.vibration import modes
from sim.vibration.modes_page import PHASES, SEEN, frequency_chart, swings_of
from tests.helpers.loop_robots import FourBar
from tests.helpers.small_robots import double_pendulum

ENDS = (("coupler", 0.5), ("rocker", 0.4))


def swings(found):
    table = swings_of(found, GlbScene.read(scene_of(found.drives.robot)))
    names = [f"q.{name}" for name in found.drives.robot.row_names]
    return table.index.to_numpy(), table[names].to_numpy().T


def test_a_swing_is_a_period_of_the_shape_and_each_mode_has_its_own_time():
    found = modes(double_pendulum(1.3, 0.7, 0.8, 0.5), [0.2, -0.1], 30.0)
    t, q = swings(found)
    for k, mode in enumerate(found.modes):
        own = (t >= 2 * k) & (t <= 2 * k + 1)
        away = q[:, own] - found.q[:, None]
        shape = np.array(list(mode.shape.values())).real
        size = np.abs(away).max()
        np.testing.assert_allclose(away, size * np.outer(shape, np.cos(2 * np.pi * PHASES)),
                                   rtol=0, atol=1e-12)  # fmt: skip
        assert 0.02 < size <= 0.5


def test_what_decays_goes_one_way():
    found = modes(double_pendulum(1.3, 0.7, 0.8, 0.5), [0.0, 0.0], 30.0, 500.0)
    t, q = swings(found)
    first = q[:, t <= 1] - found.q[:, None]
    np.testing.assert_allclose(first, first[:, :1] * np.exp(-3 * PHASES), rtol=0, atol=1e-12)


def test_loops_stay_closed_while_they_swing():
    robot = FourBar().robot()
    q = FourBar().motion(np.full(1, 0.4), np.ones(1), np.ones(1))[0][:, 0]
    found = modes(robot, q, {"crank_joint": 50.0})
    _, q = swings(found)
    assert np.ptp(q[0]) > 0.5 * SEEN
    ends = [
        np.einsum("abN,b->aN", frame_pose(robot, q, link), [0, 0, end, 1]) for link, end in ENDS
    ]
    assert np.abs(ends[0] - ends[1]).max() < 1e-9


def heights(svg):
    """Pixels of each path, and of the lines with their numbers."""
    paths = [np.array(re.findall(r"[\d.]+,([\d.]+)", d), float)
             for d in re.findall(r'<path d="([^"]*)"', svg)]  # fmt: skip
    lines = [float(y) for y, end in re.findall(r'y1="([\d.]+)" x2="[\d.]+" y2="([\d.]+)"', svg)
             if y == end]  # fmt: skip
    ticks = [float(x) for x in re.findall(r'text-anchor="end"[^>]*>([^<]*)<', svg)]
    return paths, lines, ticks


@pytest.mark.parametrize("highest", [8.0, 900.0])
def test_a_chart_has_its_curves_where_its_ticks_say(highest):
    t = np.linspace(0, 2, 101)
    frequency = np.stack([3 + np.cos(t), np.full(t.size, highest)])
    frequency[0, 40:50] = np.nan
    svg = frequency_chart(SimpleNamespace(t=t, frequency=frequency))
    (first, second), lines, ticks = heights(svg)
    is_log = highest > 100
    scale = np.log(ticks) if is_log else np.array(ticks)
    wanted = np.log([4.0, highest]) if is_log else np.array([4.0, highest])
    assert wanted.max() <= scale.max() + 1e-12
    found = np.interp(wanted, scale, lines)
    np.testing.assert_allclose([first[0], second[0]], found, atol=0.2)  # px
    assert svg.count("M") == 3 and first.size == 91  # one curve has a gap
    flat = frequency_chart(SimpleNamespace(t=t, frequency=np.full((1, 101), np.nan)))
    assert flat == ""
    assert re.findall(r">(mode \d)</text>", svg) == ["mode 1", "mode 2"]

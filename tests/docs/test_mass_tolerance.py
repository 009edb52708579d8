"""What uncertain masses of the KR 210 do to its torques: the table in the documentation."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sim.scenario import load_script
from tests.helpers.pinocchio_model import PinocchioModel
from tools.mass_tolerance import FIGURE, SHARE, heavier

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "robots.md").read_text(encoding="utf-8")
HALF_DIGIT = 0.0501  # [N·m] of one printed decimal
JOINTS = tuple(f"joint_{k}" for k in range(1, 6))


def printed(joint):
    """A row of the table, by its heading."""
    heading = re.search(r"^\| peak torque .*$", PAGE, re.M).group()
    row = re.search(rf"^\| {joint} .*$", PAGE, re.M).group()
    names, cells = ([c.strip() for c in line.strip("|").split("|")] for line in (heading, row))
    return dict(zip(names, cells, strict=True))


@cache
def heart():
    """Scenario of the study, and its motion."""
    scenario, _ = load_script("kr210_heart").build({})
    t = np.linspace(0.0, scenario.duration, 630)
    return scenario, scenario.motion.on(scenario.robot, scenario.duration).motion(t)


def peaks(robot):
    """Peak torques by Pinocchio [N·m]."""
    scenario, motion = heart()
    return np.abs(PinocchioModel(robot, scenario.gravity).torque(*motion)).max(axis=1)


@pytest.mark.parametrize("link", ["link_2", "link_3", "link_5"])
def test_the_printed_shares_are_those_of_pinocchio(link):
    robot = heart()[0].robot
    nominal, moved = peaks(robot), peaks(heavier(robot, link))
    for k, joint in enumerate(JOINTS):
        row = printed(joint)
        assert float(row["nominal"]) == pytest.approx(nominal[k], abs=HALF_DIGIT)
        assert float(row[link]) == pytest.approx(moved[k] - nominal[k], abs=HALF_DIGIT)


def test_only_the_mass_and_the_tensor_of_one_link_are_larger():
    robot = heart()[0].robot
    for one, other in zip(robot.links, heavier(robot, "link_3").links, strict=True):
        if one.inertia is not None:
            factor = 1 + SHARE if one.name == "link_3" else 1.0
            assert other.inertia.mass == pytest.approx(factor * one.inertia.mass, rel=1e-15)
            np.testing.assert_allclose(
                other.inertia.tensor, factor * one.inertia.tensor, rtol=1e-12
            )
            np.testing.assert_array_equal(other.inertia.com, one.inertia.com)


def test_no_sample_is_beyond_all_masses_at_their_worst():
    """Joint 3's peak is of two kinds, so that its sum of single shares is no bound."""
    for joint in set(JOINTS) - {"joint_3"}:
        row = printed(joint)
        nominal = float(row.pop("nominal"))
        low, high = map(float, row.pop("samples").split(" … "))
        worst = sum(abs(float(text)) for name, text in row.items() if name.startswith("link_"))
        assert nominal - worst - 0.3 < low < nominal < high < nominal + worst + 0.3  # [N·m] digits


def test_the_figure_is_there():
    assert f"]({FIGURE})" in PAGE
    assert (DOCS / FIGURE).is_file()

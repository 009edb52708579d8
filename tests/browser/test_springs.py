"""Springs and forces between two points in the page's view: they end where the markers are."""

import numpy as np
import pytest

import sim
from sim.kinematics import frame_pose
from sim.reports.page.page import write_page
from tests.helpers.opened_page import Opened, leaving_pages
from tests.helpers.page_runs import arm_scene, judged
from tests.helpers.short_runs import DURATION, SMOOTH, arm

WALL = sim.Marker("wall", "world", (0.6, 0.1, -0.2))
TIP = sim.Marker("tip", "forearm", (0.01, 0.0, -0.3))
ELBOW = sim.Marker("side", "upper_arm", (0.05, 0.0, -0.4))
FORCES = (
    sim.Spring("strut", TIP, WALL, stiffness=5.0, free_length=0.3),
    sim.SForce("rope", ELBOW, TIP, "-DM(side, tip)"),
    sim.SForce("twist", ELBOW, WALL, "0.1", acts="rotational"),
)


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    scenario = sim.Scenario(
        arm(), sim.JointMotion.displacement(SMOOTH), DURATION, dt=0.01, forces=FORCES
    )
    path = tmp_path_factory.mktemp("springs") / "report.html"
    write_page(path, judged(sim.run(scenario, method="ideal", name="sprung")), arm_scene())
    with leaving_pages():
        page = Opened(browser, path).ready()
        page.until("!!document.querySelector('.live')")
        yield page


@pytest.mark.parametrize("t", [0.0, 0.1, 0.3])
def test_a_coil_and_a_line_go_along_with_their_markers(opened, t):
    motion = sim.JointMotion.displacement(SMOOTH).on(arm(), DURATION).at(np.array([t]))

    def place(marker):
        if marker is WALL:
            return np.array(marker.xyz)
        T = frame_pose(arm(), motion.q, marker.link)[..., 0]
        return T[:3, :3] @ marker.xyz + T[:3, 3]

    opened.seek(t)
    ends = opened.js("run.springs()")
    assert ends.keys() == {"strut", "rope"}  # a torque joins no two points
    for name, markers in {"strut": (TIP, WALL), "rope": (ELBOW, TIP)}.items():
        for seen, marker in zip(ends[name], markers, strict=True):
            assert seen == pytest.approx(
                place(marker), abs=2e-5
            )  # m; poses are in single precision


def test_the_camera_sees_both_ends(opened):
    reached = np.array(opened.js("run.meta.bounds.reached"))
    assert np.abs(reached - WALL.xyz).max(axis=1).min() < 1e-4

"""Springs, contacts, drive trains and gravity of the forms: in the script, and in the preview."""

import shutil
from itertools import pairwise

import msgspec
import numpy as np
import pytest

import sim
from sim.errors import SimError
from sim.scenario import load_script
from sim.shipped import scenarios
from sim.studio import Drive, Setup, read_script, write_script
from sim.studio.folder import Folder
from sim.studio.preview import preview, require_usable, scenario_of
from sim.studio.refusal import RefusalError
from sim.studio.robot_facts import catalogue
from sim.studio.setup import Floor, Spring

SPRING = Spring("pull", ("forearm", (0.05, 0.0, -0.1)), ("world", (0.3, 0.0, 0.2)), 800.0, 5.0, 0.1)
FLOOR = Floor([("forearm", (0.0, 0.0, -0.3), 0.02)], height=-1.2, friction=0.3)
HELD = Setup("robots/two_link.urdf", positions={"shoulder": 0.4, "elbow": 0.7}, duration=0.1)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "robots").mkdir()
    shutil.copy(scenarios() / "two_link.urdf", tmp_path / "robots")
    return Folder(tmp_path)


def torques(folder, **changes):
    return np.array(preview(folder, msgspec.structs.replace(HELD, **changes))["tau"])[:, 0]


def test_a_script_with_all_forces_has_the_scenario_that_is_shown(folder):
    train = catalogue()["motor 0.2"]["wave 17/50"]
    setup = msgspec.structs.replace(
        HELD, springs=[SPRING], floor=FLOOR, drive_trains={"elbow": train}, method="adaptive",
        gravity=(0.0, 0.0, -1.62), drives={"elbow": Drive("free")},
    )  # fmt: skip
    path = folder.path / "one.py"
    path.write_text(write_script(setup))
    assert read_script(path.read_text()).setup == setup
    script, _ = load_script(str(path)).build({})
    shown = scenario_of(folder, setup)
    assert (script.gravity, script.method) == (shown.gravity, shown.method)
    assert [*map(repr, script.contacts)] == [*map(repr, shown.contacts)] != []
    (one,), (other,) = script.forces, shown.forces
    for name in ("name", "i", "j", "stiffness", "damping", "free_length"):
        assert str(getattr(one, name)) == str(getattr(other, name)), name
    trains = [one.robot.drives for one in (script, shown)]
    assert trains[0] == trains[1]
    assert [one.ratio for one in trains[0].values()] == [50.0]


def test_a_spring_gives_the_slope_of_its_energy(folder):
    """The motor gives what the spring does not: dE/dq of E = ½ k (L - L0)², by differences."""
    given = torques(folder, springs=[SPRING]) - torques(folder)
    robot, q, step = sim.load_robot(folder.path / HELD.robot), np.array([0.4, 0.7]), 1e-5

    def energy(q):
        pose = sim.frame_pose(robot, q, frame="forearm")
        point = pose[:3, :3] @ SPRING.i[1] + pose[:3, 3]
        return 0.5 * 800.0 * (np.linalg.norm(point - SPRING.j[1]) - 0.1) ** 2

    ends = [[energy(q + sign * step * row) for sign in (-1, 1)] for row in np.eye(2)]
    slope = np.array([(b - a) / (2 * step) for a, b in ends])
    np.testing.assert_allclose(given, slope, rtol=1e-5)


def test_gravity_scales_the_torque_of_an_arm_at_rest(folder):
    moon = torques(folder, gravity=(0.0, 0.0, -9.81 / 6))
    np.testing.assert_allclose(moon, torques(folder) / 6, rtol=1e-5)


def test_the_catalogue_grows_with_its_names():
    """Of made up motors and gears: ratings at the shaft and ratios as the files name them."""
    rows = catalogue()
    for name, gears in rows.items():
        size = float(name.split()[1])
        assert {train["motor_rated_torque"] for train in gears.values()} == {size}
    assert all(float(gear.split("/")[1]) == train["ratio"] for gear, train in gears.items())
    assert all(float(a.split()[1]) < float(b.split()[1]) for a, b in pairwise(rows))


@pytest.mark.parametrize(
    "change",
    [
        {"springs": [msgspec.structs.replace(SPRING, i=("none", (0.0, 0.0, 0.0)))]},
        {"springs": [SPRING, SPRING]},
        {"floor": msgspec.structs.replace(FLOOR, stiffness=-1.0), "method": "adaptive"},
        {"drive_trains": {"elbow": {"ratio": 0.0}}},
        {"drive_trains": {"elbow": {"code": 1.0, "ratio": 2.0}}},
        {"gravity": (0.0, float("inf"), 0.0)},
    ],
    ids=str,
)
def test_what_cannot_act_is_not_saved(change, folder):
    with pytest.raises(
        (SimError, RefusalError), match=r"none|own name|stiffness|ratio|code|finite"
    ):
        require_usable(folder, msgspec.structs.replace(HELD, **change))

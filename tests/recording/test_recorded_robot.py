from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from sim import shipped
from sim.errors import RecordingError
from sim.motion import JointMotion
from sim.recording.recorded_robot import robot_of
from sim.recording.recording import Recording
from sim.recording.schema.provenance import text_hash
from sim.robots import load_robot
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import arm, short_run


def with_facts(recording, **facts):
    return recording.with_description(robot=msgspec.structs.replace(recording.run.robot, **facts))


def test_the_robot_of_a_run_is_the_one_that_was_simulated_payload_and_all():
    robot = robot_of(short_run())
    assert robot.text == arm().text
    assert robot.tool == arm().tool == "tip"
    assert robot.joint_names == arm().joint_names
    assert robot.link("payload").inertia.mass == 0.5
    assert robot.folder == arm().folder


def test_it_comes_back_from_disk_where_it_was_mounted(tmp_path):
    robot = load_robot("ur10").mounted((1, 2, 3), (0.1, 0.2, 0.3)).with_payload(mass=2.0)
    recording = run(Scenario(robot, JointMotion.displacement({}), 0.01))
    recording.write(tmp_path)
    again = robot_of(Recording.read(tmp_path))
    np.testing.assert_array_equal(again.T_0b, robot.T_0b)
    assert again.text == robot.text
    assert (tmp_path / "robot.urdf").read_bytes().decode() == robot.text


def test_the_meshes_of_a_shipped_robot_are_found_wherever_the_package_is():
    recording = run(Scenario(load_robot("ur10"), JointMotion.displacement({}), 0.01))
    assert recording.run.robot.mesh_folder is None  # no path of this machine
    assert robot_of(recording).folder == shipped.urdf()


def test_a_folder_of_meshes_that_has_gone_is_no_obstacle(tmp_path):
    moved = with_facts(short_run(), mesh_folder=str(tmp_path / "gone"))
    assert robot_of(moved).folder == shipped.urdf()
    assert robot_of(with_facts(short_run(), mesh_folder=str(tmp_path))).folder == tmp_path


def test_a_run_from_before_says_what_to_do():
    with pytest.raises(RecordingError, match=r"'swing' has not kept the URDF .* run the scenario"):
        robot_of(replace(short_run(), urdf=None))


def test_a_urdf_of_another_robot_is_refused():
    changed = replace(short_run(), urdf=short_run().urdf.replace("0.25", "0.35"))
    with pytest.raises(RecordingError, match=r"run.json has another hash"):
        robot_of(changed)


@pytest.mark.parametrize(
    "facts",
    [
        {"tool": "hand"},
        {"T_0b": [[1, 2], [3, 4]]},
        {"T_0b": [[1, 2], [3]]},
        {"T_0b": "here"},
        {"T_0b": None},
    ],
)
def test_facts_that_do_not_fit_are_an_error_of_the_recording(facts):
    with pytest.raises(RecordingError, match="cannot be read"):
        robot_of(with_facts(short_run(), **facts))


def test_a_urdf_that_is_none_is_an_error_of_the_recording():
    text = "<robot"
    broken = with_facts(replace(short_run(), urdf=text), urdf_sha256=text_hash(text))
    with pytest.raises(RecordingError, match="cannot be read"):
        robot_of(broken)


def test_a_urdf_that_was_changed_on_disk_is_noticed(tmp_path):
    short_run().write(tmp_path)
    path = Path(tmp_path / "robot.urdf")
    path.write_text(path.read_text().replace("0.25", "0.35"))
    with pytest.raises(RecordingError, match=r"robot.urdf has changed since the run wrote it"):
        Recording.read(tmp_path)
    path.unlink()
    with pytest.raises(RecordingError, match=r"robot.urdf does not exist"):
        Recording.read(tmp_path)

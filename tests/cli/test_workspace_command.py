import json

import pytest

from tests.cli.command_runs import REPOSITORY

TWO_LINK = str(REPOSITORY / "scenarios" / "two_link.urdf")  # a small arm costs little


def test_the_summary_fits_80_columns_and_files_are_named(sim_command, tmp_path):
    out = tmp_path / "out"
    arguments = ("workspace", TWO_LINK, "--payload", "2", "--step", "0.05", "--out", str(out))
    done = sim_command(*arguments, columns=80)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert all(len(line) <= 80 for line in lines if str(out) not in line)
    labels = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert labels[:5] == ["two_link", "reach", "singular", "gravity", "check"]
    assert "with 2 kg" in " ".join(done.out.split())
    written = {path.name for path in out.iterdir()}
    assert {"workspace.png", "workspace.svg"} <= written
    assert sim_command(*arguments).status == 0  # its own files are replaced


def test_json_is_one_document_with_the_numbers_of_the_summary(sim_command):
    done = sim_command("workspace", TWO_LINK, "--step", "0.05", "--no-page", "--json")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out)
    assert (found["robot"], found["section"], found["family"]) == ("two_link", "xz", "numerical")
    assert found["check"]["ok"]
    assert found["check"]["missed"] == 0
    assert set(found["maps"]) == {"singular value", "gravity"}
    assert 0.85 < found["extent"]["x"][1] <= 0.9
    assert found["files"] == {}


def test_a_robots_name_leads_nowhere_else(sim_command, tmp_path, monkeypatch):
    text = (REPOSITORY / "scenarios" / "two_link.urdf").read_text("utf-8")
    (tmp_path / "a.urdf").write_text(text.replace('name="two_link"', 'name="../../up/two link"', 1))
    monkeypatch.chdir(tmp_path)
    done = sim_command("workspace", "a.urdf", "--step", "0.2")
    assert done.status == 0
    (folder,) = (tmp_path / "results" / "workspaces").iterdir()
    assert folder.name == "_up_two_link_xz"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--section", "x"), "not a section of a workspace"),
        (("--section", "y=2"), "does not come into section"),
        (("--tool", "left"), "allowed: down, up"),
        (("--step", "0"), "above 0 m"),
        (("--step", "nan"), "above 0 m"),
        (("--payload", "-3"), "mass"),
        (("--directions", "0"), "allowed: 4 to"),
        (("--directions", "many"), "invalid int value"),
    ],
)
def test_misuse_is_one_line_and_writes_nothing(sim_command, tmp_path, more, says):
    out = tmp_path / "out"
    done = sim_command("workspace", TWO_LINK, "--out", str(out), *more)
    assert (done.status, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert says in done.err
    assert not out.exists()


def test_a_file_that_sim_did_not_write_is_kept(sim_command, tmp_path):
    (tmp_path / "workspace.png").write_text("mine")
    done = sim_command("workspace", TWO_LINK, "--step", "0.1", "--out", str(tmp_path))
    assert done.status == 2
    assert "sim did not write it" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["workspace.png"]
    assert (tmp_path / "workspace.png").read_text() == "mine"


def test_a_robot_of_two_hands_is_told_which_frame_is_its_tool(sim_command, tmp_path):
    text = (REPOSITORY / "scenarios" / "two_link.urdf").read_text("utf-8")
    extra = (
        '<link name="hook"/><joint name="on" type="fixed"><parent link="upper_arm"/>'
        '<child link="hook"/><origin xyz="0 0 0.3"/></joint></robot>'
    )
    (tmp_path / "two.urdf").write_text(text.replace("</robot>", extra))
    done = sim_command("workspace", "two.urdf", "--step", "0.05", "--no-page")
    assert (done.status, done.out) == (2, "")
    assert "no tool frame: its end links are " in done.err and "--frame LINK" in done.err
    asked = ("workspace", "two.urdf", "--step", "0.05", "--no-page", "--json", "--frame")
    found = json.loads(sim_command(*asked, "tip").out)
    assert (found["frame"], found["check"]["ok"]) == ("tip", True)
    assert 0.85 < found["extent"]["x"][1] <= 0.9  # as without the hook
    done = sim_command(*asked, "hand")
    assert (done.status, done.out) == (2, "")
    assert "'hand' is not in robot" in done.err

import argparse
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from sim.cli.teach_command import teach_robot
from sim.errors import ModelError, PlaybackError, RecordingError, SimError
from sim.playback.teach_state import teach_state
from sim.robots import Loop, load_robot
from tests.cli.command_runs import assert_refused_without_display

NOTHING = {
    "tool": None,
    "tcp": None,
    "xacro": [],
    "model": None,
    "meshes_below": None,
    "pose": None,
    "strict": False,
    "browser": False,
    "window": False,
    "out": None,
}


def options(robot, **given):
    return argparse.Namespace(robot=robot, **{**NOTHING, **given})


def facts_in(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="facts">(.*?)</script>', text)[1])


def test_the_last_taught_position_is_printed(monkeypatch, capsys):
    arm = load_robot("ur10")
    monkeypatch.delenv("COLUMNS", raising=False)
    state = teach_state(arm, np.radians([0, -90, 45, 0, 0, 0]))
    asked = []
    monkeypatch.setattr(
        "sim.playback.teach", lambda robot, **how: asked.append((robot.name, how)) or state
    )
    taught = options("ur10", pose="upright", window=True)
    assert teach_robot(taught) == 0
    ((name, how),) = asked
    assert name == "ur10"
    np.testing.assert_array_equal(how["start"], arm.pose("upright"))
    out = capsys.readouterr().out
    assert "elbow_joint +45.00 deg" in out
    assert "tool0:  x" in out
    assert "NEAR SINGULAR" in out
    assert "+045.00" in out


def test_a_window_says_that_it_leaves_loops_open(monkeypatch, capsys):
    monkeypatch.setattr("sim.playback.teach", lambda robot, **how: None)
    for name, is_said in (("irb460_paper", True), ("irb460", False)):
        assert teach_robot(options(name, window=True)) == 0
        assert ("leaves loops open; the page closes them" in capsys.readouterr().out) == is_said


def test_repairs_are_said_and_refused_where_strictness_is_asked_for(tmp_path, monkeypatch, capsys):
    path = tmp_path / "arm.urdf"
    path.write_text(load_robot("ur10").text.replace(' name="ur10"', ""))
    monkeypatch.setattr("sim.playback.teach", lambda robot, **how: None)
    taught = options(path, window=True)
    assert teach_robot(taught) == 0
    assert "sim: repaired robot: <robot> needs the attribute 'name'" in capsys.readouterr().err
    taught.strict = True
    with pytest.raises(ModelError, match="needs the attribute 'name'"):
        teach_robot(taught)


def test_without_a_display_one_line_says_so(tmp_path):
    assert_refused_without_display("teach", "ur10", "--window", cwd=tmp_path)


def test_a_page_is_written_and_opened(tmp_path, opened, capsys):
    path = tmp_path / "arm.html"
    assert teach_robot(options("ur10", pose="upright", browser=True, out=str(path))) == 0
    assert opened == [(path.as_uri(), 2)]
    assert capsys.readouterr().out.split() == ["page", str(path)]
    facts = facts_in(path)
    arm = load_robot("ur10")
    assert [row["start"] for row in facts["rows"]] == arm.pose("upright").tolist()
    assert (facts["robot"], facts["keywords"]) == ("ur10", "")
    teach_robot(options("ur10", tcp=[0, 0, 0.1], tool="wrist_3_link", out=str(path)))
    facts = facts_in(path)
    assert (facts["tool"], facts["keywords"]) == ("tcp", ", tool='wrist_3_link', tcp=[0, 0, 0.1]")
    notices = path.read_text("utf-8").rpartition("<!--")[2]
    assert {"three.js", "fflate"} <= set(notices.split()) and "Permission is hereby" in notices
    teach_robot(options("ur10", out=str(path)))  # a page of ours is replaced
    assert len(opened) == 3
    (tmp_path / "mine.html").write_text("mine", encoding="utf-8")
    with pytest.raises(RecordingError, match="sim did not write it"):
        teach_robot(options("ur10", out=str(tmp_path / "mine.html")))
    with pytest.raises(RecordingError, match=r"its ending must be \.html"):
        teach_robot(options("ur10", out="arm.png"))
    with pytest.raises(PlaybackError, match="omit --window"):
        teach_robot(options("ur10", out="arm.html", window=True))


def test_the_browser_is_the_default_and_a_missing_one_names_the_file(
    tmp_path, opened, monkeypatch, capsys
):
    monkeypatch.setattr("webbrowser.open", lambda url, new: False)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "arm.urdf"
    path.write_text(load_robot("weld5").text)
    assert teach_robot(options("arm.urdf")) == 0
    assert "no browser found" in capsys.readouterr().out
    page = tmp_path / "results/pages/teach_weld5.html"  # one in a sandbox sees no temporary file
    assert facts_in(page)["robot"] == str(path)


def test_a_browser_shows_the_robot_in_the_window_of_its_folder(tmp_path, monkeypatch):
    served = []

    def serve(folder, command, worker, ready, port, *, page, meshes):
        served.append((folder, worker[3:], page, list(meshes)))
        ready("http://there/")

    monkeypatch.setattr("sim.studio.server.serve", serve)
    monkeypatch.setattr("sim.playback.browser.browser_here", lambda: "firefox")
    monkeypatch.setattr("webbrowser.open", lambda url, new: served.append(url) or True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm/urdf").mkdir(parents=True)
    file = tmp_path / "arm/urdf/a.urdf"
    file.write_text(load_robot("weld5").text, "utf-8")
    assert teach_robot(options("ur10", pose="upright", tool="tool0")) == 0
    assert served == [
        (tmp_path, [], None, []),
        "http://there/#robot=ur10&tool=tool0&pose=upright",
    ]
    for here, there, name in (("arm", "arm", "urdf%2Fa.urdf"), ("/", "arm/urdf", "a.urdf")):
        served.clear()
        monkeypatch.chdir(tmp_path / here)
        assert teach_robot(options(str(file) if here == "/" else "urdf/a.urdf")) == 0
        places = [tmp_path / "arm/urdf", tmp_path / "arm/meshes"]
        worker = list(map(str, places))
        assert served == [(tmp_path / there, worker, None, places), f"http://there/#robot={name}"]
    monkeypatch.chdir(tmp_path)
    for given in ({"tcp": [0, 0, 0.1]}, {"meshes_below": "."}, {"out": "a.html"}):
        served.clear()
        assert teach_robot(options("ur10", **given)) == 0
        assert len(served) == 1 and served[0].startswith("file:")
    monkeypatch.setattr("sim.cli.window.find_spec", lambda name: None)
    assert teach_robot(options("ur10")) == 0
    assert served[-1] == (tmp_path / "results/pages/teach_ur10.html").as_uri()


def test_loops_that_the_page_cannot_close_are_refused_by_name(tmp_path, opened, monkeypatch):
    arm = load_robot("irb460")
    bent = replace(arm.loops[0], point_b=arm.loops[0].point_b + 0.01)
    ends = "base_link", (0, 0, 0), "upper_arm", (0, 0, 0)
    slack = Loop("slack", *ends, None, ("crank_joint",), "function", function="INT(DX(b,a,a))")
    far = Loop("far", *ends, None, ("crank_joint",), "rod", length=50.0)
    for loop, words in (
        (bent, f"{bent.name!r}.* that its joints open"),
        (slack, "'slack'.* does not know INT"),
        (far, "'far'.* is open by .* m from point_a, its length 50 m"),
    ):
        robot = replace(arm, loops=(loop,))
        monkeypatch.setattr("sim.robots.load_robot", lambda *_, robot=robot, **__: robot)
        with pytest.raises(SimError, match=words):
            teach_robot(options("irb460", out=str(tmp_path / "page.html")))
    assert list(tmp_path.iterdir()) == opened == []

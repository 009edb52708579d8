import re
from pathlib import Path

import pytest

from sim import shipped

SOUND = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")
DEGREES = SOUND.replace('lower="-2.5" upper="2.5"', 'lower="-150" upper="150"')
DENSE = SOUND.replace('<mass value="2.4"/>', '<mass value="2400"/>')


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "arm.urdf"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize(("text", "status"), [(SOUND, 0), (DENSE, 0), (DEGREES, 1), ("<x", 1)])
def test_the_exit_status_is_1_only_for_errors(text, status, file, sim_command):
    done = sim_command("audit", file(text))
    assert (done.status, done.err) == (status, "")
    assert "arm.urdf: " in done.out.splitlines()[-1]


def test_a_file_that_is_not_there_is_misuse(sim_command):
    done = sim_command("audit", "nowhere.urdf")
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith("nowhere.urdf does not exist\n")


def test_json_is_one_document_with_findings_and_torques(file, sim_command):
    path = file(DEGREES)
    document = sim_command("audit", path, "--json").document
    assert set(document) == {
        *("file", "findings", "torques", "ok", "audited"),
        *("readings", "readings_of"),
    }
    assert document["file"] == path
    assert document["ok"] is False
    (one,) = document["findings"]
    assert (one["code"], one["link_or_joint"]) == ("degrees-in-limit", "elbow")
    assert set(one) == {"severity", "code", "link_or_joint", "line", "text", "remedy"}
    torques = document["torques"]
    assert torques["joints"] == ["shoulder", "elbow"]
    assert len(torques["programs"]["PyBullet"][1]) == len(torques["states"]["q"][1]) == 20
    assert max(torques["disagreement"]) < 1e-9
    assert torques["held"]["links"]["forearm"]["mass"] == 1.5


def test_json_of_a_file_that_does_not_load_has_no_torques(file, sim_command):
    document = sim_command("audit", file("<robot/>"), "--json").document
    assert document["torques"] is None
    assert document["ok"] is False


def test_a_finding_and_its_remedy_take_the_whole_width(file, sim_command):
    long = SOUND.replace("forearm", "forearm_of_the_left_arm").replace(
        'mass value="1.5"', 'mass value="-1.5"'
    )
    lines = sim_command("audit", file(long), columns=80).out.splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("error"))
    assert re.match(r"error {4}line \d+, forearm_of_the_left_arm: mass -1.5 kg is ", lines[first])
    remedy = next(line for line in lines[first:] if line.startswith("remedy"))
    assert remedy.startswith("remedy   export mass and tensor from CAD") and len(remedy) > 60


@pytest.mark.parametrize("text", [DEGREES, SOUND, "<robot/>"])
def test_the_tables_fit_eighty_columns(text, file, sim_command):
    out = sim_command("audit", file(text), columns=80).out
    path = out.splitlines()[-1]
    assert max(len(line) for line in out.splitlines() if line != path) <= 80


def test_a_shipped_robot_is_audited_by_its_name(sim_command):
    done = sim_command("audit", "weld5")
    assert done.status == 0
    assert "weld5.urdf: 0 errors, 0 warnings, 3 notes" in done.out


def test_the_page_of_a_file_has_the_findings_and_the_torques(file, sim_command, tmp_path):
    out = tmp_path / "audit.html"
    done = sim_command("audit", file(DEGREES), "--html", str(out))
    assert (done.status, done.err) == (1, "")
    assert done.out.splitlines()[-1] == f"page     {out}"
    page = out.read_text("utf-8")
    assert "limits lower=&#34;-150&#34;" in page
    assert "1 error, 0 warnings, 0 notes" in page
    for program in ("Lagrange", "PyBullet", "Pinocchio", "MuJoCo"):
        assert program in page
    assert "<script" not in page
    again = sim_command("audit", file(SOUND), "--html", str(out), "--json")
    assert again.status == 0
    assert again.document["ok"] is True
    assert "No findings" in out.read_text("utf-8")


def test_a_page_replaces_no_file_of_somebody_else(file, sim_command, tmp_path):
    out = tmp_path / "notes.html"
    out.write_text("mine")
    done = sim_command("audit", file(SOUND), "--html", str(out))
    assert (done.status, done.out) == (2, "")
    assert "sim did not write it" in done.err
    assert out.read_text() == "mine"
    done = sim_command("audit", file(SOUND), "--html", str(tmp_path / "no" / "a.html"))
    assert (done.status, done.err.count("\n")) == (2, 1)


def test_a_fixed_file_is_written_beside_and_judged(file, sim_command, tmp_path):
    path = file(SOUND.replace('xyz="0 0 -0.25"', 'xyz="0, 0, -0.25"'))
    before = Path(path).read_text()
    done = sim_command("audit", path, "--fix", "out.urdf")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "fixed    out.urdf: remaining 0 errors, 0 warnings, 0 notes"
    assert done.out.count("changed  ") == SOUND.count('xyz="0 0 -0.25"')
    assert Path(path).read_text() == before
    again = sim_command("audit", path, "--fix", "out.urdf", "--json").document
    assert again["fixed"]["findings"] == []
    copied = sim_command("audit", "out.urdf", "--fix", "copy.urdf").out
    assert copied.splitlines()[-1].startswith("copied   copy.urdf: nothing to fix; 0 errors")
    assert not any(line.startswith("fixed ") for line in copied.splitlines())
    assert len(again["fixed"]["changes"]) == SOUND.count('xyz="0 0 -0.25"')
    refused = sim_command("audit", path, "--fix", path)
    assert (refused.status, refused.out) == (2, "")
    assert "sim did not write it" in refused.err


UNEXPANDED = (
    '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    '<xacro:property name="m" value="$(arg mass)"/>'
    '<link name="base"/><link name="rod"><inertial><mass value="${m}"/><inertia ixx="1" iyy="1" '
    'izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hinge" type="continuous">'
    '<parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>'
)


def test_an_audit_of_nothing_is_misuse(sim_command, file, tmp_path):
    (tmp_path / "arm.urdf.xacro").write_text(UNEXPANDED)
    (tmp_path / "macros.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="x" params=""/>'
        "</robot>"
    )
    for names in (("arm.urdf.xacro",), ("macros.xacro",), ("arm.urdf.xacro", "macros.xacro")):
        done = sim_command("audit", *names)
        assert (done.status, done.err.count("nothing to audit")) == (2, 1)
        assert sim_command("audit", *names, "--annotate").status == 0  # of files that changed
    assert "--xacro NAME=VALUE" in " ".join(sim_command("audit", "arm.urdf.xacro").out.split())
    assert sim_command("audit", "macros.xacro", file(SOUND)).status == 0


def test_values_of_a_template_are_those_that_are_audited(sim_command, tmp_path):
    (tmp_path / "arm.urdf.xacro").write_text(UNEXPANDED)
    assert sim_command("audit", "arm.urdf.xacro", "--xacro", "mass=2").status == 0
    done = sim_command("audit", "arm.urdf.xacro", "--xacro", "mass=-2", "--json")
    assert (done.status, done.document["audited"]) == (1, True)
    assert any("-2 kg is negative" in one["text"] for one in done.document["findings"])
    done = sim_command("audit", "arm.urdf.xacro", "--xacro", "mass=2", "--xacro", "weight=2")
    assert done.status == 2 and "has no argument 'weight'; available: mass" in done.err


def test_torques_are_those_of_the_robot_where_it_is_mounted(sim_command):
    wall, same, floor = (
        sim_command("audit", "ur10", *options, "--json").document["torques"]
        for options in (
            ("--mount", "wall"),
            ("--mount", "0", "0", "0", "0", "1.5707963267948966", "0"),
            (),
        )
    )
    assert wall["programs"].keys() == {
        "Lagrange", "Newton–Euler", "PyBullet", "Pinocchio", "MuJoCo", "MuJoCo engine",
    }  # fmt: skip
    assert max(wall["disagreement"]) < 1e-9  # five readers, each with its own gravity
    assert wall["peak"] == same["peak"]
    assert abs(wall["peak"][0] - floor["peak"][0]) > 10  # the first axis is no longer upright

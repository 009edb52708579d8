"""Templates expanded by xacro, beside the same robot written by hand, and what goes wrong."""

import builtins
import sys
from pathlib import Path

import numpy as np
import pytest

from sim.errors import ModelError
from sim.robots import load_robot, xacro_file
from sim.robots.packages import AMENT, ROS
from sim.robots.xacro_file import expand
from sim.robots.xml_text import is_xacro

TEMPLATE = """\
<?xml version="1.0"?>
<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm">
  <xacro:arg name="mass" default="2"/>
  <xacro:property name="l" value="0.6"/>
  <!-- a uniform rod: m l² / 12 about its middle -->
  <xacro:macro name="rod" params="name m">
    <link name="${name}">
      <inertial><origin xyz="0 0 ${l/2}"/><mass value="${m}"/>
        <inertia ixx="${m*l*l/12}" ixy="0" ixz="0" iyy="${m*l**2/12}" iyz="0" izz="1e-3"/>
      </inertial>
    </link>
  </xacro:macro>
  <link name="base"/>
  <xacro:rod name="upper" m="$(arg mass)"/>
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""
BASE = '<link name="base"/>'


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    monkeypatch.delenv(ROS, raising=False)
    monkeypatch.delenv(AMENT, raising=False)


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(TEMPLATE, encoding="utf-8")
    return path


def refused(path: Path, **options: object) -> str:
    with pytest.raises(ModelError) as caught:
        load_robot(path, **options)
    return str(caught.value)


@pytest.mark.parametrize(("arguments", "mass"), [(None, 2.0), ({"mass": "3.5"}, 3.5)])
def test_a_template_is_the_robot_that_its_formulas_say(template, arguments, mass):
    robot = load_robot(str(template), xacro=arguments)
    rod = robot.link("upper").inertia
    assert rod.mass == mass
    np.testing.assert_array_equal(rod.com, [0, 0, 0.3])
    expected = [mass * 0.6**2 / 12] * 2 + [1e-3]
    np.testing.assert_allclose(np.diag(rod.tensor), expected, rtol=1e-15)
    assert (robot.name, robot.joint_names, robot.tool) == ("arm", ("turn",), "upper")
    assert robot.folder == template.parent
    assert "xacro" not in robot.text
    assert str(template.parent) not in robot.text, "the text is the same wherever the file is"


def test_card_and_loops_are_named_after_the_robot_not_the_template(template):
    (template.parent / "arm.toml").write_text("title = 3")
    assert "arm.toml" in refused(template)
    (template.parent / "arm.toml").unlink()
    short = template.rename(template.with_name("arm.xacro"))
    (template.parent / "arm.loops.toml").write_text("nonsense")
    assert "arm.loops.toml" in refused(short)


def test_includes_are_found_beside_the_file_and_in_packages(template, monkeypatch):
    package = template.parent / "ws" / "share" / "parts"
    (package / "urdf").mkdir(parents=True)
    part = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="{}"/></robot>'
    (package / "urdf" / "base.xacro").write_text(part.format("base"))
    (template.parent / "near.xacro").write_text(part.format("base"))
    wanted = load_robot(template).text
    include = '<xacro:include filename="{}"/>'.format
    monkeypatch.chdir("/")  # a relative name starts at the file, not where the program runs
    for name in ("near.xacro", "$(find parts)/urdf/base.xacro"):
        monkeypatch.setenv(AMENT, str(template.parent / "ws"))
        template.write_text(TEMPLATE.replace(BASE, include(name)), encoding="utf-8")
        assert load_robot(template).text == wanted


@pytest.mark.rotates(3)
@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("m*l*l/12", "m*q*l", 9, "name 'q' is not defined when evaluating expression 'm*q*l'"),
        ('value="0.6"', 'value="${k+1}"', 4, "name 'k' is not defined"),
        ('value="0.6"', 'value="${l+1}"', 4, "circular"),
        ("${l/2}", "${l/0}", 8, "division by zero"),
        ("${l/2}", "${[1]*10**15}", 8, "MemoryError when evaluating expression '[1]*10**15'"),
        ("<xacro:rod ", "<xacro:rot ", 14, "unknown macro name: xacro:rot"),
        ("$(arg mass)", "$(arg load)", 14, 'load_robot(..., xacro={"load": ...})'),
        ("$(arg mass)", "$(find nowhere)", 14, "package 'nowhere' does not exist above"),
        ('m="$', 'n="$', 14, "in macro 'rod': Invalid parameter \"n\""),
        (' m="$(arg mass)"', "", 14, "Undefined parameters [m]"),
        (BASE, '<xacro:insert_block name="b"/>', 13, 'Undefined block "b"'),
        (BASE, '<xacro:if value="perhaps"/>', 13, "not a boolean"),
        (BASE, "<xacro:if/>", 13, "missing attribute 'value'"),
        (BASE, '<xacro:include filename="no.xacro"/>', 13, "No such file"),
        (BASE, '<xacro:include filename="arm.urdf.xacro"/>', 13, "without an end"),
        ("</link>\n  </xacro", "</lonk>\n  </xacro", 11, "mismatched tag"),
    ],
)
def test_a_template_that_fails_says_its_own_line(template, old, new, line, says):
    assert TEMPLATE.count(old) == 1
    template.write_text(TEMPLATE.replace(old, new), encoding="utf-8")
    said = refused(template)
    assert said.startswith(f"{template}, line {line}: ")
    assert says in said


def test_a_fault_in_an_included_file_names_that_file(template):
    part = template.with_name("part.xacro")
    part.write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n\n<a b="${z}"/></robot>')
    include = '<xacro:include filename="part.xacro"/>'
    template.write_text(TEMPLATE.replace(BASE, include), encoding="utf-8")
    assert refused(template).startswith(f"{part}, line 3: xacro: name 'z' is not defined")
    part.write_text("<robot>\n<a></robot>")
    assert refused(template).startswith(f"{part}, line 2: not an XML document")


def test_after_a_failure_the_next_template_is_as_if_nothing_had_been(template):
    bad = template.with_name("bad.xacro")
    bad.write_text(TEMPLATE.replace("m*l*l/12", "q"), encoding="utf-8")
    wanted = load_robot(template).text
    assert "bad.xacro, line 9" in refused(bad)
    assert load_robot(template).text == wanted


def test_a_fault_of_the_robot_itself_is_one_of_the_expanded_text(template):
    template.write_text(TEMPLATE.replace('value="${m}"', 'value="${-m}"'), encoding="utf-8")
    said = refused(template)
    assert said.startswith(f"{template}, expanded, line ")
    assert "link 'upper': mass -2 kg" in said


def test_arguments_that_a_template_or_a_urdf_does_not_have_are_refused(template):
    said = refused(template, xacro={"payload": "1"})
    assert f"{template} has no argument 'payload'; available: mass" in said
    assert "it has no template arguments" in refused("ur10", xacro={"mass": "1"})


def test_an_argument_may_be_declared_in_an_included_file_and_counts_for_that_robot_only(template):
    part = template.with_name("part.xacro")
    part.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:arg name="root" default="base"/><link name="$(arg root)"/></robot>'
    )
    whole = template.with_name("whole.xacro")
    include = '<xacro:include filename="part.xacro"/>'
    whole.write_text(TEMPLATE.replace(BASE, include), encoding="utf-8")
    assert load_robot(whole, xacro={"root": "base"}).links[0].name == "base"
    assert "no argument 'root'" in refused(template, xacro={"root": "base"})


def test_what_xacro_says_becomes_a_warning_not_a_print(template, capfd):
    template.write_text(TEMPLATE.replace(BASE, BASE + "${xacro.warning('oh')}"), encoding="utf-8")
    with pytest.warns(UserWarning, match=r"arm\.urdf\.xacro: xacro reports: .*oh"):
        load_robot(template)
    assert capfd.readouterr() == ("", "")


def test_nothing_is_evaluated_in_a_file_of_another_name(tmp_path, monkeypatch):
    monkeypatch.setattr("sim.robots.xacro_file.expand", lambda *_: pytest.fail("was expanded"))
    for name in ("arm.urdf", "arm.xml", "arm.xacro.urdf", "xacro"):
        path = tmp_path / name
        path.write_text(TEMPLATE, encoding="utf-8")
        assert not is_xacro(path)
        assert "line 3: robot: this is a xacro template; expand it" in refused(path)
        with pytest.raises(ModelError, match=r"not called \*\.xacro"):
            expand(path, {})


def test_without_the_extra_the_message_says_what_to_install(template, monkeypatch):
    real = builtins.__import__

    def none(name, *rest):
        if name == "xacro":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.delitem(sys.modules, "xacro", raising=False)
    monkeypatch.setattr(builtins, "__import__", none)
    said = refused(template)
    assert "pip install 'sim[xacro]'" in said
    assert "xacro FILE > robot.urdf" in said


def test_a_folder_names_the_templates_in_it_too(template):
    assert "name a URDF file in it: arm.urdf.xacro" in refused(template.parent)


def test_a_command_that_takes_a_urdf_takes_a_template(template, sim_command):
    done = sim_command("ik", str(template), "--pose", "0", "0", "0", "0", "0", "0", "--json")
    assert (done.status, done.err) == (0, "")
    assert done.document["solutions"]
    template.write_text(TEMPLATE.replace("${l/2}", "${l/}"), encoding="utf-8")
    done = sim_command("ik", str(template), "--pose", "0", "0", "0", "0", "0", "0")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"sim: {template}, line 8: xacro in macro 'rod'")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("9**9**9", "takes more than 30 s of CPU time; look for a power or a loop"),
        ("[0]*10**10", "MemoryError"),
    ],
)
def test_an_expression_that_takes_all_time_or_memory_is_ended(
    template, monkeypatch, expression, words
):
    """Two seconds here instead of thirty."""
    monkeypatch.setattr(xacro_file, "_CHILD", xacro_file._CHILD.replace("(30, 35)", "(2, 4)"))
    assert "(2, 4)" in xacro_file._CHILD
    text = template.read_text("utf-8").replace(
        "</robot>", f'<link name="a${{{expression}}}"/></robot>'
    )
    template.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=words):
        expand(template, {})

"""Templates of xacro audited, and findings as annotations of a pull request."""

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from sim import shipped
from sim.audit import audit, workflow_commands
from sim.audit.to_terminal import to_terminal

SOUND = (shipped.scenarios() / "two_link.urdf").read_text(encoding="utf-8")
HEAD = '<robot name="two_link" xmlns:xacro="http://www.ros.org/wiki/xacro">'
TEMPLATE = SOUND.replace('<robot name="two_link">', HEAD + '<xacro:property name="m" value="2"/>')


@pytest.fixture
def written(tmp_path):
    def write(text, name="arm.urdf.xacro"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_template_is_expanded_and_judged_as_what_it_becomes(written):
    text = TEMPLATE.replace('<mass value="2.4"/>', '<mass value="${1000 * m}"/>')
    found = audit(written(text))
    twin = audit(written(SOUND.replace('value="2.4"', 'value="2000"'), "twin.urdf"))
    assert found.findings and found.torques is not None
    assert [(f.code, f.text) for f in found.findings] == [(f.code, f.text) for f in twin.findings]
    assert {f.line for f in found.findings} == {None}


def test_a_template_that_fails_and_one_of_macros_alone_are_told(written):
    (fault,) = audit(written(TEMPLATE.replace('value="2.4"', 'value="${n}"'))).findings
    assert (fault.code, fault.severity) == ("template", "error")
    assert "'n' is not defined" in fault.text
    (note,) = audit(written(HEAD + '<xacro:macro name="x" params=""/></robot>')).findings
    assert (note.code, note.severity) == ("macros", "note")


@pytest.mark.parametrize(
    ("inside", "code", "severity", "words"),
    [
        ('<joint name="mount" type="fixed"><parent link="mast"/><child link="base"/></joint>',
         "macros", "note", "templates that include it: mast"),
        ('<xacro:include filename="$(find a_package_of_ros)/arm.xacro"/>',
         "template", "warning", "package 'a_package_of_ros' does not exist"),
        ('<link name="$(arg side)"/>',
         "template", "warning", "'side' has no value and no default"),
    ],
)  # fmt: skip
def test_a_template_that_lacks_what_is_around_it_is_no_error(
    inside, code, severity, words, written
):
    """A part that others include, and a robot whose packages are not installed here."""
    (one,) = audit(written(TEMPLATE.replace("</robot>", f"{inside}</robot>"))).findings
    assert (one.code, one.severity) == (code, severity)
    assert words in one.text


def test_findings_are_workflow_commands_at_file_and_line(written):
    path = written(
        SOUND.replace('lower="-2.5" upper="2.5"', 'lower="-150" upper="150"'), "a,b.urdf"
    )
    line = path.read_text("utf-8").split("-150")[0].count("\n") + 1
    (told,) = [one for one in workflow_commands(audit(path)) if one.startswith("::error")]
    name = str(path).replace(",", "%2C")
    assert told.startswith(f"::error file={name},line={line},title=degrees-in-limit of elbow::")
    assert "\n" not in told


def test_an_audit_without_any_engine_is_shown(written):
    """As where neither PyBullet nor MuJoCo nor Pinocchio is installed."""
    found = audit(written(SOUND, "arm.urdf"))
    own = {
        name: tau for name, tau in found.torques.by.items() if name in ("Lagrange", "Newton–Euler")
    }
    alone = replace(found, torques=replace(found.torques, by=own, held=None), readings=())
    console = Console(width=80, file=io.StringIO())
    for part in to_terminal(alone):
        console.print(part)
    shown = console.file.getvalue()
    assert "16.6 N·m" in shown and "MuJoCo" not in shown

import pytest
from msgspec.json import encode
from scipy.spatial import ConvexHull

from sim.audit import audit_text, auditing, kept_audit
from sim.audit.kept_audit import audit_for_page
from sim.audit.to_page import to_page
from sim.motion import JointMotion
from sim.recording import robot_of
from sim.robots import load_robot
from sim.scenario import Scenario
from sim.simulation import run
from tests.audit.test_solids import UNIT

URDF = """<robot name="one"><link name="base"/><link name="body">
  <visual><geometry><mesh filename="body.obj"/></geometry></visual>
  <inertial><origin xyz="0.5 0.5 0.5"/><mass value="{mass}"/>
    <inertia ixx="100" iyy="100" izz="100" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="body"/><axis xyz="0 1 0"/>
    <limit lower="-7" upper="7" effort="5000" velocity="20"/></joint></robot>"""


def write_body(folder, size):
    rows = [f"v {size * x} {size * y} {size * z}\n" for x, y, z in UNIT]
    faces = [f"f {a} {b} {c}\n" for a, b, c in ConvexHull(UNIT).simplices + 1]
    (folder / "body.obj").write_text("".join([*rows, *faces]))


def recording_of(folder, mass=1000.0):
    (folder / "one.urdf").write_text(URDF.format(mass=mass))
    motion = JointMotion.displacement({"hinge": "time"})
    return run(Scenario(load_robot(folder / "one.urdf"), motion, 0.02), method="ideal")


@pytest.fixture
def audits(monkeypatch):
    """How often an audit was computed."""
    computed = []
    monkeypatch.setattr(
        auditing, "audit_text", lambda robot: computed.append(robot) or audit_text(robot)
    )
    return computed


def test_an_audit_is_kept_until_a_mesh_the_file_or_the_program_changes(
    tmp_path, audits, monkeypatch
):
    write_body(tmp_path, 1.0)
    recording = recording_of(tmp_path)
    first = audit_for_page(recording)
    assert encode(first) == encode(to_page(audit_text(robot_of(recording))))
    assert audit_for_page(recording) == first
    assert len(audits) == 1
    write_body(tmp_path, 0.2)  # the mass centre is outside now, of a body of 125 t/m³
    smaller = audit_for_page(recording)
    assert len(audits) == 2
    assert smaller != first
    assert encode(smaller) == encode(to_page(audit_text(robot_of(recording))))
    (tmp_path / "body.obj").unlink()
    assert audit_for_page(recording) != smaller
    write_body(tmp_path, 1.0)
    assert audit_for_page(recording) == first
    assert len(audits) == 3
    assert audit_for_page(recording_of(tmp_path, mass=1e6)) != first
    assert len(audits) == 4
    monkeypatch.setattr(kept_audit, "_program", lambda: b"another")
    audit_for_page(recording)
    assert len(audits) == 5


def test_a_source_that_is_edited_is_another_program(tmp_path):
    (tmp_path / "part").mkdir()
    source = tmp_path / "part" / "one.py"
    source.write_text("x = 1\n")
    before = list(kept_audit._sources(str(tmp_path)))
    source.write_text("x = 10\n")
    assert [size for _, size, _ in before] == [6]
    assert list(kept_audit._sources(str(tmp_path))) != before

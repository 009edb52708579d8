"""What other programs make of a file, with the options that it has for them."""

import struct

import mujoco
import numpy as np
import pytest

from sim.audit import audit
from sim.audit.states import states_of
from sim.audit.torques import torques_of
from sim.robots import load_robot

SPHERE = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
ARM = (
    '<robot name="arm">{options}<link name="base"/><link name="rod"><inertial>'
    '<origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" '
    'ixz="0" iyz="0"/></inertial>{shape}</link><joint name="hinge" type="revolute"><parent '
    'link="base"/><child link="rod"/><axis xyz="0 1 0"/>{limit}</joint></robot>'
)
LIMIT = '<limit lower="-2" upper="2" effort="50" velocity="3"/>'


@pytest.fixture
def written(tmp_path):
    def write(options, shape=SPHERE, limit=LIMIT):
        path = tmp_path / "arm.urdf"
        path.write_text(ARM.format(options=options, shape=shape, limit=limit))
        return path

    return write


@pytest.mark.parametrize(
    ("options", "mass", "has_note"),
    [
        ('inertiafromgeom="true"', 1000 * 4 / 3 * np.pi * 0.1**3, True),
        ('settotalmass="10"', 10.0, True),
        ('boundmass="3"', 3.0, True),
        ('discardvisual="false"', 1.0, False),
    ],
)
def test_options_for_mujoco_count_for_mujoco(written, options, mass, has_note):
    path = written(f"<mujoco><compiler {options}/></mujoco>")
    assert mujoco.MjModel.from_xml_string(path.read_text()).body_mass[-1] == pytest.approx(mass)
    found = audit(path)
    by_code = {one.code: one for one in found.findings}
    assert "program-refuses" not in by_code
    assert ("mujoco-masses" in by_code) == has_note
    tau = {name: np.abs(rows).max() for name, rows in found.torques.by.items()}
    other = [value for name, value in tau.items() if name != "MuJoCo"]
    np.testing.assert_allclose(other, tau["Lagrange"], rtol=1e-9)
    if has_note:
        assert "MuJoCo is the outlier" in by_code["torques-differ"].text
        assert abs(tau["MuJoCo"] / tau["Lagrange"] - 1) > 0.5
    else:
        assert tau["MuJoCo"] == pytest.approx(tau["Lagrange"], rel=1e-9)


def test_masses_from_meshes_are_those_of_the_files(written, tmp_path):
    cube = [(x, y, z) for x in (0, 0.2) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    faces = "013 032 467 475 045 051 237 276 026 064 157 173".split()
    data = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(x for k in face for x in cube[int(k)]), 0) for face in faces
    )
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "cube.stl").write_bytes(b"\0" * 80 + struct.pack("<I", 12) + data)
    shape = '<collision><geometry><mesh filename="meshes/cube.stl"/></geometry></collision>'
    robot = load_robot(
        written('<mujoco><compiler inertiafromgeom="true"/></mujoco>', shape), tool="rod"
    )
    states = states_of(robot)
    tau = torques_of(robot, states).by["MuJoCo"][0]
    m, r = 8.0, 0.1  # 0.2³ m³ of 1000 kg/m³, and its centre from the hinge
    inertia = m * 0.2**2 / 6 + m * r**2
    by_hand = inertia * states.qdd[0] - m * 9.81 * r * np.cos(states.q[0])
    np.testing.assert_allclose(tau, by_hand, rtol=0, atol=1e-5)  # single precision of the file


def test_limits_of_an_endless_joint_are_no_limits_for_all(written, tmp_path):
    path = written("")
    path.write_text(path.read_text().replace('type="revolute"', 'type="continuous"'))
    (note,) = (one for one in audit(path).findings if one.code == "endless-limits")
    assert "Drake enforces them" in note.text and "idle" not in note.text


def test_a_limit_without_ends_is_told_as_each_program_reads_it(written):
    path = written("", limit='<limit effort="50" velocity="3"/>')
    model = mujoco.MjModel.from_xml_string(path.read_text())
    assert not model.jnt_limited[0]
    pinocchio = pytest.importorskip("pinocchio").buildModelFromXML(path.read_text())
    assert pinocchio.lowerPositionLimit[0] == pinocchio.upperPositionLimit[0] == 0
    (one,) = (one for one in audit(path).findings if "neither lower nor upper" in one.text)
    assert "by the standard it is 0 to 0, as in Pinocchio, and without ends in MuJoCo" in one.text


def points(centres, axes, tensor=0.0):
    """A chain of points of 1 kg at these centres, each on a hinge."""
    bodies, last = "", "base"
    for k, ((x, y, z), axis) in enumerate(zip(centres, axes, strict=True), 1):
        bodies += (
            f'<link name="l{k}"><inertial><origin xyz="{x} {y} {z}"/><mass value="1"/><inertia '
            f'ixx="{tensor}" iyy="{tensor}" izz="{tensor}" ixy="0" ixz="0" iyz="0"/></inertial>'
            f'</link><joint name="j{k}" type="revolute"><parent link="{last}"/><child '
            f'link="l{k}"/><axis xyz="{axis}"/><limit lower="-2" upper="2" effort="99" '
            'velocity="9"/></joint>'
        )
        last = f"l{k}"
    return f'<robot name="points"><link name="base"/>{bodies}</robot>'


def test_joints_that_are_right_are_not_blamed_for_a_singular_mass_matrix(tmp_path):
    axes = ("0 1 0", "1 0 0", "0 0 1")
    path = tmp_path / "points.urdf"
    path.write_text(points(((0, 0, 0), (0, 0, 0), (0.1, 0.1, 0.3)), axes))
    found = audit(path)
    (cause,) = (one for one in found.findings if one.code == "singular-mass-matrix")
    assert "moved together, j1, j2 have almost no inertia" in cause.text
    apart = [one for one in found.findings if one.code == "torques-differ"]
    assert {one.link_or_joint for one in apart} == {"j1", "j2", "j3"}
    assert all("PyBullet is the outlier because j2 moves no inertia" in one.text for one in apart)
    assert all("all other programs agree on this joint" in one.remedy for one in apart)
    for name in ("Lagrange", "Newton–Euler", "Pinocchio"):
        assert found.torques.off(name).max() < 1e-12


LIMB = """<mujoco><worldbody><body name="a" pos="0 0 1" quat=".9 .1 .2 .3">{}
<geom type="capsule" size=".04" fromto="0 0 0 .4 .1 0" mass="3"/>
<body name="b" pos=".4 .1 0" quat=".7 .1 .5 .2"><joint name="hinge" axis="0 1 0" pos="0 .01 0"/>
<geom type="box" size=".1 .05 .02" pos=".1 0 0" mass="1"/><body name="c" pos=".2 0 0">
<joint name="wrist" type="ball"/><geom type="box" size=".1 .05 .02" pos=".1 .03 0" mass=".5"/>
</body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("root", "count"),
    [('<joint name="root" type="ball" pos=".02 .03 0"/>', 7), ('<freejoint name="root"/>', 10)],
)
def test_balls_and_free_joints_of_an_mjcf_file_are_those_of_mujoco(root, count, tmp_path):
    path = tmp_path / "limb.xml"
    path.write_text(LIMB.format(root))
    torques = audit(path).torques
    assert len(torques.joints) == count
    assert torques.absent.keys() == {"Pinocchio", "MuJoCo"}
    assert torques.disagreement().max() < 1e-12
    assert torques.off("MJCF").max() < 1e-13


def test_torques_of_an_mjcf_leave_out_armature_also_with_the_mass_centre_on_the_axis(tmp_path):
    """MuJoCo keeps the compiled inertia of such a body, with the armature, when armature is set."""
    path = tmp_path / "wheel.xml"
    path.write_text(
        """<mujoco><worldbody><body name="wheel"><joint name="spin" axis="0 1 0" armature="0.5"/>
<inertial pos="0 0 0" mass="1" diaginertia="0.02 0.03 0.04"/></body></worldbody></mujoco>"""
    )
    torques = audit(path).torques
    np.testing.assert_allclose(torques.by["MJCF"], 0.03 * torques.states.qdd, rtol=1e-12)

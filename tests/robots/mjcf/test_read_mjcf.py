"""MJCF files as robots, against MuJoCo itself."""

import sys
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

import sim
from sim.errors import ModelError
from sim.maths import rotation_from_rpy
from sim.robots.xml_text import is_mjcf
from tools.mjcf_models import prove

# Hinges off the body's origin, turned and shifted references, several joints in a body, a pitch of
# 90 degrees, a spring, a rotor, a free body with a ball on it.
TRAPS = """<mujoco model="traps"><compiler angle="radian"/><worldbody>
<body name="a" pos="0 0 .3" euler="0 1.5707963267948966 0"><joint name="j1" axis="0 0 1"
 pos=".01 0 0" damping="1.5" armature=".2" range="-2 2" limited="true"/>
 <geom type="capsule" size=".04" fromto="0 0 0 0 0 .4" mass="3"/>
 <body name="b" pos="0 0 .4" quat=".9 .1 .2 .3"><joint name="j2" axis="0 1 0" ref=".4"
  stiffness="20" springref=".2"/><joint name="j3" type="slide" axis="1 0 0" ref=".1" pos=".3 0 0"/>
  <geom type="box" size=".1 .05 .06" pos=".1 0 0" mass="2"/>
  <body name="c" pos=".3 0 0"><joint axis="0 0 1" pos="-.05 0 0"/>
   <geom type="cylinder" size=".03 .1" pos=".1 0 .02" mass="1" euler="0.3 0.2 0.1"/></body></body>
</body>
<body name="loose" pos="0 0 1"><freejoint name="flight"/><geom type="box" size=".1 .2 .3" mass="2"
 pos=".1 0 0"/><body name="tail" pos="0 .2 0"><joint name="wag" type="ball" pos="0 0 .05"
 damping=".02"/><geom type="sphere" size=".05" pos=".2 0 0" mass=".5"/></body></body>
</worldbody></mujoco>"""
MOTORS = """<actuator><motor name="m1" joint="j1" gear="50" ctrlrange="-2 2" ctrllimited="true"/>
<position name="m2" joint="j2" kp="300" kv="10" forcerange="-40 40"/></actuator></mujoco>"""


@pytest.fixture
def load(tmp_path):
    def loaded(text, **options):
        file = tmp_path / "arm.xml"
        file.write_text(text, encoding="utf-8")
        return sim.load_robot(file, **options), mujoco.MjModel.from_xml_path(str(file))

    return loaded


def test_a_urdf_with_many_comments_is_recognised_at_once():
    comments = "<!-- as xacro writes them -->\n" * 60
    assert not is_mjcf(f"<?xml version='1.0'?>\n{comments}<robot name='a'/>")
    assert is_mjcf(f"<?xml version='1.0'?>\n{comments}<mujoco/>")


@pytest.mark.rotates(2)
def test_bodies_fall_as_in_mujoco(load):
    """0.2 s from rest, by the Lagrangian model here and by MuJoCo's Runge-Kutta at 0.1 ms."""
    robot, model = load(TRAPS)
    assert not robot.repairs
    data = mujoco.MjData(model)
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    for _ in range(2000):
        mujoco.mj_step(model, data)
    start = {"j2": 0.4, "j3": 0.1, "flight.slide_z": 1.0}
    motion = sim.JointMotion.torque({}, start, free=robot.joint_names)
    scenario = sim.Scenario(robot, motion, 0.2, dt=0.1, method="adaptive")
    end = sim.run(scenario).analytic.iloc[-1]
    q = np.array([end[f"q.{row}"] for row in robot.row_names])
    for name in ("a", "b", "c", "loose", "tail"):
        body = model.body(name).id
        R = data.xmat[body].reshape(3, 3)
        joints = model.body_jntadr[body] + np.arange(model.body_jntnum[body])
        anchor = next((model.jnt_pos[j] for j in joints[::-1] if model.jnt_type[j] != 2), 0.0)
        T = sim.frame_pose(robot, q, name)
        # the integrator's error at 0.1 ms is 1e-13, that of the run 1e-11
        np.testing.assert_allclose(T[:3, 3], data.xpos[body] + R @ anchor, rtol=0, atol=1e-9)
        np.testing.assert_allclose(T[:3, :3], R, rtol=0, atol=1e-9)


def test_mass_matrix_bias_and_passive_force_are_those_of_mujoco(load, tmp_path):
    """Also with what is left out by name, which is switched off in MuJoCo."""
    load(TRAPS)
    assert prove(tmp_path / "arm.xml", 50).worst < 1e-13  # rounding
    more = """<option gravity="1 0 -5" density="1000"><flag spring="disable"/></option>
    <tendon><fixed name="t" stiffness="5" armature=".3"><joint joint="j1" coef="2"/></fixed>
    </tendon></mujoco>"""
    text = TRAPS.replace("</mujoco>", more).replace('"wag"', '"wag" stiffness="3" armature=".1"')
    robot, _ = load(text.replace('axis="0 1 0"', 'axis="0 1 0" damping="1 2 3"'))
    proof = prove(tmp_path / "arm.xml", 50)
    assert proof.worst < 1e-13
    assert len(proof.left_out) == len(robot.repairs) == 7
    says = {one.says: one.taken for one in robot.repairs}
    assert says["its flags switch springs off"] == "springs"
    assert "gravity=(1, 0, -5)" in says["its gravity is 1 0 -5 m/s²"]


def test_a_run_of_a_file_passes(load):
    robot, _ = load(TRAPS.split('<body name="loose"', maxsplit=1)[0] + "</worldbody>" + MOTORS)
    motion = sim.JointMotion.displacement(
        {"j1": "STEP5(TIME, 0, 0, 0.2, 1)", "j2": "0.4", "j3": "0.1", "joint_3": "TIME"}
    )
    run = sim.run(sim.Scenario(robot, motion, 0.2, dt=0.01, method="ideal"))
    assert run.run.robot.repairs[0].kind == "left out"
    assert all(one.ok for one in sim.check(run))


def test_joints_have_their_ranges_motors_and_rotors(load):
    robot, _ = load(TRAPS.replace("</mujoco>", MOTORS))
    first, second = robot.joint("j1"), robot.joint("j2")
    assert (first.limits.lower, first.limits.upper, first.limits.effort) == (-2.0, 2.0, 100.0)
    assert second.limits.effort == 40.0
    assert first.drive.ratio == 50.0
    assert first.drive.reflected_inertia == pytest.approx(0.2, rel=1e-15)
    (left,) = robot.repairs
    assert left.part == "MJCF actuator 'm2'"
    assert "300*u - 300*L - 10*V" in left.says
    assert robot.with_payload(1.0, frame="c").repairs == (left,)


LOOPS = """<mujoco><compiler angle="radian"/><worldbody>
<body name="crank" quat=".9 .1 .1 .1"><joint name="crank" axis="0 1 0"/><geom size=".1"/>
<body name="rod" pos=".1 0 0"><joint name="pin" axis="0 1 0" pos=".02 0 0"/><geom size=".1"/></body>
</body>
<body name="cart" pos=".4 0 0" quat=".7 .1 .3 .2"><joint name="cart" type="slide"/>
 <geom size=".1"/></body>
<body name="g1" pos="0 1 0"><joint name="g1" ref=".3"/><geom size=".1"/></body>
<body name="g2" pos="0 2 0"><joint name="g2" ref="-.2"/><geom size=".1"/></body>
<body name="hand" mocap="true" pos="0 3 0"/></worldbody>
<equality><connect name="tip" body1="rod" body2="cart" anchor=".3 .1 0"/>
<weld name="glue" body1="rod" body2="cart" anchor=".1 .2 .3"/>
<weld name="lead" body1="hand" body2="g1"/><weld name="off" active="false" body1="g1" body2="g2"/>
<joint name="gears" joint1="g2" joint2="g1" polycoef=".1 -2 0 0 0"/></equality>
<actuator><motor joint="crank"/></actuator></mujoco>"""


def test_equalities_become_loops_and_followers(load):
    robot, model = load(LOOPS)
    assert [one.part for one in robot.repairs] == ["MJCF equality 'lead'", "MJCF equality 'off'"]
    zero = np.zeros(len(robot.row_names))
    tip, glue = robot.loops
    assert tip.passive == glue.passive == ("pin", "cart")
    for loop in (tip, glue):
        a, b = (sim.frame_pose(robot, zero, link) for link in (loop.link_a, loop.link_b))
        ends = a[:3, :3] @ loop.point_a + a[:3, 3], b[:3, :3] @ loop.point_b + b[:3, 3]
        np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        a[:3, :3] @ np.stack([glue.across_a, glue.axis_a]).T,
        b[:3, :3] @ np.stack([glue.across_b, glue.axis_b]).T, rtol=0, atol=1e-12)  # fmt: skip
    data, x = mujoco.MjData(model), 0.7
    mimic = robot.joint("g2").mimic
    data.joint("g1").qpos, data.joint("g2").qpos = x, mimic.multiplier * x + mimic.offset
    mujoco.mj_forward(model, data)
    rows = data.efc_id[: data.nefc] == model.equality("gears").id
    np.testing.assert_allclose(data.efc_pos[: data.nefc][rows], 0.0, atol=1e-12)


def test_a_mesh_is_drawn_where_mujoco_has_it(load, tmp_path):
    points = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0.1, 0.1, 0.5]])
    faces = ["1 3 2", "1 2 4", "2 3 4", "3 1 4"]
    lines = [*(f"v {x} {y} {z}" for x, y, z in points), *(f"f {one}" for one in faces)]
    (tmp_path / "tetra.obj").write_text("\n".join(lines))
    robot, model = load(
        '<mujoco><asset><mesh name="t" file="tetra.obj" scale="2 2 2"/></asset><worldbody>'
        '<body name="x" pos="1 2 3"><joint name="j" pos=".1 0 0"/><geom type="mesh" mesh="t" '
        'pos=".1 .2 .3" euler="10 20 30"/></body></worldbody></mujoco>'
    )
    visual = ElementTree.fromstring(robot.text).find("link[@name='x']/visual")
    numbers = {
        key: np.array(text.split(), dtype=float) for key, text in visual.find("origin").items()
    }
    mesh = visual.find("geometry/mesh")
    assert (mesh.get("filename"), mesh.get("scale")) == ("tetra.obj", "2.0 2.0 2.0")
    R = rotation_from_rpy(numbers["rpy"])
    link = sim.frame_pose(robot, np.zeros(1), "x")
    drawn = link[:3, :3] @ (R @ (2 * points.T) + numbers["xyz"][:, None]) + link[:3, 3:]
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    wanted = data.geom_xmat[0].reshape(3, 3) @ model.mesh_vert.T + data.geom_xpos[0][:, None]
    order = [np.lexsort(np.round(one, 5)) for one in (drawn, wanted)]
    # the points of a mesh are single precision in MuJoCo
    np.testing.assert_allclose(drawn[:, order[0]], wanted[:, order[1]], rtol=0, atol=1e-6)


def test_meshes_are_found_from_any_working_folder(tmp_path, monkeypatch):
    (tmp_path / "models" / "cad").mkdir(parents=True)
    corners = "v 0 0 0\nv .3 0 0\nv 0 .2 0\nv .1 .1 .5\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4"
    (tmp_path / "models" / "cad" / "tetra.obj").write_text(corners)
    (tmp_path / "models" / "arm.xml").write_text(
        '<mujoco><compiler meshdir="cad"/><asset><mesh name="t" file="tetra.obj"/></asset>'
        '<worldbody><body><joint/><geom type="mesh" mesh="t"/></body></worldbody></mujoco>'
    )
    monkeypatch.chdir(tmp_path)
    robot = sim.load_robot("models/arm.xml")
    mesh = ElementTree.fromstring(robot.text).find("link/visual/geometry/mesh")
    assert (robot.folder / mesh.get("filename")).is_file()
    assert mesh.get("filename") == "cad/tetra.obj"


def test_shapes_that_a_urdf_cannot_have_are_named(load, sim_command, tmp_path):
    """A mesh whose points are in the MJCF has no file that a URDF could name."""
    robot, _ = load(
        '<mujoco><asset><mesh name="t" vertex="0 0 0 .3 0 0 0 .2 0 .1 .1 .5"/></asset><worldbody>'
        '<geom type="plane" size="1 1 1"/><body name="x"><joint name="j"/><geom size=".1"/>'
        '<geom type="mesh" mesh="t"/><geom type="ellipsoid" size=".1 .2 .3"/></body></worldbody>'
        "</mujoco>"
    )
    shapes = ElementTree.fromstring(robot.text).findall("link[@name='x']/visual/geometry/")
    assert [shape.tag for shape in shapes] == ["sphere"]
    says = [one.says.partition(", first")[0] for one in robot.repairs]
    assert says == [f"it has 1 shape(s) of the kind '{kind}'" for kind in
                    ("mesh without a file", "ellipsoid")]  # fmt: skip
    said = sim_command("mass", str(tmp_path / "arm.xml")).err
    assert "kind 'ellipsoid', first in body 'x'; read as: no such shape" in said


def test_a_fixed_joint_has_a_name_that_no_other_has(load):
    robot, model = load(
        '<mujoco><worldbody><body name="a"><joint name="a_fixed"/><geom size=".1"/>'
        '<body name="b"><geom size=".1"/><body name="c"><joint name="b_fixed"/><geom size=".1"/>'
        "</body></body></body></worldbody></mujoco>"
    )
    assert robot.joint_names == tuple(model.joint(j).name for j in range(2))
    assert robot.joint("b_fixed_").child == "b"


def test_an_equality_that_holds_a_joint_is_named_with_its_position(load):
    """MuJoCo counts the position of an equality from that of the file, here 0.4."""
    text = '<equality><joint name="lock" joint1="j2" polycoef="0.3 0 0 0 0"/></equality></mujoco>'
    robot, model = load(TRAPS.replace("</mujoco>", text))
    (note,) = robot.repairs
    assert note.says.startswith("it holds joint 'j2' at 0.7;")
    data = mujoco.MjData(model)
    data.joint("j2").qpos = 0.7
    mujoco.mj_forward(model, data)
    assert data.efc_pos[0] == pytest.approx(0.0, abs=1e-15)


def test_what_has_no_counterpart_is_named(load):
    text = TRAPS.replace('body name="c"', 'body name="c" gravcomp="0.5"').replace(
        'axis="0 0 1" pos="-.05', 'axis="0 0 1" frictionloss=".1" damping="1 2 3" pos="-.05'
    )
    tendon = '<tendon><fixed name="cord"><joint joint="j1" coef="1"/></fixed></tendon></mujoco>'
    robot, model = load(text.replace("</mujoco>", tendon))
    parts = {one.part: one for one in robot.repairs}
    assert parts.keys() == {"MJCF joint 'joint_3'", "MJCF body 'c'", "MJCF tendon 'cord'"}
    assert robot.joint("joint_3").friction == 0.1
    assert "sim.Force('c', force=(0.0, 0.0, 4.905" in parts["MJCF body 'c'"].taken
    assert not any("affects no joint torque" in one.text for one in parts.values())
    with pytest.raises(ModelError, match="not linear in the speed"):
        load(text, strict=True)
    assert model.ntendon == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<mujoco><worldbody>\n<body><joint tipe='x'/></body></worldbody></mujoco>",
         r"refuses it: XML Error: .*'tipe' Element 'joint', line 2"),
        ("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>", "it has no joint"),
        ("<mujoco><include file='none.xml'/></mujoco>", "none.xml"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_its_reason(load, text, reason):
    with pytest.raises(ModelError, match=reason):
        load(text)


def test_without_mujoco_the_message_has_the_remedy(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ModelError, match=r"MuJoCo is not installed; pip install 'sim\[mujoco\]'"):
        load(TRAPS)


def test_the_outermost_element_tells_the_format():
    assert is_mjcf('\ufeff<?xml version="1.0"?>\n<!-- <robot> -->\n<mujoco model="x">')
    assert not is_mjcf('<robot name="<mujoco>"/>')
    assert not is_mjcf("")


CHAIN = """<mujoco><worldbody><body name="arm"><joint name="lift" axis="0 1 0" armature=".05"/>
<geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
<body pos=".3 0 0"><joint name="f1" type="slide" axis="0 1 0" armature=".1"/>
 <geom size=".02"/></body>
<body pos=".3 .1 0"><joint name="f2" type="slide" axis="0 -1 0" armature=".2"/>
 <geom size=".02"/></body>
<body pos=".3 .2 0"><joint name="f3" axis="1 0 0" armature=".3"/><geom size=".02"/></body>
</body></worldbody><equality><joint joint1="f3" joint2="f1" polycoef="0 4 0 0 0"/>
<joint joint1="f1" joint2="f2" polycoef="0 -.5 0 0 0"/></equality>
<actuator><motor joint="f2" gear="10"/></actuator></mujoco>"""


@pytest.mark.parametrize("armature", [' armature=".2"', ""])
def test_rotors_of_joints_that_follow_turn_with_their_leader(load, armature, tmp_path):
    """S' M S of MuJoCo is the mass matrix, also where the leader has no rotor of its own."""
    robot, model = load(CHAIN.replace(' armature=".2"', armature))
    data, M = mujoco.MjData(model), np.empty((model.nv, model.nv))
    data.qpos[:] = [0.4, -0.01, 0.02, -0.04]
    mujoco.mj_forward(model, data)
    for k, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, M[k], unit)
    S = np.array([[1, 0, 0, 0], [0, -0.5, 1, -2]]).T
    assert robot.row_names == ("lift", "f2") and not robot.repairs
    np.testing.assert_allclose(
        sim.mass_matrix(robot, [0.4, 0.02]), S.T @ M @ S, rtol=1e-13, atol=1e-15
    )
    assert prove(tmp_path / "arm.xml", 20).worst < 1e-13

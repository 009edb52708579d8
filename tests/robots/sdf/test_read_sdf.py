"""SDF files as robots, against Drake where it is installed."""

import logging
import re

import numpy as np
import pytest

import sim
from sim.dynamics import lagrange
from sim.errors import ModelError
from sim.robots.loading import read_urdf
from sim.robots.xml_text import is_sdf

BODY = (
    "<inertial><pose>{} 0.1 0.2 0.3</pose><mass>{}</mass><inertia><ixx>.05</ixx><ixy>.004</ixy>"
    "<ixz>-.003</ixz><iyy>.06</iyy><iyz>.002</iyz><izz>.03</izz></inertia></inertial>"
)
# Frames in frames, axes in others, joints off the links, one that leads backwards, a screw, a
# universal joint, a rotor, a spring, a joint that follows another.
TRAPS = f"""<?xml version="1.0"?><sdf version="1.9"><model name="traps">
<pose>0.1 0.2 0.3 0.1 0.2 0.3</pose>
<frame name="mount"><pose>0 0 0.1 0.3 -0.1 0.2</pose></frame>
<frame name="flange" attached_to="wrist"><pose relative_to="tilt">0.1 0 0.02 0 0.4 0</pose></frame>
<frame name="tilt" attached_to="wrist"><pose degrees="true">0.05 0 0 20 30 40</pose></frame>
<joint name="weld" type="fixed"><parent>world</parent><child>base</child></joint>
<link name="base"><pose relative_to="mount">0 0 0.05 0 0 0.5</pose></link>
<link name="upper"><pose relative_to="base">0.1 0 0.4 0.2 0.1 -0.3</pose>
 {BODY.format("0.1 0.02 0.2", 3)}</link>
<joint name="shoulder" type="revolute"><pose>0.02 -0.03 -0.1 0.3 0.2 0.1</pose>
 <parent>base</parent><child>upper</child><axis><xyz expressed_in="mount">0.3 1 0.2</xyz>
 <limit><lower>-2</lower><upper>inf</upper><effort>150</effort><velocity>3</velocity></limit>
 <dynamics><damping>1.5</damping><friction>.2</friction><spring_stiffness>20</spring_stiffness>
 <spring_reference>.3</spring_reference></dynamics></axis>
 <drake:rotor_inertia>1e-4</drake:rotor_inertia><drake:gear_ratio>80</drake:gear_ratio></joint>
<link name="slider"><pose relative_to="shoulder">0 0.1 0.5 -0.2 0.6 0.3</pose>
 {BODY.format("0.01 0.02 0.03", 2)}</link>
<joint name="lift" type="prismatic"><pose>0.1 0.1 0.1 0.5 0 0</pose><parent>upper</parent>
 <child>slider</child><axis><xyz>0 0.6 0.8</xyz></axis></joint>
<link name="nut"><pose relative_to="slider">0 0 0.2 0.3 0 0</pose>
 {BODY.format("0.02 0 0", 1.2)}</link>
<joint name="thread" type="screw"><pose>.01 .02 0 0 0 .4</pose><parent>slider</parent>
 <child>nut</child><axis><xyz>0 0.1 1</xyz></axis>
 <screw_thread_pitch>0.02</screw_thread_pitch></joint>
<link name="cross"><pose relative_to="nut">0.2 0 0 0 0 0.3</pose>
 {BODY.format("0.05 0 0.02", 1)}</link>
<joint name="cardan" type="universal"><pose>-.03 .02 .01 0.2 0.1 0</pose><parent>nut</parent>
 <child>cross</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
<link name="wrist"><pose relative_to="cross">0.15 0 0 0.2 0 0.3</pose>
 {BODY.format("0.03 0 0.02", 0.7)}</link>
<joint name="spin" type="continuous"><pose>0 .01 0 0 0 0</pose><parent>wrist</parent>
 <child>cross</child><axis><xyz>0.1 1 0.3</xyz></axis></joint>
<link name="finger"><pose relative_to="wrist">0.05 0 0.1 0 0 0</pose>
 {BODY.format("0 0 0", 0.1)}</link>
<joint name="grip" type="prismatic"><parent>wrist</parent><child>finger</child>
 <axis><xyz>1 0 0</xyz><limit><effort>0</effort></limit><mimic joint="spin">
 <multiplier>.01</multiplier><offset>.02</offset><reference>.1</reference></mimic></axis></joint>
<plugin name="control" filename="libx.so"/></model></sdf>"""
ROTOR = 0.64  # kg·m², 80² · 1e-4


@pytest.fixture
def file(tmp_path):
    def written(text, name="arm.sdf"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


class Drake:
    """The same file by Drake; a base that floats is welded where the file has it."""

    def __init__(self, path, packages=()):
        drake = pytest.importorskip("pydrake.multibody.plant")
        parsing = pytest.importorskip("pydrake.multibody.parsing")
        logging.getLogger("drake").setLevel(logging.ERROR)
        self.plant = drake.MultibodyPlant(0.0)
        parser = parsing.Parser(self.plant)
        for name, folder in packages:
            parser.package_map().Add(name, str(folder))
        parser.AddModels(str(path))
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()

    def set(self, names, q, qd):
        positions, rates = self.plant.GetPositions(self.context), np.zeros_like(qd)
        positions[self.places(names)], rates[self.places(names, "velocity")] = q, qd
        self.plant.SetPositions(self.context, positions)
        self.plant.SetVelocities(self.context, rates)

    def places(self, names, of="position"):
        made = []
        for name in names:
            joint, _, motion = name.partition(".")
            start = getattr(self.plant.GetJointByName(joint), f"{of}_start")()
            made.append(start + {"": 0, "turn_a": 0, "turn_b": 1}.get(motion, "xyz".find(motion)))
        return made

    def torque(self, names, q, qd, qdd):
        """M qdd + C qd + g, shape (n, N)."""
        forces = pytest.importorskip("pydrake.multibody.tree").MultibodyForces(self.plant)
        tau = []
        for k in range(q.shape[1]):
            self.set(names, q[:, k], qd[:, k])
            rates = np.zeros(len(names))
            rates[self.places(names, "velocity")] = qdd[:, k]
            every = self.plant.CalcInverseDynamics(self.context, rates, forces)
            every = every - self.plant.CalcGravityGeneralizedForces(self.context)
            tau.append(every[self.places(names, "velocity")])
        return np.transpose(tau)


def states(n, count=50):
    rng = np.random.default_rng(5)
    return rng.uniform(-1, 1, (3, n, count))


def assert_same_torque(tree, drake, rotor=(), q=None):
    """Torques within 1e-10 of the largest, Drake's with its rotors; the states are random."""
    names = tree.row_names
    random, qd, qdd = states(len(names))
    q = random if q is None else q
    ours = lagrange.inverse_dynamics(tree, q, qd, qdd)
    for joint, inertia in dict(rotor).items():
        ours[names.index(joint)] += inertia * qdd[names.index(joint)]
    theirs = drake.torque(names, q, qd, qdd)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * np.abs(theirs).max())


def test_torques_are_those_of_drake(file):
    path = file(TRAPS)
    robot = sim.load_robot(path)
    # Drake does not read the format's <mimic>, and has the slide of a screw in its one coordinate
    tree = read_urdf(re.sub(r'<mimic joint="spin".*?/>', "", robot.text))
    assert_same_torque(tree, Drake(path), {"shoulder": ROTOR})


def test_links_and_frames_stand_where_drake_has_them(file):
    path = file(TRAPS)
    robot, drake = sim.load_robot(path), Drake(path)
    q = states(6)[0][:, 0]
    names = robot.row_names
    drake.set([*names, "grip"], [*q, 0.01 * (q[5] - 0.1) + 0.02], np.zeros(7))
    for name in ("flange", "tilt", "finger", "slider"):
        frame = drake.plant.GetFrameByName(name)
        T = frame.CalcPoseInWorld(drake.context).GetAsMatrix4()
        np.testing.assert_allclose(sim.frame_pose(robot, q, name), T, rtol=0, atol=1e-12)


def test_what_acts_in_joints_is_read(file):
    robot = sim.load_robot(file(TRAPS))
    shoulder = robot.joint("shoulder")
    assert (shoulder.damping, shoulder.friction) == (1.5, 0.2)
    limits = shoulder.limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-2.0, 1e16, 150.0, 3.0)
    assert shoulder.forces == (sim.JointSpring(20.0, free_position=0.3),)
    assert (shoulder.drive.ratio, shoulder.drive.reflected_inertia) == (80.0, pytest.approx(ROTOR))
    assert robot.joint("spin").kind == "continuous"
    mimic = robot.joint("grip").mimic
    assert (mimic.joint, mimic.multiplier) == ("spin", 0.01)
    assert mimic.offset == pytest.approx(0.02 - 0.01 * 0.1, rel=1e-15)
    assert [one.says for one in robot.repairs] == ["its <plugin> 'control' is not read"]
    with pytest.raises(ModelError, match="<plugin> 'control' is not read"):
        sim.load_robot(file(TRAPS), strict=True)


INNER = f"""<sdf version="1.9"><model name="gripper"><frame name="plate"><pose>0 .1 .2 .3 0 0</pose>
</frame><link name="palm"><pose>.1 .2 .3 0 .3 .2</pose>{BODY.format("0 0 0.1", 1)}</link>
<link name="jaw"><pose relative_to="palm">.1 0 0 .3 0 .1</pose>{BODY.format("0 0.1 0", 0.4)}</link>
<joint name="close" type="prismatic"><parent>palm</parent><child>jaw</child><axis><xyz>1 0 0</xyz>
</axis></joint></model></sdf>"""
OUTER = f"""<sdf version="1.9"><model name="arm" canonical_link="lower">
<link name="lower">{BODY.format("0 0 0.1", 2)}</link>
<joint name="foot" type="fixed"><parent>world</parent><child>__model__</child></joint>
<model name="boom"><pose relative_to="lower">0 0 .4 .1 .2 .3</pose>
 <link name="bar">{BODY.format("0 0 0.3", 2)}</link></model>
<joint name="elbow" type="revolute"><parent>lower</parent><child>boom::bar</child>
 <axis><xyz>0 1 .5</xyz></axis></joint>
<include><uri>model://toolset</uri><name>hand</name><placement_frame>plate</placement_frame>
 <pose relative_to="boom">0 0 .2 0 0 .4</pose></include>
<joint name="grasp" type="fixed"><parent>boom::bar</parent><child>hand::plate</child></joint>
</model></sdf>"""


def test_models_in_models_and_included_ones(file, tmp_path):
    """Drake reads no folder of a model, whose file its ``model.config`` names."""
    file("<package><name>toolset</name></package>", "toolset/package.xml")
    file(INNER, "toolset/gripper.sdf")
    config = "<model><sdf version='1.8'>old.sdf</sdf><sdf version='1.10'>gripper.sdf</sdf></model>"
    file(config, "toolset/model.config")
    path = file(OUTER.replace("model://toolset", "package://toolset/gripper.sdf"), "drake.sdf")
    robot, drake = sim.load_robot(file(OUTER)), Drake(path, [("toolset", tmp_path / "toolset")])
    assert robot.row_names == ("elbow", "hand::close")
    q, qd, qdd = states(2)
    theirs = drake.torque(("elbow", "close"), q, qd, qdd)
    ours = lagrange.inverse_dynamics(robot, q, qd, qdd)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * np.abs(theirs).max())


SHAPES = """<collision name="{0}"><pose>{1}</pose><geometry>{2}</geometry></collision>"""
SOLIDS = "".join(
    SHAPES.format(k, pose, solid)
    for k, (pose, solid) in enumerate(
        [
            ("0 0 0 .1 .2 .3", "<box><size>.1 .2 .3</size></box>"),
            (".1 .2 0 0 .5 0", "<cylinder><radius>.05</radius><length>.3</length></cylinder>"),
            ("0 .3 .1 .4 .5 0", "<capsule><radius>.04</radius><length>.2</length></capsule>"),
            (".3 0 0 0 0 0", "<sphere><radius>.06</radius></sphere>"),
            ("0 0 .3 .1 .2 .3", "<ellipsoid><radii>.05 .06 .07</radii></ellipsoid>"),
        ]
    )
)
BALL = f"""<sdf version="1.11"><model name="top"><link name="top"><pose>.1 .2 .3 .4 .5 .6</pose>
<inertial auto="true"><density>700</density></inertial>{SOLIDS}</link>
<joint name="foot" type="ball"><pose>.1 .2 .3 0 0 0</pose><parent>world</parent><child>top</child>
</joint></model></sdf>"""


@pytest.mark.parametrize("mass", ["", "<mass>3</mass>"])
@pytest.mark.parametrize("frame", ["", ' relative_to="foot"'])
def test_a_ball_and_the_inertia_of_shapes(file, mass, frame):
    """At rest at zero, where Drake's axes are those of the link: q of a ball is not its angles."""
    text = BALL.replace("<density>700</density>", f"<density>700</density>{mass}")
    path = file(text.replace("<pose>.1 .2 0 0 .5 0", f"<pose{frame}>.1 .2 0 0 .5 0"))
    assert_same_torque(sim.load_robot(path), Drake(path), q=np.zeros((3, 50)))


ARM = """<model name="arm"><pose relative_to="{}">.1 0 0 0 0 .3</pose><link name="a"/>
<link name="b"><pose>.3 0 0 0 0 0</pose>{}</link><frame name="tip" attached_to="b"/>
<joint name="foot" type="fixed"><parent>world</parent><child>a</child></joint>
<joint name="tip_fixed" type="revolute"><parent>a</parent><child>b</child>
<axis><xyz>0 1 0</xyz></axis></joint></model>"""
WORLD = """<sdf version="1.9"><world name="w"><frame name="stand">
<pose relative_to="table">0 0 1 .5 .4 0</pose></frame><model name="table">
<static>true</static><pose>.1 .2 .3 .3 .2 .1</pose>
<link name="top"/></model>{}</world></sdf>"""


def test_a_robot_on_a_stand_on_a_table(file):
    """The frame ``tip`` is a link on a fixed joint, whose usual name another joint has."""
    path = file(WORLD.format(ARM.format("stand", BODY.format("0.1 0 0", 2))), "cell.sdf")
    robot = sim.load_robot(path)
    assert_same_torque(robot, Drake(path))
    assert robot.joint("tip_fixed_").child == "tip"
    for base, text in (("shelf", ARM), ("stand", ARM.replace("<model", '<frame name="x"/><model'))):
        cell = WORLD.replace('"table">0', f'"{base}">0').format(text.format("stand", ""))
        with pytest.raises(ModelError, match=f"relative to '{base}', which is no <frame>"):
            sim.load_robot(file(cell))


def test_a_world_of_gazebo_with_a_light_that_is_not_there(file):
    sun = "<include><uri>model://sun</uri></include>"
    path = file(WORLD.format(sun + ARM.format("stand", "")), "lit.world")
    (note,) = (one for one in sim.load_robot(path).repairs)
    assert (note.part, note.says) == ("SDF <include> 'sun'", "no model of that name can be read")
    assert not sim.load_robot(path, model="arm").repairs
    with pytest.raises(ModelError, match="'model://sun' is not below a folder of models"):
        sim.load_robot(path, model="sun")


def test_the_rotor_of_a_joint_that_follows_turns_with_its_leader(file):
    rotor = "<drake:rotor_inertia>{}</drake:rotor_inertia><drake:gear_ratio>10</drake:gear_ratio>"
    text = TRAPS.replace("</axis></joint>\n<link name=\"finger\">", "</axis>" + rotor.format(0.002)
                         + "</joint>\n<link name=\"finger\">")  # fmt: skip
    text = text.replace("</mimic></axis></joint>", f"</mimic></axis>{rotor.format(0.3)}</joint>")
    robot = sim.load_robot(file(text))
    inertias = dict(zip(robot.row_names, robot.rotor_inertia, strict=True))
    # 10² of both, and of the follower 0.01² more, its speed over the leader's
    assert inertias["spin"] == pytest.approx(0.2 + 0.3 * 1e-2, rel=1e-15)
    assert inertias["shoulder"] == pytest.approx(ROTOR, rel=1e-15)


LOOP = """<sdf version="1.7"><model name="fourbar">{}
<joint name="a" type="revolute"><parent>world</parent><child>crank</child>
 <axis><xyz>0 1 0</xyz></axis></joint>
<joint name="b" type="revolute"><pose>0 0 .2 0 0 0</pose><parent>crank</parent><child>rod</child>
 <axis><xyz>0 1 0</xyz><limit><effort>0</effort></limit></axis></joint>
<joint name="c" type="revolute"><pose>.1 0 .1 0 .3 0</pose><parent>rod</parent><child>world</child>
 <axis><xyz>0 1 0</xyz></axis></joint></model></sdf>""".format(
    "".join(f'<link name="{one}"><pose>.{k} 0 .3 0 0 .2</pose></link>'
            for k, one in enumerate(("crank", "rod"))))  # fmt: skip


def test_a_joint_that_closes_a_loop(file):
    robot = sim.load_robot(file(LOOP))
    (loop,) = robot.loops
    assert (loop.kind, loop.passive) == ("hinge", ("b",))
    T = [sim.frame_pose(robot, np.zeros(2), link) for link in (loop.link_a, loop.link_b)]
    at = [T[0][:3, :3] @ loop.point_a + T[0][:3, 3], T[1][:3, :3] @ loop.point_b + T[1][:3, 3]]
    np.testing.assert_allclose(at[0], at[1], rtol=0, atol=1e-15)
    axes = T[0][:3, :3] @ loop.axis_a, T[1][:3, :3] @ loop.axis_b
    np.testing.assert_allclose(axes[0], axes[1], rtol=0, atol=1e-15)


def test_a_model_is_chosen_by_name(file):
    one, two = (
        f'<model name="{name}"><link name="l"/><joint name="{name}_joint" type="continuous">'
        "<parent>world</parent><child>l</child><axis><xyz>0 0 1</xyz></axis></joint></model>"
        for name in ("one", "two")
    )
    path = file(
        f"<sdf version='1.6'><world name='w'><gravity>0 0 -1.62</gravity>{one}{two}</world></sdf>",
        "two.world",
    )
    assert is_sdf(path.read_text())
    with pytest.raises(ModelError, match=r"2 models: one, two; name one: --model NAME"):
        sim.load_robot(path)
    two = sim.load_robot(path, model="two")
    assert two.joint_names == ("two_joint",)
    assert [one.says for one in two.repairs] == ["its gravity is 0 0 -1.62 m/s²"]
    with pytest.raises(ModelError, match=r"no model 'three'; available: one, two"):
        sim.load_robot(path, model="three")
    twins = file(f"<sdf version='1.6'><world name='w'>{one}{one}</world></sdf>", "twins.world")
    with pytest.raises(ModelError, match=r"2 of its models are called 'one'"):
        sim.load_robot(twins, model="one")
    with pytest.raises(ModelError, match=r"ur10.urdf is not an SDF file"):
        sim.load_robot("ur10", model="one")


def test_a_link_of_a_mass_of_zero_is_a_frame(file):
    """As files for PyBullet have their base."""
    body = "<inertial><mass>0</mass></inertial>"
    text = TRAPS.replace("0 0 0.05 0 0 0.5</pose></link>", f"0 0 0.05 0 0 0.5</pose>{body}</link>")
    robot = sim.load_robot(file(text))
    assert robot.link("base").inertia is None
    assert robot.repairs[0].says == "its mass is 0, which the format does not allow"


JOINT = '<joint name="j" type="{}"><parent>world</parent><child>l</child>{}</joint>'
AXIS = "<axis><xyz>{}</xyz>{}</axis>"
SPUN = JOINT.format("continuous", AXIS.format("0 0 1", ""))


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ('<link name="l"/>', "it has no joint that moves"),
        ('<link name="l"/><static>1</static>' + SPUN, "line 1: model 'm': it is static"),
        ('<link name="l"/>' + JOINT.format("hinge", ""), "its type 'hinge' is unknown; allowed"),
        ('<link name="l"/>' + JOINT.format("revolute", ""), "joint 'j': needs an <axis>"),
        ('<link name="l"/>' + JOINT.format("revolute", AXIS.format("0 0 0", "")), "is zero"),
        ('<link name="l"/>' + JOINT.format("revolute", AXIS.format("0 x 0", "")), "not a number"),
        (
            '<link name="l"><pose relative_to="f"/></link><frame name="f" attached_to="l"/>' + SPUN,
            "its frame depends on itself",
        ),
        ('<link name="k"/>' + SPUN, "there is no frame 'l'; available: __model__, k, j"),
        ('<link name="l"/><link name="l"/>' + SPUN, "name is used twice"),
        ('<link name="l"/><include><uri>model://../etc</uri></include>' + SPUN, "is not below"),
        ('<link name="l"/><include><uri>https://a/b</uri></include>' + SPUN, "is downloaded"),
        ('<include><uri>self.sdf</uri></include><link name="l"/>' + SPUN, "more than 500 models"),
        (
            '<link name="l"><inertial><mass>-1</mass></inertial></link>' + SPUN,
            "its mass -1 kg is negative",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(file, parts, reason):
    path = file(f'<sdf version="1.9"><model name="m">{parts}</model></sdf>', "self.sdf")
    with pytest.raises(ModelError, match=re.escape(reason)):
        sim.load_robot(path)

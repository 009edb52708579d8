"""Watched robots whose base is free, in both engines."""

import math

import mujoco
import numpy as np
import pybullet as p
import pybullet_data
import pytest

import sim
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.errors import EngineError
from sim.watching.diagnose import diagnose
from tests.helpers.watched_loops import disable_damping

URDF = """<robot name="walker"><link name="torso"><inertial>
<origin xyz=".05 -.03 .1" rpy=".3 .2 .1"/>
<mass value="8"/><inertia ixx=".2" iyy=".3" izz=".25" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius=".2"/></geometry></collision></link>
<link name="thigh"><inertial><origin xyz="0 .02 -.2" rpy="0 .1 0"/><mass value="2"/>
<inertia ixx=".02" iyy=".03" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hip" type="continuous"><origin xyz=".1 .2 0" rpy="0 0 .4"/><parent link="torso"/>
<child link="thigh"/><axis xyz="0 1 0"/></joint>
<link name="shank"><inertial><origin xyz="0 0 -.15"/><mass value="1"/>
<inertia ixx=".01" iyy=".012" izz=".003" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="knee" type="continuous"><origin xyz="0 0 -.4"/><parent link="thigh"/>
<child link="shank"/><axis xyz=".6 .8 0"/></joint></robot>"""
TORQUES = np.array([4.0, 1.5])
DAMPED = {"linearDamping": 0.04, "angularDamping": 0.04}


@pytest.fixture
def walker(tmp_path):
    file = tmp_path / "walker.urdf"
    file.write_text(URDF)
    return file


def bullet_loop(file, prepare=None, act=None, *, height=3.0, floored="", steps=240):
    """A walker that is thrown, or falls on a floor made before or after it, bends its leg."""
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        try:
            if floored == "before":
                p.loadURDF(f"{pybullet_data.getDataPath()}/plane.urdf")
            flags = p.URDF_USE_INERTIA_FROM_FILE
            body = p.loadURDF(str(file), [0, 0, height], [0.1, 0.2, 0.3, 0.9], flags=flags)
            p.setGravity(0, 0, -9.81)
            disable_damping(body)
            p.setJointMotorControlArray(body, [0, 1], p.VELOCITY_CONTROL, forces=[0, 0])
            p.resetBaseVelocity(body, [0.3, 0.2, 0.1], [1, 0.5, -0.7])
            if floored == "after":
                p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
            return bend_leg(file, (body, client), [0, 1], steps, prepare, act)
        finally:
            p.disconnect(client)


def bend_leg(file, of, joints, steps, prepare, act):
    """The watch of a walker, a body of a client, whose hip and knee move by torques."""
    body, client = of
    if prepare is not None:
        prepare(body)
    watch = sim.watch(p, body, file, client=client)
    for k in range(steps):
        if act is not None:
            act(body, k)
        tau = TORQUES * math.sin(k / 30)
        p.setJointMotorControlArray(body, joints, p.TORQUE_CONTROL, forces=tau.tolist())
        p.stepSimulation()
        watch.sample()
    return watch


def changed(link, **values):
    return lambda body: p.changeDynamics(body, link, **values)


def lifted(body, k):
    place = p.getBasePositionAndOrientation(body)[0]
    p.applyExternalForce(body, -1, [0, 3, 40], place, p.WORLD_FRAME)


def turned(body, k):
    if k == 100:
        p.resetBaseVelocity(body, [0, 0, 0], [0, 0, 1])


# The kinds of cause that a loop with this mistake is to have, and text that its account has.
MISTAKES = {
    "right": ({}, [], ""),
    "mass of the base": ({"prepare": changed(-1, mass=8.5)}, ["link mass"], "torso"),
    "mass of a link": ({"prepare": changed(1, mass=1.1)}, ["link mass"], "shank"),
    "damping": ({"prepare": changed(-1, **DAMPED)}, ["link damping"], "linear 0.04"),
    "gravity": ({"prepare": lambda body: p.setGravity(0, 0, -9.8)}, ["gravity"], "-9.8)"),
    "joint damping": ({"prepare": changed(0, jointDamping=0.3)}, ["joint damping"], "0.3 ± "),
    "thrust": ({"act": lifted}, [], ""),
    "set by hand": ({"act": turned}, ["state set by hand"], "step 101"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_planted_mistake_in_pybullet_is_named(walker, name, tmp_path):
    options, kinds, text = MISTAKES[name]
    run = bullet_loop(walker, **options).save(tmp_path / "run")
    errors = run.run.watched.errors
    assert [cause.kind for cause in errors] == kinds
    assert text in " ".join(cause.sentence for cause in errors)
    assert run.run.watched.left < 1e-9
    assert run.passed == (not kinds)


@pytest.mark.parametrize(("floored", "number"), [("before", 0), ("after", 1)])
def test_contacts_that_carry_a_free_body_are_counted_in(walker, tmp_path, floored, number):
    """PyBullet stores points with the body first or second; friction keeps its directions."""
    run = bullet_loop(walker, height=0.3, floored=floored).save(tmp_path / "run")
    assert run.passed and run.run.watched.left < 1e-9 < run.run.watched.residual
    (note,) = run.run.watched.causes
    assert note.kind == "contact" and f"torso with body {number}" in note.text
    heavy = changed(1, mass=1.1)
    wrong = bullet_loop(walker, heavy, height=0.3, floored=floored).save(tmp_path / "wrong")
    assert [cause.kind for cause in wrong.run.watched.errors] == ["link mass"]
    assert wrong.run.watched.left < 1e-9


def test_a_limit_in_steps_of_contacts_that_roll_is_named_and_no_contact(tmp_path):
    """The knee stands at 0.2 rad; that the ball rolls with friction is no error."""
    file = tmp_path / "walker.urdf"
    limit = '<limit lower="-.2" upper=".2" effort="100" velocity="100"/></joint></robot>'
    revolute = URDF.replace('"knee" type="continuous"', '"knee" type="revolute"')
    file.write_text(revolute.replace("</joint></robot>", limit))

    def prepare(body):
        for number in (-1, 0, 1):
            p.changeDynamics(body, number, spinningFriction=0.05, rollingFriction=0.05)

    recording = bullet_loop(file, prepare, height=0.4, floored="before").save(tmp_path / "run")
    watched = recording.run.watched
    errors = [cause for cause in watched.causes if cause.is_error]
    assert [cause.kind for cause in errors] == ["joint limit"] and watched.left < 1e-9
    assert "knee is held at a limit near" in errors[0].text and "0.2" in errors[0].text
    assert "contact friction" in [cause.kind for cause in watched.causes]


def test_the_page_of_a_free_body_has_no_drives_in_its_base_and_no_sliders(walker, tmp_path):
    run = bullet_loop(walker).save(tmp_path / "run")
    page = sim.report(run, tmp_path)[-1].read_text(encoding="utf-8")
    sizing = page[page.index('id="sizing"') :]
    sizing = sizing[: sizing.index("</section>")]
    assert "hip" in sizing and "base.slide" not in sizing
    assert "no motor moves the base" in page


def mujoco_loop(file, edit=None, act=None, *, height=3.0, robot=None, integrator="Euler"):
    """The walker on a free joint."""
    spec = mujoco.MjSpec.from_file(str(file))
    spec.compiler.fusestatic = False
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    spec.option.timestep = 1e-3
    torso = spec.body("torso")
    torso.add_freejoint(name="root")
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1])
    floor.contype = floor.conaffinity = 1
    if edit is not None:
        edit(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[2], data.qvel[:6] = height, [0.3, 0.2, 0.1, 1, 0.5, -0.7]
    watch = sim.watch(model, data, robot=robot)
    for k in range(200):
        if act is not None:
            act(data, k)
        data.qfrc_applied[6:8] = TORQUES * math.sin(k / 30)
        mujoco.mj_step(model, data)
        watch.sample()
    return watch


def heavier(spec):
    spec.body("shank").mass = 1.1


def armed(spec):
    spec.joint("hip").armature = 0.01


def pushed(data, k):
    data.xfrc_applied[1, 2] = 40


MUJOCO_MISTAKES = {
    "right": ({}, []),
    "right, RK4": ({"integrator": "RK4"}, []),
    "right, implicit": ({"integrator": "implicit"}, []),
    "mass of a link": ({"edit": heavier}, ["link mass"]),
    "armature": ({"edit": armed}, ["armature"]),
    "right, pushed": ({"act": pushed}, []),
    "right, on a floor": ({"height": 0.21}, []),
    "right, RK4, on a floor": ({"height": 0.21, "integrator": "RK4"}, []),
    "mass, on a floor": ({"height": 0.21, "edit": heavier}, ["link mass"]),
}


@pytest.mark.parametrize("name", MUJOCO_MISTAKES)
def test_a_planted_mistake_in_mujoco_is_named(walker, name, tmp_path):
    """The file has a fixed base; the model's own robot has what is edited, too."""
    options, kinds = MUJOCO_MISTAKES[name]
    run = mujoco_loop(walker, robot=walker, **options).save(tmp_path / "run")
    assert [cause.kind for cause in run.run.watched.errors] == kinds
    assert run.run.watched.left < 1e-9
    assert run.passed == (not kinds)
    notes = [cause for cause in run.run.watched.causes if cause.kind == "contact"]
    assert bool(notes) == ("floor" in name)
    own = mujoco_loop(walker, **options).save(tmp_path / "own")
    assert own.passed and own.run.watched.left < 1e-9


PLANAR = """<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="9 9 1"/>
<body name="torso" pos="0 0 .5"><joint name="rootx" type="slide" axis="1 0 0"/>
<joint name="rootz" type="slide" axis="0 0 1"/><joint name="rooty" axis="0 1 0"/>
<geom type="sphere" size=".1" mass="3"/><body name="leg"><joint name="hip" axis="0 1 0"
range="-30 30" armature=".05"/><geom type="capsule" size=".04" fromto="0 0 -.2 0 0 -.44"
mass="1"/></body></body>
</worldbody><actuator><motor joint="hip" ctrlrange="-3 3"/>%s</actuator></mujoco>"""
SLIDES = """<link name="world"/><link name="x"/><link name="z"/>
<joint name="rootx" type="prismatic"><parent link="world"/><child link="x"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" effort="0" velocity="9"/></joint>
<joint name="rootz" type="prismatic"><parent link="x"/><child link="z"/><axis xyz="0 0 1"/>
<limit lower="-9" upper="9" effort="0" velocity="9"/></joint>
<joint name="rooty" type="continuous"><parent link="z"/><child link="torso"/><axis xyz="0 1 0"/>
</joint></robot>"""


def planar_mujoco_loop(file, mass=None, motor=""):
    """A leg on two slides and a hinge falls on the floor, swinging against its stops."""
    file.write_text(PLANAR % motor)
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    watch = sim.watch(model, data, file)
    if mass is not None:
        model.body_mass[model.body("leg").id] = mass
    for k in range(400):
        data.ctrl[:] = 3 * math.sin(k / 40)
        mujoco.mj_step(model, data)
        watch.sample()
    return watch


def test_contacts_and_stops_carry_a_walker_in_a_plane_of_mujoco(tmp_path):
    run = planar_mujoco_loop(tmp_path / "leg.xml").save(tmp_path / "run")
    assert run.passed and run.run.watched.left < 1e-9 < run.run.watched.residual
    notes = {cause.kind for cause in run.run.watched.causes} - {"time step"}
    assert notes == {"contact", "joint limit"}
    wrong = planar_mujoco_loop(tmp_path / "leg.xml", mass=1.001).save(tmp_path / "wrong")
    assert [cause.kind for cause in wrong.run.watched.errors] == ["link mass"]
    crane = planar_mujoco_loop(tmp_path / "leg.xml", motor='<motor joint="rootx"/>')
    kinds = [cause.kind for cause in crane.save(tmp_path / "crane").run.watched.errors]
    assert sorted(kinds) == ["contact", "joint limit"]  # a base that a motor moves is an arm's


def planar_bullet_loop(file, prepare=None, act=None):
    """The walker on two slides and a hinge, without the mass that PyBullet gives frames."""
    file.write_text(URDF.replace("</robot>", SLIDES))
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        try:
            p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
            flags = p.URDF_USE_INERTIA_FROM_FILE
            body = p.loadURDF(str(file), [0, 0, 0.3], useFixedBase=True, flags=flags)
            p.setGravity(0, 0, -9.81)
            disable_damping(body)
            for k in (0, 1):
                p.changeDynamics(body, k, mass=1e-9)
                p.changeDynamics(body, k, localInertiaDiagonal=[0, 0, 0])
            p.setJointMotorControlArray(body, range(5), p.VELOCITY_CONTROL, forces=[0] * 5)
            return bend_leg(file, (body, client), [3, 4], 200, prepare, act)
        finally:
            p.disconnect(client)


def driven(body, k):
    p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, targetVelocity=0.1, force=100)


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        ({}, []),
        ({"prepare": changed(4, mass=1.1)}, ["link mass"]),
        ({"prepare": changed(3, jointDamping=0.3)}, ["joint damping"]),
        ({"act": driven}, ["contact"]),
    ],
)
def test_contacts_carry_a_walker_in_a_plane_of_pybullet(tmp_path, options, kinds):
    run = planar_bullet_loop(tmp_path / "walker.urdf", **options).save(tmp_path / "run")
    assert [cause.kind for cause in run.run.watched.errors] == kinds
    assert run.passed == (not kinds) and run.run.watched.left < 1e-9
    notes = [cause.kind for cause in run.run.watched.causes if not cause.is_error]
    assert ("contact" in notes) == ("contact" not in kinds)


def test_a_joint_with_the_name_of_the_free_one_is_refused(walker):
    walker.write_text(URDF.replace('"hip"', '"base"'))
    with pytest.raises(EngineError, match="has a joint 'base'"):
        bullet_loop(walker)


def test_an_unprepared_loop_of_a_shipped_robot_on_a_floor_is_understood():
    """R2D2 falls on a floor, with limits in the steps of contact, all defaults and -10 m/s²."""
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        try:
            p.setAdditionalSearchPath(pybullet_data.getDataPath())
            p.loadURDF("plane.urdf")
            body = p.loadURDF("r2d2.urdf", [0, 0, 1])
            p.setGravity(0, 0, -10)
            watch = sim.watch(p, body, "r2d2.urdf", client=client)
            for _ in range(120):
                p.stepSimulation()
                watch.sample()
            found = diagnose(watch.evidence())
        finally:
            p.disconnect(client)
    kinds = {cause.kind for cause in found.causes if cause.is_error}
    assert kinds == {"link tensor", "link damping", "joint limit", "gravity"}
    assert [cause.kind for cause in found.causes if not cause.is_error] == ["contact"]
    assert found.left < 1e-9

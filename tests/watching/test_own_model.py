"""MuJoCo loops watched without a robot file: the robot is that of the compiled model."""

import math

import mujoco
import pybullet
import pytest

import sim
from sim.errors import EngineError

# Anchors off the bodies' origins, turned and shifted references, a spring, a rotor behind a gear.
ARM = """<mujoco model="arm"><compiler angle="radian"/><worldbody>
<body name="a" pos="0 0 .3"><joint name="j1" axis="0 0 1" pos=".01 0 0" armature=".2"/>
 <geom type="capsule" size=".04" fromto="0 0 0 0 0 .4" mass="3" contype="0"/>
 <body name="b" pos="0 0 .4" quat=".9 .1 .2 .3"><joint name="j2" axis="0 1 0" ref=".4"
  stiffness="20" springref=".2"/><joint name="j3" type="slide" axis="1 0 0" ref=".1" pos=".3 0 0"/>
  <geom type="box" size=".1 .05 .06" pos=".1 0 0" mass="2" contype="0"/></body></body></worldbody>
<actuator><motor joint="j1" gear="50"/><position joint="j3" kp="300" kv="10"/></actuator></mujoco>
"""


INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")
PENDULUM = """<body name="a" pos="0 0 1"><joint name="j1" axis="0 1 0"/><inertial pos=".2 0 0"
 mass="2" diaginertia=".1 .1 .1"/><body name="b" pos=".5 0 0"><joint name="j2" axis="0 1 0"/>
 <geom type="capsule" size=".05" fromto="0 0 0 .3 0 .1" mass="1"/></body></body>"""
SLIDE = '<joint name="cart" type="slide" axis="1 0 0"/>'
TORSO = f"""<body name="torso" pos="0 0 3">%s<geom type="sphere" size=".2" mass="5"/>
{PENDULUM}</body>"""
BOX = """<body name="box" pos="%s"><freejoint/>
<geom type="box" size=".05 .05 .05" mass="1"/></body>"""


def watched(worldbody, robot=None, option="", mass=None):
    """A loop with a torque in joint j1, and in j2 where it is."""
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option timestep='0.001' {option}/><worldbody>{worldbody}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    watch = sim.watch(model, data, robot=robot)
    if mass is not None:
        model.body_mass[model.body("b").id] = mass
    dofs = [model.joint(name).dofadr[0] for name in watch.robot.row_names]
    for step in range(150):
        data.qfrc_applied[dofs] = 6 * math.sin(step / 30)
        mujoco.mj_step(model, data)
        watch.sample()
    return watch


def kinds_of(recording):
    return [one.kind for one in recording.run.watched.causes if one.is_error]


@pytest.mark.parametrize("damping", ["0", "1.5"])
def test_a_right_loop_passes(tmp_path, damping):
    model = mujoco.MjModel.from_xml_string(
        ARM.replace('name="j2"', f'name="j2" damping="{damping}"')
    )
    data = mujoco.MjData(model)
    watch = sim.watch(model, data)
    for step in range(200):
        data.ctrl[0] = 0.1 * math.sin(step / 50)
        mujoco.mj_step(model, data)
        watch.sample()
    run = watch.save(tmp_path / "run")
    assert kinds_of(run) == []
    assert all(one.ok for one in sim.check(run))


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("more", ["", 'stiffness="30" springref=".1"'])
def test_damping_that_the_file_has_too_is_no_error_of_the_integrator(tmp_path, integrator, more):
    """The engine damps with the speed at the end of a step, the model at its begin: h D a."""
    damped = PENDULUM.replace('axis="0 1 0"', f'axis="0 1 0" damping="5" {more}')
    option = f"integrator='{integrator}'"
    right = watched(damped, option=option).save(tmp_path / "right")
    assert right.passed and kinds_of(right) == []
    assert right.run.watched.residual > 1e-3 and right.run.watched.left < 1e-9
    wrong = watched(damped, option=option, mass=1.001).save(tmp_path / "wrong")
    assert not wrong.passed and kinds_of(wrong) == ["link mass"]
    file = tmp_path / "arm.xml"
    other = damped.replace('damping="5"', 'damping="5.001"', 1)
    file.write_text(f"<mujoco><worldbody>{other}</worldbody></mujoco>")
    wrong = watched(damped, robot=file, option=option).save(tmp_path / "damping")
    assert not wrong.passed and kinds_of(wrong) == ["joint damping"]


@pytest.mark.parametrize("integrator", ["RK4", "implicit"])
def test_a_right_loop_without_damping_passes_by_every_integrator(tmp_path, integrator):
    right = watched(PENDULUM, option=f"integrator='{integrator}'").save(tmp_path / "right")
    assert right.passed and kinds_of(right) == []
    assert right.run.watched.residual > 1e-3 and right.run.watched.left < 1e-9


def test_friction_rotors_and_gravity_of_the_models_own_robot_are_no_errors(tmp_path):
    """The solver of constraints holds dry friction to a tolerance, and another than the model's."""
    rough = PENDULUM.replace('axis="0 1 0"', 'axis="0 1 0" frictionloss=".4" armature=".02"')
    right = watched(rough, option="gravity='0 0 -1.62'").save(tmp_path / "right")
    assert right.passed and kinds_of(right) == []
    assert right.run.watched.residual > 1e-9 > right.run.watched.left
    file = tmp_path / "arm.xml"
    other = rough.replace('frictionloss=".4"', 'frictionloss=".3"', 1)
    file.write_text(f"<mujoco><worldbody>{other}</worldbody></mujoco>")
    wrong = watched(rough, robot=file).save(tmp_path / "wrong")
    assert sorted(kinds_of(wrong)) == ["frictionloss", "model friction"]


def test_equalities_of_the_models_own_robot_are_counted_in(tmp_path):
    """Residual of the soft constraint: MuJoCo's own force, from the replay of each step."""
    rotor = PENDULUM.replace('name="j2" axis="0 1 0"', 'name="j2" axis="0 1 0" armature=".01"')
    tied = '</worldbody><equality><joint joint1="j2" joint2="j1"/></equality><worldbody>'
    right = watched(rotor + tied).save(tmp_path / "right")
    assert right.passed and kinds_of(right) == []
    (note,) = right.run.watched.causes
    assert note.kind == "equality" and "joint j2 and j1" in note.text
    assert right.run.watched.residual > 0.1 and right.run.watched.left < 1e-9
    wrong = watched(rotor + tied, mass=1.001).save(tmp_path / "wrong")
    assert not wrong.passed and kinds_of(wrong) == ["link mass"]


def test_free_bodies_next_to_the_robot_are_noted_and_their_contacts_named(tmp_path):
    away = watched(BOX % "3 0 5" + PENDULUM).save(tmp_path / "away")
    assert away.passed and away.run.watched.residual < 1e-9
    (note,) = (one for one in away.run.watched.causes if one.kind == "left out")
    assert "not judged: box" in note.text
    # one that stands on the arm
    nameless = (BOX % ".52 0 1.14").replace('name="box" ', "")
    on_it = watched(PENDULUM + nameless).save(tmp_path / "on_it")
    assert not on_it.passed and kinds_of(on_it) == ["contact"]
    (contact,) = (one for one in on_it.run.watched.causes if one.kind == "contact")
    assert "contact of b with body_3 in" in contact.text


def test_a_base_that_the_robot_does_not_have_is_named(tmp_path):
    with pytest.raises(EngineError, match="All that moves in the MuJoCo model is free"):
        watched(BOX % "0 0 1")
    arm = tmp_path / "arm.xml"
    arm.write_text(f"<mujoco><worldbody>{PENDULUM}</worldbody></mujoco>")
    for joint, text in (("<freejoint name='root'/>", "joint root"), (SLIDE, "joint cart")):
        run = watched(TORSO % joint, robot=arm).save(tmp_path / text)
        (cause,) = run.run.watched.causes
        assert cause.kind == "moving base" and text in cause.text
        assert not run.passed


def test_pybullet_needs_the_robot():
    with pytest.raises(EngineError, match="needs the robot"):
        sim.watch(pybullet, 0)

"""MuJoCo loops watched without a robot file: the robot is that of the compiled model."""

import math
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pybullet
import pytest

import sim
from sim.cli.command import status
from sim.errors import EngineError
from sim.watching.diagnose import diagnose

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


def watched(worldbody, robot=None, option="", mass=None, edit=None):
    """A loop with a torque in joint j1, and in j2 where it is."""
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option timestep='0.001' {option}/><worldbody>{worldbody}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    watch = sim.watch(model, data, robot=robot)
    if mass is not None:
        model.body_mass[model.body("b").id] = mass
    if edit is not None:
        edit(model)
    dofs = watch.places.v
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


def test_the_report_of_a_passive_joint_misleads_nobody(tmp_path, capsys):
    """Damping at the end of a step is noted, and no limit that its torque is close to."""
    model = mujoco.MjModel.from_xml_string(ARM.replace('name="j2"', 'name="j2" damping="1.5"'))
    data = mujoco.MjData(model)
    watch = sim.watch(model, data)
    for step in range(100):
        watch.sample()  # and before the step
        data.ctrl[0] = 0.1 * math.sin(step / 50)
        mujoco.mj_step(model, data)
        watch.sample()
    run = watch.save(tmp_path / "run")
    assert max(one.used or 0 for one in sim.check(run) if one.name in ("torque", "power")) < 0.5
    assert run.run.watched.allowances["j2"] > 1e-4
    assert status(["check", str(tmp_path / "run")]) == 0
    text = capsys.readouterr().out
    assert "note     100 samples without a step before them are left out" in text
    assert "close to limit: torque" not in text
    page = sim.report(run, tmp_path)[-1].read_text(encoding="utf-8")
    assert "--method watched" not in page and "100 samples without a step" in page


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("more", ["", 'stiffness="30" springref=".1"'])
def test_damping_that_the_file_has_too_is_no_error_of_the_integrator(tmp_path, integrator, more):
    """The engine damps with the speed at the end of a step, the model at its begin: h D a."""
    damped = PENDULUM.replace('axis="0 1 0"', f'axis="0 1 0" damping="5" {more}')
    option = f"integrator='{integrator}'"
    file = tmp_path / "arm.xml"
    file.write_text(f"<mujoco><worldbody>{damped}</worldbody></mujoco>")
    for robot in (None, replace(sim.load_robot(file), file=None)):  # of no known file
        right = watched(damped, robot=robot, option=option).save(tmp_path / "right")
        assert right.passed and kinds_of(right) == []
        assert right.run.watched.residual > 1e-3 and right.run.watched.left < 1e-9
    wrong = watched(damped, option=option, mass=1.001).save(tmp_path / "wrong")
    assert not wrong.passed and kinds_of(wrong) == ["link mass"]
    other = damped.replace('damping="5"', 'damping="5.001"', 1)
    file.write_text(f"<mujoco><worldbody>{other}</worldbody></mujoco>")
    wrong = watched(damped, robot=file, option=option).save(tmp_path / "damping")
    assert not wrong.passed and kinds_of(wrong) == ["joint damping"]


@pytest.mark.parametrize("integrator", ["RK4", "implicit"])
def test_a_right_loop_without_damping_passes_by_every_integrator(tmp_path, integrator):
    right = watched(PENDULUM, option=f"integrator='{integrator}'").save(tmp_path / "right")
    assert right.passed and kinds_of(right) == []
    assert right.run.watched.residual > 1e-3 and right.run.watched.left < 1e-9


SERVOS = {
    "motor": "motor",
    "position": "position kp='80'",
    "position with kv": "position kp='80' kv='9'",
    "velocity": "velocity kv='9'",
    "filter": "position kp='80' kv='9' timeconst='.02'",
    "integrator": "intvelocity kp='80' kv='9' actrange='-3 3'",
    "gain by state": "general gaintype='affine' gainprm='80 8 -2' biastype='affine' "
    "biasprm='.1 -80 -9'",
    "limited": "position kp='80' kv='9' gear='2' forcerange='-1.5 1.5'",
}


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("servo", SERVOS)
def test_servos_are_judged_by_what_acts_within_a_step(tmp_path, integrator, servo):
    """MuJoCo's actuators act with the state at its end, or at four stages, too."""
    actuators = "".join(f"<{SERVOS[servo]} joint='{joint}'/>" for joint in ("j1", "j2"))
    servos = f"</worldbody><actuator>{actuators}</actuator><worldbody>"
    damped = PENDULUM.replace('axis="0 1 0"', 'axis="0 1 0" damping=".5"') + servos
    option = f"integrator='{integrator}'"
    right = watched(damped, option=option).save(tmp_path / "right")
    facts = right.run.watched
    assert kinds_of(right) == [] and facts.left < 1e-9
    failed = {check.name for check in sim.check(right) if not check.ok}
    assert failed == ({"rated torque"} if servo == "limited" else set())  # by qfrc_applied
    acts_within = {"motor": (), "position": ("RK4", "discrete")}.get(servo, INTEGRATORS[1:])
    kinds = [one.kind for one in facts.causes]
    assert ("servo within a step" in kinds) == (integrator in acts_within)
    wrong = watched(damped, option=option, mass=1.03).save(tmp_path / "wrong")
    assert not wrong.passed and kinds_of(wrong) == ["link mass"]
    assert wrong.run.watched.left < 1e-9


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast", "discrete"])
def test_a_loop_may_pass_what_acts_instead_of_what_is_read(integrator):
    """M a + c less the forces that the robot has as well."""
    servos = "</worldbody><actuator><position kp='80' kv='9' joint='j1'/></actuator><worldbody>"
    damped = PENDULUM.replace('axis="0 1 0"', 'axis="0 1 0" damping=".5"')
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option integrator='{integrator}'/><worldbody>{damped}{servos}</worldbody>"
        "</mujoco>"
    )
    data, acts = mujoco.MjData(model), np.empty(2)
    watch = sim.watch(model, data)
    for step in range(150):
        data.ctrl[0], before = 0.3 * math.sin(step / 30), data.qvel.copy()
        mujoco.mj_step(model, data)
        mujoco.mj_mulM(model, data, acts, (data.qvel - before) / model.opt.timestep)
        watch.sample(acts + data.qfrc_bias - data.qfrc_passive)
    found = diagnose(watch.evidence())
    assert not [cause for cause in found.causes if cause.is_error] and found.left < 1e-9


def test_a_solver_that_stops_early_is_named(tmp_path):
    """As in models for MJX: one iteration, and damping only at the start of a step."""
    torso = TORSO.replace('axis="0 1 0"', 'axis="0 1 0" damping=".5"') % "<freejoint name='root'/>"
    floor = '<geom type="plane" size="3 3 .1" pos="0 0 2.85"/>'

    def edit(model):
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EULERDAMP

    early = watched(floor + torso, option="iterations='1'", edit=edit).save(tmp_path / "early")
    assert kinds_of(early) == ["solver"]
    [text] = (one.text for one in early.run.watched.causes if one.is_error)
    assert "at most 1 iterations" in text and early.run.watched.left < 1e-9
    right = watched(floor + torso, edit=edit).save(tmp_path / "right")
    assert kinds_of(right) == [] and right.run.watched.left < 1e-9


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


TIED = "</worldbody><equality><%s/></equality><worldbody>"
BELT = """</worldbody><tendon><fixed name="t" %s><joint joint="j1" coef="1"/>
<joint joint="j2" coef="-1"/></fixed></tendon><worldbody>"""
J2, BALL = 'name="j2" axis="0 1 0"', 'name="j2" type="ball"'

# What follows the arm; attributes of joint j2 and body b; kind and text of its note; another value.
IN_THE_FILE = {
    "follower": (TIED % 'joint joint1="j2" joint2="j1"', J2, "", "equality", "joint j2 and j1",
                 ("eq_data", 0.1)),
    "curve": (TIED % 'joint joint1="j2" joint2="j1" polycoef="0 1 .3 0 0"', J2, "", "equality",
              "joint j2 and j1", ("eq_data", 0.1)),
    "loop": (TIED % 'connect name="shut" body1="b" body2="world" anchor=".3 0 0"', J2, "",
             "equality", "connect shut", ("eq_data", 0.1)),
    "tendon, springy": (BELT % 'stiffness="20"', J2, "", "spring", "tendon t",
                        ("tendon_stiffness", 21)),
    "tendon, damped": (BELT % 'damping=".2"', J2, "", "joint damping", "tendon t",
                       ("tendon_damping", 0.3)),
    "tendon, rough": (BELT % 'frictionloss=".2"', J2, "", "frictionloss", "tendon t",
                      ("tendon_frictionloss", 0.3)),
    "tendon, heavy": (BELT % 'armature=".1"', J2, "", "armature", "tendon t",
                      ("tendon_armature", 0.2)),
    "ball, springy": ("", f'{BALL} stiffness="2"', "", "spring", "2 N·m/rad at j2.x",
                      ("jnt_stiffness", 3)),
    "ball, rough": ("", f'{BALL} frictionloss=".05"', "", "frictionloss", "0.05 N·m at j2.x",
                    ("dof_frictionloss", 0.06)),
    "ball, heavy": ("", f'{BALL} armature=".05"', "", "armature", "0.05 kg·m² at j2.x",
                    ("dof_armature", 0.06)),
    "quadratic damping": ("", f'{J2} damping=".2 .3"', "", "joint damping",
                          "0.3 N·m/(rad/s)² at j2", ("dof_dampingpoly", 0.4)),
    "curved spring": ("", f'{J2} stiffness="5 3"', "", "spring", "joint springs",
                      ("jnt_stiffness", 6)),
    "gravcomp": ("", J2, 'gravcomp="1"', "gravcomp", "b (1) carries", ("body_gravcomp", 0.5)),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_THE_FILE)
@pytest.mark.parametrize("source", [None, Path, sim.load_robot])
def test_what_the_robots_own_file_states_is_counted_in(tmp_path, name, source):
    """The law of each is MuJoCo's own, from the replay of each step."""
    more, joint, body, kind, text, (field, value) = IN_THE_FILE[name]
    arm = PENDULUM.replace(J2, joint).replace('name="b"', f'name="b" {body}') + more
    (tmp_path / "arm.xml").write_text(f"<mujoco><worldbody>{arm}</worldbody></mujoco>")
    file = None if source is None else source(tmp_path / "arm.xml")
    right = watched(arm, robot=file).save(tmp_path / "right")
    assert right.passed and kinds_of(right) == []
    (note,) = (one for one in right.run.watched.causes if one.kind != "time step")
    assert note.kind == kind and text in note.text and note.text.endswith("included")
    assert right.run.watched.residual > 1e-3 and right.run.watched.left < 1e-9

    def edit(model):
        numbers = getattr(model, field)
        numbers[numbers != 0] = value

    wrong = watched(arm, robot=file, edit=edit).save(tmp_path / "wrong")
    assert kind in kinds_of(wrong) and not wrong.passed
    wrong = watched(arm, robot=file, mass=1.001).save(tmp_path / "mass")
    assert not wrong.passed and kinds_of(wrong) == ["link mass"]


def test_rotors_of_a_loaded_robot_are_those_of_its_file_unless_it_is_given_others(tmp_path):
    """A finger that follows another has a rotor of its own in MuJoCo."""
    arm = PENDULUM.replace('axis="0 1 0"', 'axis="0 1 0" armature=".1"') + TIED % (
        'joint joint1="j2" joint2="j1"'
    )
    (tmp_path / "arm.xml").write_text(f"<mujoco><worldbody>{arm}</worldbody></mujoco>")
    robot = sim.load_robot(tmp_path / "arm.xml")
    assert kinds_of(watched(arm, robot=robot).save(tmp_path / "right")) == []
    other = robot.with_drives({"j1": sim.DriveTrain(ratio=1, rotor_inertia=0.3)})
    assert "armature" in kinds_of(watched(arm, robot=other).save(tmp_path / "other"))


def test_numbers_of_slides_have_the_units_of_forces(tmp_path):
    slide = 'name="j2" type="slide" axis="1 0 0" range="-1 .01"'
    arm = PENDULUM.replace(J2, slide)
    file = tmp_path / "arm.xml"
    file.write_text(f"<mujoco><worldbody>{arm}</worldbody></mujoco>")
    more = 'stiffness="40" damping="2" frictionloss=".3" armature=".2"'
    run = watched(arm.replace(slide, f"{slide} {more}"), robot=file).save(tmp_path / "run")
    text = " ".join(one.text for one in run.run.watched.causes)
    for words in ("40 N/m at j2", "2 N·s/m at j2", "0.3 N at j2", "0.2 kg at j2"):
        assert words in text
    assert "N·m" not in text.replace("N·m/", "")
    assert kinds_of(watched(arm.replace(slide, f"{slide} {more}")).save(tmp_path / "own")) == [
        "joint limit"
    ]


def test_gravcomp_by_actuators_is_in_their_torque_already(tmp_path):
    arm = PENDULUM.replace(J2, f'{J2} actuatorgravcomp="true"').replace(
        'name="b"', 'name="b" gravcomp="1"'
    )
    file = tmp_path / "arm.xml"
    bare = arm.replace('gravcomp="1"', "").replace('actuatorgravcomp="true"', "")
    file.write_text(f"<mujoco><worldbody>{bare}</worldbody></mujoco>")
    run = watched(arm, robot=file).save(tmp_path / "run")
    assert kinds_of(run) == ["gravcomp"] and run.run.watched.left < 1e-9  # at j1
    assert "passive callback" not in {cause.kind for cause in run.run.watched.causes}


def test_the_gravity_of_the_robots_file_is_the_models(tmp_path):
    file = tmp_path / "arm.xml"
    text = "<mujoco><option gravity='0 0 -1.62'/><worldbody>{}</worldbody></mujoco>"
    file.write_text(text.format(PENDULUM))
    moon = "gravity='0 0 -1.62'"
    assert watched(PENDULUM, robot=file, option=moon).save(tmp_path / "moon").passed
    run = watched(PENDULUM, robot=file).save(tmp_path / "earth")
    assert kinds_of(run) == ["gravity"]


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


@pytest.mark.parametrize("integrator", ["RK4", "implicit"])
def test_episodes_of_several_steps_a_sample_are_no_error_of_the_integrator(tmp_path, integrator):
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option timestep='0.002' integrator='{integrator}'/><worldbody>{PENDULUM}"
        "</worldbody></mujoco>"
    )
    model.dof_damping[:] = 0.3
    data, random = mujoco.MjData(model), np.random.default_rng(3)
    watch = sim.watch(model, data)
    for k in range(80):
        if k % 30 == 29:
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qvel[:] = random.normal(size=2), random.normal(size=2)
        mujoco.mj_step(model, data, nstep=4)
        watch.sample()
    recording = watch.save(tmp_path / "episodes")
    assert not kinds_of(recording) and recording.run.watched.left < 1e-9


def test_only_what_touches_the_robot_is_named(tmp_path):
    """A box on the floor, and a door at its limit, are no business of the arm."""
    door = """<body name="door" pos="0 3 1"><joint name="door" axis="0 1 0" range="-1 1"/>
    <geom size=".1 .1 .1" pos=".3 0 0" type="box"/></body>"""
    floor = '<geom name="floor" type="plane" size="5 5 .1"/>'
    arm = PENDULUM.replace('axis="0 1 0"/>', 'axis="0 1 0" range="-10 10"/>', 1)
    file = tmp_path / "arm.xml"
    file.write_text(f"<mujoco><worldbody>{arm}</worldbody></mujoco>")
    whole = arm + floor + door + BOX % "0 2 .049" + (BOX % ".75 0 1").replace("box", "tool", 1)
    recording = watched(whole, file).save(tmp_path / "whole")
    texts = " ".join(one.text for one in recording.run.watched.causes)
    assert kinds_of(recording) and "b with tool" in texts
    assert "world with" not in texts and "door" not in texts


def test_a_time_step_is_coarse_by_the_largest_torque_not_by_the_weight(tmp_path):
    """Where nothing weighs, the change is less than the torque itself."""
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><option timestep='0.02' gravity='0 0 0'/><worldbody><body><joint axis='0 0 1'/>"
        "<geom size='.1' pos='.2 0 0'/></body></worldbody></mujoco>"
    )
    model.dof_damping[:] = 0.2
    data = mujoco.MjData(model)
    watch = sim.watch(model, data)
    for k in range(100):
        data.qfrc_applied[0] = math.sin(k / 9)
        mujoco.mj_step(model, data)
        watch.sample()
    notes = [c.text for c in watch.save(tmp_path / "slow").run.watched.causes]
    [text] = [text for text in notes if "coarse" in text]
    assert float(text.split("torques by ")[1].split()[0]) < 0.2


def test_a_motion_that_diverges_without_nan_is_judged_up_to_there(tmp_path):
    """MuJoCo resets it once an acceleration is beyond 1e10; runs end at a speed of 1e7."""
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><body>{SLIDE}<geom size='.1' mass='1'/></body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    watch = sim.watch(model, data)
    for k in range(60):
        data.qfrc_applied[0] = min(2.0**k, 8e9)
        mujoco.mj_step(model, data)
        watch.sample()
    recording = watch.save(tmp_path / "diverges")
    assert kinds_of(recording) == ["divergence"]


TIE = '<equality><joint name="q" joint1="j2" joint2="j1" polycoef="0 -1 0 0 0"/></equality>'


def driven(steps, act, extra=""):
    """A pendulum of two joints with motors, after `act(model, data, step)` and each step."""
    motors = '<actuator><motor joint="j1"/><motor joint="j2"/></actuator>'
    world = PENDULUM.replace('<geom type="capsule"', '<geom contype="0" type="capsule"')
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><option timestep='.001'/><worldbody>{world}</worldbody>{motors}{extra}</mujoco>"
    )
    data = mujoco.MjData(model)
    watch = sim.watch(model, data)
    for step in range(steps):
        act(model, data, step)
        mujoco.mj_step(model, data)
        watch.sample()
    return watch


def test_an_equality_that_the_loop_switches_is_counted_in(tmp_path):
    forces = []

    def act(model, data, step):
        data.ctrl[:] = 3 * math.sin(step / 30)
        data.eq_active[0] = step < 150 or 200 < step < 207  # the last within two looks of 32 steps
        forces.append(np.abs(data.qfrc_constraint).max())  # of the step before, by MuJoCo

    recording = driven(300, act, TIE).save(tmp_path / "run")
    assert recording.run.verdict == "pass" and recording.run.watched.left < 1e-9
    (note,) = (one.text for one in recording.run.watched.causes if one.kind == "equality")
    assert f"up to {max(forces):.4g} N·m" in note


def test_a_control_callback_with_a_memory_is_not_called_again(tmp_path):
    calls = []

    def control(_, data):
        calls.append(data.time)
        data.ctrl[:] = math.sin(len(calls) / 30)

    watch = driven(2, lambda *_: None)
    try:
        mujoco.set_mjcb_control(control)
        for _ in range(100):
            mujoco.mj_step(watch.model, watch.data)
            watch.sample()
        count = len(calls)
        recording = watch.save(tmp_path / "run")
        assert mujoco.get_mjcb_control() is control
    finally:
        mujoco.set_mjcb_control(None)
    assert recording.run.verdict == "pass" and len(calls) == count


def test_a_control_callback_is_called_where_its_controls_are_not_known(tmp_path):
    def control(_, data):
        data.ctrl[:] = -2 * data.qvel + math.sin(data.time)

    watch = driven(0, lambda *_: None)
    try:
        mujoco.set_mjcb_control(control)
        for _ in range(40):
            mujoco.mj_step(watch.model, watch.data, 3)
            watch.sample()
        recording = watch.save(tmp_path / "run")
    finally:
        mujoco.set_mjcb_control(None)
    assert recording.run.verdict == "pass" and recording.run.watched.left < 1e-9


def test_forces_of_a_passive_callback_are_counted_in(tmp_path):
    def add(_, data):
        data.qfrc_passive[0] += 1.5

    file = tmp_path / "arm.xml"
    world = PENDULUM.replace("<geom ", '<geom contype="0" ')
    file.write_text(f"<mujoco><worldbody>{world}</worldbody></mujoco>")
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    try:
        mujoco.set_mjcb_passive(add)
        watch = sim.watch(model, data, robot=file)  # compiled without the callback, which raises
        for _ in range(100):
            mujoco.mj_step(model, data)
            watch.sample()
        recording = watch.save(tmp_path / "run")
    finally:
        mujoco.set_mjcb_passive(None)
    assert recording.run.verdict == "pass" and recording.run.watched.left < 1e-9
    (note,) = (one for one in recording.run.watched.causes if one.kind == "passive callback")
    assert "adds forces at j1, up to 1.5 N·m" in note.text


def test_a_reset_by_mujoco_that_clears_the_control_is_named(tmp_path):
    def act(_, data, step):
        data.ctrl[:] = 5e9 if step == 100 else math.sin(step / 30)

    recording = driven(200, act).save(tmp_path / "run")
    assert kinds_of(recording) == ["reset"]
    (reset,) = (one for one in recording.run.watched.causes if one.kind == "reset")
    assert "that diverged once" in reset.text

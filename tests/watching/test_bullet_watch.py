"""Watched PyBullet loops: right ones pass at 1e-9, planted mistakes are named."""

import re
import threading

import numpy as np
import pybullet as p
import pybullet_data
import pytest
from pybullet_utils.bullet_client import BulletClient

import sim
from sim.cli.command import status
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.errors import EngineError
from sim.watching.diagnose import diagnose
from tests.helpers.watched_loops import (
    DT,
    UR10,
    bullet_loop,
    disable_damping,
    make_tool_light,
    torques,
    velocities,
)


def dynamics(**changes):
    """changeDynamics of every joint."""

    def prepare(body):
        for joint in range(6):
            p.changeDynamics(body, joint, **changes)

    return prepare


def other_mass(body):
    p.changeDynamics(body, 2, mass=5.0)
    p.changeDynamics(body, 2, localInertiaDiagonal=p.getDynamicsInfo(body, 2)[2])


def giving_way(body):
    p.changeDynamics(body, 2, jointLowerLimit=-3, jointUpperLimit=1.3, jointLimitForce=5)


def payload(body):
    p.changeDynamics(body, 6, mass=3.0)


def floor(body):
    p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE), basePosition=[0, 0, 0.9])


def at(step, act, command=velocities):
    """A loop in which something happens before one step."""

    def of(body, k):
        if k == step:
            act(body)
        command(body, k)

    return of


def moved_by_hand(body):
    p.resetJointState(body, 2, p.getJointState(body, 2)[0] + 0.01)


def kicked(body):
    q, qd = p.getJointState(body, 2)[:2]
    p.resetJointState(body, 2, q, qd + 0.2)


def stepped_twice(body, k):
    velocities(body, k)
    p.stepSimulation()


class Late:
    """Torques that are read one step late, the first of no step if given."""

    def __init__(self, lag=1, first=None):
        self.lag, self.read, self.first = lag, [], first

    def __call__(self, body, k):
        self.read.append([state[3] for state in p.getJointStates(body, range(6))])
        return self.first if self.first and k == 0 else self.read[max(k - self.lag, 0)]


def geared(body, k):
    return [state[3] / 50 for state in p.getJointStates(body, range(6))]


def in_order(*order):
    """Torques in another order than that of the joints."""

    def torque(body, k):
        tau = [state[3] for state in p.getJointStates(body, range(6))]
        return [tau[joint] for joint in order]

    return torque


def geared_at_elbow(body, k):
    tau = [state[3] for state in p.getJointStates(body, range(6))]
    return [*tau[:2], tau[2] / 100, *tau[3:]]


class Filtered:
    """Torques behind a filter of first order."""

    def __init__(self):
        self.last = None

    def __call__(self, body, k):
        tau = np.array([state[3] for state in p.getJointStates(body, range(6))])
        self.last = tau if self.last is None else self.last + 0.3 * (tau - self.last)
        return self.last.tolist()


def coupled(body):
    gear = p.createConstraint(body, 1, body, 2, p.JOINT_GEAR, [0, 1, 0], [0] * 3, [0] * 3)
    p.changeConstraint(gear, gearRatio=1, maxForce=50)


def tied(body):
    sphere = p.createCollisionShape(p.GEOM_SPHERE, radius=0.02)
    place = p.getLinkState(body, 6)[0]
    ball = p.createMultiBody(2.0, sphere, basePosition=[place[0], place[1], place[2] + 0.1])
    above = [0, 0, 0], [0, 0, -0.1]
    p.createConstraint(body, 6, ball, -1, p.JOINT_FIXED, [0, 0, 0], *above)
    p.setCollisionFilterPair(body, ball, 6, -1, 0)
    p.setCollisionFilterPair(body, ball, 5, -1, 0)


def substeps(body):
    p.setPhysicsEngineParameter(numSubSteps=4)


# The kinds of cause that a loop with this mistake is to have, and text that its account has.
MISTAKES = {
    "right": ({}, [], ""),
    "right, torque control": ({"command": torques}, [], ""),
    "link damping": ({"is_damped": True}, ["link damping"], "linear 0.04"),
    "link damping, torque control": (
        {"is_damped": True, "command": torques}, ["link damping"], "angular 0.04",
    ),
    "no inertia flag": ({"flags": 0}, ["link tensor"], "URDF_USE_INERTIA_FROM_FILE"),
    "frame of 1 kg": ({"is_tool_heavy": True}, ["massless link"], "tool0 has no <inertial>"),
    "payload": ({"prepare": payload}, ["massless link"], "with_payload(3, frame='tool0')"),
    "mass of a link": ({"prepare": other_mass}, ["link mass"], "mass 5 kg, 4.27 in the file"),
    "substeps": ({"prepare": substeps}, ["substeps"], "numSubSteps = 4"),
    "joint damping": (
        {"prepare": dynamics(jointDamping=2.0)}, ["joint damping"], "2 ± ",
    ),
    "no gravity": ({"gravity": (0, 0, 0)}, ["gravity"], "p.setGravity(0, 0, -9.81)"),
    "rounded gravity": ({"gravity": (0, 0, -9.8)}, ["gravity"], "(0, 0, -9.8) m/s²"),
    "tilted gravity": ({"gravity": (0.5, 0, -9.81)}, ["gravity"], "(0.5, 0, -9.81)"),
    "tilted base": (
        {"base": (np.sin(0.05), 0, 0, np.cos(0.05))}, ["tilted base"], "5.72958°",
    ),
    "limits": (
        {"prepare": dynamics(jointLowerLimit=-1.25, jointUpperLimit=1.25)},
        ["joint limit"], "elbow_joint is held at a limit near 1.25",
    ),
    "speed cut off": (
        {"prepare": dynamics(maxJointVelocity=0.5)}, ["velocity clamp"], "to 0.5 rad/s",
    ),
    "default motors": (
        {"command": torques, "are_motors_off": False}, ["default motor"], "forces=[0, …]",
    ),
    "contact": ({"prepare": floor}, ["contact"], "with body 1"),
    "constraint": ({"prepare": tied}, ["constraint"], "JOINT_FIXED"),
    "right, start set after the watch began": ({"command": at(0, moved_by_hand)}, [], ""),
    "link damping in a fall": (
        {"is_damped": True, "steps": 60, "command": lambda body, k: None},
        ["link damping"], "linear 0.04 ± ",
    ),
    "state set by hand": (
        {"command": at(200, moved_by_hand)}, ["state set by hand"], "step 201: elbow_joint",
    ),
    "velocity set by hand": (
        {"command": at(200, kicked)}, ["state set by hand"], "step 201",
    ),
    "time step changed": (
        {"command": at(200, lambda body: p.setTimeStep(DT / 2))},
        ["time step changed"], "at sample 200",
    ),
    "body changed in the loop": (
        {"command": at(200, other_mass)},
        ["changed in the loop"], "p.changeDynamics(0, 2, mass=5) before step 201",
    ),
    "a limit that gives way": (
        {"prepare": giving_way, "steps": 560}, ["joint limit"], "with up to 5 N·m",
    ),
    "a limit that gives way, and damped links": (
        {"prepare": giving_way, "steps": 560, "is_damped": True},
        ["joint limit", "link damping"], "elbow_joint is held at a limit near 1.30",
    ),
    "gravity changed in the loop": (
        {"command": at(200, lambda body: p.setGravity(0, 0, -5))},
        ["changed in the loop"], "p.setGravity(0, 0, -5) before step 201:",
    ),
    "two steps a sample": ({"command": stepped_twice}, ["steps between samples"], "300 of 300"),
    "a sample missed": ({"misses": (150,)}, ["steps between samples"], "sample 151"),
    "sampled twice": ({"repeats": (5, 9)}, [], ""),
    "torque late": ({"own_torque": Late()}, ["torque of the step before"], "step before"),
    "torque late, the first of no step": (
        {"own_torque": Late(first=[-30.0] * 6)}, ["torque of the step before"], "step before",
    ),
    "torque of a gear": ({"own_torque": geared}, ["torque scale"], "0.02 ± "),
    "torque two steps late": (
        {"own_torque": Late(2)}, ["torque of the step before the last"], "before the last",
    ),
    "torque of one gear": (
        {"own_torque": geared_at_elbow}, ["torque scale"], "times 0.01 ± ",
    ),
    "torques swapped": (
        {"own_torque": in_order(0, 2, 1, 3, 4, 5)}, ["torques in another order"],
        "the torques of shoulder_lift_joint and elbow_joint are swapped: pass them in the order",
    ),
    "torques in another order, link damping": (
        {"own_torque": in_order(0, 2, 3, 1, 4, 5), "is_damped": True},
        ["torques in another order", "link damping"],
        "the torque of elbow_joint is that of wrist_1_joint",
    ),
    "torque filtered": ({"own_torque": Filtered()}, ["filtered torque"], "0.3 ± "),
    "limits and link damping": (
        {
            "is_damped": True,
            "prepare": dynamics(jointLowerLimit=-1.25, jointUpperLimit=1.25),
        },
        ["joint limit", "link damping"], "held at a limit near 1.25",
    ),
    "joint damping too large for the time step": (
        {"command": torques, "prepare": dynamics(jointDamping=1.0)},
        ["joint damping", "velocity clamp"], "1 ± ",
    ),
    "damping and payload": (
        {"is_damped": True, "prepare": payload}, ["massless link", "link damping"], "0.04",
    ),
    "joint and link damping": (
        {"is_damped": True, "prepare": dynamics(jointDamping=0.5)},
        ["joint damping", "link damping"], "0.04",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_planted_mistake_is_named(name):
    options, kinds, text = MISTAKES[name]
    found = diagnose(bullet_loop(**options).evidence())
    errors = [cause for cause in found.causes if cause.is_error]
    assert sorted(cause.kind for cause in errors) == sorted(kinds)
    assert text in " ".join(cause.facts(found.peaks).sentence for cause in errors)
    assert not any(cause.alternatives for cause in errors)
    if "steps between samples" in kinds:
        assert np.isnan(found.left) or found.evidence.steps.min() == 1
    elif kinds not in (["substeps"], ["constraint"], ["changed in the loop"]):
        assert found.left < 1e-9


def test_a_constraint_is_named_before_forces_like_its_own():
    found = diagnose(bullet_loop(prepare=coupled).evidence())
    [error] = [cause for cause in found.causes if cause.is_error]
    assert error.kind == "constraint" and "JOINT_GEAR" in error.text
    assert "constant torque" in error.alternatives[0]


def test_a_right_loop_passes_and_all_commands_read_its_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    mine = "results/runs/mine"
    recording = bullet_loop().save(mine)
    assert recording.passed
    assert recording.run.watched.residual < 1e-9
    wrong = bullet_loop(is_damped=True).save("results/runs/wrong")
    assert not wrong.passed
    for words in (
        ["check", mine],
        ["report", mine],
        ["plot", mine, "tau.*"],
        ["export", mine, "curves.csv"],
        ["compare", mine, mine],
        ["history", "--keep", mine],
    ):
        assert status(words) == 0, words
    capsys.readouterr()
    assert status(["check", "results/runs/wrong"]) == 1
    assert "cause    damping of the links: linear 0.04 ±" in capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "44")  # the remedy is never cut off
    assert status(["check", "results/runs/wrong"]) == 1
    assert "for every link, -1 too" in " ".join(capsys.readouterr().out.split())
    assert status(["report", "results/runs/wrong"]) == 0
    page = (tmp_path / "results/runs/wrong/report.html").read_text()
    assert "damping of the links: linear 0.04 ±" in page


def test_pybullet_gets_its_functions_back():
    before = p.stepSimulation, p.getJointStates, p.setJointMotorControlArray
    bullet_loop(steps=3).close()
    assert (p.stepSimulation, p.getJointStates, p.setJointMotorControlArray) == before


@pytest.fixture
def body():
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        yield p.loadURDF(str(UR10), useFixedBase=True)
        if p.isConnected(client):
            p.disconnect(client)


def test_the_file_may_be_relative_to_those_of_pybullet():
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        try:
            p.setAdditionalSearchPath(pybullet_data.getDataPath())
            arm = "kuka_iiwa/model.urdf"
            watch = sim.watch(p, p.loadURDF(arm, useFixedBase=True), arm, client=client)
            assert watch.robot.name == "lbr_iiwa"
        finally:
            p.disconnect(client)


def test_a_body_that_is_removed_is_named(body):
    watch = sim.watch(p, body, UR10)
    p.stepSimulation()
    p.removeBody(body)
    watch.sample()
    with pytest.raises(EngineError, match="was it removed"):
        watch.save("never")
    assert "sim" not in p.stepSimulation.__module__


def test_a_loop_that_never_samples_is_refused(body, tmp_path):
    watch = sim.watch(p, body, UR10)
    p.stepSimulation()
    with pytest.raises(EngineError, match="sampled 0 times"):
        watch.save(tmp_path / "run")


def test_a_motion_that_diverges_is_judged_up_to_there(tmp_path):
    def diverging(body, k):
        velocities(body, k)
        if k == 200:
            p.setJointMotorControl2(body, 1, p.TORQUE_CONTROL, force=float("nan"))

    found = diagnose(bullet_loop(command=diverging).evidence())
    assert [cause.kind for cause in found.causes if cause.is_error] == ["divergence"]
    assert found.evidence.count == 200
    with pytest.raises(EngineError, match="not finite from step 1"):
        diagnose(bullet_loop(own_torque=lambda body, k: [np.nan] * 6).evidence())


def test_what_cannot_be_watched_is_refused(body):
    with pytest.raises(EngineError, match="got NoneType and int"):
        sim.watch(None, body, UR10)
    with pytest.raises(EngineError, match="Body 7 of PyBullet has no joint"):
        sim.watch(p, 7, UR10)
    watch = sim.watch(p, body, UR10)
    watch.close()
    with pytest.raises(EngineError, match="watched no more"):
        watch.sample()


def test_samples_without_a_step_between_them_are_counted(body):
    watch = sim.watch(p, body, UR10)
    for reads in (True, False) * 5:
        p.stepSimulation()
        watch.sample()
        watch.sample()
        if reads:
            p.getJointStates(body, watch.joints)
    watch.close()
    evidence = watch.evidence()
    assert (evidence.repeated, evidence.count) == (10, 10) and (evidence.steps == 1).all()


def test_another_thread_is_refused(body):
    watch, found = sim.watch(p, body, UR10), []

    def sample():
        try:
            watch.sample()
        except EngineError as error:
            found.append(str(error))

    other = threading.Thread(target=sample)
    other.start()
    other.join()
    watch.close()
    assert "by another thread" in found[0]


def test_another_robot_is_refused(body):
    with pytest.raises(EngineError, match="has no joint 'joint_1'"):
        sim.watch(p, body, "kr210")


def test_another_body_and_another_client_are_no_business_of_the_watch(body):
    watch = sim.watch(p, body, UR10)
    with suppress_c_output():
        other, client = p.loadURDF(str(UR10), [0, 3, 0], useFixedBase=True), p.connect(p.DIRECT)
    for _ in range(5):
        p.resetJointState(other, 1, 0.3)
        p.stepSimulation()
        watch.sample()
    p.disconnect(client)
    watch.close()
    assert not watch.evidence().set_by_hand.any()
    assert watch.evidence().count == 5


def test_commands_by_names_imported_before_are_missed_and_said_to_be(body):
    step, command = p.stepSimulation, p.setJointMotorControlArray
    command(body, range(6), p.VELOCITY_CONTROL, forces=[0] * 6)
    watch = sim.watch(p, body, UR10)
    for _ in range(20):
        command(body, range(6), p.TORQUE_CONTROL, forces=[0, -90, -40, 0, 0, 0])
        step()
        watch.sample()
    watch.close()
    assert watch.evidence().count == 20
    assert diagnose(watch.evidence()).causes[0].kind == "torque unseen"


def test_two_watches_see_the_same(body):
    first, second = sim.watch(p, body, UR10), sim.watch(p, body, UR10)
    for _ in range(5):
        p.stepSimulation()
        first.sample()
        second.sample()
    first.close()
    second.close()
    assert np.array_equal(first.evidence().q, second.evidence().q)


def test_a_client_of_pybullet_utils_can_be_watched_and_used_meanwhile():
    """Such a client loses its number where its ``disconnect`` is looked up."""
    with suppress_c_output():
        client = BulletClient(p.DIRECT)
        body = client.loadURDF(str(UR10), useFixedBase=True)
    number, watch = client._client, sim.watch(client, body, UR10)
    for step in range(20):
        client.setJointMotorControl2(
            bodyIndex=body, jointIndex=1, controlMode=p.VELOCITY_CONTROL, targetVelocity=0.1
        )
        if step % 2:
            client.getJointStates(body, range(6))
        client.applyExternalForce(
            body, 2, [0, 0, 9], client.getLinkState(body, 2)[0], p.WORLD_FRAME
        )
        client.stepSimulation()
        watch.sample()
    watch.close()
    assert client._client == number and client.isConnected()
    evidence = watch.evidence()
    client.disconnect()
    assert (evidence.count, evidence.steps.max()) == (20, 1)
    assert "in 20 of 20 steps" in evidence.named[0].text


def test_joints_and_torques_may_be_arrays():
    def command(body, k):
        p.getJointStates(body, np.arange(6))
        p.setJointMotorControlArray(
            body, np.arange(6), p.TORQUE_CONTROL, forces=np.array([0, -90, -40, 0, 0, 0.0])
        )

    found = diagnose(bullet_loop(command=command, steps=40).evidence())
    assert found.left < 1e-9 and not found.causes


def test_a_constraint_that_the_loop_makes_and_removes_is_named():
    def command(body, k):
        if k == 100:
            tied(body)
        if k == 200:
            p.removeConstraint(p.getConstraintUniqueId(0))
        velocities(body, k)

    found = diagnose(bullet_loop(command=command).evidence())
    [error] = [cause for cause in found.causes if cause.is_error]
    assert error.kind == "constraint" and "from step 101 on" in error.text


def test_substeps_are_no_other_time_step_where_one_joint_moves():
    """The positions of a cart alone are those of a step of another length."""
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        try:
            p.setPhysicsEngineParameter(numSubSteps=4)
            p.setAdditionalSearchPath(pybullet_data.getDataPath())
            body = p.loadURDF("cartpole.urdf", useFixedBase=True)
            p.setJointMotorControlArray(body, [0, 1], p.VELOCITY_CONTROL, forces=[0, 0])
            watch = sim.watch(p, body, "cartpole.urdf", client=client)
            for k in range(100):
                p.setJointMotorControl2(body, 0, p.TORQUE_CONTROL, force=5 * np.sin(k / 20))
                p.stepSimulation()
                watch.sample()
            kinds = [cause.kind for cause in diagnose(watch.evidence()).causes]
        finally:
            p.disconnect(client)
    assert "substeps" in kinds and "time step changed" not in kinds


def test_a_speed_that_is_cut_off_within_a_step_only_is_named(tmp_path):
    """The damping of a light joint turns it at more than 100 rad/s, and its motor turns it back."""
    file = tmp_path / "ur10.urdf"
    text = re.sub(r"(?s)<(visual|collision)>.*?</\1>", "", UR10.read_text("utf-8"))
    head, tail = text.split('<joint name="wrist_3_joint"')
    damped = tail.replace("</joint>", '<dynamics damping="100"/></joint>', 1)
    file.write_text(f'{head}<joint name="wrist_3_joint"{damped}', encoding="utf-8")
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        body = p.loadURDF(str(file), useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE)
    p.setGravity(0, 0, -9.81)
    make_tool_light(body)
    disable_damping(body)
    watch = sim.watch(p, body, file)
    for k in range(200):
        velocities(body, k)
        p.stepSimulation()
        watch.sample()
    found = diagnose(watch.evidence())
    p.disconnect(client)
    [error] = [cause for cause in found.causes if cause.is_error]
    assert error.kind == "velocity clamp" and error.where == "wrist_3_joint"
    assert "to 100 rad/s" in error.text and error.text.endswith("before the motors act")
    assert found.left < 1e-9


ROTOR = """<robot name="r"><link name="base"/><link name="a">{inertial}</link><joint name="j"
type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
<limit lower="{low}" upper="{high}" effort="9" velocity="9"/><dynamics damping="0.5"/></joint>
</robot>"""
BAR = """<inertial><origin xyz=".2 0 0"/><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1"
ixy="0" ixz="0" iyz="0"/></inertial>"""


def rotor_loop(tmp_path, prepare=None, command=None, *, ends=(-3, 3), steps=200, flags=0, **load):
    """A loop of one joint; `command` gets the body and the number of each step."""
    file = tmp_path / "rotor.urdf"
    file.write_text(ROTOR.format(inertial=BAR, low=ends[0], high=ends[1]))
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        try:
            flags |= p.URDF_USE_INERTIA_FROM_FILE
            body = p.loadURDF(str(file), useFixedBase=True, flags=flags, **load)
            p.setGravity(0, 0, -9.81)
            disable_damping(body)
            if prepare is not None:
                prepare(body)
            watch = sim.watch(p, body, file, client=client)
            for k in range(steps):
                if command is None:
                    speed = 0.5 * np.sin(k / 30)
                    p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, targetVelocity=speed)
                else:
                    command(body, k)
                p.stepSimulation()
                watch.sample()
            return diagnose(watch.evidence())
        finally:
            p.disconnect(client)


def errors_of(found):
    return [cause for cause in found.causes if cause.is_error]


def pushed(function):
    """A loop under torque control by one of PyBullet's functions."""

    def command(body, k):
        tau = 4 * np.sin(k / 30)
        if k == 0:
            p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, force=0)
        if function == "setJointMotorControl":
            p.setJointMotorControl(body, 0, p.TORQUE_CONTROL, tau)
        elif function == "setJointMotorControlMultiDof":
            p.setJointMotorControlMultiDof(body, 0, p.TORQUE_CONTROL, force=[tau])
        else:
            p.setJointMotorControlMultiDofArray(body, [0], p.TORQUE_CONTROL, forces=[[tau]])

    return command


@pytest.mark.parametrize(
    "function",
    [
        *("setJointMotorControl", "setJointMotorControlMultiDof"),
        "setJointMotorControlMultiDofArray",
    ],
)
def test_torques_of_every_function_are_seen(tmp_path, function):
    found = rotor_loop(tmp_path, command=pushed(function))
    assert not errors_of(found) and found.residual < 1e-9
    assert found.evidence.torque_from == "TORQUE_CONTROL commands"


def test_torques_of_the_plugin_are_said_to_be_unseen(tmp_path):
    def command(body, k):
        mode, target = p.PD_CONTROL, np.sin(k / 30)
        p.setJointMotorControl2(body, 0, mode, target, positionGain=40, velocityGain=4, force=99)

    [error] = errors_of(rotor_loop(tmp_path, command=command))
    assert error.kind == "torque unseen" and "p.PD_CONTROL moves j by a plugin" in error.text


def test_a_body_that_sleeps_is_named(tmp_path):
    """It falls asleep two seconds after the last fast motion, and its torque stands still."""

    def command(body, k):
        speed = 0.3 if k < 60 else 0.001
        p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, targetVelocity=speed, force=30)

    found = rotor_loop(tmp_path, command=command, steps=900, flags=p.URDF_ENABLE_SLEEPING)
    [error] = errors_of(found)
    assert error.kind == "asleep" and "ACTIVATION_STATE_DISABLE_SLEEPING" in error.remedy
    assert found.left < 1e-9


def test_damping_of_the_engine_is_named_beside_that_of_the_file(tmp_path):
    def prepare(body):
        p.changeDynamics(body, 0, jointDamping=0.8)

    [error] = errors_of(rotor_loop(tmp_path, prepare))
    assert "0.8 ± " in error.text and "0.5 in the file" in error.text
    assert "jointDamping=0.5)" in error.remedy


def test_equal_limits_hold_a_joint(tmp_path):
    """As converters write them that know no limits."""
    [error] = errors_of(rotor_loop(tmp_path, ends=(0, 0)))
    assert error.kind == "joint limit" and "near 0 rad" in error.text


def test_a_scaled_body_is_named(tmp_path):
    def prepare(body):
        p.resetJointState(body, 0, 0.3)

    file = tmp_path / "arm.urdf"
    file.write_text(
        ROTOR.format(inertial=BAR, low=-3, high=3)
        .replace("</axis>", "")
        .replace('<parent link="base"/>', '<parent link="base"/><origin xyz=".1 0 .2"/>')
    )
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        body = p.loadURDF(str(file), useFixedBase=True, globalScaling=1.5, basePosition=[1, 0, 0])
        prepare(body)
        watch = sim.watch(p, body, file, client=client)
        for _ in range(9):
            p.stepSimulation()
            watch.sample()
        evidence = watch.evidence()
        p.disconnect(client)
    error = next(cause for cause in diagnose(evidence).causes if cause.kind == "geometry")
    assert error.remedy == "load it without globalScaling=1.5"


def test_a_fixed_base_that_the_loop_moves_is_named(tmp_path):
    def moved(where):
        def command(body, k):
            if k >= 100:
                place = (where(k), 0, 0), (0, 0, 0, 1)
                p.resetBasePositionAndOrientation(body, *place)
            p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, targetVelocity=np.sin(k / 30))

        return command

    [error] = errors_of(rotor_loop(tmp_path, command=moved(lambda k: 0.001 * k)))
    assert error.kind == "moving base" and "before step 101 and 99 more" in error.text
    assert not errors_of(rotor_loop(tmp_path, command=moved(lambda k: 0.0)))


@pytest.mark.parametrize(("is_damped", "kinds"), [(False, []), (True, ["changed in the loop"])])
def test_a_body_that_is_loaded_anew_begins_an_episode(tmp_path, is_damped, kinds):
    def command(body, k):
        if k == 80:
            p.removeBody(body)
            flags = p.URDF_USE_INERTIA_FROM_FILE
            body = p.loadURDF(str(tmp_path / "rotor.urdf"), useFixedBase=True, flags=flags)
            if not is_damped:
                disable_damping(body)
        p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, targetVelocity=np.sin(k / 30))

    found = rotor_loop(tmp_path, command=command)
    assert [error.kind for error in errors_of(found)] == kinds
    assert "new episode" in [cause.kind for cause in found.causes]


def test_bodies_that_cannot_be_judged_are_refused_with_the_reason(tmp_path):
    with pytest.raises(EngineError, match=r"no joint 'j'.* without useMaximalCoordinates=True"):
        rotor_loop(tmp_path, useMaximalCoordinates=True)
    file = tmp_path / "drone.urdf"
    file.write_text(f'<robot name="drone"><link name="base">{BAR}</link></robot>')
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        body = p.loadURDF(str(file))
        with pytest.raises(EngineError, match="'drone' has no moving joint"):
            sim.watch(p, body, file, client=client)
        p.disconnect(client)


def test_a_torque_that_is_held_for_some_steps_is_no_torque_limit(tmp_path):
    def held(limit):
        def command(body, k):
            speed = float(np.sin(k // 10))
            p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, force=0)
            tau = float(np.clip(9 * speed, -limit, limit))
            p.setJointMotorControl2(body, 0, p.TORQUE_CONTROL, force=tau)

        return command

    free, cut_off = (rotor_loop(tmp_path, command=held(limit)) for limit in (20, 5))
    assert not free.causes
    assert [cause.kind for cause in cut_off.causes] == ["torque limit"]


def test_changes_that_act_in_contacts_only_are_no_cause():
    def command(body, k):
        p.changeDynamics(body, 2, lateralFriction=0.3 + k / 1000, rollingFriction=0.1)
        velocities(body, k)

    assert bullet_loop(command=command).evidence().changes == ()


@pytest.mark.parametrize("is_early", [True, False])
def test_real_time_is_refused_with_what_to_do(body, tmp_path, is_early):
    p.setRealTimeSimulation(is_early)
    watch = sim.watch(p, body, UR10)
    p.setRealTimeSimulation(1)
    for _ in range(3):
        watch.sample()
    p.setRealTimeSimulation(0)
    with pytest.raises(EngineError, match=r"p\.setRealTimeSimulation\(0\), and p\.stepSim"):
        watch.save(tmp_path / "run")


def test_real_time_that_is_off_is_no_reason(body, tmp_path):
    watch = sim.watch(p, body, UR10)
    p.setRealTimeSimulation(0)
    with pytest.raises(EngineError, match="sampled 0 times"):
        watch.save(tmp_path / "run")


def test_steps_of_another_client_are_named(body, tmp_path):
    with suppress_c_output():
        other = p.connect(p.DIRECT)
    try:
        watch = sim.watch(p, body, UR10)
        for _ in range(7):
            p.stepSimulation(physicsClientId=other)
            watch.sample()
        with pytest.raises(EngineError, match=r"7 steps in other clients .* client=NUMBER"):
            watch.save(tmp_path / "run")
    finally:
        p.disconnect(other)


def test_a_gear_that_ties_two_joints_is_no_armature_and_no_cut_off_speed():
    file = f"{pybullet_data.getDataPath()}/differential/diff_ring.urdf"
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        try:
            body = p.loadURDF(file, useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE)
            disable_damping(body)
            for joint in range(p.getNumJoints(body)):
                p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, force=0)
            zero = [0, 0, 0]
            tie = p.createConstraint(body, 1, body, 3, p.JOINT_GEAR, [0, 1, 0], zero, zero)
            p.changeConstraint(tie, gearRatio=1, maxForce=10000)
            watch = sim.watch(p, body, file, client=client)
            for _ in range(300):
                p.setJointMotorControl2(body, 1, p.VELOCITY_CONTROL, targetVelocity=1, force=1)
                p.stepSimulation()
                watch.sample()
            evidence = watch.evidence()
        finally:
            p.disconnect(client)
    assert [cause.kind for cause in diagnose(evidence).causes if cause.is_error] == ["constraint"]

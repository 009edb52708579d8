"""Several robots of one loop, each with a verdict of its own."""

import math

import mujoco
import numpy as np
import pybullet as p
import pytest

import sim
from sim import shipped
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.errors import EngineError
from tests.helpers.watched_loops import disable_damping

ARM = """<body name="{0}" pos="{1} 0 1"><joint name="{0}_joint" axis="0 1 0"/>
<inertial pos=".2 0 0" mass="{2}" diaginertia=".1 .1 .1"/></body>"""
URDF = """<robot name="arm"><link name="base"/><link name="{0}"><inertial><origin xyz=".2 0 0"/>
<mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{0}_joint" type="continuous"><origin xyz="0 0 1"/><parent link="base"/>
<child link="{0}"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.fixture
def client():
    with suppress_c_output():
        number = p.connect(p.DIRECT)
        yield number
        p.disconnect(number)


def test_two_bodies_of_pybullet_are_judged_each_by_its_robot(tmp_path, client):
    path = shipped.scenarios() / "two_link.urdf"
    bodies = []
    for place in range(2):
        flags = p.URDF_USE_INERTIA_FROM_FILE
        bodies.append(p.loadURDF(str(path), [place, 0, 0], useFixedBase=True, flags=flags))
        disable_damping(bodies[-1])
        p.changeDynamics(bodies[-1], 2, mass=1e-12)  # the frame at the tip
        p.changeDynamics(bodies[-1], 2, localInertiaDiagonal=[0, 0, 0])
    p.setGravity(0, 0, -9.81)
    p.changeDynamics(bodies[1], 1, mass=2.5)
    before = p.stepSimulation
    watch = sim.watch(p, bodies, robot=[path, path])
    for step in range(100):
        for body in bodies:
            speeds = [0.3 * math.sin(step / 40), 0.2 * math.sin(step / 30)]
            p.setJointMotorControlArray(
                body, [0, 1], p.VELOCITY_CONTROL, targetVelocities=speeds, forces=[1e4] * 2
            )
        p.stepSimulation()
        watch.sample()
    right, wrong = watch.save(tmp_path / "both")
    assert p.stepSimulation is before
    assert right.run.watched.residual < 1e-9 and not right.run.watched.causes
    assert [cause.kind for cause in wrong.run.watched.causes] == ["link mass"]
    assert sorted(one.name for one in (tmp_path / "both").iterdir()) == ["two_link", "two_link_2"]


def test_two_robots_of_one_mujoco_model_are_judged_each_by_its_file(tmp_path):
    robots = []
    for name in ("left", "right"):
        robots.append(tmp_path / f"{name}.urdf")
        robots[-1].write_text(URDF.format(name))
    bodies = ARM.format("left", 0, 2) + ARM.format("right", 3, 2.5)
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    watch = sim.watch(model, data, robot=robots)
    for step in range(100):
        data.qfrc_applied[:] = 3 * np.sin(step / 30)
        mujoco.mj_step(model, data)
        watch.sample()
    left, right = (found.run.watched for found in watch.save(tmp_path / "both"))
    assert left.residual < 1e-9
    assert [cause.kind for cause in right.causes if cause.is_error] == ["link mass"]


def test_numbers_of_bodies_and_robots_must_agree(client):
    path = shipped.scenarios() / "two_link.urdf"
    body, before = p.loadURDF(str(path), useFixedBase=True), p.stepSimulation
    with pytest.raises(EngineError, match="2 robots needs the numbers of as many bodies"):
        sim.watch(p, [body], robot=[path, path])
    with pytest.raises(EngineError, match="at least one body"):
        sim.watch(p, [], robot=[])
    with pytest.raises(EngineError):
        sim.watch(p, [body, 99], robot=[path, path])
    assert p.stepSimulation is before

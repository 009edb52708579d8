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


@pytest.mark.parametrize("damping", ["0", "1.5"])
def test_a_right_loop_passes_and_its_integrator_is_named(tmp_path, damping):
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
    kinds = [one.kind for one in run.run.watched.causes if one.is_error]
    assert kinds == ([] if damping == "0" else ["integrator"])
    assert all(one.ok for one in sim.check(run)) is (damping == "0")


def test_pybullet_needs_the_robot():
    with pytest.raises(EngineError, match="needs the robot"):
        sim.watch(pybullet, 0)

"""Right loops of public robots pass at 1e-9 of the peak; others name a cause."""

import math
from pathlib import Path

import pybullet as p
import pybullet_data
import pytest

import sim
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.errors import EngineError
from tests.helpers.watched_loops import disable_damping

DATA = Path(pybullet_data.getDataPath())
FIXED = "kuka_iiwa/model", "cartpole", "differential/diff_ring"
FREE = (
    *("quadruped/minitaur", "quadruped/spirit40", "a1/a1", "aliengo/aliengo"),
    *("laikago/laikago_toes", "racecar/racecar", "r2d2"),
)
REVOLUTE, PRISMATIC = p.JOINT_REVOLUTE, p.JOINT_PRISMATIC


def loop(name, *, is_fixed=False, height=3.0, is_floored=False, starts_inside=True):
    path = DATA / f"{name}.urdf"
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        try:
            flags = p.URDF_USE_INERTIA_FROM_FILE
            body = p.loadURDF(str(path), [0, 0, height], useFixedBase=is_fixed, flags=flags)
            p.setGravity(0, 0, -9.81)
            disable_damping(body)
            infos = [p.getJointInfo(body, k) for k in range(p.getNumJoints(body))]
            moving = [info for info in infos if info[2] in (REVOLUTE, PRISMATIC)]
            joints = [info[0] for info in moving]
            for info in moving:
                if starts_inside and info[8] < info[9]:
                    p.resetJointState(body, info[0], (info[8] + info[9]) / 2)
            p.setJointMotorControlArray(body, joints, p.VELOCITY_CONTROL, forces=[0] * len(joints))
            if is_floored:
                p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
            elif not is_fixed:
                p.resetBaseVelocity(body, [0.3, 0.2, 0.1], [1, 0.5, -0.7])
            watch = sim.watch(p, body, path, client=client)
            for k in range(150):
                speeds = [0.05 * math.sin(k / 20 * (1 + j / 7)) for j in range(len(joints))]
                p.setJointMotorControlArray(
                    body,
                    joints,
                    p.VELOCITY_CONTROL,
                    targetVelocities=speeds,
                    forces=[1e4] * len(joints),
                )
                p.stepSimulation()
                watch.sample()
            return watch
        finally:
            p.disconnect(client)


@pytest.mark.rotates(3)
@pytest.mark.parametrize("name", [*FIXED, *FREE])
def test_a_right_loop_passes(name, tmp_path):
    run = loop(name, is_fixed=name in FIXED).save(tmp_path / "run")
    assert run.passed and not run.run.watched.causes
    assert run.run.watched.left < 1e-10
    assert run.run.watched.residual < 1e-8  # aliengo: 5e-9, of tensors as PyBullet stores them


WRONG = {
    "franka_panda/panda": ["massless link"],  # a frame with a tensor and without mass
    "xarm/xarm6_robot": ["link tensor", "model friction"],  # a tensor that no body has
    "mini_cheetah/mini_cheetah": ["link tensor"],
    "husky/husky": ["geometry", "massless link"],  # a frame where xacro was not evaluated
}


@pytest.mark.rotates(3)
@pytest.mark.parametrize("name", WRONG)
def test_what_a_file_is_in_pybullet_is_named(name, tmp_path):
    facts = loop(name, is_fixed="arm" in name or "panda" in name).save(tmp_path / "run").run.watched
    assert sorted(cause.kind for cause in facts.errors) == WRONG[name]
    assert facts.left < 1e-10 or "geometry" in WRONG[name]


@pytest.mark.parametrize("name", ["a1/a1", "r2d2"])
def test_joints_that_start_outside_their_ranges_are_named(name, tmp_path):
    run = loop(name, starts_inside=False).save(tmp_path / "run")
    assert [cause.kind for cause in run.run.watched.errors] == ["joint limit"]
    assert run.run.watched.left < 1e-10


def test_joints_outside_their_ranges_are_named_beside_the_floor_that_a_link_is_in(tmp_path):
    options = {"height": 0.3, "is_fixed": True, "is_floored": True, "starts_inside": False}
    contact, limit = loop("a1/a1", **options).save(tmp_path / "run").run.watched.errors
    assert (contact.kind, limit.kind) == ("contact", "joint limit")
    (other,) = limit.alternatives
    assert contact.text.startswith(other)


def test_a_foot_that_spins_on_the_floor_is_counted_in(tmp_path):
    options = {"height": 0.5, "is_floored": True, "starts_inside": False}
    facts = loop("laikago/laikago_toes", **options).save(tmp_path / "run").run.watched
    assert [cause.kind for cause in facts.causes] == ["contact", "contact friction"]
    assert not facts.errors and facts.left < 1e-10


def test_spherical_joints_of_pybullet_are_refused():
    with pytest.raises(EngineError, match="is spherical"):
        loop("humanoid/humanoid")

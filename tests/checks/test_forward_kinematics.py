from dataclasses import replace

import msgspec
import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from sim.checks import check
from sim.checks.error_propagation import INSTANTS, instants
from sim.motion import JointMotion
from sim.recording.schema.provenance import text_hash
from sim.robots import load_robot, read_urdf
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.random_robots import random_urdf
from tests.helpers.short_runs import both, short_run

NAME = "forward kinematics"
SINGULAR = "least_singular_value"
WEIGHTLESS = (0.0, 0.0, 0.0)
PARTS = ("", "q", "v", "w", "a", "wd")


def components(part):
    return [f"tool.{part}{c}" for c in ("xyzw" if part == "q" else "xyz")]


def judged(recording):
    return {one.channel: one for one in check(recording) if one.name == NAME}


def failed(recording):
    return sorted(channel for channel, one in judged(recording).items() if not one.ok)


def moving(robot):
    drives = {
        name: f"{0.3 + 0.1 * k}*SIN({7 + k}*time + {k})" for k, name in enumerate(robot.joint_names)
    }
    return run(Scenario(robot, JointMotion.displacement(drives), 0.05), method="ideal")


def mounted(seed):
    """A random chain of turning and sliding joints, its tool at its end, on a slanting base."""
    rng = np.random.default_rng(seed)
    text = random_urdf(rng, 6, branching=False, mimic=seed % 2 == 0)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_rotvec(rng.normal(size=3)).as_matrix(), rng.normal(size=3)
    return replace(read_urdf(text, tool="link_6"), T_0b=T)


def by_pinocchio(recording, robot):
    """The recording with the tool of its model where Pinocchio has it, at the table's joints."""
    table, tree = recording.analytic, [joint.name for joint in robot.tree_joints]
    q, qd, qdd = (
        np.stack([table[f"{group}.{name}"] for name in tree]) for group in ("q", "qd", "qdd")
    )
    other = PinocchioModel(robot, WEIGHTLESS)
    motion = other.frame_motion(robot.tool, q, qd)
    R = np.moveaxis(motion[:9].reshape(3, 3, -1), -1, 0)
    acceleration = other.frame_acceleration(robot.tool, q, qd, qdd)
    rows = {
        "": motion[9:12],
        "q": Rotation.from_matrix(R).as_quat().T,
        "v": motion[12:15],
        "w": motion[15:],
        "a": acceleration[:3],
        "wd": acceleration[3:],
    }
    columns = {
        channel: row
        for part in PARTS
        for channel, row in zip(components(part), rows[part], strict=True)
    }
    columns[SINGULAR] = least_by_pinocchio(other, robot, q)
    return replace(recording, analytic=table.assign(**columns))


def least_by_pinocchio(other, robot, q):
    """Least singular value of Pinocchio's Jacobian, lengths over that of the chain, at (n, N)."""
    model, data = other.model, other.data
    frame = model.getFrameId(robot.tool, pin.FrameType.BODY)
    rest = np.zeros(model.nq)
    rest[other.order] = robot.coupling[1]
    pin.framesForwardKinematics(model, data, rest)
    chain = [joint for joint in model.supports[model.frames[frame].parentJoint] if joint]
    places = [data.oMi[joint].translation.copy() for joint in chain] + [data.oMf[frame].translation]
    length = sum(np.linalg.norm(np.diff(places, axis=0), axis=1))
    slides = [not coordinate.is_angle for coordinate in robot.coordinates]
    least = []
    for column in q.T:
        given = np.zeros(model.nq)
        given[other.order] = column
        J = pin.computeFrameJacobian(model, data, given, frame, pin.LOCAL_WORLD_ALIGNED)
        J = J[:, other.order] @ robot.coupling[0] * np.where(slides, length, 1.0)
        J[:3] /= length
        least.append(np.linalg.svd(J[:, np.any(J != 0, axis=0)], compute_uv=False)[-1])
    return np.array(least)


ROBOTS = {
    "ur10": lambda: load_robot("ur10"),
    "palletizer": lambda: load_robot("irb460"),
    **{f"random {seed}": lambda seed=seed: mounted(seed) for seed in range(4)},
}


@pytest.mark.parametrize("robot", ROBOTS.values(), ids=ROBOTS)
def test_the_limits_are_the_rounding_of_another_program(robot):
    robot = robot()
    found = judged(by_pinocchio(moving(robot), robot))
    assert sorted(found) == sorted([*(components(part)[0] for part in PARTS), SINGULAR])
    for one in found.values():
        assert one.ok, one
        assert one.limit < 1e-10
    assert any(one.worst > 0 for one in found.values())  # it is another program


def test_an_engine_comes_to_a_tool_on_its_axis_by_way_of_the_mass_centre():
    text = """<robot name="wheel"><link name="base"/><link name="wheel"><inertial>
      <origin xyz="0.1 0 0"/><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="turn" type="continuous"><parent link="base"/><child link="wheel"/>
      <axis xyz="0 0 1"/></joint></robot>"""
    recording = moving(read_urdf(text))
    shifted = recording.analytic.assign(**{"tool.x": recording.analytic["tool.x"] + 1e-16})  # m
    assert judged(replace(recording, analytic=shifted))["tool.x"].ok


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("component", range(3))
def test_what_both_tables_have_wrong_is_seen_at_twice_the_limit_and_not_within_it(part, component):
    recording = short_run()
    channel = components(part)[component]
    limit = judged(recording)[components(part)[0]].limit
    wrong = 0.5 * limit if part == "q" else limit  # an angle is twice its quaternion
    if limit == 0:
        assert (part, component) != ("", 0)
        return
    assert failed(both(recording, channel, lambda x: x + 2.0 * wrong + 1e-15)) == [
        components(part)[0]
    ]
    assert failed(both(recording, channel, lambda x: x + 0.5 * wrong)) == []


@pytest.mark.parametrize("table", ["recorded", "analytic"])
def test_a_wrong_singular_value_is_seen_in_either_table(table):
    """Recorded positions may be off by their own limit, which moves it by 2 √5 as much at most."""
    recording = short_run()
    limit = judged(recording)[SINGULAR].limit
    position = next(one.limit for one in check(recording) if one.name == "position")
    allowed = 2 * np.sqrt(5) * position if table == "recorded" else 0.0
    for share, wanted in ((2.0, [SINGULAR]), (0.5, [])):
        values = getattr(recording, table)
        moved = values.assign(**{SINGULAR: values[SINGULAR] + allowed + share * limit})
        assert failed(replace(recording, **{table: moved})) == wanted


def test_a_run_of_before_that_has_no_singular_values_is_judged_without():
    recording = short_run()
    tables = ("recorded", "analytic")
    older = {name: getattr(recording, name).drop(columns=SINGULAR) for name in tables}
    found = check(replace(recording, **older))
    assert all(one.ok for one in found)
    assert {one.name for one in found} == {one.name for one in check(recording)}


def test_the_two_tables_need_not_differ():
    wrong = both(short_run(), "tool.z", lambda z: z + 1e-9)
    assert [one.name for one in check(wrong) if not one.ok] == [NAME]


def test_a_quaternion_of_the_other_sign_is_the_same_rotation():
    recording = short_run()
    for channel in components("q"):
        recording = both(recording, channel, np.negative)
    assert failed(recording) == []


def test_no_number_is_no_place():
    def broken(x):
        x[7] = np.nan
        return x

    assert failed(both(short_run(), "tool.vy", broken)) == ["tool.vx"]
    assert set(failed(both(short_run(), "q.elbow", broken))) == {
        SINGULAR,
        *(components(part)[0] for part in PARTS),
    }


@pytest.mark.parametrize("k", [0, 40, 300])
def test_the_time_is_that_of_the_worst_instant(k):
    def aside(x):
        x[k] += 1e-9
        return x

    recording = both(short_run(), "tool.x", aside)
    one = judged(recording)["tool.x"]
    assert (one.at, one.ok, one.unit) == (recording.t[k], False, "m")
    assert one.worst == pytest.approx(1e-9, rel=1e-5)


def test_of_a_long_run_instants_all_along_it_are_asked():
    k = instants(20_001)
    assert (k[0], k[-1], k.size) == (0, 20_000, INSTANTS)
    assert np.diff(k).max() <= 41
    assert instants(301).tolist() == [*range(301)]


def test_a_run_without_a_tool_is_not_asked_for_it():
    tool = [c for c in short_run().analytic.columns if c.startswith("tool.")]
    tables = {
        name: getattr(short_run(), name).drop(columns=tool) for name in ("recorded", "analytic")
    }
    assert judged(replace(short_run(), **tables)) == {}


def test_another_robot_beside_the_run_is_seen():
    """The check `robot` compares only its masses, axes, limits and what rubs."""
    recording, joint = short_run(), '<origin xyz="0 0 -0.5"/>'
    assert recording.urdf is not None and recording.urdf.count(joint) == 1
    text = recording.urdf.replace(joint, '<origin xyz="0 0 -0.50001"/>')
    facts = msgspec.structs.replace(recording.run.robot, urdf_sha256=text_hash(text))
    other = replace(recording, urdf=text).with_description(robot=facts)
    failing = {one.name for one in check(other) if not one.ok}
    assert failing == {NAME, "recomputed torque", "recomputed energy"}
    assert "tool.x" in failed(other)

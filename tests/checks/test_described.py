"""What a description says of a run against what the run's tables say, by closed forms."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from sim.checks import check
from sim.checks.run_view import RunView
from sim.checks.unjudged import unjudged_notes
from sim.kinematics import frame_pose
from sim.motion import JointMotion, PointMotion
from sim.robots import load_robot, read_urdf
from sim.scenario import Force, Scenario
from sim.simulation import run
from tests.helpers.short_runs import arm, short_run, with_settings

ROD = """<robot name="rod"><link name="base"/><link name="rod"><inertial>
<origin xyz="{com}"/><mass value="{mass}"/>
<inertia ixx="0.01" iyy="0.02" izz="0.015" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="{kind}"><parent link="base"/><child link="rod"/><axis xyz="{axis}"/>
<limit lower="-9" upper="9" effort="1000" velocity="100"/>{dynamics}</joint></robot>"""


def one_joint(kind="revolute", axis="0 1 0", com="0.5 0 0", mass=2.0, dynamics=""):
    return read_urdf(ROD.format(kind=kind, axis=axis, com=com, mass=mass, dynamics=dynamics))


def moved(robot, text="0.4*SIN(3*time)", method="ideal", **more):
    motion = JointMotion.displacement({"j": text})
    return run(Scenario(robot, motion, 0.5, method=method, **more))


def failing(recording):
    return {(one.name, one.channel) for one in check(recording) if not one.ok}


def test_a_pendulum_on_the_moon_is_told_by_its_weight():
    """The check finds m g l cos q of the difference in gravity."""
    recording = moved(one_joint())
    told = with_settings(recording, gravity=(0.0, 0.0, -1.62))
    (bad,) = (one for one in check(told) if one.name == "recomputed torque")
    q = recording.analytic["q.j"].to_numpy()
    instants = np.linspace(0, q.size - 1, 20).round().astype(int)
    assert bad.worst == pytest.approx(2.0 * 0.5 * (9.81 - 1.62) * np.cos(q[instants]).max())
    assert ("recomputed energy", "pe") in failing(told)


def test_potential_energy_counts_from_the_origin_of_the_world():
    recording = moved(one_joint(com="0 0 -0.5").mounted(xyz=(0.0, 0.0, 3.0)))
    pe = recording.analytic["pe"].to_numpy()
    q = recording.analytic["q.j"].to_numpy()
    np.testing.assert_allclose(pe, 2.0 * 9.81 * (3.0 - 0.5 * np.cos(q)), rtol=1e-12)
    assert failing(recording) == set()
    tables = {
        name: getattr(recording, name).assign(pe=pe - 2.0 * 9.81 * 3.0)
        for name in ("recorded", "analytic")
    }
    assert failing(replace(recording, **tables)) == {("recomputed energy", "pe")}


def test_damping_of_the_text_is_the_friction_of_the_table():
    recording = moved(one_joint(dynamics='<dynamics damping="0.3" friction="0.2"/>'))
    assert failing(recording) == set()
    names = [(one.name, one.channel) for one in check(recording)]
    assert ("recomputed friction", "friction.j") in names
    qd = recording.analytic["qd.j"].to_numpy()
    rubs = 0.3 * qd + 0.2 * np.sign(qd)
    np.testing.assert_allclose(recording.analytic["friction.j"], rubs, rtol=1e-13)


def test_a_held_joint_may_not_move():
    scenario = Scenario(arm(), JointMotion.displacement({"elbow": "0.3*SIN(4*time)"}), 0.3)
    recording = run(scenario)
    assert failing(recording) == set()
    told = recording.with_description(drives=())
    held = {("held joint", f"{group}.elbow") for group in ("q", "qd", "qdd")}
    assert failing(told) == held


@pytest.mark.parametrize("axis", ["0 0 1", "1 0 0"])
@pytest.mark.parametrize("engine", ["bullet", "mujoco"])
def test_what_two_programs_round_alike_is_no_copy(axis, engine):
    """The torque of a slide is one product and a sum: MuJoCo and the model agree to the bit."""
    pytest.importorskip({"bullet": "pybullet", "mujoco": "mujoco"}[engine])
    recording = moved(one_joint("prismatic", axis, mass=1.0), engine=engine)
    assert failing(recording) == set()
    assert "independent results" not in {one.name for one in check(recording)}


@pytest.mark.parametrize("method", ["stepped", "ideal", "adaptive"])
def test_a_table_that_is_a_copy_fails_and_nothing_else_sees_it(method):
    recording = moved(one_joint(com="0.31 0.02 0.07"), method=method)
    assert failing(recording) == set()
    estimates = recording.recorded.filter(like="tau_error.")
    copied = recording.analytic.assign(**estimates)
    assert failing(replace(recording, recorded=copied)) == {("independent results", "tau.j")}


class Pushing:
    """A force that is no expression."""

    def value(self, t):
        return 3.0 * np.asarray(t, dtype=np.float64) ** 2

    def derivatives(self, t):
        t = np.asarray(t, dtype=np.float64)
        return 3.0 * t**2, 6.0 * t, np.full_like(t, 6.0)

    def breaks(self, t0, t1):
        return np.empty(0)


def test_a_force_that_is_a_function_of_a_program_is_not_judged_and_that_is_said():
    recording = moved(one_joint(), forces=(Force("rod", force=(Pushing(), 0, 0)),))
    assert failing(recording) == set()
    names = {one.name for one in check(recording)}
    assert "recomputed torque" not in names and "recomputed energy" in names
    (said,) = unjudged_notes(recording)
    assert said.startswith("the force on rod is not an expression")
    known = moved(one_joint(), forces=(Force("rod", force=("3*time**2", 0, 0)),))
    assert "recomputed torque" in {one.name for one in check(known)}
    assert unjudged_notes(known) == []


def test_a_drive_through_points_is_not_judged_and_that_is_said():
    points = JointMotion.displacement({"j": (0.0, 0.1, 0.3, 0.2)}, times=(0.0, 0.2, 0.4, 0.5))
    recording = run(Scenario(one_joint(), points, 0.5, method="ideal"))
    assert failing(recording) == set()
    assert "drive function" not in {one.name for one in check(recording)}
    assert unjudged_notes(recording) == [
        "j: not checked: the description has no expression for the motion"
    ]


def test_the_target_of_a_tool_is_the_typed_path_from_wherever_it_is_counted():
    robot = load_robot("ur10")
    start = (0.0, -1.2, 1.5, -1.9, -1.5, 0.0)
    at = frame_pose(robot, np.array(start)[:, None])[:, :, 0]
    line = {"x": "0.05*SIN(6*time)", "y": "0", "z": "-0.04*time"}
    motion = PointMotion(line, relative_to=at, start=start)
    recording = run(Scenario(robot, motion, 0.2, method="ideal"))
    assert failing(recording) == set()
    assert ("drive function", "target.x") in [(one.name, one.channel) for one in check(recording)]
    first, *others = recording.run.drives
    longer = msgspec.structs.replace(first, function="0.0501*SIN(6*time)")
    told = recording.with_description(drives=(longer, *others))
    assert failing(told) == {("drive function", "target.x")}


def test_channels_that_the_description_implies_are_missed():
    recording = short_run()
    view = RunView(recording)
    assert view.has("reaction.elbow.fx")
    tables = {
        name: getattr(recording, name).drop(columns=[f"reaction.elbow.f{c}" for c in "xyz"])
        for name in ("recorded", "analytic")
    }
    (bad,) = (one for one in check(replace(recording, **tables)) if not one.ok)
    assert (bad.name, bad.channel, bad.worst) == ("channels", "reaction.elbow.fx", 3.0)


@pytest.mark.parametrize(("factor", "worst"), [(0.0, None), (-1.0, 1.0)])
def test_an_estimate_that_is_none_fails(factor, worst):
    recording = short_run("stepped")
    table = recording.recorded.copy()
    before = table["tau_error.elbow"].to_numpy()
    table["tau_error.elbow"] = factor * before
    (bad,) = (one for one in check(replace(recording, recorded=table)) if not one.ok)
    assert (bad.name, bad.channel) == ("estimated error", "tau_error.elbow")
    assert bad.worst == (before.max() if worst else np.abs(recording.analytic["tau.elbow"]).max())

from dataclasses import asdict, dataclass

import msgspec
import pytest

from sim.comparison.changed_inputs import changed_inputs, changed_robot
from sim.dynamics.force import Force
from sim.motion import JointMotion
from sim.recording import facts_of
from sim.recording.schema.description import Run
from sim.recording.schema.facts import ScriptFacts
from sim.robots import DriveTrain, Names, Stop
from sim.scenario import Scenario
from sim.simulation import run
from tests.helpers.short_runs import DURATION, SMOOTH, arm, short_run


@dataclass(frozen=True)
class Side:
    run: Run
    urdf: str | None


@pytest.fixture(scope="module")
def good():
    return short_run()


def changed(good, **entries):
    return changed_inputs(Side(msgspec.structs.replace(good.run, **entries), good.urdf), good)


def rerun(**given):
    wanted = {"robot": arm(), "motion": JointMotion.displacement(SMOOTH), "duration": DURATION}
    return run(Scenario(**{**wanted, **given}), name="swing")


def test_when_and_where_and_how_it_was_judged_are_no_inputs(good):
    facts = good.run
    provenance = msgspec.structs.replace(facts.provenance, created="now", command=("x",))
    robot = msgspec.structs.replace(facts.robot, mesh_folder="/elsewhere", assumed=("a",))
    drives = tuple(msgspec.structs.replace(d, warnings=("w",)) for d in facts.drives)
    other = {"provenance": provenance, "robot": robot, "drives": drives}
    assert changed(good, **other, verdict="fail", folder="x", seal="y", notes=("n",)) == ()


def test_parameters_and_versions_are_told_with_both_values(good):
    was = good.run.provenance.versions["numpy"]
    versions = {**good.run.provenance.versions, "numpy": "0.1"}
    provenance = msgspec.structs.replace(good.run.provenance, versions=versions)
    found = changed(good, provenance=provenance, parameters={"load": [1.0, None], "n": 3})
    assert found == (
        "parameter load: none → 1.0 none",
        "parameter n: none → 3",
        f"numpy: {was} → 0.1",
    )


def test_of_another_engine_its_name_is_the_change_and_not_the_packages_of_both(good):
    of = dict(good.run.provenance.versions)
    engine = {"pybullet": of.pop("pybullet"), **of}
    other = msgspec.structs.replace(good.run.provenance, versions={**of, "mujoco-core": "4.0.1"})
    assert engine.keys() == good.run.provenance.versions.keys()
    assert changed(good, provenance=other, engine="mujoco") == ("engine: bullet → mujoco",)


def test_only_packages_that_are_used_now_are_inputs(good):
    with_lark = {**good.run.provenance.versions, "lark": "1.3.1"}
    other = msgspec.structs.replace(good.run.provenance, versions=with_lark)
    side = Side(msgspec.structs.replace(good.run, provenance=other), good.urdf)
    assert changed_inputs(good, side) == ()
    assert changed_inputs(side, good) == ("lark: not used → 1.3.1",)


def test_what_a_torque_of_the_state_names_is_an_input(good):
    def of(text):
        names = facts_of(Names(variables={"aim": text}))
        (first, *others) = good.run.drives
        return msgspec.structs.replace(first, names=names), *others

    was = Side(msgspec.structs.replace(good.run, drives=of("1")), good.urdf)
    now = Side(msgspec.structs.replace(good.run, drives=of("2*time")), good.urdf)
    joint = good.run.drives[0].joint
    assert changed_inputs(now, was) == (f"drive {joint} variables: aim 1 → aim 2*time",)


def test_an_edited_script_is_told_by_its_name(good):
    one, two = (
        Side(msgspec.structs.replace(good.run, script=ScriptFacts(path="/a/b.py", sha256=x)), None)
        for x in ("1", "2")
    )
    assert changed_inputs(one, two) == ("script b.py: its text changed",)


def test_a_heavier_load_is_told_by_its_mass_in_the_urdf(good):
    heavy = rerun(robot=arm(0.75))
    assert "link payload mass: 0.5 → 0.75" in changed_inputs(heavy, good)
    assert all("sha256" not in change for change in changed_inputs(heavy, good))


def test_method_step_and_gravity_are_told_with_their_units(good):
    other = rerun(method="ideal", dt=2e-3, gravity=(0.0, 0.0, -1.62))
    assert changed_inputs(other, good) == (
        "method: stepped → ideal",
        "dt: 0.001 → 0.002 s",
        "gravity: 0.0 0.0 -9.81 → 0.0 0.0 -1.62 m/s²",
    )


def test_of_a_drive_the_words_that_differ_are_told(good):
    motion = JointMotion.displacement({**SMOOTH, "elbow": "11d * SIN(PI * time)**2"})
    (change,) = changed_inputs(rerun(motion=motion), good)
    assert change == ("drive elbow: 10d * SIN(PI * time)**2 → 11d * SIN(PI * time)**2")


def test_of_a_long_drive_only_the_place_is_told(good):
    long = " + ".join(f"STEP(time, {k}, 0, {k + 1}, 1d)" for k in range(9))
    one, two = (
        rerun(motion=JointMotion.displacement({**SMOOTH, "elbow": text}))
        for text in (long, long.replace("STEP(time, 4, 0, 5, 1d)", "STEP(time, 4, 0, 5, 2d)"))
    )
    (change,) = changed_inputs(two, one)
    assert "[1d → 2d]" in change
    assert len(change) < 60


def test_a_drive_that_came_or_went_is_told(good):
    less = rerun(motion=JointMotion.displacement({"elbow": SMOOTH["elbow"]}))
    told = changed_inputs(less, good)
    assert "drive shoulder: gone" in told or any(c.startswith("drive shoulder") for c in told)


def test_forces_and_what_acts_in_joints_are_told(good):
    one, two = (rerun(forces=(Force("payload", force=(0, 0, f)),)) for f in (1, 2))
    assert any(c.startswith("forces 1 force:") for c in changed_inputs(two, one))
    assert "forces: 0 → 1" in changed_inputs(one, good)
    stopped = [
        rerun(robot=arm().with_stops({"elbow": Stop(stiffness=k, lower=-0.5, upper=0.5)}))
        for k in (1e5, 2e5)
    ]
    assert "joint elbow stop stiffness: 100000.0 → 200000.0" in changed_inputs(*stopped[::-1])


def test_parameters_that_a_former_version_lacked_have_their_defaults(good):
    def side(drive):
        (joint, *others) = good.run.robot.joints
        joint = msgspec.structs.replace(joint, drive=drive)
        robot = msgspec.structs.replace(good.run.robot, joints=(joint, *others))
        return Side(msgspec.structs.replace(good.run, robot=robot), good.urdf)

    today, before = side(asdict(DriveTrain(ratio=50.0))), side({"ratio": 50.0})
    assert changed_inputs(today, before) == changed_inputs(before, today) == ()
    other = side(asdict(DriveTrain(ratio=50.0, breakaway=1.5)))
    assert changed_inputs(other, before) == ("joint shoulder drive train breakaway: 1.0 → 1.5",)


def test_joints_come_in_the_order_of_the_robot(good):
    robot = good.run.robot
    names = [f"joint_{k}" for k in range(20)]

    def side(friction):
        joints = [
            msgspec.structs.replace(robot.joints[0], name=name, friction_law={"viscous": friction})
            for name in names
        ]
        return msgspec.structs.replace(robot, joints=tuple(joints))

    sides = [Side(msgspec.structs.replace(good.run, robot=side(x)), good.urdf) for x in (1.0, 2.0)]
    assert [text.split()[1] for text in changed_inputs(*sides)] == names


def test_a_robot_whose_numbers_are_the_same_is_told_to_be_so(good):
    text = good.urdf.replace("<robot", "<!-- a comment --><robot", 1)
    assert list(changed_robot(good.urdf, text)) == [
        "robot: only text without effect on results (shapes, file names, comments)"
    ]
    assert list(changed_robot(None, text)) == [
        "robot: its text differs, and one side did not store it"
    ]


def test_links_joints_and_attributes_are_told_by_name():
    old = (
        '<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="0 0 1"/>'
        '<mass value="1"/><inertia ixx="1"/></inertial></link><joint name="j" type="revolute">'
        '<parent link="a"/><child link="b"/><origin xyz="0 0 0"/><limit lower="-1"/></joint>'
        "</robot>"
    )
    new = (
        old.replace('mass value="1"', 'mass value="1.0001"')
        .replace('origin xyz="0 0 0"', 'origin xyz="0 0 0.1"')
        .replace('lower="-1"', 'lower="-1" upper="2"')
        .replace("</robot>", '<link name="c"/></robot>')
    )
    assert list(changed_robot(old, new)) == [
        "link b mass: 1 → 1.0001",
        "joint j origin xyz: 0 0 0 → 0 0 0.1",
        "joint j limit upper: none → 2",
        "link c: new",
    ]
    assert "link c: gone" in changed_robot(new, old)

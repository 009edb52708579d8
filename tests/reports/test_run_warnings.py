from msgspec.structs import replace

from sim.recording.schema.facts import DriveFacts
from sim.reports.run_warnings import other_notes, warnings
from sim.robots.joint_limits import NO_RANGE
from tests.helpers.page_runs import good_run


def test_questions_come_first_and_a_warning_of_several_drives_is_told_once():
    said = {"shoulder": ("it jumps",), "elbow": ("it jumps", "is 40d meant?", "is 40d meant?")}
    drives = tuple(
        DriveFacts(joint=joint, level="displacement", function="x", warnings=words)
        for joint, words in said.items()
    )
    run = good_run().with_description(drives=drives, notes=("Overload: 12 kg", "of mine")).run
    assert warnings(run) == ["elbow: is 40d meant?", "Overload: 12 kg", "shoulder, elbow: it jumps"]
    assert other_notes(run) == ["of mine"]


def test_a_joint_without_range_and_a_rating_of_nearly_nothing_are_told_as_an_audit_tells_them():
    plain = good_run().run
    assert not any("close to zero" in text or "cannot move" in text for text in warnings(plain))
    shoulder, elbow = plain.robot.joints[:2]
    shoulder = replace(shoulder, lower=0.0, upper=0.0)
    elbow = replace(elbow, velocity=1e-6)
    robot = replace(plain.robot, joints=(shoulder, elbow, *plain.robot.joints[2:]))
    told = warnings(replace(plain, robot=robot))
    assert f"{shoulder.name}: {NO_RANGE}" in told
    assert any(text.startswith(f"{elbow.name}: rated speed 1e-06 rad/s") for text in told)


def test_a_drive_whose_rating_is_not_known_is_told():
    plain = good_run().run
    assert not any("rating for" in note for note in other_notes(plain))
    shoulder, *others = plain.robot.joints
    robot = replace(plain.robot, joints=(replace(shoulder, effort=None, velocity=None), *others))
    told = other_notes(replace(plain, robot=robot))
    assert f"not checked: no torque rating for {shoulder.name}" in told
    assert f"not checked: no speed rating for {shoulder.name}" in told

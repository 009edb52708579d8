from dataclasses import replace

import msgspec
import pytest

from sim.recording.facts import DriveFacts
from sim.reports.page.overlay_labels import have_same_joints, overlay_labels, own_label
from tests.helpers.page_runs import good_run


def made(created, run=None):
    run = good_run() if run is None else run
    provenance = msgspec.structs.replace(run.run.provenance, created=created)
    return run.with_description(provenance=provenance)


def timed(**settings):
    return good_run().with_description(
        settings=msgspec.structs.replace(good_run().run.settings, **settings)
    )


@pytest.mark.parametrize(
    ("changes", "label"),
    [
        ({"parameters": {"load": 12.0}}, "load = 12"),
        (
            {"parameters": {"load": 12.0, "at": 3}, "method": "ideal"},
            "load = 12, at = 3, method ideal",
        ),
        ({"parameters": {}}, "no load"),
        ({"method": "ideal"}, "method ideal"),
        ({"scenario": "another", "method": "ideal"}, "another"),
    ],
)  # fmt: skip
def test_a_label_names_what_was_chosen_otherwise(changes, label):
    base = good_run().with_description(parameters={"load": 10.0})
    given = {"parameters": {"load": 10.0}, **changes}
    assert overlay_labels(base, [good_run().with_description(**given)]) == [label]


def test_the_run_itself_is_named_by_what_was_chosen_for_it():
    base, heavy = (
        good_run().with_description(parameters={"load": x, "at": 1.0}) for x in (10.0, 12.0)
    )
    assert own_label(base, [heavy]) == "load = 10"
    assert (
        own_label(base, [heavy, base.with_description(method="ideal")])
        == "load = 10, method stepped"
    )
    assert own_label(base, [base]) == ""


def test_another_machine_gives_no_run_a_name():
    where = msgspec.structs.replace(good_run().run.provenance, platform="Linux-9.9-odd")
    (label,) = overlay_labels(good_run(), [good_run().with_description(provenance=where)])
    assert "Linux" not in label


def test_a_step_is_told_in_milliseconds():
    assert overlay_labels(good_run(), [timed(dt=0.002)]) == ["dt 2 ms"]
    assert overlay_labels(good_run(), [timed(duration=2.5)]) == ["duration 2.5 s"]


def test_where_nobody_chose_otherwise_the_inputs_that_differ_are_named():
    drives = tuple(
        msgspec.structs.replace(drive, function="7d") for drive in good_run().run.drives[:1]
    )
    other = good_run().with_description(drives=(*drives, *good_run().run.drives[1:]))
    (label,) = overlay_labels(good_run(), [other])
    assert label == f"drive {drives[0].joint} 7d"
    long = DriveFacts(joint=drives[0].joint, level=drives[0].level, function="SIN(time) " * 50)
    (label,) = overlay_labels(good_run(), [good_run().with_description(drives=(long,))])
    assert len(label) < 120


def test_runs_of_the_same_inputs_are_told_apart_by_their_time():
    base = made("2026-03-01T10:00:00+00:00")
    before, after = made("2026-02-01T10:00:00+00:00"), made("2026-03-01T11:30:00+01:00")
    assert overlay_labels(base, [before]) == ["older: 2026-02-01 10:00:00"]
    assert overlay_labels(base, [made("2026-03-01T12:00:00+01:00")]) == [
        "newer: 2026-03-01 12:00:00"
    ]
    assert overlay_labels(base, [after])[0].startswith("newer")


def test_no_two_labels_are_the_same():
    heavy = good_run().with_description(parameters={"load": 12.0})
    two = [made(f"2026-02-0{k}T10:00:00+00:00", heavy) for k in (1, 2)]
    labels = overlay_labels(good_run(), two)
    assert labels == ["load = 12 (2026-02-01 10:00:00)", "load = 12 (2026-02-02 10:00:00)"]
    assert overlay_labels(good_run(), [two[0], two[0]])[0].startswith("1: load = 12")


def with_joints(change):
    robot = good_run().run.robot
    joints = tuple(change(joint) for joint in robot.joints)
    return good_run().with_description(
        robot=msgspec.structs.replace(robot, name="b", joints=joints)
    )


def test_a_robot_of_other_joints_is_another_one():
    renamed = with_joints(
        lambda joint: msgspec.structs.replace(joint, name=joint.name.replace("elbow", "wrist"))
    )
    assert not have_same_joints(good_run(), renamed)
    slides = with_joints(
        lambda joint: (
            msgspec.structs.replace(joint, kind="prismatic") if joint.name == "elbow" else joint
        )
    )
    assert not have_same_joints(good_run(), slides)


def test_another_robot_of_the_same_joints_may_be_laid_over():
    other = replace(with_joints(lambda joint: joint))
    assert have_same_joints(good_run(), other)
    assert overlay_labels(good_run(), [other]) == ["robot name b"]

"""A run under a controller: which check names which fault, and what a flipped bit ends."""

import hashlib
import inspect
from dataclasses import replace
from functools import cache

import msgspec
import numpy as np
import pytest

import sim
from sim.checks import check, judge_recording
from sim.checks.control import control
from sim.checks.control_law import control_law
from sim.checks.run_view import RunView
from sim.checks.unjudged import unjudged_notes
from sim.recording.schema.facts import ScriptFacts
from sim.reports.run_warnings import warnings
from tests.helpers.small_robots import double_pendulum, joint, link, robot

BITS = 12


def law(x, state):
    """PD with too high gains for the limit of the elbow at the start."""
    return 60 * (x.q_ref - x.q) + 8 * (x.qd_ref - x.qd) + np.array([0.0, -1.0]), state


@pytest.fixture(scope="module")
def controlled():
    """Two links at 100 Hz by MuJoCo, with encoders, a delay and limits that are reached."""
    drives = {"elbow": sim.DriveTrain(20, rotor_inertia=1e-3, viscous=1e-3)}
    robot = double_pendulum(1.0, 0.7, 0.4, 0.3).with_drives(drives)
    motion = sim.JointMotion.displacement(
        {"shoulder": "0.3*SIN(6*time)", "elbow": "STEP(time,0,0,0.3,0.5)"}
    )
    controller = sim.Controller(
        law, sample_time=0.01, delay=1, encoder_bits=BITS, noise=1e-4, seed=3, limits={"elbow": 2.2}
    )
    return sim.run(
        sim.Scenario(robot, motion, 0.6, dt=0.005, method="adaptive", controller=controller,
                     engine="mujoco")
    )  # fmt: skip


def failing(recording):
    return {(one.name, one.channel) for one in check(recording) if not one.ok}


def changed(recording, channel, by, *, both=True):
    """The run with something added to a channel of its tables."""
    tables = {"analytic": recording.analytic, "recorded": recording.recorded}
    tables = {
        side: table.assign(**{channel: table[channel] + by})
        for side, table in tables.items()
        if both or side == "analytic"
    }
    return recording.having(**tables)


def test_it_passes_and_reaches_what_it_is_to_show(controlled):
    assert failing(controlled) == set()
    table = controlled.recorded
    assert 0 < table["saturated.elbow"].sum() < len(table)
    assert not table["saturated.shoulder"].any()
    assert table["tau.elbow"].abs().max() > 0
    assert not any("flipped" in text for text in warnings(controlled.run))


def test_every_number_of_its_checks_is_a_plain_one(controlled):
    """As files of a study take them, which have no hook for those of NumPy."""
    assert msgspec.json.encode([*check(controlled)])


def test_engine_and_model_are_commanded_alike_to_the_last_bit(controlled):
    """As the sensors of both say the same, so do the commands: to the bit."""
    for channel in ("sensed.shoulder", "command.shoulder", "command.elbow"):
        assert (controlled.recorded[channel] == controlled.analytic[channel]).all()


@pytest.mark.parametrize(
    ("channel", "by", "name", "on"),
    [
        ("tracking.elbow", 1e-9, "tracking", "tracking.elbow"),
        ("sensed.elbow", 2 * np.pi / 2**BITS, "sensed position", "sensed.elbow"),
        ("sensed_qd.elbow", 1.0, "sensed velocity", "sensed_qd.elbow"),
        ("reference.shoulder", 1e-6, "drive function", "reference.shoulder"),
        ("reference_qd.elbow", 1e-3, "reference position from velocity", "reference.elbow"),
        ("saturated.shoulder", 1.0, "command saturation", "saturated.shoulder"),
        ("command.shoulder", 1e-5, "commanded motor torque", "tau.shoulder"),
        ("command.elbow", 1e-5, "commanded motor torque", "motor_tau.elbow"),
    ],
)
def test_what_is_wrong_in_both_tables_is_named(controlled, channel, by, name, on):
    assert (name, on) in failing(changed(controlled, channel, by))


def test_a_command_of_one_side_is_named(controlled):
    assert ("command", "command.shoulder") in failing(
        changed(controlled, "command.shoulder", 1e-4, both=False)
    )


def test_a_work_that_is_not_torque_times_way_is_named(controlled):
    grown = 1e-4 * controlled.recorded["work.elbow"]
    assert ("drive work", "work.elbow") in failing(changed(controlled, "work.elbow", grown))


def with_controller(recording, **changes):
    facts = msgspec.structs.replace(recording.run.controller, **changes)
    return recording.with_description(controller=facts)


def test_a_solver_that_is_too_coarse_inside_a_sample_is_named(controlled):
    coarse = msgspec.structs.replace(controlled.run.controller.analytic, error=2e-10)
    names = {name for name, _ in failing(with_controller(controlled, analytic=coarse))}
    assert names == {"solver error within a sample"}


def test_another_seed_or_limit_than_described_is_named(controlled):
    assert {name for name, _ in failing(with_controller(controlled, seed=4))} == {"sensed position"}
    names = {name for name, _ in failing(with_controller(controlled, limits={}))}
    assert names == {"command saturation", "commanded motor torque"}


RIGID = {"elbow": sim.DriveTrain(20, rotor_inertia=1e-3, viscous=1e-3)}
SOFT = {"elbow": replace(RIGID["elbow"], stiffness=500.0, gear_damping=1.0)}
LAWS = {
    "PDGravity": lambda robot: sim.PDGravity(robot, 12.0, damping=0.9),
    "ComputedTorque": lambda robot: sim.ComputedTorque(robot, 12.0),
    "Cascade": lambda robot: sim.Cascade(robot, 8.0, 30.0, 0.1),
    "strings": lambda robot: {"shoulder": "-30*VARVAL(TURN)-2*TIME"},
}


@cache
def shipped_law(name):
    """Two links with an elastic gear, under a law that the description contains."""
    arm = double_pendulum(1.0, 0.7, 0.4, 0.3)
    law, names = LAWS[name](arm.with_drives(RIGID)), sim.Names()
    if name == "strings":
        first = arm.tree_joints[0]
        markers = sim.Marker("link", first.child), sim.Marker("fixed", first.parent)
        names = sim.Names(markers, {"TURN": "AY(link, fixed)"})
    motion = sim.JointMotion.displacement(
        {"shoulder": "0.3*SIN(6*time)", "elbow": "STEP(time,0,0,0.3,0.5)"}
    )
    controller = sim.Controller(law, 0.01, delay=1, encoder_bits=14, names=names)
    given = {"dt": 0.005, "method": "adaptive", "controller": controller}
    return sim.run(sim.Scenario(arm.with_drives(SOFT), motion, 0.2, **given))


def lies_about(facts):
    """What run.json may state of a controller that is not true of the run."""
    yield {"law": "Cascade" if facts.law != "Cascade" else "PDGravity"}
    yield {"law": "my_law"}
    for name, values in facts.parameters.items():
        if (facts.law, name) != ("Cascade", "gravity"):  # which it does not use in an open tree
            yield {"parameters": {**facts.parameters, name: tuple(1.01 * x for x in values)}}
    if facts.known:
        yield {"parameters": {}}
        heavier = facts.known.urdf.replace('mass value="0.7"', 'mass value="0.8"')
        assert heavier != facts.known.urdf
        yield {"known": msgspec.structs.replace(facts.known, urdf=heavier)}
    yield from ({"delay": delay} for delay in (0, 2, 3))
    yield from ({"sample_time": time} for time in (0.005, 0.02))
    yield from ({"encoder_bits": bits} for bits in (None, 13, 15))
    yield {"noise": 1e-3}
    yield (
        {"sensed_at": "link"}
        if facts.known
        else {"strings": {"shoulder": "-29*VARVAL(TURN)-2*TIME"}}
    )
    yield {"strings": {"elbow": "0"}}
    yield {"idle": ("shoulder",)}
    yield {"limits": {"shoulder": 0.1}}
    yield {"limits": {"wrist": 0.1}}


@pytest.mark.parametrize("name", LAWS)
def test_each_lie_about_a_law_that_the_description_contains_is_named(name):
    told = shipped_law(name)
    assert failing(told) == set()
    names = {one.name for one in check(told)}
    assert {"control law", "controller description"} <= names
    assert not any("is a program" in note for note in unjudged_notes(told))
    for lie in lies_about(told.run.controller):
        view = RunView(with_controller(told, **lie))
        assert not all(one.check.ok for part in (control, control_law) for one in part(view)), lie


def test_a_law_that_is_a_program_is_not_judged_by_the_description_and_a_note_states_so(controlled):
    notes = unjudged_notes(controlled)
    assert notes == [
        "not checked: rule 'DOP853' of the controller's solver",
        "not checked: commands and delay of the controller, whose law is a program",
        "not checked: the hash of law 'law', whose script is not available",
    ]
    names = {one for one, _ in failing(with_controller(controlled, delay=30))}
    assert names == {"control law"}


def test_a_limit_that_no_command_exceeds_is_not_checked_and_a_note_names_its_joint(controlled):
    torques = controlled.analytic[["command.shoulder", "command.elbow"]].abs().max()
    limits = {"elbow": 2.2, "shoulder": 1.01 * float(torques["command.shoulder"])}
    lie = with_controller(controlled, limits=limits)
    assert failing(lie) == set()
    assert "not checked: largest torque of shoulder, which no command exceeds" in unjudged_notes(
        lie
    )
    limits["shoulder"] *= 0.98
    assert ("command saturation", "saturated.shoulder") in failing(
        with_controller(controlled, limits=limits)
    )


def test_the_hash_of_a_law_is_that_of_its_source_in_the_script_at_hand(controlled, tmp_path):
    """Of the file as `hashlib` and `inspect` have it; of another file a note says so."""
    script = tmp_path / "loop.py"
    script.write_text("import sim\n\n\n" + inspect.getsource(law), "utf-8")
    at_hand = ScriptFacts(path=str(script), sha256=hashlib.sha256(script.read_bytes()).hexdigest())
    told = controlled.with_description(script=at_hand)
    assert failing(told) == set()
    assert not any("hash" in note for note in unjudged_notes(told))
    lie = with_controller(told, source_sha256="0" * 64)
    assert {name for name, _ in failing(lie)} == {"controller description"}
    script.write_text("", "utf-8")
    gone, law_note = unjudged_notes(told)[-2:]
    assert gone.startswith(
        f"not checked: the hash of script {script}, whose file is missing or has"
    )
    assert law_note == "not checked: the hash of law 'law', whose script is not available"
    assert failing(lie) == set()


@pytest.mark.parametrize(
    ("field", "value"),
    [("stiffness", 600.0), ("damping", 0.0), ("backlash", 0.01), ("ratio", 21.0)],
)
def test_a_gear_spring_that_is_not_that_of_its_drive_train_is_named(field, value):
    told = shipped_law("PDGravity")
    joints = tuple(
        one if not one.forces else msgspec.structs.replace(
            one, forces={"gear_spring": {**one.forces["gear_spring"], field: value}})
        for one in told.run.robot.joints
    )  # fmt: skip
    robot = msgspec.structs.replace(told.run.robot, joints=joints)
    lie = told.with_description(robot=robot)
    assert failing(lie) == {("gear spring by its drive train", "gear_spring.elbow")}


def test_a_shaking_loop_is_not_stable(controlled):
    """The joint's speed is off by more than all of the reference's motion."""
    robot, motion = double_pendulum(1.0, 0.7, 0.4, 0.3), {"shoulder": "0.02*SIN(6*time)"}

    def shaking(x, state):
        return 4.0 * np.sign(x.q_ref - x.q - 0.02 * x.qd), state

    run = sim.run(
        sim.Scenario(robot, sim.JointMotion.displacement(motion), 0.4, dt=0.02, method="adaptive",
                     controller=sim.Controller(shaking, 0.02), engine="mujoco")
    )  # fmt: skip
    assert ("control loop stability", "ke") in failing(run)


def test_after_a_flipped_bit_a_step_of_the_encoder_is_allowed(controlled):
    """From the first sample on at which the two see different steps, and no sooner."""
    step, k = 2 * np.pi / 2**BITS, 60
    analytic, later = controlled.analytic.copy(), np.arange(len(controlled.analytic)) >= k
    analytic["sensed.elbow"] += np.where(later, step, 0.0)
    analytic["q.elbow"] += np.where(later, 0.5 * step, 0.0)
    analytic["tracking.elbow"] += np.where(later, 0.5 * step, 0.0)
    flipped = controlled.having(analytic=analytic)
    assert {("position", "q.elbow"), ("command", "command.elbow")}.isdisjoint(failing(flipped))
    (text,) = [text for text in warnings(judge_recording(flipped).run) if "flipped" in text]
    assert "from t = 0.3 s on, first at elbow: rounding flipped a bit" in text
    analytic["q.elbow"] += np.where(later, step, 0.0)
    apart = ("position within a step of the encoder", "q.elbow")
    assert apart in failing(controlled.having(analytic=analytic))


def test_how_far_a_tool_is_off_its_path_is_judged_only_where_a_tolerance_is_given():
    arm = sim.load_robot("ur10")
    line = {"x": "0.7", "y": "STEP5(time, 0, -0.4, 0.1, -0.39)", "z": "0.3", "b1": "180d", "b2": 0}
    motion = sim.PointMotion({**line, "b3": 0}, start=arm.pose("home"))
    controller = sim.Controller(sim.ComputedTorque(arm, 30.0), 0.01)
    scenario = sim.Scenario(
        arm, motion, 0.1, dt=0.01, method="adaptive", engine="mujoco", controller=controller
    )
    loose = sim.run(scenario)
    assert failing(loose) == set()
    assert "tool path" not in {one.name for one in check(loose)}
    assert failing(sim.run(replace(scenario, path_tolerance=1e-9))) == {("tool path", "target.x")}


def test_losses_that_follow_a_load_jump_with_the_command():
    """Friction by a law and a gear's losses, which the samples of a run have after each jump."""
    rubs = sim.JointFriction(0.2, 0.1, pin_radius=0.03)
    lossy = {"elbow": sim.DriveTrain(-40, rotor_inertia=1e-4, efficiency=0.8)}
    arm = double_pendulum(1.5, 0.8, 0.6, 0.9)
    motion = sim.JointMotion.displacement({"shoulder": "0.3*time", "elbow": "0.5*SIN(6*time)"})
    for loaded in (arm.with_friction({"shoulder": rubs}), arm.with_drives(lossy)):
        controller = sim.Controller(sim.PDGravity(loaded, 20.0), 2e-3, delay=1)
        given = {"dt": 2e-3, "method": "adaptive", "engine": "mujoco", "controller": controller}
        assert failing(sim.run(sim.Scenario(loaded, motion, 0.1, **given))) == set()


def test_a_viscous_train_that_slows_its_joint_within_a_sample_passes_and_a_lie_of_it_fails():
    """Friction bends the speed in every sample, and the next command straightens it again."""
    bar = robot(
        link("bar", 1.0, "0 0 -0.2", "0.02 0.02 0.02"),
        joint("hinge", "continuous", "ground", "bar", "0 0 1"),
    )
    bare, rubbing = (
        bar.with_drives({"hinge": sim.DriveTrain(100, rotor_inertia=1e-5, viscous=viscous)})
        for viscous in (0.0, 1e-3)
    )
    motion = sim.JointMotion.displacement({"hinge": "STEP5(time,0,0,1,2)"})
    controller = sim.Controller(sim.PDGravity(bare, 10.0), 0.01)
    given = {"dt": 0.01, "method": "adaptive", "controller": controller}
    run = sim.run(sim.Scenario(rubbing, motion, 1.0, **given))
    assert failing(run) == set()
    more = 0.01 * run.recorded["loss.hinge"]
    assert ("friction loss", "loss.hinge") in failing(changed(run, "loss.hinge", more))

"""Runs of robots whose joints have drive trains: channels, energies, checks, refusals."""

from dataclasses import replace

import numpy as np
import pytest

import sim
from sim.checks import check
from sim.comparison import compare
from sim.dynamics import Measure
from sim.errors import ScenarioError
from sim.motion import JointMotion
from sim.robots import DriveTrain, JointFriction, load_robot
from sim.scenario import Scenario
from sim.simulation import build_problem, run, solved_motion
from tests.helpers.loop_robots import FourBar
from tests.helpers.small_robots import double_pendulum, joint, link, robot

TRAINS = {
    "shoulder": DriveTrain(100, 1e-4, coulomb=0.02, coulomb_back=0.03, viscous=1e-4,
                           efficiency=0.8, efficiency_back=0.7),
    "elbow": DriveTrain(-50, 2e-5, coulomb=0.01, efficiency=0.9),
}  # fmt: skip
DRIVES = {"shoulder": "STEP5(time, 0, 0, 0.3, 60d)", "elbow": "20d*SIN(PI*time/0.4)**2"}
PUSHES = {"shoulder": "14*SIN(8*time)", "elbow": "1.5*SIN(10*time)"}


def go(motion, method="ideal", trains=TRAINS, dt=2e-3, **more):
    robot = double_pendulum(1.0, 0.8, 0.4, 0.3).with_drives(trains)
    return run(Scenario(robot, motion, 0.4, dt=dt, method=method, **more))


def faults(recording):
    return [(one.name, one.channel) for one in check(recording) if not one.ok]


@pytest.fixture(scope="module")
def driven():
    return go(JointMotion.displacement(DRIVES))


@pytest.fixture(scope="module")
def pushed():
    return go(JointMotion.torque(PUSHES), "adaptive", engine="mujoco")


def test_motors_have_channels_of_their_own_and_the_gears_torque_stays_that_of_the_links(driven):
    ideal = run(
        Scenario(double_pendulum(1.0, 0.8, 0.4, 0.3), JointMotion.displacement(DRIVES), 0.4,
                 dt=2e-3, method="ideal")
    )  # fmt: skip
    for name, train in TRAINS.items():
        have, of = driven.recorded, driven.analytic
        links = ideal.analytic[f"tau.{name}"].to_numpy()
        np.testing.assert_array_equal(of[f"tau.{name}"].to_numpy(), links)
        qd, qdd = (of[f"{group}.{name}"].to_numpy() for group in ("qd", "qdd"))
        forwards, sense = links * qd > 0, np.sign(qd)
        along, against = train.efficiencies
        y = np.where(sense == 0, links, np.where(forwards, links / along, links * against))
        dry = np.where(sense > 0, train.dry[0], np.where(sense < 0, -train.dry[1], 0.0))
        at_joint = y + train.reflected_inertia * qdd + dry + train.ratio**2 * train.viscous * qd
        for table in (have, of):
            torque = table[f"motor_tau.{name}"].to_numpy()
            np.testing.assert_allclose(torque, at_joint / train.ratio, rtol=0, atol=1e-8)
            np.testing.assert_allclose(table[f"motor_qd.{name}"], train.ratio * qd, atol=1e-9)
            assert (table[f"gear_loss.{name}"] >= 0).all()
    assert "motor_tau.shoulder" not in ideal.recorded.columns
    assert faults(driven) == []


def test_a_joint_that_is_free_beside_a_driven_one_passes_too():
    """Its motor rubs; that of the driven one is viscous only."""
    motion = JointMotion.displacement({"shoulder": DRIVES["shoulder"]})
    motion |= JointMotion.torque({"elbow": PUSHES["elbow"]})
    elbow, shoulder = DriveTrain(-50, 2e-5, coulomb=0.01), DriveTrain(100, 1e-4, viscous=1e-4)
    trains = {"shoulder": shoulder, "elbow": elbow}
    assert faults(go(motion, "adaptive", trains, engine="mujoco")) == []


def test_motors_torques_move_joints_that_stick_and_slip(pushed):
    for name in TRAINS:
        speed = pushed.analytic[f"qd.{name}"].to_numpy()
        assert 0.02 < np.mean(speed == 0.0) < 0.9  # it rests for a while, exactly
        off = pushed.recorded[f"q.{name}"] - pushed.analytic[f"q.{name}"]
        assert np.abs(off).max() < 1e-11  # rad
    t = pushed.recorded.index.to_numpy()
    typed = 14 * np.sin(8 * t) / 100  # the typed torque is N tau_m
    np.testing.assert_allclose(pushed.recorded["motor_tau.shoulder"], typed, rtol=0, atol=1e-14)
    assert faults(pushed) == []


def test_energy_of_the_rotors_is_in_the_balance(pushed):
    """Motors' work is what links and rotors gain and what is lost; ½ N² J qd² is the rotors'."""
    table = pushed.analytic
    names = list(TRAINS)
    rotors = sum(
        0.5 * TRAINS[name].reflected_inertia * table[f"qd.{name}"].to_numpy() ** 2 for name in names
    )
    np.testing.assert_allclose(sum(table[f"ke.rotor_of_{name}"] for name in names), rotors)
    gained = (table["ke"] + table["pe"]).to_numpy()
    work, loss = (
        sum(table[f"{of}.{name}"].to_numpy() for name in names) for of in ("work", "loss")
    )
    assert np.abs(work - loss - (gained - gained[0])).max() < 1e-10  # J
    assert loss[-1] > 0.1
    assert rotors.max() > 0.01


@pytest.mark.parametrize(
    ("channel", "by", "name"),
    [
        ("motor_tau.shoulder", 1e-6, "motor equations"),
        ("motor_qd.elbow", 1e-6, "motor equations"),
        ("motor_power.elbow", 1e-4, "motor equations"),
        ("gear_loss.elbow", 1e-4, "gear loss"),
        ("ke.rotor_of_elbow", 1e-3, "kinetic energy"),
    ],
)
def test_a_wrong_number_at_the_motor_fails_by_name(driven, channel, by, name):
    table = driven.recorded.copy()
    table[channel] += by
    assert (name, channel) in faults(driven.having(recorded=table))


def test_what_is_not_solved_for_is_refused_by_name():
    robot = double_pendulum(1.0, 0.8, 0.4, 0.3).with_drives(TRAINS)
    free = JointMotion.displacement({"shoulder": "0.1*time"}, free=["elbow"])
    with pytest.raises(ScenarioError, match=r"'elbow' is free and has a drive train"):
        run(Scenario(robot, free, 0.1, method="stepped"))
    bars, start = FourBar().robot(), {"rocker_joint": 0.4, "coupler_joint": 1.0}
    turning = JointMotion.displacement({"crank_joint": "0.3*time"}, q0=start)
    with pytest.raises(ScenarioError, match=r"'rocker_joint' .* is passive: closed loops"):
        run(Scenario(bars.with_drives({"rocker_joint": DriveTrain(100)}), turning, 0.1))


def test_motor_and_gear_are_judged_by_their_ratings():
    """Each against NumPy's own figure; a rating just below what is used fails by its name."""
    free_of_ratings = go(JointMotion.displacement(DRIVES)).recorded
    t, tau, qd, motor = (
        free_of_ratings.index.to_numpy(),
        *(free_of_ratings[f"{of}.shoulder"].to_numpy() for of in ("tau", "qd", "motor_tau")),
    )
    speed = np.abs(qd)
    used = {
        "motor_peak_torque": ("peak torque of motor", np.abs(motor).max()),
        "motor_rated_torque": (
            "continuous torque of motor", np.sqrt(np.trapezoid(motor**2, t) / t[-1]),
        ),
        "gear_peak_torque": ("peak torque of gear", np.abs(tau).max()),
        "gear_rated_torque": (
            "mean torque of gear",
            np.cbrt(np.trapezoid(speed * np.abs(tau) ** 3, t) / np.trapezoid(speed, t)),
        ),
    }  # fmt: skip
    for share, wanted in ((1.01, []), (0.99, [name for name, _ in used.values()])):
        rated = {key: share * value for key, (_, value) in used.items()}
        trains = TRAINS | {"shoulder": replace(TRAINS["shoulder"], **rated)}
        found = faults(go(JointMotion.displacement(DRIVES), trains=trains))
        assert sorted(name for name, _ in found) == sorted(wanted)


def test_a_comparison_names_what_changed_in_a_drive_train(driven):
    other = TRAINS | {"elbow": replace(TRAINS["elbow"], ratio=-51.0)}
    found = compare(driven, go(JointMotion.displacement(DRIVES), trains=other))
    assert not found.ok
    assert "joint elbow drive train ratio: -51.0 → -50.0" in found.changes


def test_modes_along_a_run_are_those_of_locked_motors(driven):
    """With the rotors' 1 and 0.05 kg·m² they would be far lower."""
    plain = double_pendulum(1.0, 0.8, 0.4, 0.3)
    q = [driven.recorded[f"q.{name}"].iloc[-1] for name in plain.joint_names]
    wanted = sim.modes(plain, q, stiffness=900.0).frequency
    found = sim.run_modes(driven, stiffness=900.0).frequency[:, -1]
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


@pytest.mark.parametrize("mass", [1.0, 3.0])
def test_gears_that_hold_by_their_losses_alone_hold_what_is_rounding(mass):
    """A UR10 that stands upright needs no torque but rounding, nor have its gears a friction."""
    bare = load_robot("ur10")
    trains = {name: DriveTrain(100, 1e-4, efficiency=0.9) for name in bare.joint_names}
    robot = bare.with_drives(trains).with_payload(mass=mass, com=(0, 0, 0.1))
    motion = JointMotion.torque(dict.fromkeys(bare.joint_names, "0"), q0=bare.pose("upright"))
    problem = build_problem(Scenario(robot, motion, 0.01, dt=2e-3, method="adaptive"))
    found = solved_motion(problem, problem.broken_path, problem.t)
    assert found.stuck.all()
    assert not found.qd.any()


@pytest.mark.parametrize(
    ("engine", "trains"),
    [("bullet", TRAINS), ("mujoco", {"elbow": DriveTrain(-160, 1e-5, viscous=2e-3)})],
)
def test_the_default_method_passes_where_a_viscous_drive_still_moves_at_the_end(engine, trains):
    """The engine's last speed is off by its step; the torque of the motor is that of this speed."""
    motion = JointMotion.displacement({"shoulder": "0.5*SIN(3*time)", "elbow": "1.2*SIN(2*time)"})
    found = go(motion, "stepped", trains, dt=2e-3, engine=engine)
    assert faults(found) == []
    for name, train in trains.items():
        rows = {of: found.recorded[f"{of}.{name}"].to_numpy() for of in ("tau", "qd", "qdd")}
        taken = found.recorded[f"motor_tau.{name}"].to_numpy() * train.ratio - rows["tau"]
        viscous = taken - train.reflected_inertia * rows["qdd"]
        if train.efficiency == 1.0:
            assert np.allclose(viscous, train.ratio**2 * train.viscous * rows["qd"], rtol=1e-12)


@pytest.mark.parametrize(
    "train",
    [
        DriveTrain(100, 1e-4, efficiency=0.7),
        TRAINS["shoulder"],
        DriveTrain(100, coulomb=0.3, efficiency=0.7),
    ],
)
def test_the_default_method_passes_where_a_lossy_gear_starts_and_stops_with_a_corner(train):
    """STEP has a corner of speed at both ends, over which differences move a joint at rest."""
    motion = JointMotion.displacement({"shoulder": "STEP(time, 0.1, 0, 0.3, 60d)"})
    recording = go(motion, "stepped", {"shoulder": train})
    assert 0 < recording["qd.shoulder"].to_numpy()[50] < recording["qd.shoulder"].to_numpy()[51]
    assert not faults(recording)


TWO_STEPS = {
    "shoulder": "STEP(time,0,0,{0},{1}d) + {2}*SIN({3}*time)",
    "elbow": "STEP(time,0,0,{0},{4}d) - {2}*SIN({3}*time)",
}


@pytest.mark.parametrize(
    ("train", "numbers"),
    [
        # differences over the corner between two samples reverse the shoulder
        (DriveTrain(50, 1e-4, coulomb=0.02, efficiency=0.8), (0.1296, 53, 0.03, 20, -13)),
        # its gear drives on one side of the corner and brakes on the other
        (DriveTrain(50, 1e-4, coulomb=0.02, efficiency=0.5), (0.1584, 39, 0.05, 40, 2)),
        # the jump of its power is followed by a rise as large
        (DriveTrain(100, 1e-4, efficiency=0.6), (0.204, 63, 0.06, 40, 46)),
        # it rests after the corner, with viscous friction for the differences over it
        (DriveTrain(100, 1e-4, coulomb=1e-3, viscous=5e-3), (0.2379, 60, 0, 0, 0)),
    ],
)
def test_the_default_method_passes_where_a_gear_turns_near_a_corner_between_samples(train, numbers):
    drives = {name: text.format(*numbers) for name, text in TWO_STEPS.items()}
    recording = go(JointMotion.displacement(drives), "stepped", {"shoulder": train}, dt=4e-3)
    assert [one for one in faults(recording) if one[0] != "step halving"] == []


def test_the_default_method_passes_where_friction_jumps_at_a_corner_between_samples():
    """Dry friction of the elbow reverses, and that of the shoulder follows loads that jump."""
    law = JointFriction(mu_static=0.3, mu_dynamic=0.2, stiction_velocity=2e-3, pin_radius=0.02,
                        friction_arm=0.03, bending_arm=0.1, preload=0.2)  # fmt: skip
    rubbing = '<dynamics damping="0.1" friction="0.3"/>'
    above = [f'<origin xyz="0 0 {height}"/>' for height in (0.4, 0.3)]
    parts = (
        link("upper", 2.0, "0 0 0.2", "0.01 0.01 0.01"),
        link("lower", 1.0, "0.1 0 0.2", "0.01 0.01 0.01"),
        joint("elbow", "revolute", "upper", "lower", "0 1 0", above[0] + rubbing),
    )
    about_y = joint("shoulder", "revolute", "ground", "upper", "0 1 0")
    about_z = joint("shoulder", "revolute", "ground", "upper", "0 0 1", rubbing)
    hand = link("hand", 0.5, "0.1 0 0.1", "0.002 0.002 0.002")
    wrist = joint("wrist", "revolute", "lower", "hand", "1 0 0", above[1])
    reversing = {
        "shoulder": "STEP(time,0,0,0.43878,1.7) + 0.02*SIN(10*time)",
        "elbow": "STEP(time,0.1,0,0.43878,-1.7) + 0.02*COS(10*time)",
    }
    loaded = {
        "shoulder": "STEP5(time,0.1,0,0.22433,0.358) + 0.0384*SIN(40*time)",
        "elbow": "HAVSIN(time,0.1,0,0.22861,1.012) - STEP(time,0.1,0,0.33205,1.3014)"
        " + 0.03816*SIN(20*time)",
        "wrist": "0.0932*SIN(40*time) - 0.6",
    }
    for arm, drives, dt in (
        (robot(*parts, about_y), reversing, 4e-3),
        (robot(*parts, about_z, hand, wrist).with_friction({"shoulder": law}), loaded, 2e-3),
    ):
        scenario = Scenario(arm, JointMotion.displacement(drives), 0.5, dt=dt, method="stepped")
        recording = run(scenario)
        assert faults(recording) == []
        spoilt = recording.recorded.copy()
        k = spoilt.index.get_indexer([recording.run.settings.corners[-1]], method="nearest")[0]
        for channel in ("tau.elbow", "friction.elbow"):
            spoilt.iloc[k, spoilt.columns.get_loc(channel)] += 20.0  # N·m; more than any jump
        assert ("torque", "tau.elbow") in faults(replace(recording, recorded=spoilt))


@pytest.mark.parametrize(
    ("ends", "angles"),
    [
        ((0.2035, 0.2032, 0.2034), (20, -52, 19)),  # a torque by 1300 times its limit, in 4 ms
        ((0.2020, 0.2036, 0.2007), (38, 53, -31)),  # reactions
        ((0.2017, 0.2032, 0.2017), (-23, 17, 5)),  # the tool
        ((0.2039, 0.2024, 0.2013), (35, -38, -17)),  # measured reactions
    ],
)
def test_the_default_method_passes_where_joints_have_corners_at_several_times_in_a_step(
    ends, angles
):
    above = [f'<origin xyz="0 0 {height}"/>' for height in (0.4, 0.3)]
    arm = robot(
        link("upper", 2.0, "0 0 0.2", "0.01 0.01 0.01"),
        link("lower", 1.0, "0.1 0 0.2", "0.01 0.01 0.01"),
        link("hand", 0.5, "0.1 0 0.1", "0.002 0.002 0.002"),
        joint("shoulder", "revolute", "ground", "upper", "0 1 0"),
        joint("elbow", "revolute", "upper", "lower", "0 1 0", above[0]),
        joint("wrist", "revolute", "lower", "hand", "1 0 0", above[1]),
    )
    drives = {
        name: f"STEP(time,0,0,{end},{angle}d)"
        for name, end, angle in zip(("shoulder", "elbow", "wrist"), ends, angles, strict=True)
    }
    motion = JointMotion.displacement(drives)
    measures = (Measure("base", "shoulder", on="parent"), Measure("grip", "elbow", at="hand"))
    scenario = Scenario(arm, motion, 0.25, dt=4e-3, method="stepped", measures=measures)
    recording = run(scenario)
    assert [one for one in faults(recording) if one[0] != "step halving"] == []
    spoilt = recording.recorded.copy()
    k = int(np.argmin(np.abs(recording.t - ends[0])))
    for channel in ("tau.elbow", "measure.grip.my"):
        spoilt.iloc[k, spoilt.columns.get_loc(channel)] += 50.0  # N·m; more than any jump
    found = faults(replace(recording, recorded=spoilt))
    assert {("torque", "tau.elbow"), ("measured reaction", "measure.grip.my")} <= set(found)
    (limit,) = (one.limit for one in check(recording) if one.name == "torque" and "elb" in one.plot)
    # twice the limit, within the band between both sides
    spoilt = recording.recorded.copy()
    spoilt.iloc[k, spoilt.columns.get_loc("tau.elbow")] += 2 * limit
    assert ("torque", "tau.elbow") in faults(replace(recording, recorded=spoilt))


def test_a_gear_takes_nothing_back_where_a_difference_turns_a_joint_that_starts():
    """A slightly negative speed at the start, where the drive and so the friction are forwards."""
    arm = double_pendulum(1.0, 0.8, 0.4, 0.3).with_drives(TRAINS)
    motion = JointMotion.acceleration({"elbow": "HAVSIN(time,0,0,0.2,3)"})
    recording = run(Scenario(arm, motion, 0.4, dt=4e-3))
    assert recording.recorded["gear_loss.elbow"].min() < 0.0
    assert faults(recording) == []
    spoilt = recording.recorded.copy()
    spoilt.iloc[50, spoilt.columns.get_loc("gear_loss.elbow")] *= -1.0
    assert ("gear loss", "gear_loss.elbow") in faults(replace(recording, recorded=spoilt))

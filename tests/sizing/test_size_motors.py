"""The choice of motors: a prototype's figures, the run with the choice in it, Pinocchio."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from msgspec import structs

from sim import shipped
from sim.checks import check
from sim.control import PDGravity
from sim.errors import ForeignError, ScenarioError
from sim.motion import JointMotion
from sim.recording import Recording
from sim.robots import DriveTrain
from sim.scenario import Controller, Scenario
from sim.simulation import run
from sim.sizing import Gear, Motor, read_gears, read_motors, size_motors
from sim.sizing.shaft import shaft_motion
from tests.helpers.loop_robots import FourBar
from tests.helpers.pinocchio_model import PinocchioModel
from tests.helpers.short_runs import DURATION, SMOOTH, arm, short_run
from tests.helpers.small_robots import lift, pendulum

RPM = pi / 30


def shipped_parts():
    folder = shipped.scenarios()
    return read_motors(folder / "made_up_motors.csv"), read_gears(folder / "made_up_gears.csv")


def motor(name, continuous, peak, rated, highest, inertia):
    return Motor(name, continuous, peak, rated * RPM, inertia, "made up", speed_max=highest * RPM)


# of an independent computation of the paper's run, with 10 kg: joint, motor, gear, peak and RMS
# torque as printed [N·m], speed [1/min], given back [J], what binds and how much of it is used
LIFT = "gear peak torque"
PRINTED = (
    ("shoulder_pan_joint", "RE 40", "20-100", 0.529, 0.143, 1212, 25.15, "motor RMS torque", 0.77),
    ("shoulder_lift_joint", "made 2", "32-100", 2.854, 1.262, 673, 218.69, LIFT, 0.73),
    ("elbow_joint", "made 1", "25-100", 1.367, 0.702, 673, 134.97, "gear mean torque", 0.72),
    ("wrist_1_joint", "RE 40", "20-100", 0.289, 0.119, 842, 27.02, "motor RMS torque", 0.64),
    ("wrist_2_joint", "RE 40", "20-100", 0.272, 0.121, 1010, 13.88, "motor RMS torque", 0.65),
)  # fmt: skip


def test_the_ur10_of_the_paper_needs_what_another_program_finds(shipped_run):
    motors = (
        motor("RE 40", 0.187, 2.56, 7000, 7590, 1.37e-5),
        motor("made 0.4", 0.4, 1.2, 4000, 6000, 2.5e-5),
        motor("made 1", 1.0, 3.0, 3500, 5000, 6e-5),
        motor("made 2", 2.0, 6.5, 3500, 5000, 1.5e-4),
    )
    gears = tuple(
        Gear(name, 101.0, peak, inertia, eta, "made up", back, None, mean, speed * RPM)
        for name, peak, mean, speed, inertia, eta, back in (
            ("20-100", 82, 49, 6000, 1.93e-5, 0.75, 0.65),
            ("25-100", 157, 108, 5600, 4.13e-5, 0.77, 0.67),
            ("32-100", 333, 216, 4800, 1.69e-4, 0.78, 0.68),
        )
    )
    found = size_motors(Recording.read(shipped_run("ur10_step", "ideal")), motors, gears)
    assert found.holds
    assert (found.rank, len(found.without_mass)) == ("torque", 7)
    for row, choice in zip(PRINTED, found.choices, strict=False):
        joint, name, gear, peak, rms, speed, back, binds, used = row
        load = choice.load
        assert (choice.joint, choice.pair.motor.name, choice.pair.gear.name) == (joint, name, gear)
        assert load.peak_torque == pytest.approx(peak, abs=6e-4)  # half of the last digit printed
        assert load.rms_torque.value == pytest.approx(rms, abs=6e-4)
        assert load.peak_speed / RPM == pytest.approx(speed, abs=0.6)
        assert load.regenerated.value == pytest.approx(back, abs=6e-3)
        assert choice.tightest == binds
        assert choice.shares[binds] == pytest.approx(used, abs=6e-3)
        assert choice.differs < 1e-9


@pytest.fixture(scope="module")
def sizing():
    return size_motors(short_run("ideal"), *shipped_parts())


def test_a_run_with_the_chosen_drive_trains_gives_the_same_at_the_shaft(sizing):
    """The engine drives the arm through rotor, friction and gear: its motors are the second way."""
    robot = arm().with_drives(sizing.drives)
    again = run(Scenario(robot, JointMotion.displacement(SMOOTH), DURATION), method="ideal")
    assert len(sizing.choices) == 2
    for choice in sizing.choices:
        shaft, t = shaft_motion(choice.duty, choice.pair), again.t
        recorded = again.recorded[f"motor_tau.{choice.joint}"].to_numpy()
        ends = np.abs(again.recorded[f"qd.{choice.joint}"]) < 1e-9  # at rest the sense is rounding
        error = np.abs(recorded - shaft.torque[: t.size])[~ends]
        assert ends.sum() < 20
        assert error.max() < 1e-9 * choice.load.peak_torque


def test_a_run_with_the_choice_is_judged_by_the_same_ratings(sizing):
    """Shares of the run's own checks are those of the choice; 1e-6: of the two runs' motion."""
    robot = arm().with_drives(sizing.drives)
    scenario = Scenario(robot, JointMotion.displacement(SMOOTH), DURATION)
    checks = {(c.name, c.channel): c for c in check(run(scenario, method="ideal"))}
    for choice in sizing.choices:
        for name, channel in (
            ("continuous torque of motor", "motor_tau"),
            ("peak torque of motor", "motor_tau"),
            ("peak torque of gear", "tau"),
            ("mean torque of gear", "tau"),
        ):
            parts = name.split()
            ours = f"{parts[3]} {'RMS' if parts[0] == 'continuous' else parts[0]} torque"
            found = checks[name, f"{channel}.{choice.joint}"]
            assert found.ok
            assert found.used == pytest.approx(choice.shares[ours], rel=1e-6)


def test_the_inertia_ratio_is_pinocchios_diagonal_over_the_rotors(sizing):
    recording = short_run("ideal")
    q = np.stack([recording.recorded[f"q.{name}"] for name in ("shoulder", "elbow")])
    M = PinocchioModel(arm(), (0.0, 0.0, -9.81)).mass_matrix(q)
    for row, choice in enumerate(sizing.choices):
        pair = choice.pair
        own = pair.gear.ratio**2 * (pair.motor.inertia + pair.gear.inertia)
        assert choice.inertia_ratio == pytest.approx(M[row, row].max() / own, rel=1e-9)


def test_the_inertia_of_a_closed_loop_is_that_of_its_energy():
    """A crank alone is driven: its inertia is 2 ke / qd², with ke of the links of the engine."""
    motion = JointMotion.displacement({"crank_joint": "0.3 + 2*time"}, q0=(0.3, 0.3, 1.0))
    recording = run(Scenario(FourBar().robot(), motion, 0.2, dt=0.01, method="ideal"))
    (choice,) = size_motors(recording, *shipped_parts()).choices
    inertia = 2 * recording.recorded["ke"].max() / 2.0**2
    own = choice.pair.train.reflected_inertia
    assert choice.inertia_ratio == pytest.approx(inertia / own, rel=1e-9)
    without = structs.replace(recording.run.robot, closures=())  # a run of an earlier version
    early = replace(recording, run=structs.replace(recording.run, robot=without))
    assert size_motors(early, *shipped_parts()).choices[0].inertia_ratio is None
    with pytest.raises(ScenarioError, match="is unknown, so inertia_ratio cannot limit it"):
        size_motors(early, *shipped_parts(), inertia_ratio=0.1)


def test_no_lighter_pair_holds(sizing):
    motors, gears = shipped_parts()
    for choice in sizing.choices:
        lighter = [
            (m, g) for m in motors for g in gears if m.mass + g.mass < choice.pair.mass - 1e-12
        ]
        assert choice.smaller.mass <= choice.pair.mass
        for one, gear in lighter:
            other = size_motors(short_run("ideal"), [one], [gear]).choices
            theirs = next(c for c in other if c.joint == choice.joint)
            assert not theirs.holds
            assert max(theirs.shares.values()) >= choice.smaller_lacks[1] > 1
    assert sizing.mass == pytest.approx(sum(choice.pair.mass for choice in sizing.choices))


def test_a_reserve_and_an_inertia_ratio_ask_for_larger_pairs(sizing):
    parts = shipped_parts()
    half = size_motors(short_run("ideal"), *parts, reserve=0.5)
    matched = size_motors(short_run("ideal"), *parts, inertia_ratio=1.0)
    assert half.mass > sizing.mass
    assert max(max(choice.shares.values()) for choice in half.choices) <= 0.5
    assert matched.mass > sizing.mass
    assert max(choice.inertia_ratio for choice in matched.choices) <= 1.0


def test_where_nothing_holds_the_nearest_is_named():
    (weak, *_), (small, *_) = shipped_parts()
    found = size_motors(short_run("ideal"), [weak], [small])
    assert not found.holds
    choice = found.choices[0]
    assert (choice.pair.motor, choice.pair.gear, choice.holds) == (weak, small, False)
    assert choice.shares[choice.tightest] > 1


def test_drives_that_slide_or_have_their_rotor_in_the_torque_are_left_out():
    motion = JointMotion.displacement({"slide": "0.1*time"})
    slides = run(Scenario(lift(2.0), motion, 0.05, method="ideal"))
    with pytest.raises(ScenarioError, match="slide: sliding joint; catalogue gears are rotary"):
        size_motors(slides, *shipped_parts())
    direct = arm().with_drives({"shoulder": DriveTrain(20, rotor_inertia=1e-4, gyroscopic=True)})
    recording = run(Scenario(direct, JointMotion.displacement(SMOOTH), 0.05, method="ideal"))
    found = size_motors(recording, *shipped_parts())
    assert [choice.joint for choice in found.choices] == ["elbow"]
    assert "rotor is a body" in found.left_out["shoulder"]


def test_motors_of_elastic_gears_under_a_controller_give_what_the_run_says():
    """The pair is the run's own drive train, and so its torque the run's."""
    own = Motor("own", 5.0, 20.0, 300.0, 1e-4, "made up"), Gear("own", 80.0, 900.0, 0.0, 1.0, "")
    train = DriveTrain(80.0, rotor_inertia=1e-4)
    both = {name: train for name in ("shoulder", "elbow")}
    law = PDGravity(arm().with_drives(both), frequency=25.0)
    robot = arm().with_drives({**both, "shoulder": replace(train, stiffness=8e3, gear_damping=3.0)})
    recording = run(
        Scenario(robot, JointMotion.displacement(SMOOTH), 0.1, dt=2e-3, method="adaptive",
                 controller=Controller(law, 2e-3, limits={}))
    )  # fmt: skip
    found = size_motors(recording, [own[0]], [own[1]])
    assert [choice.joint for choice in found.choices] == ["shoulder", "elbow"]
    for choice in found.choices:
        shaft = shaft_motion(choice.duty, choice.pair)
        for group, found in (("motor_tau", shaft.torque), ("motor_qd", shaft.speed)):
            given = recording.recorded[f"{group}.{choice.joint}"].to_numpy()
            assert np.abs(given - found[: given.size]).max() < 1e-9 * np.abs(given).max()
        assert choice.inertia_ratio is not None


def test_a_peak_that_only_shows_between_two_samples_counts():
    """A wheel of 2 kg·m² that gains 40 rad/s² for 6 ms of a step of 10 ms: I a = 80 N·m."""
    push = "IF(time-0.102: 0, 0, IF(time-0.108: 40*(time-0.102), 0.24, 0.24))"
    wheel = pendulum(1.0, 0.0, 2.0)
    motion = JointMotion.velocity({"hinge": push})
    recording = run(Scenario(wheel, motion, 0.2, dt=0.01, method="ideal"))
    assert np.abs(recording.recorded["tau.hinge"]).max() < 1e-12
    (choice,) = size_motors(recording, *shipped_parts()).choices
    assert choice.duty.tau.max() == pytest.approx(80.0, rel=1e-9)
    assert choice.load.peak_torque > 0.1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reserve": 1.0}, "reserve 1 must be at least 0 and below 1"),
        ({"reserve": -0.1}, "reserve -0.1"),
        ({"inertia_ratio": 0.0}, "inertia_ratio 0 must be above 0"),
    ],
)
def test_limits_that_cannot_be_are_refused(options, words):
    with pytest.raises(ScenarioError, match=words):
        size_motors(short_run("ideal"), *shipped_parts(), **options)
    with pytest.raises(ScenarioError, match="Empty catalogue"):
        size_motors(short_run("ideal"), [], [])


@pytest.mark.rotates(2)
def test_of_large_catalogues_few_pairs_are_looked_at_and_the_choice_is_that_of_all(monkeypatch):
    """The bound of each pair against its own figures, and the choice against all of them."""
    from sim.sizing import choice
    from sim.sizing.screening import Pairs

    rng = np.random.default_rng(5)
    recording = short_run()

    def some(number, *unknown):
        return None if unknown and rng.random() < 0.3 else float(number)

    motors = [
        Motor(f"m{k}", c, 3 * c, 400.0, some(1e-5 * rng.uniform(1, 30)), "made up",
              mass=rng.uniform(0.2, 3), speed_max=some(600, 0), torque_standstill=some(1.2 * c, 0),
              resistance=some(0.5, 0), torque_constant=0.06, thermal_winding_housing=2.0,
              thermal_housing_ambient=5.0, temperature_max=125.0)
        for k, c in enumerate(rng.uniform(0.05, 3, 120))
    ]  # fmt: skip
    gears = [
        Gear(f"g{k}", some(rng.choice([-1, 1]) * rng.uniform(5, 160)), peak,
             1e-5 * rng.uniform(0, 9), rng.uniform(0.5, 1), "made up",
             efficiency_back=some(rng.uniform(0.3, 1), 0), mass=rng.uniform(0.2, 2),
             torque_average=some(0.6 * peak, 0), speed_peak=some(700, 0), friction=some(0.01, 0))
        for k, peak in enumerate(rng.uniform(2, 300, 15))
    ]  # fmt: skip
    calls = []
    real = choice.shaft_load
    monkeypatch.setattr(choice, "shaft_load", lambda *words: calls.append(1) or real(*words))
    sizing = size_motors(recording, motors, gears, reserve=0.1, inertia_ratio=8.0)
    assert len(calls) < 0.05 * len(motors) * len(gears) * len(sizing.choices)
    pairs = Pairs.in_order(motors, gears, by_mass=True)
    for one in sizing.choices:
        inertia = one.inertia_ratio * one.pair.train.reflected_inertia
        least = pairs.least_shares(one.duty, inertia, 8.0)
        exact = []
        for k in range(0, len(pairs), 1):
            load = real(one.duty, pairs[k])
            used = choice.shares(load, pairs[k])
            used["ratio"] = inertia / pairs[k].train.reflected_inertia / 8.0
            exact.append(max(used.values()))
        exact = np.array(exact)
        assert (least <= exact).all()
        np.testing.assert_allclose(least, exact, rtol=0.2)  # it is of use
        assert np.median(exact / least - 1) < 1e-6
        holding = np.flatnonzero(exact <= 0.9)
        chosen = holding[0] if holding.size else exact.argmin()
        assert one.pair == pairs[chosen]
        if holding.size and chosen:
            assert one.smaller == pairs[exact[:chosen].argmin()]


def test_too_many_pairs_are_refused():
    motors, gears = shipped_parts()
    with pytest.raises(ScenarioError, match="more than 4000000 pairs"):
        size_motors(short_run(), motors * 1000, gears * 1000)


def test_a_motor_without_the_power_at_speed_is_no_choice(sizing):
    """The share of a constant power is the largest power over it, as of the run's own check."""
    motors, gears = shipped_parts()
    first = sizing.choices[0]
    power = max(first.load.peak_power, -first.load.least_power)

    def choice(watts):
        rated = [replace(one, power_peak=watts) for one in motors]
        return size_motors(short_run("ideal"), rated, gears).choices[0]

    plenty = choice(2.0 * power)
    assert plenty.pair.name == first.pair.name
    assert plenty.shares["motor torque at speed"] == pytest.approx(0.5, rel=1e-12)
    lacking = choice(0.99 * power)
    assert (lacking.pair.name, lacking.holds) != (first.pair.name, True)
    scenario = Scenario(
        arm().with_drives({first.joint: plenty.train}), JointMotion.displacement(SMOOTH), DURATION
    )
    checks = {(c.name, c.channel): c for c in check(run(scenario, method="ideal"))}
    found = checks["motor torque at speed", f"motor_tau.{first.joint}"]
    assert found.used == pytest.approx(0.5, rel=1e-5)  # at the samples, without what is between


def test_a_catalogue_has_columns_of_the_torque_over_speed(tmp_path):
    table = tmp_path / "motors.csv"
    table.write_text(
        "# torque N·m; speed 1/min; inertia kg·cm²; power kW\n"
        "name,torque_continuous,torque_peak,speed_rated,inertia,source,power_peak,speed_no_load,"
        "speed_corner\nA,0.4,1.2,3000,0.25,made up,0.3,6000,3000\n",
        "utf-8",
    )
    (one,) = read_motors(table)
    assert one.power_peak == pytest.approx(300.0)
    assert (one.speed_no_load, one.speed_corner) == pytest.approx((6000 * RPM, 3000 * RPM))
    text = table.read_text("utf-8")
    table.write_text(text.replace("6000,3000", "3000,6000"), "utf-8")
    with pytest.raises(ForeignError, match=r"line 3, 'A': speed_corner is not below speed_no_load"):
        read_motors(table)

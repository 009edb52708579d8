"""Events that wait for a condition: their times against closed forms and SciPy's own events."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk, ellipkinc

import sim
from sim.dynamics import GRAVITY
from sim.simulation import build_problem
from tests.helpers.small_robots import double_pendulum, lift, pendulum

G = -GRAVITY[2]
FALLING = sim.JointMotion({}, free=("slide",))
LOAD, BASE = sim.Marker("tip", "load"), sim.Marker("base", "ground", (0, 0, 1))
PULL = sim.SForce("pull", LOAD, BASE, "-100*(DM(tip, base) - 1)")
SWING = 2 * G / 100  # how far the load falls on the spring [m]


def fall(*events, forces=(), motion=FALLING, duration=1.0, method="adaptive", **more):
    scenario = sim.Scenario(
        lift(1.0), motion, duration, method=method, events=events, forces=forces, **more
    )
    recording = sim.run(scenario)
    assert recording.passed
    return recording


def times(recording, number=0):
    """Times of an event by engine and model, which differ by no more than the check allows."""
    occurrences = recording.run.conditions[number].occurrences
    limits = [c.limit for c in recording.checks if c.name == "event time"]
    assert len(limits) == sum(len(one.occurrences) for one in recording.run.conditions)
    return np.array([[one.recorded, one.t] for one in occurrences])


def test_a_falling_load_ends_the_run_when_it_reaches_a_height():
    recording = fall(sim.When("DZ(load) <= -2", sim.EndRun()))
    assert times(recording) == pytest.approx(np.full((1, 2), np.sqrt(4 / G)), abs=1e-12)
    assert recording.run.settings.duration == pytest.approx(0.638)
    assert recording.t[-1] == pytest.approx(0.638)
    (one,) = recording.run.conditions[0].occurrences
    assert one.q["slide"] == pytest.approx(-2, abs=1e-11)
    assert one.qd["slide"] == pytest.approx(-np.sqrt(4 * G), abs=1e-10)


@pytest.mark.parametrize("least", [1, 0.5])
def test_a_condition_that_jumps_is_met_once_where_it_jumps(least):
    idle = sim.SForce("idle", LOAD, BASE, "0")
    jump = sim.When(f"IF(DZ(load) + 2: 1, 1, 0) >= {least}", sim.SwitchOff("idle"), repeat=True)
    once = np.full((1, 2), np.sqrt(4 / G))
    assert times(fall(jump, forces=(idle,))) == pytest.approx(once, abs=1e-12)


def test_a_pendulum_passes_an_angle_at_the_time_of_jacobis_function():
    motion = sim.JointMotion({}, q0=[np.pi / 2], free=("hinge",))
    robot = pendulum(1.0, 1.0)
    event = sim.When("AZ(hinge.i, hinge.j) <= 30d", sim.EndRun())
    recording = sim.run(sim.Scenario(robot, motion, 1.0, method="adaptive", events=(event,)))
    k = np.sin(np.pi / 4)
    passed = np.arcsin(np.sin(np.pi / 12) / k)
    closed = np.sqrt(1 / G) * (ellipk(k**2) - ellipkinc(passed, k**2))
    assert recording.passed
    assert times(recording) == pytest.approx(np.full((1, 2), closed), abs=1e-12)


@pytest.mark.parametrize("short_of", [1e-5, 1e-9])
def test_what_turns_back_within_a_step_is_seen(short_of):
    height = -SWING + short_of
    recording = fall(sim.When(f"DZ(load) <= {height!r}", sim.EndRun()), forces=(PULL,))
    closed = np.arccos(1 + 100 * height / G) / 10
    # near the turning point the time is off by what the position is, over its speed there
    error = 1e-15 / np.sqrt(2 * G * short_of)
    assert times(recording) == pytest.approx(np.full((1, 2), closed), abs=1e-12 + 10 * error)


def test_in_a_stiff_motion_too():
    """A damper that makes the solver take implicit steps: x = -g/k + a exp(r t) + b exp(s t)."""
    k, c, level = 2000.0, 1e4, -1e-3
    drag = sim.SForce("drag", LOAD, BASE, f"-{k}*(DM(tip, base) - 1) - {c}*VR(tip, base)")
    recording = fall(
        sim.When(f"DZ(load) <= {level!r}", sim.EndRun()), forces=(drag,), duration=4.0, dt=0.01
    )
    r, s = sorted(np.roots([1, c, k]).tolist())
    a, b = np.linalg.solve([[1, 1], [r, s]], [G / k, 0])
    closed = brentq(lambda t: a * np.exp(r * t) + b * np.exp(s * t) - G / k - level, 1e-3, 4)
    assert times(recording) == pytest.approx(np.full((1, 2), closed), abs=1e-11)


BALL = sim.Contact(
    sim.ContactShape.sphere("load", 2.0),
    sim.ContactShape.plane(at=(0, 0, -2)),
    sim.ContactLaw.impact(100.0, 1.0),
    name="pull",
)
PULLS = (
    PULL,
    sim.Spring("pull", LOAD, BASE, stiffness=100.0, free_length=1.0),
    sim.Bushing("pull", LOAD, BASE, stiffness=(0, 0, 100.0), preload=(0, 0, -100.0)),
    BALL,
    sim.GroundContact("load", stiffness=100.0, radius=1.0, exponent=1.0, height=-1.0, name="pull"),
)


@pytest.mark.parametrize("pull", PULLS, ids=lambda one: type(one).__name__)
def test_a_force_is_switched_off_where_the_load_turns_and_then_it_falls(pull):
    event = sim.When("VZ(load) >= 0", sim.SwitchOff("pull"))
    recording = fall(event, **{"contacts" if "Contact" in repr(pull) else "forces": (pull,)})
    turn = np.pi / 10
    assert times(recording) == pytest.approx(np.full((1, 2), turn), abs=1e-12)
    t = np.asarray(recording.t)
    closed = np.where(
        t < turn, -SWING / 2 * (1 - np.cos(10 * t)), -SWING - G / 2 * np.maximum(t - turn, 0) ** 2
    )
    assert recording.recorded["q.slide"].to_numpy() == pytest.approx(closed, abs=1e-10)


def test_a_motor_is_switched_and_switched_again_as_by_scipys_events():
    """A thermostat: the motor lifts below -0.2 m and rests above -0.1 m."""
    motion = sim.JointMotion.torque({"slide": "16 - 3*VZ(load)"}, names=names_of("load"))
    recording = fall(
        sim.When("DZ(load) <= -0.2", sim.SwitchOn("slide"), repeat=True),
        sim.When("DZ(load) >= -0.1", sim.SwitchOff("slide"), repeat=True),
        motion=motion,
        duration=3.0,
    )
    y, t, is_on, switched = np.zeros(2), 0.0, False, []
    while t < 3.0:
        level, sense = (-0.1, 1.0) if is_on else (-0.2, -1.0)

        def passes(t, y, level=level):
            return y[0] - level

        passes.terminal, passes.direction = True, sense
        found = solve_ivp(
            lambda t, y, on=is_on: [y[1], on * (16 - 3 * y[1]) - G], (t, 3.0), y,
            "DOP853", events=passes, rtol=1e-13, atol=1e-14,
        )  # fmt: skip
        t, y = found.t[-1], found.y[:, -1]
        if found.status == 1:
            switched.append(t)
            is_on = not is_on
    ours = np.sort(np.concatenate([times(recording, 0), times(recording, 1)]), axis=0)
    # the one that holds at the start happens there too, and changes nothing
    assert ours[1:] == pytest.approx(np.stack([switched, switched], axis=1), abs=1e-11)
    assert len(switched) > 5


def names_of(link):
    return sim.Names((sim.Marker(link, link),))


def test_a_payload_comes_and_goes_between_samples_and_its_energy_is_balanced():
    recording = fall(
        sim.When("DZ(load) <= -0.1", sim.Attach(sim.Payload(2.0, frame="load"))),
        sim.When("DZ(load) <= -0.5", sim.Release()),
        forces=(PULL,),
        duration=0.8,
    )
    first, last = (times(recording, k)[0, 1] for k in (0, 1))
    came, went = recording.run.events
    assert (came.t, went.t) == pytest.approx((first, last), abs=1e-12)
    speed = abs(recording.run.conditions[0].occurrences[0].qd["slide"])
    assert (came.ke, came.pe) == pytest.approx((speed**2, -2 * G * 0.1), abs=1e-9)


def test_a_motion_starts_at_an_event_and_its_time_counts_from_there():
    ramp = sim.JointMotion.velocity({"slide": "STEP(time, 0, 0, 0.5, 0.3)"})
    for method in ("ideal", "stepped", "adaptive"):
        recording = fall(
            sim.When("TIME >= 0.2505", sim.StartMotion(ramp)),
            sim.When("DZ(slide.i, slide.j, slide.j) >= 0.05", sim.EndRun()),
            motion=sim.JointMotion.displacement({}),
            method=method,
        )
        # STEP is 0.3 z²(3 - 2z), its integral 0.15 (z³ - z⁴/2)
        (z,) = [
            r.real for r in np.roots([-0.5, 1, 0, 0, -1 / 3]) if abs(r.imag) < 1e-12 and 0 < r < 1
        ]
        assert times(recording, 0) == pytest.approx(np.full((1, 2), 0.2505), abs=1e-12)
        assert times(recording, 1) == pytest.approx(np.full((1, 2), 0.2505 + z / 2), abs=1e-12)


def test_a_double_pendulum_at_an_engine_ends_where_the_model_does():
    robot = double_pendulum(1.0, 0.7, 0.6, 0.4)
    names = robot.joint_names
    motion = sim.JointMotion({}, q0=[1.0, 0.5], free=names)
    event = sim.When("WZ(elbow.i, elbow.j, elbow.j) = 0", sim.EndRun())
    recording = sim.run(sim.Scenario(robot, motion, 2.0, method="adaptive", events=(event,)))
    assert recording.passed
    recorded, analytic = times(recording)[0]
    assert recorded == pytest.approx(analytic, abs=1e-9)


@pytest.mark.parametrize("begins_off", [False, True])
def test_a_hook_that_is_let_go_of_later_acts_from_the_start_unless_switched_off(begins_off):
    """2 m/s up to 0.5 m, then half a turn of 10 rad/s on the hook."""
    off = [sim.When("TIME >= 0", sim.SwitchOff("hook"))] if begins_off else []
    load, wall = sim.Marker("a", "load"), sim.Marker("b", "ground", (0, 0, -1.0))
    scenario = sim.Scenario(
        lift(1.0),
        sim.JointMotion({}, free=("slide",), qd0={"slide": 2.0}),
        0.6, dt=0.01, method="adaptive", gravity=(0, 0, 0),
        forces=(sim.SForce("hook", load, wall, "-100*(DM(a, b) - 1.5)"),),
        events=(
            *off,
            sim.When("DZ(load) >= 0.5", sim.SwitchOn("hook")),
            sim.When("VZ(load) <= -1", sim.SwitchOff("hook")),
        ),
    )  # fmt: skip
    recording = sim.run(scenario)
    noted = any("'hook' acts from the start" in note for note in recording.run.notes)
    assert noted is not begins_off
    if begins_off:
        assert times(recording, 1) == pytest.approx(np.full((1, 2), 0.25), abs=1e-12)
        let_go = 0.25 + np.arccos(-0.5) / 10
        assert times(recording, 2) == pytest.approx(np.full((1, 2), let_go), abs=1e-12)


def test_what_never_happens_is_noted():
    recording = fall(sim.When("DZ(load) <= -9", sim.EndRun()))
    assert any("'DZ(load) <= -9' did not happen" in note for note in recording.run.notes)


LIFT = sim.VForce(
    "lift", sim.Marker("l", "load"), sim.Marker("up", "ground"), (0, 0, "40-10*SIGN(1, VZ(l))")
)


@pytest.mark.parametrize(
    ("events", "more", "message"),
    [
        ([("DZ(load) <= 1", sim.EndRun())], {}, "true at the start already (0 against 1)"),
        ([("DZ(lode) <= 1", sim.EndRun())], {}, "'lode' is not a marker; given are: ground, load"),
        ([("DZ(load)", sim.EndRun())], {}, "no comparison"),
        ([("DZ(load) <= -1 <= 2", sim.EndRun())], {}, "more than one comparison"),
        ([("DZ(load) <= LOG(-1)", sim.EndRun())], {}, "not finite at t = 0 s"),
        ([("DZ(load) <= -1", sim.SwitchOff("spring"))], {}, "there are: pull"),
        ([("TIME >= 0.3", sim.SwitchOff("slide"))],
         {"motion": sim.JointMotion.velocity({"slide": "-3"}), "method": "ideal"}, "'adaptive'"),
        ([("TIME >= 0.3", sim.SwitchOn("slide"))],
         {"motion": sim.JointMotion.velocity({"slide": "0"})}, "would jump from -0.195"),
        ([("DZ(load) <= -1E-9", sim.EndRun())], {}, "before its first sample"),
        ([("DZ(load) <= -.1", sim.Release("x"))], {}, "'x' is set down at 0.159"),
        ([("DZ(load) <= -.1", sim.EndRun())], {"method": "stepped"}, "method 'adaptive'"),
    ],
)  # fmt: skip
def test_bad_events_are_refused_by_name(events, more, message):
    with pytest.raises(sim.SimError) as error:
        fall(*(sim.When(*one) for one in events), forces=(PULL,), **more)
    assert message in str(error.value)


def test_an_event_without_end_is_named_with_time_and_count():
    """A force that damps, on below a height and off above it: hops without number."""
    with pytest.raises(sim.ScenarioError, match=r"endlessly: \d+ times up to t = \d"):
        fall(
            sim.When("DZ(load) <= -0.1", sim.SwitchOn("lift"), repeat=True),
            sim.When("DZ(load) >= -0.1", sim.SwitchOff("lift"), repeat=True),
            forces=(LIFT,),
            duration=2.0,
        )


def test_other_commands_refuse_events_that_wait_and_an_action_is_none_by_text():
    event = sim.When("DZ(load) <= -1", sim.EndRun())
    with pytest.raises(sim.ScenarioError, match="which only `sim run` and"):
        build_problem(sim.Scenario(lift(1.0), FALLING, 1.0, method="adaptive", events=(event,)))
    with pytest.raises(sim.ScenarioError, match="no drive prescribes its motion"):
        build_problem(sim.Scenario(lift(1.0), replace(FALLING, switched={"slide": (0.1,)}), 1.0))
    with pytest.raises(sim.ScenarioError, match="got str"):
        sim.When("DZ(load) <= -1", "stop")


def test_a_contact_that_is_switched_on_does_not_act_before():
    """The load falls through the plane, and is pushed from the middle of it on."""
    falling = sim.When("DZ(load) <= -0.1", sim.SwitchOn("pull"))
    recording = fall(falling, contacts=(BALL,), duration=0.3)
    on, v = np.sqrt(0.2 / G), -np.sqrt(0.2 * G)
    late = np.maximum(np.asarray(recording.t) - on, 0)
    pushed = -SWING / 2 + (SWING / 2 - 0.1) * np.cos(10 * late) + v / 10 * np.sin(10 * late)
    t = np.asarray(recording.t)
    closed = np.where(t < on, -G / 2 * t**2, pushed)
    assert recording.recorded["q.slide"].to_numpy() == pytest.approx(closed, abs=1e-10)
    depth = recording.recorded["contact.pull.depth"].to_numpy()
    assert not depth[t < on].any()
    with pytest.raises(sim.ScenarioError, match="must be finite and ascend"):
        fall(contacts=(replace(BALL, switched=(2.0, 1.0)),))


def test_a_drive_is_switched_off_and_what_it_moved_flies_on():
    """Thrown up at 2 m/s, to rounding."""
    thrown = sim.JointMotion.velocity({"slide": "2"})
    recording = fall(sim.When("DZ(load) >= 0.3", sim.SwitchOff("slide")), motion=thrown)
    assert times(recording) == pytest.approx(np.full((1, 2), 0.15), abs=1e-12)
    t = np.asarray(recording.t)
    closed = 2 * t - G / 2 * np.maximum(t - 0.15, 0) ** 2
    for table in (recording.recorded, recording.analytic):
        assert table["q.slide"].to_numpy() == pytest.approx(closed, abs=1e-12)
        assert table["tau.slide"].to_numpy() == pytest.approx(np.where(t < 0.15, G, 0), abs=1e-9)


def test_momentum_goes_on_where_a_drive_lets_go_beside_a_free_joint():
    """Two point masses without weight: momentum about the shoulder and energy stay as they were."""
    m1, m2, a, b = 1.0, 0.7, 0.6, 0.4
    motion = sim.JointMotion.velocity(
        {"shoulder": "0.8*SIN(3*TIME)"}, q0={"elbow": 0.3}, free=("elbow",)
    )
    event = sim.When("TIME >= 0.4005", sim.SwitchOff("shoulder"))
    recording = sim.run(
        sim.Scenario(
            double_pendulum(m1, m2, a, b), motion, 1.0, method="adaptive", gravity=(0, 0, 0),
            events=(event,),
        )
    )  # fmt: skip
    assert recording.passed
    (one,) = recording.run.conditions[0].occurrences

    def momentum_and_energy(q2, w1, w2):
        cosine = m2 * a * b * np.cos(q2)
        M11, M12, M22 = (m1 + m2) * a**2 + m2 * b**2 + 2 * cosine, m2 * b**2 + cosine, m2 * b**2
        return M11 * w1 + M12 * w2, M11 * w1**2 / 2 + M12 * w1 * w2 + M22 * w2**2 / 2

    at = momentum_and_energy(one.q["elbow"], one.qd["shoulder"], one.qd["elbow"])
    assert one.qd["shoulder"] == pytest.approx(0.8 * np.sin(3 * 0.4005), abs=1e-14)
    for table in (recording.recorded, recording.analytic):
        rows = (table[c].to_numpy() for c in ("q.elbow", "qd.shoulder", "qd.elbow"))
        after = np.array(momentum_and_energy(*rows))[:, np.asarray(recording.t) > 0.4005]
        assert after == pytest.approx(np.tile(np.array(at)[:, None], after.shape[1]), abs=1e-11)


def test_a_drive_is_switched_on_where_the_joint_moves_as_it_prescribes():
    """It hangs on a spring for one whole period, then it is held again."""
    k = (2 * np.pi / 0.3) ** 2
    spring = sim.SForce("pull", LOAD, BASE, f"-{k!r}*(DM(tip, base) - 1)")
    off, on = sim.SwitchOff("slide"), sim.SwitchOn("slide")
    recording = fall(
        sim.When("TIME >= 0.1", off), sim.When("TIME >= 0.4", on), forces=(spring,),
        motion=sim.JointMotion.displacement({"slide": "0"}), duration=0.6,
    )  # fmt: skip
    t = np.asarray(recording.t)
    swing = np.where((t > 0.1) & (t < 0.4), G / k * (np.cos(np.sqrt(k) * (t - 0.1)) - 1), 0.0)
    assert recording.recorded["q.slide"].to_numpy() == pytest.approx(swing, abs=1e-11)

"""How stiff free joints are, against closed forms, and what a run says of them."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from msgspec import structs

import sim
from sim import JointSpring
from sim.dynamics import ElementSum, equilibrium, integrate, integration, stiff_motion
from sim.dynamics.joint_forces import joint_elements
from sim.errors import ScenarioError
from sim.simulation.build_problem import build_problem
from sim.simulation.model_answer import solved_motion
from sim.simulation.stiffness import MOST_STEPS, stiffest_mode
from tests.helpers.small_robots import lift, pendulum

FREE = np.array([True])
STABLE = stiff_motion.STABLE
M = 3.0  # kg


def in_joints(robot):
    return ElementSum(robot, joint_elements(robot))


def sprung(k, c=0.0, more=""):
    return lift(M, more=more).with_springs({"slide": JointSpring(k, c)})


def test_an_undamped_spring_oscillates_at_the_root_of_stiffness_over_mass():
    mode = stiffest_mode(in_joints(sprung(1.2e5)), np.zeros(1), FREE)
    assert mode.rate == pytest.approx(np.sqrt(1.2e5 / M))
    assert mode.frequency == pytest.approx(np.sqrt(1.2e5 / M) / (2 * np.pi))
    assert mode.steps_a_second == pytest.approx(mode.rate / STABLE)


@pytest.mark.parametrize("more", ["", '<dynamics damping="300"/>'], ids=["spring", "joint"])
def test_a_damper_decays_at_the_larger_root(more):
    """λ² + (c/m) λ + k/m = 0, with the damping of the spring, or of the joint."""
    k, c = 50.0, 300.0
    robot = sprung(k, 0.0 if more else c, more)
    mode = stiffest_mode(in_joints(robot), np.zeros(1), FREE)
    assert mode.frequency == 0
    assert mode.rate == pytest.approx(c / (2 * M) + np.sqrt((c / (2 * M)) ** 2 - k / M))


def test_what_has_no_spring_and_no_damper_is_not_stiff():
    assert stiffest_mode(in_joints(pendulum(2.0, 0.7)), np.zeros(1), FREE) is None


class Controlled:
    """tau = -kp q - kd qd, at each time or held between samples."""

    states, start = 0, np.empty(0)

    def __init__(self, kp, kd, hold=None):
        self.kp, self.kd, self.hold = kp, kd, hold

    def __call__(self, t, q, qd, z):
        return -self.kp * q - self.kd * qd

    def rate(self, t, q, qd, z):
        return np.empty((0, t.size))


def test_a_motor_that_follows_the_state_is_a_spring_and_a_damper():
    bare, k, c = in_joints(lift(M)), 1.2e5, 40.0
    by_motor = stiffest_mode(bare, np.array([0.1]), FREE, Controlled(k, c))
    by_spring = stiffest_mode(in_joints(sprung(k, c)), np.array([0.1]), FREE)
    assert by_motor.rate == pytest.approx(by_spring.rate, rel=1e-8)
    assert by_motor.frequency == pytest.approx(by_spring.frequency, rel=1e-8)
    assert stiffest_mode(bare, np.zeros(1), FREE, Controlled(k, c, hold=0.01)) is None


@pytest.mark.parametrize(
    ("k", "part"), [(400.0, "State 'lag' of a motor"), (4e9, "Free joint 'slide'")]
)
def test_states_of_motors_are_in_the_fastest_motion(k, part):
    """Of q, qd, sum and lag, by its matrix; where the spring is faster it is the joint's."""
    names = sim.Names(
        [sim.Marker("load", "load"), sim.Marker("base", "ground")],
        states={"sum": "-DZ(load, base)", "lag": "(7*DIF(sum) - 3*VZ(load, base) - DIF(lag))/1e-3"},
        start={"lag": 20.0},
    )
    motion = sim.JointMotion.torque({"slide": "DIF(lag)"}, names=names)
    scenario = sim.Scenario(sprung(k), motion, duration=1e-2, dt=1e-3, method="adaptive")
    problem = build_problem(scenario)
    mode = stiffest_mode(problem.elements, np.zeros(1), FREE, problem.path.actuation)
    A = np.array(
        [[0, 1, 0, 0], [-k / M, 0, 0, 1 / M], [-1, 0, 0, 0], [0, -3e3, 7e3, -1e3]], dtype=float
    )
    assert mode.rate == pytest.approx(np.abs(np.linalg.eigvals(A)).max(), rel=1e-7)
    assert mode.part == part


def test_a_run_whose_motor_is_too_stiff_is_refused():
    motion = sim.JointMotion.displacement({}, free=["slide"])
    scenario = sim.Scenario(lift(M), motion, duration=0.5, method="adaptive")
    stiff = Controlled((3 * MOST_STEPS * STABLE * 2) ** 2 * M, 0.0)
    with pytest.raises(ScenarioError, match=r"'slide' is stiff: .* oscillates at 1\.\d+e\+05 Hz"):
        build_problem(replace(scenario, motion=Driven(scenario.motion, stiff)))


@dataclass(frozen=True)
class Driven:
    """A motion whose free joints have a controlled motor."""

    motion: sim.JointMotion
    actuation: Controlled

    def on(self, robot, duration):
        return structs.replace(self.motion.on(robot, duration), actuation=self.actuation)

    def describe(self, robot, duration):
        return self.motion.describe(robot, duration)


def held(k, c, duration, aside=0.0):
    robot = sprung(k, c)
    q0 = equilibrium(robot, ["slide"], [0.0]).q + aside
    motion = sim.JointMotion.displacement({}, free=["slide"], q0=q0)
    return sim.Scenario(robot, motion, duration=duration, method="adaptive")


def test_a_run_that_would_take_too_many_steps_is_refused_with_joint_and_count():
    with pytest.raises(ScenarioError) as caught:
        build_problem(held((1.5 * MOST_STEPS * STABLE * 2) ** 2 * M, 0.0, 0.5))
    words = str(caught.value)
    for part in (
        "Free joint 'slide' is stiff",
        "oscillates at 5.73e+04 Hz",
        "6e+04 steps per second, 3e+04 for 0.5 s",
        "at most 20000 are taken, which is 0.333 s",
        "damping of its oscillation",
    ):
        assert part in words


def test_what_decays_at_once_is_not_refused_and_sinks_by_its_weight():
    """(m, c, k) from aside: by its closed form e^(-k/c t), as c²/m is 4e8 times k."""
    k, c = 1e3, 3.0 * MOST_STEPS * STABLE * M
    scenario = replace(held(k, c, 0.5, aside=0.01), dt=0.05)
    run = sim.run(scenario)
    assert [check for check in run.run.checks if not check.ok] == []
    (note,) = [note for note in run.run.notes if "stiff" in note]
    assert "it decays by 1/e in 2.8e-06 s; the solver takes implicit steps" in note
    q = run.recorded["q.slide"].to_numpy()
    slow = (-c + np.sqrt(c * c - 4 * k * M)) / (2 * M)
    rest = q[0] - 0.01
    t = run.t
    np.testing.assert_allclose(q - rest, 0.01 * np.exp(slow * t), atol=1e-11)


def test_the_steps_that_are_told_are_those_that_a_solver_takes(monkeypatch):
    """Damped by 3000 a second for 0.5 s: 500 steps by the estimate, twelve rates each."""
    asked = []

    def counted(mechanism, modes, real=integration.rate_of):
        rate = real(mechanism, modes)
        return lambda t, y: (asked.append(t), rate(t, y))[1]

    monkeypatch.setattr(integration, "rate_of", counted)
    scenario = held(100.0, 3000.0 * M, 0.5, aside=0.01)
    problem = build_problem(scenario)
    mode = stiffest_mode(problem.elements, problem.path.q0, FREE)
    stages = [(0.0, sim.dynamics.LagrangianDynamics(problem.robot))]
    integrate(stages, problem.broken_path, problem.t, problem.loads)
    told = mode.steps_a_second * 0.5
    assert 0.6 * told < len(asked) / 12 < 2.5 * told


def test_a_stiff_run_says_so_and_an_easy_one_does_not():
    run = sim.run(held(100.0, 7000.0 * M, 0.02))
    (note,) = [note for note in run.run.notes if "stiff" in note]
    assert note.startswith(
        "Free joint 'slide' is stiff: with its spring, motor and damping it decays"
    )
    assert "2.33e+03 steps per second" in note
    assert not any("stiff" in note for note in sim.run(held(100.0, 1.0, 0.02)).run.notes)


def test_an_arm_that_springs_hold_at_rest_passes_its_checks():
    """Peaks of zero are no scale: a damper of 5 N·m·s/rad on 3e-4 kg·m² makes 1e-7 rad/s²."""
    start = np.array([0.2, -0.9, 1.1, -0.7, 0.5, 0.1])
    k = 5000.0 * np.array([1, 1, 1, 0.3, 0.2, 0.1])
    ur10 = sim.load_robot("ur10")
    springs = {
        name: JointSpring(float(k[i]), float(k[i]) / 100, float(start[i]))
        for i, name in enumerate(ur10.joint_names)
    }
    robot = ur10.with_springs(springs)
    q0 = equilibrium(robot, ur10.joint_names, start).q
    motion = sim.JointMotion.displacement({}, free=list(ur10.joint_names), q0=q0)
    run = sim.run(sim.Scenario(robot, motion, duration=0.15, method="adaptive"))
    assert [check for check in run.run.checks if not check.ok] == []
    (limit,) = {
        check.limit
        for check in run.run.checks
        if check.name == "acceleration" and check.channel == "qdd.wrist_3_joint"
    }
    assert limit < 1e-5  # rad/s²


class Shaking(Controlled):
    """A torque that no run can follow, of which the state is not the reason."""

    def __call__(self, t, q, qd, z):
        return np.broadcast_to(np.sin(1e9 * t), q.shape)


def test_a_run_whose_steps_do_not_end_is_refused_with_their_number(monkeypatch):
    monkeypatch.setattr(stiff_motion, "JUDGED", 200)  # the first look at its pace
    motion = sim.JointMotion.displacement({}, free=["slide"])
    scenario = sim.Scenario(lift(M), Driven(motion, Shaking(0, 0)), 10.0, method="adaptive")
    problem = build_problem(scenario)
    words = r"beyond t = \S+ s: a force or a torque changes within \S+ s, .* \S+ steps per second"
    with pytest.raises(ScenarioError, match=words):
        solved_motion(problem, problem.broken_path, problem.t)


def test_a_pace_is_that_of_the_last_steps_and_refuses_none_that_speeds_up():
    slow = stiff_motion.Pace(0.0)
    assert slow.steps_left(1800, 1e-9, 1.0) is None  # a short blow
    assert slow.steps_left(200, 1e-4, 1.0) is None  # 2e7 steps are left at most
    slow = stiff_motion.Pace(0.0)
    assert slow.steps_left(2000, 1e-5, 1.0) == pytest.approx(2e8, rel=1e-4)
    long = stiff_motion.Pace(0.0)  # 2e6 steps, a step of 5e-7 s each
    assert all(long.steps_left(200, 5e-7 * k, 1.0) is None for k in range(200, 40_000, 200))
    assert long.begin >= 0.01  # the first steps no longer count

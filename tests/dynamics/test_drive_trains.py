"""Rotors, motor friction and gear losses: closed forms, Pinocchio, engines against the model."""

import numpy as np
import pinocchio as pin
import pytest
from msgspec.structs import replace

import sim
from sim.dynamics import LagrangianDynamics, drive_trains_of, integrate, lagrange
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.newton_euler import inverse_dynamics
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.single_state.rate import SingleStateRate, rate_of
from sim.engines import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import ModelError
from sim.robots import DriveTrain
from tests.helpers.free_paths import loose
from tests.helpers.small_robots import geared, lift

G = (0.0, 0.0, -9.81)
STATES = 40


@pytest.fixture(scope="module")
def states():
    """q, qd, qdd and joint torques of random states, (6, N)."""
    rng = np.random.default_rng(3)
    return tuple(rng.uniform(-size, size, (6, STATES)) for size in (3, 2, 5, 50))


def with_trains(**more):
    """The UR10 with a train of 1.2 kg·m² in each joint, every second turning backwards."""
    robot = sim.load_robot("ur10")
    signs = zip(robot.joint_names, [1, -1] * 3, strict=True)
    return robot.with_drives({n: DriveTrain(100.0 * s, 1.2e-4, **more) for n, s in signs})


LOSSES = {"coulomb": 0.05, "coulomb_back": 0.07, "viscous": 2e-4, "efficiency": 0.8,
          "efficiency_back": 0.7}  # fmt: skip


def pinocchio_of(robot):
    model = pin.buildModelFromXML(robot.text)
    model.armature[:] = 1.2
    return model, model.createData()


def test_torques_with_rotors_are_pinocchios_with_armature(states):
    q, qd, qdd, _ = states
    robot = with_trains()
    model, data = pinocchio_of(robot)
    wanted = np.array(
        [pin.rnea(model, data, *(x[:, k] for x in (q, qd, qdd))) for k in range(STATES)]
    ).T
    for found in (
        lagrange.inverse_dynamics(robot, q, qd, qdd),
        inverse_dynamics(robot, q, qd, qdd),
        lagrange.terms(robot, q, qd).torque(qd, qdd),
    ):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10)  # N·m, of some 100
    at = Instant(robot, G, q[:, 0], qd[:, 0])
    np.testing.assert_allclose(at.M, lagrange.mass_matrix(robot, q)[..., 0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["model", "bullet", "mujoco"])
def test_accelerations_with_rotors_are_pinocchios_with_armature(states, kind):
    q, qd, _, effort = states
    robot, none = with_trains(), np.zeros(6, dtype=bool)
    model, data = pinocchio_of(robot)
    wanted = np.array(
        [pin.aba(model, data, *(x[:, k] for x in (q, qd, effort))) for k in range(STATES)]
    ).T
    if kind == "model":
        found = LagrangianDynamics(robot, G).hybrid_dynamics(q, qd, 0 * q, none, effort)[0]
    else:
        with open_engine(kind, robot, G) as engine:
            found = EngineDynamics(engine).hybrid_dynamics(q, qd, 0 * q, none, effort, ())[0]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10)  # rad/s², of some 40


def test_a_rotor_of_a_leader_moves_with_its_followers():
    robot = geared(0.3, 0.2, -3.0).with_drives({"input": DriveTrain(10, 0.004)})
    M = lagrange.mass_matrix(robot, np.zeros((1, 1)))
    assert M[0, 0, 0] == pytest.approx(0.3 + 9 * 0.2 + 100 * 0.004, rel=1e-14)
    links, ke, pe = lagrange.energies(robot, np.zeros((1, 1)), np.full((1, 1), 2.0))
    assert links[-1] == "rotor_of_input"
    assert ke[-1, 0] == pytest.approx(0.5 * 0.4 * 4.0)
    assert pe[-1, 0] == 0.0


# One joint with closed forms: a load of weight h on a slide, N in rad/m.
MASS, N, J, ETA, ETA_B = 0.7, 50.0, 1e-4, 0.8, 0.6
H, A = MASS * 9.81, N**2 * J


def slide(**more):
    return lift(MASS).with_drives({"slide": DriveTrain(N, J, **more)})


def balance(robot, motor, qd, modes):
    """The balance of one joint at a speed, its motor's torque N tau_m given."""
    path = loose([0.0], [qd], lambda t: np.full((1, t.size), motor))
    mechanism = Mechanism(LagrangianDynamics(robot, G), path)
    return mechanism.at(np.zeros(1), mechanism.start()[:, None], modes)


def sliding(sense):
    return FrictionModes(np.array([False]), np.array([float(sense)]))


def test_a_load_is_lifted_with_what_the_gear_leaves():
    at = balance(slide(efficiency=ETA, efficiency_back=ETA_B), 25.0, 1.0, sliding(1))
    assert at.qdd[0, 0] == pytest.approx((ETA * 25 - H) / (MASS + ETA * A), rel=1e-12)


def test_a_load_that_sinks_spins_its_rotor_up_through_the_gear():
    at = balance(slide(efficiency=ETA, efficiency_back=ETA_B), 0.0, -1.0, sliding(-1))
    assert at.qdd[0, 0] == pytest.approx(-H / (MASS + A / ETA_B), rel=1e-12)


def test_friction_at_the_motor_counts_with_the_ratio_and_the_sense():
    robot = slide(coulomb=0.02, coulomb_back=0.03, viscous=1e-4)
    for sense, dry in ((1, 0.02), (-1, 0.03)):
        at = balance(robot, 10.0, 2.0 * sense, sliding(sense))
        friction = sense * (N * dry + N**2 * 1e-4 * 2.0)
        assert at.friction[0, 0] == pytest.approx(friction, rel=1e-13)
        assert at.qdd[0, 0] == pytest.approx((10.0 - friction - H) / (MASS + A), rel=1e-12)


@pytest.mark.parametrize(("motor", "holds"), [
    (ETA_B * H - 1.0 - 1e-6, False), (ETA_B * H - 1.0 + 1e-6, True),
    (H / ETA + 0.5 - 1e-6, True), (H / ETA + 0.5 + 1e-6, False),
])  # fmt: skip
def test_a_gear_holds_its_load_within_two_different_limits(motor, holds):
    """eta_b h - c_b <= N tau_m <= h / eta_f + c_f."""
    robot = slide(coulomb=0.01, coulomb_back=0.02, efficiency=ETA, efficiency_back=ETA_B)
    path = loose([0.0], None, lambda t: np.full((1, t.size), motor))
    t = np.linspace(0.0, 0.1, 6)
    found = integrate([(0.0, LagrangianDynamics(robot, G))], path, t)
    assert bool(found.stuck.all()) is holds
    if not holds:
        assert np.sign(found.q[0, -1]) == (1 if motor > H else -1)
    else:
        np.testing.assert_allclose(found.tau, H, rtol=1e-14)  # the link weighs what it weighs
        np.testing.assert_allclose(found.tau + found.train, motor, rtol=1e-13)


@pytest.mark.parametrize(("more", "moves"), [(1.999, False), (2.001, True)])
def test_what_breaks_away_meets_less_friction_from_there_on(more, moves):
    """Held up to twice c, and then ½ (N tau_m - c) / (m + A) t²."""
    robot = slide(coulomb=0.02, breakaway=2.0)
    motor, t = more * N * 0.02, np.linspace(0.0, 0.1, 6)
    path = loose([0.0], None, lambda times: np.full((1, times.size), motor))
    found = integrate([(0.0, LagrangianDynamics(robot, (0.0, 0.0, 0.0)))], path, t)
    way = 0.5 * (motor - N * 0.02) / (MASS + A) * t**2 * moves
    np.testing.assert_allclose(found.q[0], way, rtol=0, atol=1e-11 * max(1.0, way[-1]))
    assert bool(found.stuck.all()) is not moves


def test_a_slide_coasts_as_far_each_way_as_its_motors_friction_lets_it():
    """v² (m + A) / (2 N c), with another c each way, and rests there."""
    robot = slide(coulomb=0.02, coulomb_back=0.05)
    t, v = np.linspace(0.0, 1.0, 101), 0.3
    for sense, dry in ((1, N * 0.02), (-1, N * 0.05)):
        found = integrate(
            [(0.0, LagrangianDynamics(robot, (0.0, 0.0, 0.0)))], loose([0.0], [sense * v]), t
        )
        way = v**2 * (MASS + A) / (2 * dry)
        np.testing.assert_allclose(found.q[0, -1], sense * way, rtol=1e-10)
        assert found.qd[0, -1] == 0.0
        energy = 0.5 * (MASS + A) * v**2
        np.testing.assert_allclose(found.works.loss[0, -1], energy, rtol=1e-10)


def test_what_trains_take_is_never_a_gain():
    rng = np.random.default_rng(5)
    robot = with_trains(**LOSSES)
    for count in range(3):
        eta, back = rng.uniform(0.05, 1.0, 2)
        trains = drive_trains_of(with_trains(efficiency=eta, efficiency_back=back, coulomb=0.01))
        tau, qd = rng.normal(0, 100, (6, 3500)), rng.normal(0, 2, (6, 3500))
        qd[:, :10], tau[:, 10:20] = 0.0, 0.0
        assert (trains.lost_torque(tau, qd) * qd >= 0).all(), count
        least, most = trains.band(tau, np.zeros_like(tau))
        assert (least <= tau).all()
        assert (tau <= most).all()
    assert drive_trains_of(robot.without_drives()) is None


def lossy_balance(dynamics, states, sense):
    """The balance at random states, all joints sliding in a sense (6,)."""
    q, qd, _, effort = states
    qd = np.abs(qd) * sense[:, None]
    path = loose(q[:, 0].tolist(), qd[:, 0].tolist())
    path = replace(path, actuation=Given(effort))
    mechanism = Mechanism(dynamics, path)
    y = np.zeros((mechanism.layout.size, STATES))
    y[mechanism.layout.q], y[mechanism.layout.qd] = q, qd
    return mechanism.at(np.zeros(STATES), y, FrictionModes(np.zeros(6, dtype=bool), sense))


class Given:
    """Torques that are given at each state."""

    states, start, hold = 0, np.empty(0), None

    def __init__(self, torque):
        self.torque = torque

    def __call__(self, t, q, qd, z):
        return self.torque

    def rate(self, t, q, qd, z):
        return np.empty((0, t.size))


def test_one_sense_of_each_gear_fits_and_engines_agree_with_the_model(states):
    robot, sense = with_trains(**LOSSES), np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
    model = lossy_balance(LagrangianDynamics(robot, G), states, sense)
    # back by the explicit law: the motor's torque that this motion takes
    trains = drive_trains_of(robot)
    links = model.tau - model.train - trains.inertia[:, None] * model.qdd
    np.testing.assert_allclose(
        links, lagrange.link_torque(robot, model.q, model.qd, model.qdd, G), rtol=0, atol=1e-10
    )
    np.testing.assert_allclose(trains.lost_torque(links, model.qd), model.train, rtol=0, atol=1e-10)
    assert (model.train * model.qd >= 0).all()
    for kind in ("bullet", "mujoco"):
        with open_engine(kind, robot, G) as engine:
            found = lossy_balance(EngineDynamics(engine), states, sense)
        np.testing.assert_allclose(found.qdd, model.qdd, rtol=0, atol=1e-9)  # rad/s², of some 80
        np.testing.assert_allclose(found.train, model.train, rtol=0, atol=1e-9)


def test_the_rates_of_a_solver_are_the_same_by_all_ways(states, monkeypatch):
    q, qd, _, effort = (x[:, 0] for x in states)
    robot = with_trains(coulomb=0.05, coulomb_back=0.07, viscous=2e-4)
    path = loose(q.tolist(), qd.tolist(), lambda t: np.tile(effort[:, None], t.size))
    mechanism = Mechanism(LagrangianDynamics(robot, G), path)
    y, modes = mechanism.start(), FrictionModes(np.zeros(6, dtype=bool), np.sign(qd))
    by_batch = mechanism.rate(np.zeros(1), y[:, None], modes)[:, 0]
    for switch in ("1", "0"):
        monkeypatch.setenv("SIM_FAST", switch)
        found = rate_of(mechanism, modes)(0.0, y)
        np.testing.assert_allclose(found, by_batch, rtol=0, atol=1e-10)


def test_gears_that_lose_torque_have_their_rates_at_one_state_too(states, monkeypatch):
    """Of random states, one joint stuck in every other."""
    monkeypatch.setenv("SIM_FAST", "1")
    robot = with_trains(**LOSSES)
    for k in range(STATES):
        q, qd, _, effort = (x[:, k] for x in states)
        stuck = np.arange(6) == (k % 6 if k % 2 else 6)
        qd = np.where(stuck, 0.0, qd)
        path = loose(q.tolist(), qd.tolist(), lambda t, e=effort: np.tile(e[:, None], t.size))
        mechanism = Mechanism(LagrangianDynamics(robot, G), path)
        y, modes = mechanism.start(), FrictionModes(stuck, np.sign(qd))
        by_batch = mechanism.rate(np.zeros(1), y[:, None], modes)[:, 0]
        rate = rate_of(mechanism, modes)
        assert isinstance(rate, SingleStateRate)
        np.testing.assert_allclose(rate(0.0, y), by_batch, rtol=0, atol=1e-10)  # of some 200


def test_torques_of_drives_lead_back_to_their_accelerations(states):
    q, qd, qdd, _ = states
    robot = with_trains(coulomb=0.05, coulomb_back=0.07, viscous=2e-4)
    tau = sim.inverse_dynamics(robot, q, qd, qdd)
    np.testing.assert_allclose(sim.forward_dynamics(robot, q, qd, tau), qdd, rtol=0, atol=1e-11)
    with pytest.raises(ModelError, match=r"gear of joint 'shoulder_pan_joint' .* has losses"):
        sim.forward_dynamics(with_trains(**LOSSES), q, qd, tau)


def test_where_a_drive_gives_way_its_rotor_stands_still():
    """Motors are locked there; a joint that only its own spring holds takes its rotor along."""
    k, plain = 4000.0, lift(MASS)
    for robot in (plain, slide(viscous=1e-3)):
        found = sim.modes(robot, [0.0], stiffness=k)
        np.testing.assert_allclose(found.frequency, [np.sqrt(k / MASS) / (2 * np.pi)], rtol=1e-12)
    sprung = slide().with_springs({"slide": sim.JointSpring(k)})
    wanted = np.sqrt(k / (MASS + A)) / (2 * np.pi)
    np.testing.assert_allclose(sim.modes(sprung, [0.0]).frequency, [wanted], rtol=1e-12)


def test_symbols_are_those_of_the_links():
    pytest.importorskip("sympy")
    assert "proved" in sim.equations(slide(), 1).text()


@pytest.mark.parametrize("heavier", [0.0, 0.5])
def test_rotors_need_one_question_a_state_and_the_engine_decides(states, heavier):
    """By a model that carries 0.5 kg more the first guess is wrong, and the answer still right."""
    arm, held = with_trains(), np.arange(6) == 2
    q, qd, qdd, tau = (rows[:, :1] for rows in states)
    wanted = LagrangianDynamics(arm, G).hybrid_dynamics(q, qd, qdd, held, tau)
    asked = []
    with open_engine("bullet", arm, G, None) as engine:
        own = engine.hybrid_dynamics
        engine.hybrid_dynamics = lambda *question: asked.append(question) or own(*question)
        response = EngineDynamics(engine, arm.with_payload(heavier))
        at = Instant(response.robot, G, q[:, 0], qd[:, 0])
        found = response.at_instant(at, qdd[:, 0], held, tau)
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-10 * np.abs(want).max())
    assert (len(asked) == 1) == (heavier == 0.0)

"""What `sim.engines.contract` asks, of every engine; the oracles are closed forms."""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from sim.dynamics import AppliedWrench
from sim.engine_names import ENGINES
from sim.engines.adaptive import solve_adaptive
from sim.engines.contract import March
from sim.engines.ideal import solve_ideal
from sim.engines.loads import PrescribedLoads
from sim.engines.opening import open_engine
from sim.engines.stepped import solve_stepped
from sim.errors import EngineError
from sim.maths import rotation_from_rpy
from sim.robots import load_robot
from tests.helpers import small_robots as small
from tests.helpers.free_paths import loose
from tests.helpers.small_robots import double_pendulum, lift, pendulum, pendulum_on_cart, robot

G = (0.0, 0.0, -9.81)
ONE = np.ones((1, 1))
T = np.linspace(0.0, 1.0, 101)


@pytest.fixture(params=ENGINES)
def kind(request):
    return request.param


def swing(t):
    return 0.8 * np.sin(3 * t)[None], 2.4 * np.cos(3 * t)[None], -7.2 * np.sin(3 * t)[None]


def test_a_pendulum_needs_the_torque_and_has_the_energies_of_the_textbook(kind):
    m, length, moment = 2.0, 0.7, 0.05
    q, qd, qdd = swing(T)
    with open_engine(kind, pendulum(m, length, moment), G) as engine:
        found, survey = solve_ideal(engine, T, q, qd, qdd), engine.energies(q, qd, ("bob",))
    inertia = moment + m * length**2
    torque = inertia * qdd + m * 9.81 * length * np.sin(q)
    np.testing.assert_allclose(found.tau, torque, rtol=0, atol=1e-12 * np.abs(torque).max())
    np.testing.assert_allclose(survey.ke, inertia * qd**2 / 2, rtol=0, atol=1e-12)
    np.testing.assert_allclose(survey.pe, -m * 9.81 * length * np.cos(q), rtol=0, atol=1e-12)


def test_a_force_acts_where_it_acts_along_the_worlds_axes(kind):
    """A force on a pendulum's bob: its lever about the hinge, on a base that is turned."""
    arm = pendulum(2.0, 0.7).mounted((1.0, 2.0, 3.0), (0.0, 0.4, 0.0))
    q = np.array([[0.0, 0.5, -1.2]])
    nothing, F = np.zeros((1, 3)), np.array([[3.0], [1.0], [5.0]])
    push = AppliedWrench("bob", np.array([0, 0, -0.7]), F, np.array([[0.0], [2.0], [0.0]]))
    held = np.array([True])
    with open_engine(kind, arm, (0.0, 0.0, 0.0)) as engine:
        _, tau = engine.hybrid_dynamics(nothing + q, nothing, nothing, held, nothing, [push])
    angle = q + 0.4
    x, z = -0.7 * np.sin(angle), -0.7 * np.cos(angle)
    np.testing.assert_allclose(tau, -(z * 3.0 - x * 5.0 + 2.0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("mass", [1.0, 1e-3, 1e-9])
def test_no_force_on_a_light_link_is_lost(kind, mass):
    push = AppliedWrench("load", np.zeros(3), np.array([[0], [0], [200.0]]), np.zeros((3, 1)))
    with open_engine(kind, lift(mass), G) as engine:
        held, free = (
            engine.hybrid_dynamics(0 * ONE, 0 * ONE, 2 * ONE, np.array([is_held]), 50 * ONE, [push])
            for is_held in (True, False)
        )
    np.testing.assert_allclose(held[1], mass * (9.81 + 2) - 200, rtol=0, atol=1e-12)
    np.testing.assert_allclose(free[0], 250 / mass - 9.81, rtol=1e-12)


def test_a_held_joint_and_a_loose_one_answer_together(kind):
    """A cart pulled with a: the bob at angle q feels g and -a, the cart both masses."""
    plant, q, a = pendulum_on_cart(1.0, 2.0, 0.7), 0.6, 3.0
    q2, zero = np.array([[0.0], [q]]), np.zeros((2, 1))
    held = np.array([True, False])
    with open_engine(kind, plant, G) as engine:
        qdd, effort = engine.hybrid_dynamics(q2, zero, np.array([[a], [99.0]]), held, zero)
    angular = -(9.81 * np.sin(q) - a * np.cos(q)) / 0.7
    np.testing.assert_allclose(qdd[:, 0], [a, angular], rtol=1e-12)
    force = 3.0 * a - 2.0 * 0.7 * angular * np.cos(q)
    np.testing.assert_allclose(effort[:, 0], [force, 0.0], rtol=1e-12, atol=1e-12)


def test_what_is_no_number_is_none_in_the_answer_and_spoils_no_other(kind):
    q = np.array([[0.1, np.nan, 0.1]])
    nothing, held = np.zeros_like(q), np.array([True])
    with open_engine(kind, pendulum(1.0, 1.0), G) as engine:
        qdd, tau = engine.hybrid_dynamics(q, nothing, nothing, held, nothing)
    np.testing.assert_array_equal(np.isnan(tau), [[False, True, False]])
    np.testing.assert_array_equal(np.isnan(qdd), np.isnan(tau))
    assert tau[0, 0] == tau[0, 2]


def test_a_payload_has_mass_while_it_is_carried(kind):
    loaded = lift(2.0).with_payload(3.0, (0, 0, 0), np.diag([0.1, 0.1, 0.1]), "load")
    weigh = (0 * ONE, 0 * ONE, 0 * ONE, np.array([True]), 0 * ONE)
    with open_engine(kind, loaded, G, keep_separate=("payload",)) as engine:
        forces = []
        for carried in (True, False, True):
            engine.set_payloads({"payload": carried})
            forces.append(engine.hybrid_dynamics(*weigh)[1][0, 0])
    np.testing.assert_allclose(forces, 9.81 * np.array([5.0, 2.0, 5.0]), rtol=1e-12)


def march_of(plant, **more):
    given = {
        "h": 0.1,
        "t": np.array([0.1, 0.2]),
        "start": np.array([[0.0, 0.0], [0.4, 0.0]]),
        "driven": np.array([True, False]),
        "commands": np.array([[0.3, 0.5], [0.0, 0.0]]),
        "places": np.array([[0.03, 0.08], [0.0, 0.0]]),
    }
    return March(**(given | more))


def test_a_step_obeys_the_law_of_the_contract(kind):
    """tau = M (v' - v)/h + C v + g at the old state, and q' = q + h v': by hand, on a cart."""
    m, length = 2.0, 0.7
    with open_engine(kind, pendulum_on_cart(1.0, m, length), G) as engine:
        read = engine.march(march_of(engine.robot))
    q, v = np.array([0.0, 0.4]), np.zeros(2)
    for k, command in enumerate((0.3, 0.5)):
        s, c = np.sin(q[1]), np.cos(q[1])
        # the bob is at x = s - l sin q: a cart's acceleration a, and ml(l q" - a cos q + g sin q)=0
        a = (command - v[0]) / 0.1
        angular = (a * c - 9.81 * s) / length
        force = (1.0 + m) * a - m * length * (angular * c - v[1] ** 2 * s)
        v = np.array([command, v[1] + 0.1 * angular])
        q = q + 0.1 * v
        np.testing.assert_allclose(read[:, 0, k], q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(read[:, 1, k], v, rtol=0, atol=1e-12)
        np.testing.assert_allclose(read[:, 2, k], [force, 0.0], rtol=0, atol=1e-11)


def test_a_march_goes_on_from_where_it_is_whatever_is_asked_between(kind):
    plant = pendulum_on_cart(1.0, 2.0, 0.7)
    with open_engine(kind, plant, G) as engine:
        whole = engine.march(march_of(plant))
        parts = []
        for k in range(2):
            one = slice(k, k + 1)
            whole_march = march_of(plant)
            part = March(
                h=0.1,
                t=whole_march.t[one],
                start=whole_march.start if k == 0 else None,
                driven=whole_march.driven,
                commands=whole_march.commands[:, one],
                places=whole_march.places[:, one],
            )
            parts.append(engine.march(part))
    np.testing.assert_allclose(np.concatenate(parts, axis=2), whole, rtol=0, atol=1e-14)


def test_a_payload_goes_in_the_middle_of_a_march(kind):
    loaded = lift(2.0).with_payload(3.0, (0, 0, 0), np.diag([0.1, 0.1, 0.1]), "load")
    still = PrescribedLoads(carried=[(0.0, {"payload": True}), (0.5, {"payload": False})])

    def rest(t):
        return (np.zeros((1, t.size)),) * 3

    with open_engine(kind, loaded, G, keep_separate=("payload",)) as engine:
        found = solve_stepped(engine, T, rest, np.array([True]), None, still)
    np.testing.assert_allclose(found.tau[0, T < 0.5 - 1e-9], 5 * 9.81, rtol=1e-9)
    np.testing.assert_allclose(found.tau[0, T > 0.5 - 1e-9], 2 * 9.81, rtol=1e-9)


def test_halving_the_step_divides_the_torque_error_by_four(kind):
    def error(dt):
        t = np.linspace(0.0, 1.0, round(1 / dt) + 1)
        with open_engine(kind, pendulum(2.0, 0.7, 0.05), G) as engine:
            found = solve_stepped(engine, t, swing, np.array([True]), None)
        q, _, qdd = swing(t)
        return np.abs(found.tau - (1.03 * qdd + 2 * 9.81 * 0.7 * np.sin(q))).max()

    assert error(4e-3) / error(2e-3) == pytest.approx(4.0, rel=0.05)


def test_a_free_pendulum_swings_as_the_elliptic_functions_say(kind):
    length, amplitude = 0.7, 2.5
    rate, m = np.sqrt(9.81 / length), np.sin(amplitude / 2) ** 2
    t = np.linspace(0.0, 2.0, 201)
    with open_engine(kind, pendulum(2.0, length), G) as engine:
        found = solve_adaptive(engine, t, loose([amplitude]))
    sn, cn, dn, _ = ellipj(rate * t + ellipk(m), m)
    wanted = 2 * np.arcsin(np.sqrt(m) * sn)
    np.testing.assert_allclose(found.q[0], wanted, rtol=0, atol=1e-9)
    speed = 2 * np.sqrt(m) * rate * cn * dn / np.sqrt(1 - m * sn**2)
    np.testing.assert_allclose(found.qd[0], speed, rtol=0, atol=1e-9 * rate)
    assert not found.tau.any() and not found.tau_error.any()


def test_the_tool_of_a_mounted_robot_is_where_trigonometry_says(kind):
    weld = small.joint("weld", "fixed", "arm", "tip", "1 0 0", '<origin xyz="0.5 0 0"/>')
    turn = small.joint("turn", "revolute", "ground", "arm", "0 0 1")
    arm = robot(small.link("arm", 1.0), turn, small.link("tip", 1.0, "0.1 0.2 0.3"), weld)
    xyz, rpy = (1.0, 2.0, 3.0), (0.4, -0.5, 0.6)
    with open_engine(kind, arm.mounted(xyz, rpy), G) as engine:
        tool = engine.energies(0.3 * ONE, 2.0 * ONE, ()).tool
    R = rotation_from_rpy(rpy)
    reach = np.array([np.cos(0.3), np.sin(0.3), 0])
    np.testing.assert_allclose(tool[:3, 0], xyz + R @ (0.5 * reach), rtol=0, atol=1e-12)
    sideways = np.array([-reach[1], reach[0], 0])
    np.testing.assert_allclose(tool[7:10, 0], R @ sideways, rtol=0, atol=1e-12)
    np.testing.assert_allclose(tool[10:, 0], 2 * R[:, 2], rtol=0, atol=1e-12)


def test_a_robot_without_a_moving_tool_has_no_motion_of_one(kind):
    fork = robot(
        small.link("left", 1.0),
        small.joint("a", "revolute", "ground", "left", "0 0 1"),
        small.link("right", 1.0),
        small.joint("b", "revolute", "ground", "right", "0 0 1"),
    )
    with open_engine(kind, fork, G) as engine:
        assert engine.energies(np.zeros((2, 1)), np.zeros((2, 1)), ("left",)).tool is None


def test_the_range_of_a_joint_does_not_stop_the_engine(kind):
    ur10 = load_robot("ur10")  # its joints stop at 2π
    q = np.full((6, 1), 7.0)
    with open_engine(kind, ur10, G) as engine:
        beyond, within = (
            solve_ideal(engine, T[:1], at, 0 * q, 0 * q).tau for at in (q, q - 2 * np.pi)
        )
    np.testing.assert_allclose(beyond, within, rtol=0, atol=1e-9)


def test_damping_friction_range_and_ratings_of_the_urdf_are_left_to_the_model(kind):
    more = '<dynamics damping="3" friction="4"/>'
    slide = small.joint("slide", "prismatic", "ground", "load", "0 0 1", more)
    rough = slide.replace('100"', '0.1"').replace('"1000"', '"0.5"')
    with open_engine(kind, robot(small.link("load", 2.0), rough), G) as engine:
        _, force = engine.hybrid_dynamics(0 * ONE, 5 * ONE, 0 * ONE, np.array([True]), 0 * ONE)
        march = March(0.1, T[1:2], np.array([[0.0, 5.0]]), np.array([False]), 0 * ONE, 0 * ONE)
        after = engine.march(march)
    np.testing.assert_allclose(force, 2 * 9.81, rtol=1e-12)
    np.testing.assert_allclose(after[0, 1], 5 - 0.981, rtol=1e-12)


def test_a_march_that_is_no_number_names_joint_and_time(kind):
    commands = np.array([[0.3, np.nan], [0.0, 0.0]])
    arm = double_pendulum(1.0, 1.0, 0.5, 0.5)
    broken = march_of(arm, commands=commands, driven=np.array([True, True]))
    with (
        open_engine(kind, arm, G) as engine,
        pytest.raises(EngineError, match=r"joint '(shoulder|elbow)' is .* at t = 0\.[12] s"),
    ):
        engine.march(broken)


def test_progress_is_told_and_nothing_is_printed_or_left(kind, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = []
    with open_engine(kind, lift(1.0), G, told.append) as engine:
        nothing = np.zeros((1, 5))
        solve_ideal(engine, T[:5], nothing, nothing, nothing)
        engine.energies(nothing, nothing, ("load",))
        wild = March(1.0, T[:1], np.array([[1e12, 1e12]]), np.array([False]), 0 * ONE, 0 * ONE)
        engine.march(wild)  # MuJoCo warns of such numbers, and would write a log
    assert told == [5, 10, 11]
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []

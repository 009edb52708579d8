"""Sampled controllers: model and engines against recurrences, Pinocchio and closed forms."""

import numpy as np
import pinocchio as pin
import pytest
from msgspec.structs import replace
from scipy.integrate import solve_ivp

from sim.control import ComputedTorque, PDGravity
from sim.dynamics import ControlLoop, LagrangianDynamics, sense_positions, solve_motion
from sim.dynamics.single_state import switch
from sim.engines.adaptive import solve_adaptive
from sim.engines.bullet.bullet import Bullet
from sim.engines.mujoco.mujoco import Mujoco
from sim.errors import ScenarioError
from tests.helpers.free_paths import loose
from tests.helpers.small_robots import double_pendulum, joint, lift, link, robot

MACHINE_CODE = True

G = (0.0, 0.0, -9.81)
EXACT = 1e-10  # rad, m, rad/s: what PyBullet's answers leave of a motion of a second


def loop_of(robot, law, T, wanted=None, **more):
    n = len(robot.row_names)
    rest = np.zeros((n, 1)) if wanted is None else np.array(wanted, dtype=float)[:, None]

    def reference(t):
        still = np.zeros((n, t.size))
        return rest + still, still, still

    given = {
        "start_state": None,
        "delay": 0,
        "quantum": np.zeros(n),
        "noise": np.zeros(n),
        "seed": 0,
        "limits": np.full(n, np.inf),
        "idle": np.zeros(n, dtype=bool),
    }
    return ControlLoop(robot, law, sample_time=T, reference=reference, **{**given, **more})


def answers(robot, loop, q0, qd0, t):
    """Of the model, of PyBullet and of MuJoCo."""
    path = replace(loose(q0, qd0), actuation=loop)
    yield solve_motion([(0.0, LagrangianDynamics(robot, G))], path, t)
    for kind in (Bullet, Mujoco):
        with kind(robot, G) as engine:
            yield solve_adaptive(engine, t, path).solved


def pd(kp, kd):
    return lambda x, state: (kp * (x.q_ref - x.q) - kd * x.qd, state)


@pytest.mark.parametrize(("T", "delay"), [(0.05, 0), (0.1, 2), (0.025, 1)])  # dt is 0.05 s
def test_a_block_moves_as_the_recurrence_says(T, delay):
    mass, limit, t = 2.0, 8.9, np.linspace(0.0, 1.0, 21)
    law = pd(60.0, 9.0)
    place, speed, waiting, wanted, work = 0.1, -0.2, [0.0] * delay, [], 0.0
    for k in range(round(1.0 / T)):
        waiting.append(60.0 * (0.4 - place) - 9.0 * speed)
        asked = waiting.pop(0)
        pull = max(-limit, min(limit, asked)) / mass
        own = t[(t > k * T - 1e-9) & (t < (k + 1) * T - 1e-9)] - k * T
        wanted += [
            [place + speed * x + pull * x * x / 2, speed + pull * x, asked, abs(asked) > limit,
             work + mass * pull * (speed * x + pull * x * x / 2)]
            for x in own
        ]  # fmt: skip
        work += mass * pull * (speed * T + pull * T * T / 2)
        place, speed = place + speed * T + pull * T * T / 2, speed + pull * T
    q, qd, command, cut, works = np.transpose(wanted)
    robot = lift(mass, "1 0 0")
    loop = loop_of(robot, law, T, [0.4], delay=delay, limits=np.array([limit]))
    assert cut.any()
    for found in answers(robot, loop, [0.1], [-0.2], t):
        first = slice(None, -1)
        np.testing.assert_allclose(found.q[0, first], q, rtol=0, atol=EXACT)
        np.testing.assert_allclose(found.q[0, -1], place, rtol=0, atol=EXACT)
        np.testing.assert_allclose(found.qd[0, first], qd, rtol=0, atol=EXACT)
        np.testing.assert_allclose(found.works.work[0, first], works, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.control.command[0, first], command, rtol=0, atol=1e-8)
        assert (found.control.saturated[0, first] == cut).all()
        held = np.clip(found.control.command, -limit, limit)
        np.testing.assert_allclose(found.tau, held, rtol=0, atol=1e-12)


@pytest.mark.parametrize("law", [PDGravity, ComputedTorque])
def test_a_double_pendulum_under_a_shipped_law_moves_as_pinocchio_says(law):
    robot, T, count = double_pendulum(1.5, 0.8, 0.6, 0.9), 0.01, 30
    model = pin.buildModelFromXML(robot.text)
    data = model.createData()
    control, w, goal = law(robot, 15.0, 0.8), 15.0, np.array([0.5, -0.2])
    m = np.diag(pin.crba(model, data, np.zeros(2)).copy())
    q, v, wanted = np.array([1.2, -0.5]), np.array([0.3, -1.0]), []
    for _ in range(count):
        wanted.append(np.concatenate([q, v]))
        pull = w * w * (goal - q) - 2 * 0.8 * w * v
        if law is PDGravity:
            u = m * pull + pin.computeGeneralizedGravity(model, data, q)
        else:
            u = pin.rnea(model, data, q, v, pull)
        u = u.copy()

        def rate(t, y, u=u):
            return np.concatenate([y[2:], pin.aba(model, data, y[:2], y[2:], u)])

        tight = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}
        y = solve_ivp(rate, (0.0, T), np.concatenate([q, v]), **tight).y[:, -1]
        q, v = y[:2], y[2:]
    wanted.append(np.concatenate([q, v]))
    t = np.linspace(0.0, count * T, count + 1)
    loop = loop_of(robot, control, T, goal)
    for found in answers(robot, loop, [1.2, -0.5], [0.3, -1.0], t):
        state = np.concatenate([found.q, found.qd]).T
        np.testing.assert_allclose(state, wanted, rtol=0, atol=EXACT)


def sliding(place, speed, pull, dry, h):
    """Place and speed of a unit mass after h under a constant pull against dry friction."""
    while h > 0:
        if speed == 0.0 and abs(pull) <= dry:
            return place, 0.0
        sense = np.sign(speed) if speed else np.sign(pull)
        a = pull - sense * dry
        stops = -speed / a if speed * a < 0 else np.inf
        now = min(h, stops)
        place, speed = place + speed * now + a * now * now / 2, speed + a * now
        speed = 0.0 if now == stops else speed
        h -= now
    return place, speed


def test_dry_friction_stops_holds_and_releases_a_block_within_a_sample():
    dry, T, count = 4.5, 0.05, 40
    robot = lift(1.0, "1 0 0", f'<dynamics friction="{dry}"/>')

    def law(x, state):  # to and fro, with rests
        return np.array([6.0 * np.cos(4 * x.t)]), state

    place, speed, wanted, rests = 0.0, 0.0, [], 0
    for k in range(count):
        wanted.append([place, speed])
        rests += speed == 0.0
        place, speed = sliding(place, speed, 6.0 * np.cos(4 * k * T), dry, T)
    wanted.append([place, speed])
    assert rests > 3
    t = np.linspace(0.0, count * T, count + 1)
    for found in answers(robot, loop_of(robot, law, T), [0.0], [0.0], t):
        np.testing.assert_allclose(found.q[0], np.transpose(wanted)[0], rtol=0, atol=EXACT)
        np.testing.assert_allclose(found.qd[0], np.transpose(wanted)[1], rtol=0, atol=EXACT)


def test_a_block_that_comes_to_rest_in_the_last_step_rests_at_the_last_sample():
    robot = lift(1.0, "1 0 0", '<dynamics friction="4.5"/>')
    loop = loop_of(robot, lambda x, state: (np.zeros(1), state), 0.05)
    path = replace(loose([0.0], [1.0]), actuation=loop)  # it stops at 1 / 4.5 s
    found = solve_motion([(0.0, LagrangianDynamics(robot, G))], path, np.linspace(0.0, 0.25, 6))
    assert found.stuck[0].tolist() == [False] * 5 + [True]
    np.testing.assert_allclose(found.friction[0], [4.5] * 5 + [0.0], rtol=0, atol=1e-12)


def test_the_classic_rule_knows_its_own_error():
    """x' = v, v' = -d v under no command: what one step leaves of exp(-d T), and of two halves."""
    d, T = 30.0, 0.02
    robot = lift(1.0, "1 0 0", f'<dynamics damping="{d}"/>')
    loop = loop_of(robot, lambda x, state: (np.zeros(1), state), T, rule="RK4")
    path = replace(loose([0.0], [1.0]), actuation=loop)
    found = solve_motion([(0.0, LagrangianDynamics(robot, G))], path, np.array([0.0, T]))

    def step(z):
        return 1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24

    errors, parts = [abs(step(-d * T / n) ** n - step(-d * T / n / 2) ** (2 * n))
                     for n in (1, 2, 4, 8, 16, 32, 64)], (1, 2, 4, 8, 16, 32, 64)  # fmt: skip
    taken = next(k for k, error in enumerate(errors) if error <= 1e-10)
    np.testing.assert_allclose(found.control.errors, [errors[taken]], rtol=1e-3)
    assert abs(found.qd[0, -1] - step(-d * T / parts[taken]) ** parts[taken]) < 1e-14


def test_what_is_sensed_follows_from_seed_and_sample_alone():
    q, noise, quantum = np.array([0.3, -0.2]), np.array([1e-3, 0.0]), np.array([0.0, 0.01])
    philox = np.random.Philox(key=7, counter=[0, 0, 0, 5])
    wanted = 0.3 + 1e-3 * np.random.Generator(philox).standard_normal(2)[0]
    later = sense_positions(q, 6, quantum, noise, 7)
    seen = sense_positions(q, 5, quantum, noise, 7)
    assert seen[0] == wanted != later[0]
    assert seen[1] == pytest.approx(-0.2, abs=1e-15)
    for place, step in ((0.0149, 0.01), (0.0151, 0.02), (-0.0151, -0.02)):
        assert sense_positions(np.array([0.0, place]), 0, quantum, 0 * noise, 7)[1] == step


def test_a_loop_that_diverges_is_named_by_its_energy():
    robot = lift(1.0, "1 0 0")
    path = replace(loose([0.0], [0.1]), actuation=loop_of(robot, pd(0.0, 500.0), 0.01))
    with pytest.raises(ScenarioError, match=r"diverges: at sample \d+, t = .* s, .* J.*'slide'"):
        solve_motion([(0.0, LagrangianDynamics(robot, G))], path, np.linspace(0, 1, 101))


def test_a_joint_that_dry_friction_holds_has_a_speed_of_zero_while_another_moves(monkeypatch):
    """It is 0, not the engine's rounding, whose sign would be taken for that of a motion.

    Machine code takes the same steps as NumPy.
    """
    arm = robot(
        link("upper", 4.0, "0.2 0 0.01", "0.01 0.06 0.06"),
        link("fore", 2.5, "0.15 0.02 0", "0.004 0.03 0.03"),
        joint("turn", "revolute", "ground", "upper", "0 1 0"),
        joint(
            *("elbow", "revolute", "upper", "fore", "0 1 0"),
            '<origin xyz="0.45 0 0"/><dynamics friction="30"/>',
        ),
    )
    t = np.linspace(0.0, 0.2, 51)
    loop = loop_of(arm, lambda x, state: (np.array([40 * np.cos(9 * x.t), 0.0]), state), 4e-3)
    start = np.array([-0.3, 0.4]), np.zeros(2)
    fast = list(answers(arm, loop, *start, t))
    monkeypatch.setenv(switch.SWITCH, "0")
    for found, peer in zip(answers(arm, loop, *start, t), fast, strict=True):
        np.testing.assert_allclose(peer.q, found.q, rtol=0, atol=1e-12)
        some = found.during(np.array([50, 3])).control
        np.testing.assert_array_equal(some.command, found.control.command[:, [50, 3]])
        np.testing.assert_array_equal(some.errors, found.control.errors)
        assert found.stuck[1].all() and np.ptp(found.q[0]) > 0.01
        np.testing.assert_array_equal(found.qd[1], 0.0)
        np.testing.assert_array_equal(found.q[1], 0.4)

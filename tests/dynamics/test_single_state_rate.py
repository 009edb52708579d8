"""One state at a time against the batch, which the tests of the balance hold against textbooks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.hybrid import LagrangianDynamics
from sim.dynamics.single_state import switch
from sim.dynamics.single_state.rate import by_batch, rate_of
from sim.dynamics.stick_slip import margins
from sim.dynamics.wrench import AppliedWrench
from sim.errors import ScenarioError
from sim.robots import DriveTrain, JointFriction
from sim.robots.joint_friction import INPUTS
from tests.helpers.free_paths import beside, loose
from tests.helpers.random_worlds import worlds
from tests.helpers.random_wrenches import random_wrenches
from tests.helpers.small_robots import double_pendulum, geared, joint, lift, link, robot
from tests.helpers.stateless_loads import loads_by

pytestmark = pytest.mark.usefixtures("compiled")

G = (0.0, 0.0, -9.81)
CLOSE = 1e-11  # of the largest rate or power; a mass matrix stands between


class AnyDynamics(LagrangianDynamics):
    """Hybrid dynamics that is not known to be the model's."""


def chain(*dynamics):
    """Hinge, slide, hinge, each with its own mass off every axis."""
    rods = [link(f"rod_{k}", 1.0 + k, "0.1 0.2 -0.3", "0.02 0.03 0.04") for k in range(3)]
    more = [f'<origin xyz="0.1 {k} 0.3"/>' + text for k, text in enumerate(dynamics)]
    return robot(
        *rods,
        joint("root", "revolute", "ground", "rod_0", "0.6 0 0.8", more[0]),
        joint("slide", "prismatic", "rod_0", "rod_1", "0 0.6 0.8", more[1]),
        joint("tip", "revolute", "rod_1", "rod_2", "0 1 0", more[2]),
    )


RUB = [f'<dynamics friction="{f}" damping="{d}"/>' for f, d in ((2, 0.3), (5, 0.1), (1, 0.2))]


def modes(slide, stuck=None):
    sense = np.array(slide, dtype=float)
    return FrictionModes(
        np.zeros(sense.size, dtype=bool) if stuck is None else np.array(stuck), sense
    )


@pytest.fixture(params=["0", "1"], ids=["NumPy", "machine code"], autouse=True)
def backend(request, monkeypatch):
    """Without numba the kernels run as they are written."""
    monkeypatch.setenv(switch.SWITCH, request.param)
    monkeypatch.setattr(switch, "is_installed", lambda: True)


def hold_against_batch(mechanism, modes, seed=0):
    free = mechanism.prescription.free
    n, f = free.size, int(free.sum())
    rng = np.random.default_rng(seed)
    one, batch = rate_of(mechanism, modes), by_batch(mechanism, modes)
    for time in (0.0, 0.7):
        y = rng.normal(size=2 * f + 2 * n + 1)
        sense = modes.slide[free]
        y[f : 2 * f] = np.where(sense == 0, y[f : 2 * f], sense * np.abs(y[f : 2 * f]))
        y[f : 2 * f][modes.stuck[free]] = 0.0
        wanted, found = batch(time, y), one(time, y)
        for part in (slice(0, 2 * f), slice(2 * f, None)):
            size = np.abs(wanted[part]).max(initial=1.0)
            np.testing.assert_allclose(found[part], wanted[part], rtol=0, atol=CLOSE * size)
        spare = one.spare_friction(np.array([time]), y[:, None])
        if switch.is_on() and modes.stuck.any():
            wanted = margins(mechanism, modes, np.array([time]), y[:, None])[modes.stuck]
            size = np.abs(wanted).max(initial=1.0)
            np.testing.assert_allclose(spare[modes.stuck], wanted, rtol=0, atol=CLOSE * size)
    return one


def mechanism(plant, path=None, loads=None, gravity=G):
    n = len(plant.joint_names)
    path = loose([0.0] * n) if path is None else path
    return Mechanism(LagrangianDynamics(plant, gravity), path, loads and loads_by(plant, loads))


@given(worlds(most=6, mimic=True), st.integers(0, 2**16))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_free_robots_under_motors_loads_and_wrenches(world, seed):
    n = len(world.robot.joint_names)
    rng = np.random.default_rng(seed)
    motor, spring = rng.normal(size=(2, n, 1))
    wrenches = [
        replace(x, force=x.force[:, :1], torque=x.torque[:, :1])
        for x in random_wrenches(world.robot, 1, seed)
    ]
    path = loose([0.0] * n, torque=lambda t: motor * (1 + t))
    loads = lambda t, q, qd: (spring * q - qd * t, wrenches)  # noqa: E731
    hold_against_batch(mechanism(world.robot, path, loads, world.gravity), modes([0] * n), seed)


@pytest.mark.parametrize("slide", [[0, 0, 0], [1, -1, 1], [-1, 0, 1]])
def test_dry_and_viscous_friction(slide):
    stuck = [sense == 0 for sense in slide] if any(slide) else None
    hold_against_batch(mechanism(chain(*RUB)), modes(slide, stuck))


@pytest.mark.parametrize("free", [[False, True, True], [True, False, False], [False] * 3])
def test_beside_driven_joints_that_rub(free):
    path = beside(
        free,
        lambda t: tuple(np.array([[x], [-x], [2 * x]]) * (1 + t) for x in (0.3, 0.7, -2.0)),
        [0.0] * 3,
        [0.0] * 3,
    )
    hold_against_batch(mechanism(chain(*RUB), path), modes(np.where(free, [1, -1, 1], 0)))


def test_what_depends_on_time_is_not_asked_after_its_end():
    path = loose([0.0], torque=lambda t: np.where(t < 0.5, 1.0, np.nan)[None])
    ending = structs.replace(mechanism(lift(2.0), path), until=0.25)
    assert np.isfinite(rate_of(ending, modes([0]))(0.9, np.zeros(5))).all()


def test_a_follower_rubs_with_its_leader():
    dry = '<dynamics friction="0.2" damping="0.1"/>'
    pair = geared(0.3, 0.2, -3.0, dry, dry)
    hold_against_batch(mechanism(pair), modes([-1]))


def test_torques_over_time_are_those_of_the_times_prepared():
    path = loose([0.0] * 3, torque=lambda t: np.array([[1.0], [2.0], [-3.0]]) * np.sin(9 * t))
    one, y = rate_of(mechanism(chain("", "", ""), path), modes([0, 0, 0])), np.full(13, 0.2)
    times = np.array([0.1, 0.25])
    wanted = [one(time, y) for time in times]
    one.prepare(times)
    np.testing.assert_allclose([one(time, y) for time in times], wanted, rtol=1e-13, atol=0)


def law(mu=0.3, **more):
    given = {"pin_radius": 0.05, "friction_arm": 0.04, "bending_arm": 0.2, "preload": 0.3, **more}
    return JointFriction(mu, 0.7 * mu, 0.05, **given)


@pytest.mark.parametrize(
    "laws",
    [
        {"root": law(), "slide": law(0.1), "tip": law(0.2)},
        {"root": law(), "tip": law(inputs=("preload",))},
        {"slide": law(0.02, inputs=(INPUTS[3],)), "tip": law(inputs=(INPUTS[2],))},
        {"slide": law(0.2, inputs=INPUTS[1:3]), "root": law(inputs=(INPUTS[1],))},
        {"root": law(), "tip": law(2.0, max_torque=0.5)},  # one that is not to have more
    ],
)
@pytest.mark.parametrize("slide", [[1, 1, -1], [-1, 0, 1]])
def test_friction_that_follows_its_load(laws, slide):
    stuck = [sense == 0 for sense in slide]
    hold_against_batch(mechanism(chain(*RUB).with_friction(laws)), modes(slide, stuck))


def test_slow_joints_rub_with_the_static_coefficient_and_those_between_by_the_step():
    plant = double_pendulum(1.5, 0.8, 0.6, 0.9).with_friction({"shoulder": law(), "elbow": law()})
    one, batch = (f(mechanism(plant), modes([1, -1])) for f in (rate_of, by_batch))
    for slip in (0.0, 0.5, 1.1, 1.3, 1.6, 5.0):
        qd = slip * 0.05 / 0.05
        y = np.array([0.3, 1.0, qd, -qd, *np.zeros(5)])
        np.testing.assert_allclose(one(0.0, y), batch(0.0, y), rtol=0, atol=CLOSE)


def wedge(mu):
    block = joint("slope", "prismatic", "wedge", "block", "0.6216 0 -0.7833")
    floor = joint("floor", "prismatic", "ground", "wedge", "1 0 0")
    rubbing = JointFriction(mu, mu, 0.01, inputs=("reaction_force",))
    return robot(link("wedge", 0.1), link("block", 1.0), floor, block).with_friction(
        {"slope": rubbing}
    )


def test_a_load_that_grows_with_its_friction_and_fits():
    hold_against_batch(mechanism(wedge(0.1)), modes([0, 1]))


def test_friction_that_outgrows_its_load_is_refused_by_joint():
    y = np.array([0.0, 0.0, 0.0, 1.0, *np.zeros(5)])
    with pytest.raises(ScenarioError, match=r"'slope' jams at t = 0\.25 s"):
        rate_of(mechanism(wedge(8.0)), modes([0, 1]))(0.25, y)


PUSH = AppliedWrench("rod_2", np.ones(3), np.full((3, 1), 20.0), np.full((3, 1), -3.0))


def test_a_wrench_loads_joints_that_rub_by_their_load():
    plant = chain(*RUB).with_friction({"root": law(), "tip": law()})
    loads = lambda t, q, qd: (0 * q, [PUSH])  # noqa: E731
    hold_against_batch(mechanism(plant, loads=loads), modes([1, 1, -1]))


@pytest.mark.parametrize("speed", [0.0, 0.7, -1.2, 5.0])  # of the surfaces, in stiction velocities
@pytest.mark.parametrize("free", [[False, True, True], [True, False, False], [False] * 3])
def test_driven_joints_rub_by_their_load_and_in_lossy_gears(free, speed):
    laws = {"root": law(), "slide": law(0.1, max_torque=4.0), "tip": law(inputs=("preload",))}
    trains = {
        "root": DriveTrain(20, 1e-3, coulomb=0.1, coulomb_back=0.2, viscous=1e-3, efficiency=0.7),
        "tip": DriveTrain(-30, 2e-3, efficiency=0.8, efficiency_back=0.4),
    }
    plant = chain(*RUB).with_friction(laws).with_drives(trains)
    surfaces = np.array([[0.05], [0.05], [0.05]]) / [[0.05], [1.0], [0.05]]  # v_s over the radius

    def motion(t):
        rows = 0.4 * (1 + t) * np.ones((3, 1)), speed * surfaces + 0 * t, 2.0 - t * np.ones((3, 1))
        return tuple(np.broadcast_to(x, (3, t.size)).copy() for x in rows)

    path = beside(free, motion, [0.0] * 3, [0.0] * 3)
    loads = lambda t, q, qd: (0.5 * q - qd, [PUSH])  # noqa: E731
    for sense in (1, -1):
        hold_against_batch(mechanism(plant, path, loads), modes(np.where(free, sense, 0)))


@pytest.mark.parametrize("response", [LagrangianDynamics, AnyDynamics])
@pytest.mark.parametrize("pull", [-40.0, -1.0, 3.0, 60.0])
def test_what_stuck_joints_could_still_take_by_their_load_and_in_gears(pull, response):
    laws = {"root": law(), "slide": law(0.1, max_torque=4.0), "tip": law(inputs=("preload",))}
    trains = {
        "root": DriveTrain(20, 1e-3, coulomb=0.1, coulomb_back=0.2, breakaway=1.5, efficiency=0.7),
        "tip": DriveTrain(-30, 2e-3, efficiency=0.8, efficiency_back=0.4),
    }
    plant = chain(*RUB).with_friction(laws).with_drives(trains)
    path = loose([0.0] * 3, torque=lambda t: np.full((3, t.size), pull))
    moving = mechanism(plant, path, lambda t, q, qd: (0.5 * q - qd, [PUSH]))
    moving = structs.replace(moving, dynamics=response(plant, G))
    for slide in ([0, 1, 1], [0, -1, 0], [1, 1, 0], [0, 0, 0]):
        hold_against_batch(moving, modes(slide, [sense == 0 for sense in slide]))


def test_a_stuck_motor_of_an_elastic_gear_and_stuck_followers():
    train = DriveTrain(20, 1e-3, coulomb=0.1, efficiency=0.7, stiffness=3e3, gear_damping=2.0)
    plant = double_pendulum(1.5, 0.8, 0.6, 0.9).with_drives({"shoulder": train})
    loads = lambda t, q, qd: (3.0 - 0.5 * q, [])  # noqa: E731
    stuck = [name == "spin_of_shoulder" for name in plant.row_names]
    hold_against_batch(mechanism(plant, loads=loads), modes([0] * 3, stuck))
    dry = '<dynamics friction="0.2" damping="0.1"/>'
    hold_against_batch(mechanism(geared(0.3, 0.2, -3.0, dry, dry)), modes([0], [True]))


def test_a_driven_motor_loses_torque_in_its_elastic_gear():
    train = DriveTrain(20, 1e-3, coulomb=0.1, efficiency=0.7, stiffness=3e3, gear_damping=2.0)
    plant = double_pendulum(1.5, 0.8, 0.6, 0.9).with_drives({"shoulder": train})
    free, nothing = [name != "spin_of_shoulder" for name in plant.row_names], [0.0] * 3
    path = beside(
        free, lambda t: tuple(np.full((3, t.size), x) for x in (2.0, 0.6, 0.1)), nothing, nothing
    )
    loads = lambda t, q, qd: (3.0 - 0.5 * q, [])  # noqa: E731
    hold_against_batch(mechanism(plant, path, loads), modes([0] * 3))

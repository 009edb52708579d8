import math
import reprlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from sim.errors import ExpressionError, ScenarioError
from sim.functions import expression, spline
from sim.motion import JointMotion
from sim.motion.typed_drive import TypedDrive
from sim.robots import Names
from tests.helpers.small_robots import double_pendulum, geared, pendulum_on_cart

ARM = double_pendulum(2.0, 1.0, 0.5, 0.4)
CART = pendulum_on_cart(3.0, 1.0, 0.5)
DURATION = 2.0  # [s]
T = np.linspace(0.0, DURATION, 201)


def followed(motion, robot=ARM, duration=DURATION, t=T):
    """q, qd, qdd of the first joint, and of the second."""
    path = motion.on(robot, duration).at(t)
    return np.stack([path.q, path.qd, path.qdd], axis=1)


def assert_close(mine, wanted):
    scale = max(1.0, *(float(np.max(np.abs(w))) for w in wanted))
    for got, want in zip(mine, wanted, strict=True):
        assert np.max(np.abs(got - want)) <= 1e-12 * scale


# The three levels against closed forms


def test_a_displacement_is_the_function_and_its_derivatives():
    shoulder, elbow = followed(JointMotion.displacement({"shoulder": "0.3*SIN(2*time)"}))
    assert_close(shoulder, (0.3 * np.sin(2 * T), 0.6 * np.cos(2 * T), -1.2 * np.sin(2 * T)))
    assert_close(elbow, np.zeros((3, T.size)))


def test_a_velocity_is_integrated_from_the_start_position():
    motion = JointMotion.velocity({"elbow": "0.5*COS(3*time)"}, q0={"elbow": 0.2, "shoulder": -1.0})
    shoulder, elbow = followed(motion)
    assert_close(elbow, (0.2 + np.sin(3 * T) / 6, 0.5 * np.cos(3 * T), -1.5 * np.sin(3 * T)))
    assert_close(shoulder, (-np.ones(T.size), np.zeros(T.size), np.zeros(T.size)))


def test_an_acceleration_is_integrated_twice_from_start_position_and_velocity():
    motion = JointMotion.acceleration(
        {"elbow": "EXP(-time)"}, q0=[0.0, 0.4], qd0={"elbow": -0.7, "shoulder": 0.0}
    )
    _, elbow = followed(motion)
    decay = np.exp(-T)
    assert_close(elbow, (0.4 - 0.7 * T + T - 1 + decay, -0.7 + 1 - decay, decay))


@pytest.mark.parametrize(("h", "t0", "t1"), [(1.2, 0.0, 0.5), (-0.7, 0.3, 1.9), (0.4, 0.25, 0.26)])
def test_a_step_at_velocity_level_has_the_integral_of_its_cubic(h, t0, t1):
    _, elbow = followed(JointMotion.velocity({"elbow": f"STEP(time, {t0}, 0, {t1}, {h})"}))
    u = np.clip((T - t0) / (t1 - t0), 0, 1)
    late = np.maximum(T - t1, 0)
    inside = (u > 0) & (u < 1)
    q = h * (t1 - t0) * (u**3 - u**4 / 2) + h * late
    qdd = np.where(inside, 6 * h / (t1 - t0) * (u - u**2), 0)
    assert_close(elbow, (q, h * (3 * u**2 - 2 * u**3), qdd))


@given(
    st.lists(st.floats(-3, 3), min_size=1, max_size=6), st.floats(-3, 3), st.floats(-3, 3)
)  # fmt: skip
def test_polynomials_at_all_levels_have_their_exact_integrals(c, q0, qd0):
    text = f"POLY(time, 0, {', '.join(map(repr, c))})"
    p = np.polynomial.Polynomial(c)
    start = {"elbow": q0}
    wanted = {
        "displacement": (p, p.deriv(), p.deriv(2)),
        "velocity": (p.integ(1, [q0]), p, p.deriv()),
        "acceleration": (p.integ(2, [qd0, q0]), p.integ(1, [qd0]), p),
    }
    motions = {
        "displacement": JointMotion.displacement({"elbow": text}),
        "velocity": JointMotion.velocity({"elbow": text}, q0=start),
        "acceleration": JointMotion.acceleration({"elbow": text}, q0=start, qd0={"elbow": qd0}),
    }
    for level, motion in motions.items():
        assert_close(followed(motion)[1], [curve(T) for curve in wanted[level]])


@pytest.mark.parametrize("value", [2, -0.5, 1e-7, np.float64(3.0), np.int32(4)])
def test_a_plain_number_is_a_constant_rate(value):
    _, elbow = followed(JointMotion.velocity({"elbow": value}))
    assert_close(elbow, (value * T, np.full(T.size, float(value)), np.zeros(T.size)))


def test_functions_of_time_can_be_given_as_such():
    times, values = [0.0, 0.5, 1.2, 2.0], [0.0, 0.3, -0.1, 0.2]
    motion = JointMotion.displacement(
        {"shoulder": expression("time**2"), "elbow": spline(times, values)}
    )
    shoulder, elbow = followed(motion)
    assert_close(shoulder, (T**2, 2 * T, np.full(T.size, 2.0)))
    oracle = CubicSpline(times, values, bc_type="natural")
    assert_close(elbow, [oracle(T, order) for order in range(3)])


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_an_array_with_times_is_the_natural_spline_through_it_at_every_level(kind):
    times, values = np.linspace(0, DURATION, 9), np.sin(np.linspace(0, 5, 9))
    y = CubicSpline(times, values, bc_type="natural")
    Y = y.antiderivative()
    YY = Y.antiderivative()
    drive = {"elbow": kind(values.tolist())}
    _, elbow = followed(JointMotion.displacement(drive, times=times))
    assert_close(elbow, (y(T), y(T, 1), y(T, 2)))
    _, elbow = followed(JointMotion.velocity(drive, times=times, q0={"elbow": 0.3}))
    assert_close(elbow, (0.3 + Y(T), y(T), y(T, 1)))
    _, elbow = followed(JointMotion.acceleration(drive, times=times, qd0={"elbow": 0.2}))
    assert_close(elbow, (0.2 * T + YY(T), 0.2 + Y(T), y(T)))


def test_at_a_corner_the_acceleration_is_that_from_the_right():
    path = JointMotion.displacement({"elbow": "STEP(time, 0.5, 0, 1.5, 1)"}).on(ARM, DURATION)
    assert path.at([0.5]).qdd[1, 0] == pytest.approx(6.0, abs=1e-12)
    assert path.at([np.nextafter(0.5, 0)]).qdd[1, 0] == 0.0
    assert path.at([1.5]).qdd[1, 0] == 0.0
    assert {0.5, 1.5} <= set(path.corners.tolist())


# What undriven joints do


def test_joints_without_a_drive_hold_their_start():
    path = JointMotion.displacement({}, q0=[0.3, -0.4]).on(ARM, DURATION)
    assert path.at(T).q.tolist() == [[0.3] * T.size, [-0.4] * T.size]
    assert not path.at(T).qd.any()
    assert not path.at(T).qdd.any()
    assert not path.free.any()
    assert path.corners.size == 0


def test_free_joints_are_free_only_when_it_is_said_and_keep_their_start():
    motion = JointMotion.velocity({"slide": "1"}, q0={"hinge": 0.5}, free=["hinge"])
    path = motion.on(CART, DURATION)
    assert path.free.tolist() == [False, True]
    assert path.q0.tolist() == [0.0, 0.5]
    assert JointMotion.velocity({"slide": "1"}).on(CART, DURATION).free.tolist() == [False, False]


def test_a_start_may_be_a_mapping_an_array_or_nothing():
    for q0 in ({"elbow": 0.4}, [0.0, 0.4], np.array([0.0, 0.4]), (0, 0.4)):
        assert JointMotion.velocity({}, q0=q0).on(ARM, 1.0).q0.tolist() == [0.0, 0.4]
    assert JointMotion.velocity({}).on(ARM, 1.0).q0.tolist() == [0.0, 0.0]


def test_times_may_be_one_number():
    path = JointMotion.velocity({"elbow": "2"}).on(ARM, DURATION)
    assert path.at(1.0).q.tolist() == [[0.0], [2.0]]


# Torques


def test_a_torque_leaves_the_joint_free_and_stands_beside_the_others():
    motion = JointMotion.torque({"hinge": "3*SIN(2*time)"}, q0={"hinge": 0.5}, qd0=[0.0, -2.0])
    path = (motion | JointMotion.displacement({"slide": "time"})).on(CART, DURATION)
    assert path.free.tolist() == [False, True]
    assert (path.q0.tolist(), path.qd0.tolist()) == ([0.0, 0.5], [0.0, -2.0])
    assert_close(path.actuation.torque(T), [0 * T, 3 * np.sin(2 * T)])
    assert path.at(T).q[0].tolist() == T.tolist()


@pytest.mark.parametrize("value", [2, -0.5, np.float64(3.0)])
def test_a_plain_number_is_a_constant_torque(value):
    path = JointMotion.torque({"elbow": value}).on(ARM, DURATION)
    assert_close(path.actuation.torque(T), [0 * T, np.full(T.size, float(value))])


def test_a_motion_without_torques_has_none():
    path = JointMotion.velocity({"slide": "1"}, free=["hinge"]).on(CART, DURATION)
    assert path.actuation is None


def test_an_array_with_times_is_a_torque_too():
    times, values = np.linspace(0, DURATION, 9), np.sin(np.linspace(0, 5, 9))
    path = JointMotion.torque({"elbow": values}, times=times).on(ARM, DURATION)
    assert_close(path.actuation.torque(T)[1:], [CubicSpline(times, values, bc_type="natural")(T)])


def test_free_joints_may_be_named_beside_torques():
    path = JointMotion.torque({"slide": "1"}, free=["hinge"]).on(CART, DURATION)
    assert path.free.all()


@pytest.mark.parametrize(
    ("drive", "corners"),
    [
        ("STEP(time, 0.5, 0, 1.5, 1)", [0.5, 1.5]),
        (spline(np.linspace(0, 2, 5), np.arange(5.0) ** 2, "linear"), [0.5, 1.0, 1.5]),
        # a torque with two derivatives needs no new start of a solver
        (spline(np.linspace(0, 2, 5), np.arange(5.0) ** 2, "cubic"), []),
    ],
)
def test_the_corners_of_a_torque_are_where_it_is_not_smooth(drive, corners):
    path = JointMotion.torque({"elbow": drive}).on(ARM, DURATION)
    assert [t for t in path.corners if 0 < t < DURATION] == corners


def test_a_spline_that_prescribes_a_motion_has_its_corners_at_every_point():
    drive = spline(np.linspace(0, 2, 5), np.arange(5.0) ** 2)
    path = JointMotion.displacement({"elbow": drive}).on(ARM, DURATION)
    assert {0.5, 1.0, 1.5} <= set(path.corners.tolist())


# Two motions joined


def test_two_motions_join_and_the_first_start_counts():
    first = JointMotion.velocity({"shoulder": "1"}, q0=[0.1, 0.2])
    second = JointMotion.displacement({"elbow": "2*time"}, q0=[9.0, 9.0])
    shoulder, elbow = followed(first | second)
    assert_close(shoulder, (0.1 + T, np.ones(T.size), np.zeros(T.size)))
    assert_close(elbow, (2 * T, np.full(T.size, 2.0), np.zeros(T.size)))
    assert followed(JointMotion.velocity({}) | second)[0][0][0] == 9.0


def test_free_joints_of_both_motions_stay_free():
    both = JointMotion.velocity({}, free=["hinge"]) | JointMotion.velocity({}, free=["hinge"])
    assert both.free == ("hinge",)


def refused(act, error=ScenarioError):
    with pytest.raises(error) as caught:
        act()
    return str(caught.value)


def test_two_motions_for_one_joint_are_refused():
    drive = JointMotion.velocity({"elbow": "1"})
    text = refused(lambda: drive | JointMotion.displacement({"elbow": "time"}))
    assert text == "Joint 'elbow' has two motions; a joint can have only one drive"


# Bad input


def test_a_motion_for_an_unknown_joint_is_refused_with_those_there_are():
    text = refused(lambda: JointMotion.velocity({"knee": "1"}).on(ARM, 1.0))
    assert text == (
        "Motion for joint 'knee': it is not in robot 'small'; "
        "joints that can be driven: shoulder, elbow"
    )
    assert "'knee'" in refused(lambda: JointMotion.velocity({}, free=["knee"]).on(ARM, 1.0))


def test_a_joint_that_follows_another_cannot_be_driven():
    text = refused(lambda: JointMotion.velocity({"output": "1"}).on(geared(1.0, 1.0, 2.0), 1.0))
    assert text == (
        "Motion for joint 'output': it follows 'input'; drive that joint; "
        "joints that can be driven: input"
    )


@pytest.mark.parametrize("level", [JointMotion.velocity, JointMotion.torque])
def test_a_joint_cannot_be_driven_and_free_at_once(level):
    motion = level({"elbow": "1"}, free=["elbow"])
    text = refused(lambda: motion.on(ARM, 1.0))
    assert text == "Joint 'elbow' is both driven and free; choose one"


@pytest.mark.parametrize(
    ("q0", "said"),
    [
        ({"knee": 1.0}, "q0 for joint 'knee': it is not in robot 'small'; joints: shoulder, elbow"),
        (
            [1.0],
            "q0 needs 2 values, one per joint of robot 'small' (shoulder, elbow); got shape (1,)",
        ),
        (1.0, "q0 needs 2 values, one per joint of robot 'small' (shoulder, elbow); got shape ()"),
        ({"elbow": math.nan}, "q0 of joint 'elbow' must be finite, got nan"),
        ([math.inf, 0.0], "q0 of joint 'shoulder' must be finite, got inf"),
        ({"elbow": "up"}, "q0 must be numbers, one per joint; got [0.0, 'up']"),
        ("home", "q0 must be numbers, one per joint; got 'home'"),
        (
            [0, 10**40 + 10**399],
            f"q0 must be numbers, one per joint; got {reprlib.repr([0, 10**40 + 10**399])}",
        ),
    ],
)
def test_a_start_that_does_not_fit_is_refused(q0, said):
    assert refused(lambda: JointMotion.velocity({}, q0=q0).on(ARM, 1.0)) == said


def test_a_start_velocity_that_does_not_fit_is_called_by_its_name():
    motion = JointMotion.acceleration({}, qd0={"elbow": math.nan})
    assert refused(lambda: motion.on(ARM, 1.0)) == "qd0 of joint 'elbow' must be finite, got nan"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_refused_by_joint(value):
    text = refused(lambda: JointMotion.velocity({"elbow": value}))
    assert text == f"Motion for joint 'elbow': {value} is not a finite number"


@pytest.mark.parametrize("drive", [None, object(), 1j])
def test_what_is_no_drive_is_refused_by_joint(drive):
    text = refused(lambda: JointMotion.velocity({"elbow": drive}))
    assert text.startswith("Motion for joint 'elbow': a drive is an expression, a number")


def test_an_array_needs_its_times():
    text = refused(lambda: JointMotion.velocity({"elbow": [0, 1, 2, 3]}))
    assert text == (
        "Motion for joint 'elbow': an array of shape (4,) needs its times [s]; "
        "pass them as `times=`"
    )


def test_an_array_that_makes_no_spline_is_refused_by_joint():
    text = refused(lambda: JointMotion.velocity({"elbow": [0, 1, 2]}, times=[0, 1, 2, 3]))
    assert text.startswith("Motion for joint 'elbow': A spline needs one y for each x")


def test_a_malformed_expression_is_shown_with_its_joint_and_a_caret():
    act = lambda: JointMotion.velocity({"elbow": "STEP(time, 0, 0, 1, 40q)"})  # noqa: E731
    lines = refused(act, ExpressionError).splitlines()
    assert lines[0].startswith("Motion for joint 'elbow': ")
    assert lines[1].strip() == "STEP(time, 0, 0, 1, 40q)"
    assert set(lines[2].strip()) == {"^"}


@pytest.mark.parametrize("level", ["displacement", "velocity", "acceleration", "torque"])
@pytest.mark.parametrize(
    ("text", "time"), [("SQRT(0.5 - time)", 0.5), ("1/(time - 1)", 1.0), ("LOG(1.5 - time)", 1.5)]
)
def test_a_drive_that_ends_in_mid_run_names_joint_and_time(level, text, time):
    motion = getattr(JointMotion, level)({"elbow": text})
    said = refused(lambda: motion.on(ARM, DURATION))
    assert said.startswith(f"Motion for joint 'elbow': {text} is not finite ")
    found = float(said.rsplit("t = ", 1)[1].removesuffix(" s"))
    assert found == pytest.approx(time, abs=0.1)  # sampled, and named at or soon after the place


@pytest.mark.parametrize(
    ("level", "what"), [("displacement", "velocity"), ("velocity", "acceleration")]
)
def test_a_drive_whose_slope_is_infinite_names_joint_time_and_what(level, what):
    path = getattr(JointMotion, level)({"elbow": "SQRT(ABS(time - 0.5))"}).on(ARM, DURATION)
    said = refused(lambda: path.at(T))
    assert said == f"Motion for joint 'elbow': its {what} is not finite at t = 0.5 s"


def test_a_drive_is_only_asked_within_the_run():
    path = JointMotion.velocity({"elbow": "SQRT(0.5 - time)"}).on(ARM, 0.4)
    assert np.isfinite(path.at(np.linspace(0, 0.4, 11)).q).all()


# What is told of the drives


def test_the_drives_are_told_as_typed_with_the_warnings_of_the_linter():
    motion = JointMotion.displacement({"hinge": "STEP(time, 0, 0, 1, 40)"}) | JointMotion.velocity(
        {"slide": [0, 1, 2, 3]}, times=[0, 1, 2, 3]
    )
    hinge, slide = motion.describe(CART, 3.0)
    assert (hinge.joint, hinge.level) == ("hinge", "displacement")
    assert hinge.function == "STEP(time, 0, 0, 1, 40)"
    assert any("40" in warning for warning in hinge.warnings)
    assert slide == TypedDrive("slide", "velocity", "cubic spline through 4 points")


def test_a_slide_is_not_warned_of_degrees():
    motion = JointMotion.displacement({"slide": "STEP5(time, 0, 0, 1, 10)"})
    assert motion.describe(CART, 3.0)[0].warnings == ()


def test_a_torque_is_told_with_its_level_and_without_warnings_of_degrees():
    (drive,) = JointMotion.torque({"hinge": "STEP(time, 0, 0, 1, 40)"}).describe(CART, 3.0)
    assert drive == TypedDrive("hinge", "torque", "STEP(time, 0, 0, 1, 40)")


@pytest.mark.parametrize("level", ["displacement", "velocity", "acceleration", "torque"])
def test_a_python_function_is_refused_with_what_may_stand_for_it(level):
    drive = getattr(JointMotion, level)
    text = refused(lambda: drive({"elbow": lambda t: 0 * t}))
    assert text.startswith("Motion for joint 'elbow': a Python function gives neither its deriv")
    assert "times=" in text


def test_a_python_function_of_the_state_is_refused_with_what_may_stand_for_it():
    text = refused(lambda: Names(variables={"push": abs}))
    assert text.startswith("Variable 'push': <built-in function abs> is neither")
    assert "sample a Python function into a spline" in text

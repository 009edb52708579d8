"""Motors that turn with several joints, as in wrists with bevel gears."""

import numpy as np
import pinocchio as pin
import pytest

import sim
from sim.dynamics import LagrangianDynamics, coupled_motors_of
from sim.engines import EngineDynamics
from sim.engines.opening import open_engine
from sim.errors import ModelError
from sim.robots import read_urdf
from tests.helpers.small_robots import double_pendulum, joint, link

A, J = np.array([[60.0, 45.0], [-50.0, 30.0]]), np.array([2e-4, 3e-4])
B = np.array([1e-4, 4e-5])  # N·m·s/rad
G = (0.0, 0.0, -9.81)


def wrist(viscous=(0.0, 0.0)):
    rotors = {
        f"m{k}": sim.CoupledRotor(inertia, dict(zip(("shoulder", "elbow"), row, strict=True)), b)
        for k, (inertia, row, b) in enumerate(zip(J, A.tolist(), viscous, strict=True), 1)
    }
    return double_pendulum(1.0, 0.8, 0.4, 0.3).with_coupled_rotors(rotors)


def test_the_mass_matrix_has_the_rotors_across_the_joints():
    robot, q = wrist(), np.random.default_rng(5).uniform(-3, 3, (2, 20))
    plain = double_pendulum(1.0, 0.8, 0.4, 0.3)
    more = sim.mass_matrix(robot, q) - sim.mass_matrix(plain, q)
    expected = A.T @ np.diag(J) @ A
    assert abs(expected[0, 1]) > 0.08  # not diagonal
    np.testing.assert_allclose(more, np.tile(expected[..., None], 20), rtol=0, atol=1e-12)


def test_torques_are_pinocchios_with_the_rotors_as_bodies():
    robot, rng = wrist(), np.random.default_rng(6)
    q, qd, qdd = (rng.uniform(-2, 2, 2) for _ in range(3))
    model = pin.buildModelFromXML(robot.text)  # all four turn by themselves there
    S = np.zeros((4, 2))
    rows = {"shoulder": [1, 0], "elbow": [0, 1], "spin_of_m1": A[0], "spin_of_m2": A[1]}
    for name, row in rows.items():
        S[model.joints[model.getJointId(name)].idx_v] = row
    full = [S @ x for x in (q, qd, qdd)]
    position = np.zeros(model.nq)
    for name in rows:
        k = model.joints[model.getJointId(name)]
        angle = float(full[0][k.idx_v])
        here = [angle] if k.nq == 1 else [np.cos(angle), np.sin(angle)]
        position[k.idx_q : k.idx_q + k.nq] = here
    expected = S.T @ pin.rnea(model, model.createData(), position, full[1], full[2])
    found = sim.inverse_dynamics(robot, q, qd, qdd)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)  # N·m


@pytest.mark.parametrize("kind", ["bullet", "mujoco"])
def test_accelerations_of_engines_are_the_models(kind):
    robot, rng = wrist(), np.random.default_rng(7)
    q, qd, effort = (rng.uniform(-size, size, (2, 10)) for size in (2, 3, 20))
    free, none = np.zeros(2, dtype=bool), np.zeros((2, 10))
    model, _ = LagrangianDynamics(robot, G).hybrid_dynamics(q, qd, none, free, effort)
    with open_engine(kind, robot, G, None, keep_separate=()) as engine:
        found, _ = EngineDynamics(engine).hybrid_dynamics(q, qd, none, free, effort)
    np.testing.assert_allclose(found, model, rtol=0, atol=1e-10)  # rad/s², of some 30


DIFFERENTIAL = """<transmission name="t">
  <type>transmission_interface/DifferentialTransmission</type>
  <actuator name="b"><role>actuator2</role><mechanicalReduction>-20</mechanicalReduction></actuator>
  <actuator name="a"><role>actuator1</role><mechanicalReduction>10</mechanicalReduction></actuator>
  <joint name="turn"><role>joint1</role><mechanicalReduction>2</mechanicalReduction></joint>
  <joint name="bend"><role>joint2</role><mechanicalReduction>3</mechanicalReduction></joint>
  </transmission>"""


def urdf(more="", mimic=""):
    return "\n".join(
        [
            '<robot name="wrist"><link name="ground"/>',
            link("yoke", 1.0, moments="0.1 0.1 0.1"),
            link("hand", 0.5, moments="0.1 0.1 0.1"),
            link("wheel", 0.1, moments="0.1 0.1 0.1"),
            joint("turn", "revolute", "ground", "yoke", "0 0 1"),
            joint("bend", "revolute", "yoke", "hand", "0 1 0"),
            joint("geared", "revolute", "ground", "wheel", "0 0 1", mimic),
            more,
            "</robot>",
        ]
    )


def test_a_differential_is_read_by_its_roles():
    robot = read_urdf(urdf(DIFFERENTIAL))
    ratios = {"a": {"turn": 20.0, "bend": 30.0}, "b": {"turn": -40.0, "bend": 60.0}}
    assert robot.differential_ratios == ratios
    # as the interface has it: q = (theta_1/n_1 ± theta_2/n_2) / (2 m)
    rows = np.array([list(row.values()) for row in ratios.values()])
    theta = rows @ [0.3, -0.2]
    turn, bend = theta[0] / 10 + theta[1] / -20, theta[0] / 10 - theta[1] / -20
    np.testing.assert_allclose([turn / 4, bend / 6], [0.3, -0.2], rtol=1e-14)
    with pytest.raises(ModelError, match="two actuators and two joints; it has 1 and 2"):
        _ = read_urdf(
            urdf(DIFFERENTIAL.replace('actuator name="a"', "actuator"))
        ).differential_ratios
    with pytest.raises(ModelError, match="actuator 'a' has the reduction '0'"):
        _ = read_urdf(urdf(DIFFERENTIAL.replace(">10<", ">0<"))).differential_ratios


def test_a_joint_follows_the_sum_of_its_leaders():
    two = '<mimic joint="turn" multiplier="2" offset="0.5"/>'
    two += '<mimic_plus joint="bend" multiplier="-3"/>'
    robot = read_urdf(urdf(mimic=two))
    S, q_0 = robot.coupling
    row = robot.tree_row_names.index("geared")
    np.testing.assert_array_equal(S[row], [2.0, -3.0])
    assert q_0[row] == 0.5
    with pytest.raises(ModelError, match="it has no <mimic> next to it"):
        read_urdf(urdf(mimic='<mimic_plus joint="bend"/>'))
    with pytest.raises(ModelError, match="it follows joint 'turn' twice"):
        read_urdf(urdf(mimic=two.replace("bend", "turn")))
    with pytest.raises(ModelError, match="mimics joint 'none', which does not exist"):
        read_urdf(urdf(mimic=two.replace("bend", "none")))
    with pytest.raises(ModelError, match="in a circle, geared -> geared"):
        read_urdf(urdf(mimic=two.replace("bend", "geared")))


def test_a_run_with_coupled_rotors_passes_its_checks():
    drives = {"shoulder": "STEP5(time, 0, 0, 0.2, 40d)", "elbow": "10d*SIN(9*time)**2"}
    motion = sim.JointMotion.displacement(drives)
    recording = sim.run(sim.Scenario(wrist(), motion, 0.2, dt=4e-3, method="ideal"))
    assert [(one.name, one.channel) for one in sim.check(recording) if not one.ok] == []


def test_impossible_coupled_rotors_are_refused():
    robot = wrist()
    with pytest.raises(ModelError, match="no ratios given"):
        sim.CoupledRotor(1e-4, {"elbow": 0.0})
    with pytest.raises(ModelError, match="inertia 0 kg·m² must be above 0"):
        sim.CoupledRotor(0, {"elbow": 1.0})
    with pytest.raises(ModelError, match="has 'rotor_of_m1' already"):
        robot.with_coupled_rotors({"m1": sim.CoupledRotor(1e-4, {"elbow": 1.0})})
    with pytest.raises(ModelError, match="'spin_of_m1', which follows shoulder, elbow"):
        robot.with_coupled_rotors({"m3": sim.CoupledRotor(1e-4, {"spin_of_m1": 1.0})})


def pinocchios(robot, q, qd, qdd):
    """Efforts (4,) of both joints and both rotors, each a body that turns by itself."""
    model = pin.buildModelFromXML(robot.text)
    turns = {"shoulder": [1, 0], "elbow": [0, 1], "spin_of_m1": A[0], "spin_of_m2": A[1]}
    position, rates = np.zeros(model.nq), np.zeros((2, 4))
    rows = [model.joints[model.getJointId(name)] for name in turns]
    for one, turn in zip(rows, turns.values(), strict=True):
        angle = float(np.dot(turn, q))
        here = [angle] if one.nq == 1 else [np.cos(angle), np.sin(angle)]
        position[one.idx_q : one.idx_q + one.nq] = here
        rates[:, one.idx_v] = np.dot(turn, qd), np.dot(turn, qdd)
    efforts = pin.rnea(model, model.createData(), position, *rates)
    return np.array([efforts[one.idx_v] for one in rows])


@pytest.fixture(scope="module")
def driven():
    """Both joints turn as prescribed."""
    motion = sim.JointMotion.displacement(
        {"shoulder": "0.5*SIN(3*time)", "elbow": "0.3*(1 - COS(5*time))"}
    )
    return sim.run(sim.Scenario(wrist(B), motion, duration=1.0, dt=5e-3, method="ideal"))


def test_motors_spin_their_rotors_rub_and_move_the_joints(driven):
    """Each gives what Pinocchio asks of its rotor, its friction, and a share of the joints'."""
    table = driven.recorded
    assert [one for one in sim.check(driven) if not one.ok] == []
    for k in (0, 57, 200):
        q, qd, qdd, tau = (
            [table[f"{group}.{name}"].iloc[k] for name in ("shoulder", "elbow")]
            for group in ("q", "qd", "qdd", "tau")
        )
        shoulder, elbow, *spin = pinocchios(wrist(B), q, qd, qdd)
        theta = A @ qd
        expected = np.linalg.solve(A.T, [shoulder, elbow]) + spin + B * theta
        found, speed, power, loss = (
            [table[f"{group}.m{m}"].iloc[k] for m in (1, 2)]
            for group in ("motor_tau", "motor_qd", "motor_power", "gear_loss")
        )
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)  # N·m of 0.2
        np.testing.assert_allclose(speed, theta, rtol=0, atol=1e-12)
        np.testing.assert_allclose(loss, B * theta**2, rtol=0, atol=1e-12)
        assert sum(power) == pytest.approx(np.dot(tau, qd), abs=1e-12)  # virtual work
    assert min(table[f"gear_loss.m{m}"].min() for m in (1, 2)) >= 0.0
    assert table["gear_loss.m1"].max() > 0.5  # W


@pytest.mark.parametrize(
    ("channel", "check"),
    [
        ("motor_tau.m1", "motor equations"),
        ("motor_qd.m2", "motor equations"),
        ("motor_power.m1", "motor equations"),
        ("gear_loss.m2", "gear loss"),
    ],
)
def test_a_wrong_motor_of_a_wrist_is_named(driven, channel, check):
    table = driven.recorded.copy()
    table[channel] *= 1 + 1e-6
    found = sim.check(driven.having(recorded=table))
    assert (check, channel) in [(one.name, one.channel) for one in found if not one.ok]


def test_a_free_wrist_with_rubbing_motors_keeps_its_energy():
    motion = sim.JointMotion.torque({"shoulder": "2*SIN(9*time)", "elbow": "1"})
    found = sim.run(sim.Scenario(wrist(B), motion, duration=0.2, dt=5e-3, method="adaptive"))
    assert [one for one in sim.check(found) if not one.ok] == []
    lost = sum(np.trapezoid(found.recorded[f"gear_loss.m{m}"], found.t) for m in (1, 2))
    losses = sum(found.recorded[f"loss.{name}"].iloc[-1] for name in ("shoulder", "elbow"))
    assert losses == pytest.approx(lost, rel=1e-2)  # the trapezoid's


def test_motors_whose_torques_the_joints_do_not_tell_have_no_channels():
    arm = double_pendulum(1.0, 0.8, 0.4, 0.3)
    one = arm.with_coupled_rotors({"m1": sim.CoupledRotor(1e-4, {"shoulder": 60, "elbow": 45})})
    alike = one.with_coupled_rotors({"m2": sim.CoupledRotor(1e-4, {"shoulder": 60, "elbow": 45})})
    besides = wrist().with_drives({"elbow": sim.DriveTrain(10.0)})
    assert [coupled_motors_of(robot) for robot in (arm, one, alike, besides)] == [None] * 4
    assert coupled_motors_of(wrist()).names == ("m1", "m2")
    with pytest.raises(ModelError, match="viscous"):
        sim.CoupledRotor(1e-4, {"shoulder": 60}, viscous=-1e-4)

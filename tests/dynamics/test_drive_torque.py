"""Inverse dynamics with all that acts in joints, against laws by hand and what a run records."""

from dataclasses import replace

import numpy as np
import pytest

import sim
from sim import JointFriction, JointSpring, Stop
from sim.dynamics import newton_euler
from sim.dynamics.adams_forces import ElementForces
from sim.dynamics.statics import at_rest
from tests.helpers.loop_robots import FourBar
from tests.helpers.small_robots import geared, pendulum

M, L, K, C, D, F = 2.0, 0.7, 50.0, 0.4, 0.3, 0.6
Q, QD, QDD = (np.array([[x, 0.2]]) for x in (0.3, 1.5, -2.0))
BARE = M * L * L * QDD + M * 9.81 * L * np.sin(Q)


def test_a_spring_takes_its_part_of_the_drive():
    sprung = pendulum(M, L).with_springs({"hinge": JointSpring(K, C, 0.1, 3.0)})
    expected = BARE + K * (Q - 0.1) + C * QD - 3.0
    np.testing.assert_allclose(sim.inverse_dynamics(sprung, Q, QD, QDD), expected, rtol=1e-14)


def test_friction_is_the_drives_to_give_and_is_zero_at_rest():
    rough = pendulum(M, L, more=f'<dynamics damping="{D}" friction="{F}"/>')
    qd = np.array([[1.5, 0.0]])
    expected = BARE + D * qd + F * np.sign(qd)
    np.testing.assert_allclose(sim.inverse_dynamics(rough, Q, qd, QDD), expected, rtol=1e-14)


def test_without_anything_in_its_joints_a_robot_is_as_bare_as_it_is():
    found = sim.inverse_dynamics(pendulum(M, L), Q, QD, QDD)
    np.testing.assert_array_equal(found, newton_euler.inverse_dynamics(pendulum(M, L), Q, QD, QDD))
    np.testing.assert_allclose(found, BARE, rtol=1e-14)


def test_a_spring_behind_a_gear_is_felt_through_the_gear():
    sprung = geared(0.1, 0.2, -3.0)
    follower = next(j.name for j in sprung.tree_joints if j.mimic)
    sprung = sprung.with_springs({follower: JointSpring(5.0)})
    inertia = 0.1 + 9 * 0.2
    turned = -3.0 * Q + next(j.mimic.offset for j in sprung.tree_joints if j.mimic)
    found = sim.inverse_dynamics(sprung, Q, QD, QDD)
    np.testing.assert_allclose(found, inertia * QDD - 3.0 * 5.0 * turned, rtol=1e-13)


def loaded_ur10():
    law = JointFriction(0.02, 0.015, pin_radius=0.05)
    springs = {"wrist_1_joint": JointSpring(50.0, 2.0, -1.57), "elbow_joint": JointSpring(300.0)}
    robot = sim.load_robot("ur10").with_payload(mass=5.0)
    robot = robot.with_friction({"elbow_joint": law, "shoulder_lift_joint": law})
    return robot.with_springs(springs).with_stops({"wrist_2_joint": Stop(1e3, 10.0, upper=0.1)})


def test_it_is_what_a_run_records_as_tau():
    robot = loaded_ur10()
    drives = {
        "elbow_joint": "STEP(time,0,0,0.5,40d)",
        "shoulder_lift_joint": "STEP(time,0,0,0.5,-20d)",
        "wrist_2_joint": "1.0",
    }
    motion = sim.JointMotion.velocity(drives, q0=robot.pose("upright"))
    run = sim.run(sim.Scenario(robot, motion, duration=0.5, method="ideal"))

    def rows(group):
        return run.recorded[[f"{group}.{name}" for name in robot.joint_names]].to_numpy().T

    tau = rows("tau")
    close = 1e-9 * np.abs(tau).max()
    found = sim.inverse_dynamics(robot, rows("q"), rows("qd"), rows("qdd"))
    np.testing.assert_allclose(found, tau, rtol=0, atol=close)
    bare = newton_euler.inverse_dynamics(robot, rows("q"), rows("qd"), rows("qdd"))
    assert np.abs(bare - tau).max() > 10  # N·m


def test_springs_help_to_hold_a_robot_still():
    sprung = pendulum(M, L).with_springs({"hinge": JointSpring(K, C, 0.1)})
    held = at_rest(sprung, Q)
    expected = M * 9.81 * L * np.sin(Q) + K * (Q - 0.1)
    np.testing.assert_allclose(held.tau, expected, rtol=1e-14)
    np.testing.assert_array_equal(held.reaction, at_rest(pendulum(M, L), Q).reaction)


def test_shapes_are_looked_at_with_springs_too():
    sprung = pendulum(M, L).with_springs({"hinge": JointSpring(K)})
    with pytest.raises(ValueError, match="shape"):
        sim.inverse_dynamics(sprung, Q, QD[:, :1], QDD)


def test_accelerations_are_what_inverse_dynamics_asks_the_torques_for():
    dynamics = f'<dynamics damping="{D}" friction="{F}"/>'
    sprung = pendulum(M, L, more=dynamics).with_springs({"hinge": JointSpring(K, C, 0.1)})
    tau = np.array([[4.0, -1.0]])
    pushed = tau - K * (Q - 0.1) - C * QD - D * QD - F - M * 9.81 * L * np.sin(Q)
    found = sim.forward_dynamics(sprung, Q, QD, tau)
    np.testing.assert_allclose(found, pushed / (M * L * L), rtol=1e-13)
    np.testing.assert_allclose(sim.inverse_dynamics(sprung, Q, QD, found), tau, rtol=1e-12)


def test_friction_that_follows_the_unknown_load_is_named():
    rough = pendulum(M, L).with_friction({"hinge": JointFriction(0.2, 0.1, pin_radius=0.05)})
    with pytest.raises(sim.ModelError, match=r"'hinge' of robot .* depends on the reaction"):
        sim.forward_dynamics(rough, Q, QD, QDD)


@pytest.fixture(scope="module")
def four_bar():
    """A run of PyBullet: a spring and a pin that rubs in two joints that the loop positions."""
    robot = FourBar().robot().with_springs({"rocker_joint": JointSpring(5.0, 0.3)})
    robot = robot.with_friction({"coupler_joint": JointFriction(0.3, 0.2, pin_radius=0.02)})
    motion = sim.JointMotion.displacement({"crank_joint": "0.3+2*time"}, q0=(0.3, 0.3, 1.0))
    table = sim.run(sim.Scenario(robot, motion, 0.2, dt=0.02, method="ideal")).recorded
    groups = ("q", "qd", "qdd", "tau")
    return (
        robot,
        table,
        [table[[f"{g}.{j}" for j in robot.joint_names]].to_numpy().T for g in groups],
    )


def test_drives_and_joints_of_a_closed_loop_carry_what_the_run_of_it_records(four_bar):
    robot, table, (q, qd, qdd, tau) = four_bar
    assert np.abs(tau[0]).min() > 0.5
    np.testing.assert_allclose(sim.inverse_dynamics(robot, q, qd, qdd), tau, rtol=0, atol=1e-9)
    forces = ElementForces(robot, q, qd, qdd)
    for name in robot.joint_names:
        found = [forces.JOINT(name, 0, comp, robot.joint(name).child) for comp in (2, 3, 4)]
        recorded = table[[f"reaction.{name}.f{c}" for c in "xyz"]].to_numpy().T
        np.testing.assert_allclose(found, recorded, rtol=0, atol=1e-9)


def test_a_loop_that_is_open_is_refused_and_so_is_what_does_not_close_it(four_bar):
    robot, _, (q, qd, _, tau) = four_bar
    with pytest.raises(sim.ModelError, match=r"Loop 'coupler on rocker' .* is open by 0\.\d+ m"):
        sim.inverse_dynamics(robot, 1.1 * q, qd, qd)
    with pytest.raises(sim.ModelError, match=r"'rocker_joint' .* is positioned by a closed loop"):
        sim.forward_dynamics(robot, q, qd, tau)
    with pytest.raises(sim.ModelError, match=r"Loop 'coupler on rocker' .* opens at \d\.\d+ m/s"):
        sim.inverse_dynamics(robot, q, np.ones_like(qd), qd)
    sim.inverse_dynamics(robot, q, np.zeros_like(qd), 0 * qd)


def test_a_drive_train_where_a_loop_moves_the_joint_is_refused(four_bar):
    robot, _, (q, qd, qdd, _) = four_bar
    robot = robot.with_drives({"rocker_joint": sim.DriveTrain(50, 1e-3, efficiency=0.8)})
    with pytest.raises(sim.ModelError, match=r"'rocker_joint' .* has a drive train and is passive"):
        sim.inverse_dynamics(robot, q, qd, qdd)


def test_element_forces_of_a_loop_may_be_replaced_and_a_joint_without_a_drive_has_none(four_bar):
    robot, _, (q, qd, qdd, _) = four_bar
    forces = ElementForces(robot, q, qd, qdd)
    motion = {name: x[:, ::-2] for name, x in (("q", q), ("qd", qd), ("qdd", qdd))}
    changed = replace(forces, **motion)
    for function in ("JOINT", "MOTION"):
        before, after = (getattr(f, function)("crank_joint", 0, 7) for f in (forces, changed))
        np.testing.assert_allclose(after, before[::-2], rtol=1e-12, atol=1e-12)
    for one in (forces, replace(forces, tau=q)):
        with pytest.raises(sim.ModelError, match=r"'rocker_joint' is pos.* one: crank_joint$"):
            one.MOTION("rocker_joint", 0, 7)

"""Closed loops against Lagrange's equations with multipliers, every term of them by Pinocchio."""

import numpy as np
import pinocchio as pin
from hypothesis import assume, given, settings

from sim.dynamics.loop_forces import forward_dynamics, inverse_dynamics
from sim.kinematics.loop_equations import loop_equations
from sim.robots import load_robot
from tests.helpers.loop_robots import FourBar, looped
from tests.helpers.pinocchio_model import PinocchioModel

GRAVITY = (1.0, 2.0, -9.0)
CLOSE = 1e-10  # of the largest value

few = settings(max_examples=40, deadline=None, derandomize=True)


class Constrained(PinocchioModel):
    """Pinocchio's model with a frame at each end of each loop, and ball joints between them."""

    def __init__(self, robot):
        super().__init__(robot, GRAVITY)
        self.ends = []
        for loop in robot.loops:
            for name, point in ((loop.link_a, loop.point_a), (loop.link_b, loop.point_b)):
                link = self.model.frames[self.model.getFrameId(name, pin.FrameType.BODY)]
                placement = link.placement * pin.SE3(np.eye(3), np.array(point))
                end = pin.Frame(
                    f"end {len(self.ends)}", link.parentJoint, placement, pin.FrameType.OP_FRAME
                )
                self.ends.append(self.model.addFrame(end))
        self.data = self.model.createData()

    def terms(self, q, qd):
        """M, C qd + g, J and γ at one state, in the order of the robot's tree joints."""
        q, qd = (self._placed(x) for x in (q, qd))
        pin.forwardKinematics(self.model, self.data, q, qd, 0 * qd)
        pin.updateFramePlacements(self.model, self.data)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J, bias = [], []
        for end in self.ends:
            jacobian = pin.computeFrameJacobian(self.model, self.data, q, end, axes)
            J.append(jacobian[:3, self.order])
            a = pin.getFrameClassicalAcceleration(self.model, self.data, end, axes)
            bias.append(a.linear.copy())
        M = pin.crba(self.model, self.data, q)
        M = np.triu(M) + np.triu(M, 1).T
        rest = pin.rnea(self.model, self.data, q, qd, 0 * qd)[self.order]
        pairs = range(0, len(self.ends), 2)
        J = np.concatenate([J[k + 1] - J[k] for k in pairs])
        bias = np.concatenate([bias[k + 1] - bias[k] for k in pairs])
        return M[np.ix_(self.order, self.order)], rest, J, bias

    def _placed(self, x):
        placed = np.zeros(self.model.nv)
        placed[self.order] = x
        return placed


def accelerations(robot, q, qd, tau):
    """qdd and the force by link a on link b of each loop in the world, at one state."""
    M, rest, J, bias = Constrained(robot).terms(q, qd)
    n, rows = len(q), len(bias)
    whole = np.block([[M, -J.T], [J, np.zeros((rows, rows))]])
    solution = np.linalg.lstsq(whole, np.concatenate([tau - rest, -bias]), rcond=1e-11)[0]
    return solution[:n], solution[n:].reshape(-1, 3)


def that_keeps_closed(robot, q, qd):
    """`qd` projected on what the loops allow; assumes that they allow something."""
    J = loop_equations(robot, q[:, None]).J[:, :, 0]
    size = np.linalg.svd(J, compute_uv=False)
    assume(J.shape[1] > J.shape[0] and size[-1] > 0.02 * size[0])
    return qd - np.linalg.pinv(J) @ J @ qd


@given(looped(fewest=6, planar=False))
@few
def test_accelerations_and_forces_of_random_spatial_loops_are_those_of_pinocchio(case):
    robot, q, qd, tau = case
    qd = that_keeps_closed(robot, q, qd)
    qdd, force = forward_dynamics(robot, q[:, None], qd[:, None], tau[:, None], GRAVITY)
    wanted, wanted_force = accelerations(robot, q, qd, tau)
    np.testing.assert_allclose(qdd[:, 0], wanted, rtol=0, atol=CLOSE * (1 + np.abs(wanted).max()))
    scale = CLOSE * (1 + np.abs(wanted_force).max())
    np.testing.assert_allclose(force[:, :3, 0], wanted_force, rtol=0, atol=scale)


def test_a_planar_four_bar_moves_as_in_pinocchio():
    bars = FourBar()
    for angle in np.linspace(0.1, 6.0, 7):
        q, qd, _ = (x[:, 0] for x in bars.motion(*np.array([[angle], [1.7], [0.0]])))
        tau = np.array([3.0, 0.0, 0.0])
        wanted, wanted_force = accelerations(bars.robot(), q, qd, tau)
        for robot in (bars.robot(), bars.robot(None)):
            qdd, force = forward_dynamics(robot, q[:, None], qd[:, None], tau[:, None], GRAVITY)
            np.testing.assert_allclose(qdd[:, 0], wanted, rtol=1e-9)
            # The force out of the plane is nobody's to say: hinges and loop share it.
            np.testing.assert_allclose(force[0, 0:3:2, 0], wanted_force[0, ::2], rtol=1e-9)


def test_the_palletizers_loop_forces_leave_its_hinges_without_torque_in_pinocchio():
    robot = load_robot("irb460").with_payload(110.0, (0.1, 0.05, -0.4), np.diag([4.0, 5.0, 6.0]))
    rng = np.random.default_rng(1)
    lower, upper = np.radians([[-165, -60, -50, -300], [165, 30, 20, 300]])[:, :, None]
    q = rng.uniform(lower, upper, (4, 40))
    qd, qdd = rng.uniform(-2, 2, (4, 40)), rng.uniform(-5, 5, (4, 40))
    found = inverse_dynamics(robot, q, qd, qdd, GRAVITY)
    S, q_0 = robot.coupling
    oracle = Constrained(robot)
    torque = oracle.torque(S @ q + q_0[:, None], S @ qd, S @ qdd)
    drives = [robot.tree_joints.index(joint) for joint in robot.independent_joints]
    for k in range(40):
        _, _, J, _ = oracle.terms((S @ q + q_0[:, None])[:, k], (S @ qd)[:, k])
        held = torque[:, k] - J.T @ found.force[:, :3, k].ravel()
        wanted = np.zeros_like(held)
        wanted[drives] = found.tau[:, k]
        scale = np.abs(torque[:, k]).max() + np.abs(found.force[..., k]).max()
        np.testing.assert_allclose(held, wanted, rtol=0, atol=CLOSE * scale)
    coupled = S.T @ torque
    scale = np.abs(coupled).max(axis=0)
    assert np.max(np.abs(found.tau - coupled) / scale) < CLOSE

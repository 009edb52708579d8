"""PyBullet loops of a user's own, with one thing wrong."""

import numpy as np
import pybullet as p

import sim
from sim import shipped
from sim.engines.bullet.suppress_c_output import suppress_c_output

UR10 = shipped.urdf() / "ur10.urdf"
START = np.array([0, -1.2, 1.0, -0.5, 0.7, 0.2])
RATE = 2 * np.array([1, 0.7, 1.3, 0.9, 1.1, 0.8])
DT = 1 / 240
MOTORS = [1e4] * 6


def disable_damping(body):
    for link in range(-1, p.getNumJoints(body)):
        p.changeDynamics(body, link, linearDamping=0, angularDamping=0)


def make_tool_light(body):
    p.changeDynamics(body, 6, mass=1e-12)
    p.changeDynamics(body, 6, localInertiaDiagonal=[0, 0, 0])


def velocities(body, k):
    """Velocity motors along sines."""
    t = (k + 1) * DT
    speeds = (0.3 * RATE * np.sin(RATE * t)).tolist()
    p.setJointMotorControlArray(
        body, range(6), p.VELOCITY_CONTROL, targetVelocities=speeds, forces=MOTORS
    )


def torques(body, k):
    """A PD law with gravity compensation, under torque control."""
    t, states = k * DT, p.getJointStates(body, range(6))
    q, qd = (np.array([state[i] for state in states]) for i in (0, 1))
    want, rate = START + 0.2 * (1 - np.cos(RATE * t)), 0.2 * RATE * np.sin(RATE * t)
    inertia = np.array([30, 30, 10, 0.6, 0.1, 0.001])
    hold = np.array(p.calculateInverseDynamics(body, q.tolist(), [0] * 6, [0] * 6))
    tau = hold + inertia * (100 * (want - q) + 10 * (rate - qd))
    p.setJointMotorControlArray(body, range(6), p.TORQUE_CONTROL, forces=tau.tolist())


def bullet_loop(
    prepare=None,
    *,
    command=velocities,
    flags=p.URDF_USE_INERTIA_FROM_FILE,
    gravity=(0, 0, -9.81),
    base=(0, 0, 0, 1),
    is_damped=False,
    is_tool_heavy=False,
    are_motors_off=True,
    steps=300,
    own_torque=None,
    repeats=(),
    misses=(),
    robot=UR10,
):
    """The evidence of a loop; `prepare` gets the body before it."""
    with suppress_c_output():
        client = p.connect(p.DIRECT)
        try:
            body = p.loadURDF(str(UR10), useFixedBase=True, flags=flags, baseOrientation=base)
            p.setGravity(*gravity)
            p.setTimeStep(DT)
            if not is_tool_heavy:
                make_tool_light(body)
            if not is_damped:
                disable_damping(body)
            if are_motors_off:
                p.setJointMotorControlArray(body, range(6), p.VELOCITY_CONTROL, forces=[0] * 6)
            for joint, angle in enumerate(START):
                p.resetJointState(body, joint, angle)
            if prepare is not None:
                prepare(body)
            watch = sim.watch(p, body, robot, client=client)
            for k in range(steps):
                command(body, k)
                p.stepSimulation()
                if k not in misses:
                    watch.sample(None if own_torque is None else own_torque(body, k))
                if k in repeats:
                    watch.sample()
            return watch
        finally:
            p.disconnect(client)

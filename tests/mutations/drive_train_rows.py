"""Drive trains: rotors, friction at motors, losses of gears."""

from tests.mutations.mutation import tested

DYNAMICS, RUNS = "dynamics/test_drive_trains.py::test_", "test_drive_train_runs.py::test_"
PINOCCHIO = DYNAMICS + "accelerations_with_rotors_are_pinocchios_with_armature"

ROWS = (
    tested(
        "a rotor counts with its ratio once",
        "robots.reflected_inertia",
        "self.ratio**2 * self.rotor_inertia",
        "abs(self.ratio) * self.rotor_inertia",
        DYNAMICS + "torques_with_rotors_are_pinocchios_with_armature",
    ),
    tested(
        "no rotor in M",
        "lagrange._terms",
        "np.diag(robot.rotor_inertia)[:, :, None]",
        "0.0 * np.diag(robot.rotor_inertia)[:, :, None]",
        PINOCCHIO,
    ),
    tested(
        "MuJoCo without armature",
        "mujoco.set_rotor_inertia",
        "self.plant.model.dof_armature[self.plant.dofs] = inertia",
        "self.plant.model.dof_armature[self.plant.dofs] = 0.0 * inertia",
        PINOCCHIO,
    ),
    tested(
        "PyBullet's efforts without rotors",
        "engines.EngineDynamics.hybrid_dynamics",
        "tau + self._rotors * qdd",
        "tau + 0.5 * self._rotors * qdd",
        PINOCCHIO,
    ),
    tested(
        "a gear loses the same both ways",
        "dynamics.DriveTrains.mesh",
        "driven - 1.0",
        "1.0 / driving - 1.0",
        DYNAMICS + "one_sense_of_each_gear_fits_and_engines_agree_with_the_model",
    ),
    tested(
        "one limit for both senses at rest",
        "dynamics.DriveTrains.band",
        "down + self.mesh(down, -ones) - backwards",
        "down + self.mesh(down, -ones) - forwards",
        DYNAMICS + "a_gear_holds_its_load_within_two_different_limits",
    ),
    tested(
        "a rotor is not slowed by what its gear loses",
        "gear_mesh._solve",
        "carried * (1.0 - E)[None]",
        "0.0 * carried * (1.0 - E)[None]",
        DYNAMICS + "a_load_is_lifted_with_what_the_gear_leaves",
    ),
    tested(
        "friction backwards is that forwards",
        "dynamics.DriveTrains.coulomb",
        "np.where(sense < 0, backwards, 0.0)",
        "np.where(sense < 0, forwards, 0.0)",
        DYNAMICS + "a_slide_coasts_as_far_each_way_as_its_motors_friction_lets_it",
    ),
    tested(
        "twice the energy of a rotor",
        "dynamics.rotor_energies",
        "0.5 * robot.rotor_inertia[rows, None]",
        "1.0 * robot.rotor_inertia[rows, None]",
        RUNS + "energy_of_the_rotors_is_in_the_balance",
    ),
    tested(
        "a motor turns as fast as its joint",
        "simulation.motor_columns",
        "drive.ratio * qd",
        "1.0 * qd",
        RUNS + "motors_have_channels_of_their_own_and_the_gears_torque_stays_that_of_the_links",
    ),
)

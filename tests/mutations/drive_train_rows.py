"""Drive trains: rotors, friction at motors, losses of gears."""

from tests.mutations.mutation import tested

COUPLED = "robots/test_coupled_rotor.py::test_"
LAWS = "test_laws_with_states.py::test_"
ELASTIC = "test_flexible_joints.py::test_"
DYNAMICS, RUNS = "dynamics/test_drive_trains.py::test_", "test_drive_train_runs.py::test_"
PINOCCHIO = DYNAMICS + "accelerations_with_rotors_are_pinocchios_with_armature"

ROWS = (
    tested(
        "no more friction at rest than in motion",
        "drive_trains.DriveTrains.band",
        "self.breakaway * self.dry",
        "self.dry",
        "dynamics/test_drive_trains.py::test_what_breaks_away_meets_less_friction_from_there_on",
    ),
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
        "engines.EngineDynamics._efforts",
        "tau + self._rotors * every",
        "tau + 0.5 * self._rotors * every",
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
    tested(
        "a rotor that is a body turns the other way",
        "robots.rotor_body.with_rotor",
        "repr(drive.ratio)",
        "repr(-drive.ratio)",
        "robots/test_rotor_body.py::test_a_rotor_on_a_turning_link_couples_the_two_joints_by_n_j",
    ),
    tested(
        "a rotor's moments stay in its link too",
        "robots.rotor_body.with_rotor",
        "parent.tensor - disc",
        "parent.tensor - 0.0 * disc",
        "robots/test_rotor_body.py::test_a_rotor_on_a_turning_link_couples_the_two_joints_by_n_j",
    ),
    tested(
        "reductions of joint and actuator multiply",
        "robots.transmissions._ratio",
        "given / at_motor",
        "given * at_motor",
        "robots/test_transmissions.py::test_reductions_of_joint_and_actuator_divide",
    ),
    tested(
        "the mean of a gear's torque is not weighted by speed",
        "checks.drive_ratings.drive_ratings",
        "speed * np.abs(view.recorded_values(gear)) ** 3",
        "way / (t[-1] - t[0]) * np.abs(view.recorded_values(gear)) ** 3",
        RUNS + "motor_and_gear_are_judged_by_their_ratings",
    ),
    tested(
        "rotors of locked motors swing along",
        "vibration.elastic_drives.elastic_drives",
        "robot.without_drives(locked)",
        "robot.without_drives([])",
        RUNS + "modes_along_a_run_are_those_of_locked_motors",
    ),
    tested(
        "a gear's spring pushes its motor as hard as its link",
        "dynamics.joint_forces.joint_elements",
        "along[robot.tree_row_names.index(other)] = -factor",
        "along[robot.tree_row_names.index(other)] = -np.sign(factor)",
        ELASTIC + "motor_and_link_swing_against_each_other",
    ),
    tested(
        "the second slope of a gear begins at no torque",
        "twist_law.TwistLaw._pieces",
        "at += (knee - torque) / slope",
        "at += torque / slope",
        ELASTIC + "torques_over_the_slopes_of_a_catalogue",
    ),
    tested(
        "energy in a gear without its corner",
        "twist_law.TwistLaw.energy",
        "U + 0.1 * self.stiffness * w * w",
        "U",
        ELASTIC + "energy_is_the_integral_of_the_torque_and_slopes_are_its_differences",
    ),
    tested(
        "friction of a motor keeps the sense of its joint",
        "robots.DriveTrain.at_motor",
        "forwards, backwards = backwards, forwards",
        "pass",
        ELASTIC + "a_motor_breaks_away_where_the_spring_pulls_more_than_its_friction_each_way",
    ),
    tested(
        "a state of a law is read at the start only",
        "motion.TorqueOfState._readings",
        "zip((name.upper() for name in self.state_names), z, strict=True)",
        "zip((name.upper() for name in self.state_names), 0.0 * z, strict=True)",
        LAWS + "a_pi_controller_with_a_lagging_motor_is_the_exponential_of_its_matrix",
    ),
    tested(
        "a transfer function without what passes straight through",
        "TransferFunction._coefficients",
        "y - through * x",
        "y",
        LAWS + "transfer_functions_answer_as_scipys",
    ),
    tested(
        "the torque of a motor is not divided by its ratio",
        "motion.TorqueOfState",
        "_value(law.expression, t, read) / ratio",
        "_value(law.expression, t, read)",
        LAWS + "the_axis_of_the_r3_is_dymolas",
    ),
    tested(
        "a joint follows its first leader only",
        "robots.coupling._followed",
        "joint.mimic.each",
        "joint.mimic.each[:1]",
        COUPLED + "the_mass_matrix_has_the_rotors_across_the_joints",
    ),
    tested(
        "both motors of a differential turn alike",
        "coupled_rotor._rows",
        "sign * n * m_2",
        "n * m_2",
        COUPLED + "a_differential_is_read_by_its_roles",
    ),
    tested(
        "at one state a gear takes what it leaves",
        "gear_mesh.LossyGears.solve",
        "(1.0 - E) * y",
        "E * y",
        DYNAMICS + "gears_that_lose_torque_have_their_rates_at_one_state_too",
    ),
)

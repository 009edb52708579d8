"""Sampled controllers: laws, clock, sensors, limits, the rule of a sample, and what judges them."""

from tests.mutations.mutation import tested

SAMPLED, LAWS = "dynamics/test_sampled.py::test_", "control/test_laws.py::test_"
CHECKS, SCENARIO = "checks/test_control.py::test_", "scenario/test_controller.py::test_"
BLOCK = SAMPLED + "a_block_moves_as_the_recurrence_says"

LOOPS = "dynamics/test_sampled_loops.py::test_"
IDLE = "reports/page/test_control_rows.py::test_"
CONTACT = "dynamics/test_ground_contact.py::test_"
FLEXIBLE = "test_control_of_flexible_joints.py::test_"
MOTORS = "dynamics/test_motor_laws.py::test_"

ROWS = (
    tested(
        "a motor's sensor in the motor's units",
        "control_axes.ControlAxes.as_sensed",
        "q[self.sensed] / self.sensed_ratios",
        "q[self.sensed]",
        FLEXIBLE + "an_elastic_joint_moves_as_the_recurrence_of_either_sensor_says",
    ),
    tested(
        "a command of the joint at the motor",
        "control_axes.ControlAxes.at_motors",
        "command / self.ratios",
        "command",
        FLEXIBLE + "an_elastic_joint_moves_as_the_recurrence_of_either_sensor_says",
    ),
    tested(
        "the law is told the other sensor",
        "control_axes.ControlAxes.of",
        "side == 'motor'",
        "side == 'link'",
        FLEXIBLE + "an_elastic_joint_moves_as_the_recurrence_of_either_sensor_says",
    ),
    tested(
        "POLY of a force is a sum",
        "operations._horner",
        "f'{a} + (x - x0)*({rest})'",
        "f'{a} + ({rest})'",
        "dynamics/test_marker_loads.py::test_each_force_is_as_by_numpy[sides]",
    ),
    tested(
        "a motor's torque times its ratio",
        "motor_laws.MotorLaws.at",
        "found[: self.rows.size] / self.ratios",
        "found[: self.rows.size] * self.ratios",
        MOTORS + "torques_and_rates_are_those_of_numpy",
    ),
    tested(
        "a rate of hinges where another axis sees it",
        "motor_laws._LawWriter._turns_by_hinges",
        "hinges is None or _1",
        "hinges is None",
        MOTORS + "torques_and_rates_are_those_of_numpy",
    ),
    tested(
        "a wheel is rubbed at its centre",
        "contact.GroundContact.components_on_i",
        "(x, y, 'VARVAL(push)', f'{r}*{y}', f'-{r}*{x}', '0')",
        "(x, y, 'VARVAL(push)', '0', '0', '0')",
        CONTACT + "a_wheel_that_slides_down_a_slope_is_spun_up",
    ),
    tested(
        "slip with the part along the normal",
        "contact.GroundContact._variables",
        "f'VX(i,j,j) - {r!r}*WY(i,j,j)'",
        "f'VX(i,j,j) + VZ(i,j,j) - {r!r}*WY(i,j,j)'",
        CONTACT + "a_part_along_the_normal_does_not_rub",
    ),
    tested(
        "a slip that is fast has the coefficient of a slow one",
        "contact.GroundContact._variables",
        "f'{v_s!r}, {mu_s!r}, {SLIDING * v_s!r}, {mu_d!r}'",
        "f'{v_s!r}, {mu_s!r}, {SLIDING * v_s!r}, {mu_s!r}'",
        CONTACT + "the_coefficient_follows_the_slip_as_adams_has_it",
    ),
    tested(
        "gravity with half its gain",
        "pd_gravity.PDGravity.__call__",
        "kp * (sensed.q_ref - q) + kd * (sensed.qd_ref - qd) + g",
        "kp * (sensed.q_ref - q) + kd * (sensed.qd_ref - qd) + 0.5 * g",
        LAWS + "pd_has_the_gains_of_its_frequency_and_gravity_as_pinocchio_has_it",
    ),
    tested(
        "damping of half its ratio",
        "pd_gravity.PDGravity._gains",
        "2 * m * d * w",
        "m * d * w",
        LAWS + "pd_has_the_gains_of_its_frequency_and_gravity_as_pinocchio_has_it",
    ),
    tested(
        "computed torque without Coriolis and gravity",
        "known_robot.KnownRobot.torques",
        "at.M @ qdd + at.bias",
        "at.M @ qdd + 0.0 * at.bias",
        LAWS + "computed_torque_is_what_pinocchio_needs_for_the_acceleration_asked",
    ),
    tested(
        "loops that stay as a step leaves them",
        "sampled._March.through",
        "y = mechanism.with_closed_loops(np.array([end]), y[:, None], modes)[:, 0]",
        "y = y",
        LOOPS + "steps_that_open_a_loop_are_brought_back_onto_it",
    ),
    tested(
        "a ball's speed by differences of its vector",
        "control_loop.ControlLoop.sense",
        "np.where(has_encoder(self.robot), _1, qd)",
        "_1",
        LOOPS + "what_pushes_a_crane_is_all_the_momentum_that_it_gets",
    ),
    tested(
        "a law that takes the links of a loop for free",
        "known_robot.KnownRobot.torques",
        "np.where(held, effort[:, 0], 0.0)",
        "np.where(held, (at.M @ wanted + at.bias), 0.0)",
        LOOPS + "a_four_bar_under_a_shipped_law_moves_as_its_reduced_equation_says",
    ),
    tested(
        "a passive joint in the table of a controller",
        "control_rows.control_table",
        "row.name not in facts.idle",
        "True",
        IDLE + "joints_without_a_motor_are_neither_in_the_table_nor_in_the_line",
    ),
    tested(
        "a filter of Euler forwards",
        "cascade.Cascade.__call__",
        "T / (T + tf)",
        "T / tf",
        LAWS + "the_cascade_is_a_p_around_a_pi_behind_a_filter",
    ),
    tested(
        "a command acts a sample too early",
        "control_loop.ControlLoop.memory",
        "(np.zeros(self.states),) * self.delay",
        "(np.zeros(self.states),) * max(self.delay - 1, 0)",
        BLOCK,
    ),
    tested(
        "no limit on what a motor gives",
        "control_loop.ControlLoop.advance",
        "np.clip(now, -self.limits, self.limits)",
        "np.clip(now, -2 * self.limits, 2 * self.limits)",
        BLOCK,
    ),
    tested(
        "a weight of the classic rule",
        "fixed_steps.tableau_of",
        "np.array([1.0, 2.0, 2.0, 1.0]) / 6",
        "np.array([1.0, 2.0, 2.0, 1.0]) / 6 + np.array([0.0, 1e-4, -1e-4, 0.0])",
        SAMPLED + "the_classic_rule_knows_its_own_error",
    ),
    tested(
        "a joint slides on through its rest",
        "fixed_steps.FixedSteps._keeps_sliding",
        "(along > 0).all()",
        "(along > -1e9).all()",
        SAMPLED + "dry_friction_stops_holds_and_releases_a_block_within_a_sample",
    ),
    tested(
        "noise of the sample before",
        "control_loop.sense_positions",
        "counter=[0, 0, 0, k]",
        "counter=[0, 0, 0, k - 1]",
        SAMPLED + "what_is_sensed_follows_from_seed_and_sample_alone",
    ),
    tested(
        "an encoder rounds down",
        "control_loop.sense_positions",
        "np.round(q / whole)",
        "np.floor(q / whole)",
        SAMPLED + "what_is_sensed_follows_from_seed_and_sample_alone",
    ),
    tested(
        "a motor's rating without its gear",
        "controller._rating",
        "abs(drive.ratio) * peak",
        "peak",
        SCENARIO + "ratings_of_joint_and_motor_limit_what_is_commanded",
    ),
    tested(
        "the law may write into what it is given",
        "control_loop.ControlLoop.advance",
        "row.flags.writeable = False",
        "row.flags.writeable = True",
        SCENARIO + "a_law_cannot_change_what_it_is_given",
    ),
    tested(
        "work by the mean of two torques",
        "energy_balance._held_work",
        "torque[:-1] * way",
        "0.5 * (torque[:-1] + torque[1:]) * way",
        CHECKS + "it_passes_and_reaches_what_it_is_to_show",
    ),
    tested(
        "no check of the loop's stability",
        "control._stability",
        "qd - wanted",
        "0.0 * (qd - wanted)",
        CHECKS + "a_shaking_loop_is_not_stable",
    ),
    tested(
        "a command that acts as soon as its law is asked",
        "control_law._Replay.commands",
        "acts[smooth] + delay",
        "acts[smooth]",
        CHECKS + "each_lie_about_a_law_that_the_description_contains_is_named",
    ),
    tested(
        "an encoder of any fewer steps",
        "control._check_sensing",
        "np.abs(given - step * np.rint(given / step)) <= limit",
        "True",
        CHECKS + "each_lie_about_a_law_that_the_description_contains_is_named",
    ),
    tested(
        "two commands after a flipped bit are compared",
        "run_view.RunView.comparable",
        "self.first_flip is not None",
        "False",
        CHECKS + "after_a_flipped_bit_a_step_of_the_encoder_is_allowed",
    ),
)

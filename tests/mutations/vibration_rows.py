"""Small motions about a pose: stiffness of weight, modes, a load that is put on."""

from tests.mutations.mutation import tested

MODES = "vibration/test_modes.py::test_"
MOVING = "vibration/test_moving_modes.py::test_"
LOOPS = "vibration/test_loop_modes.py::test_"
STEP = "vibration/test_load_step.py::test_"
STATES_APART = "checks/test_state_differences.py::test_"

ROWS = (
    tested(
        "weight stiffens with the other sign",
        "dynamics.gravity_stiffness",
        "-mass.mass * np.cross(g_0, Jw, axisb=1, axisc=1)",
        "mass.mass * np.cross(g_0, Jw, axisb=1, axisc=1)",
        MODES + "a_double_pendulum_with_springs_is_that_of_the_books",
    ),
    tested(
        "the stiffness of weight is that above its diagonal alone",
        "dynamics.gravity_stiffness",
        "upper + np.swapaxes(strict, 0, 1)",
        "upper",
        MODES + "a_double_pendulum_with_springs_is_that_of_the_books",
    ),
    tested(
        "springs push away",
        "dynamics.linearise.linearise",
        "_along(weight, whole) - at.slopes(whole)",
        "_along(weight, whole) + at.slopes(whole)",
        MODES + "springs_of_the_robot_and_stiffness_of_the_drive_add",
    ),
    tested(
        "the lever of a force does not turn",
        "kinematics.small_change.SmallChange.joint_torque",
        "J * dF + dJ * F",
        "J * dF",
        "vibration/test_run_modes.py::test_frequencies_follow_pose_and_force",
    ),
    tested(
        "an angle is taken within half a turn along a run",
        "vibration.run_modes.run_modes",
        "z=z[:, part]",
        "z=None",
        "vibration/test_run_modes.py::"
        "test_modes_past_half_a_turn_are_of_the_angle_as_it_was_counted",
    ),
    tested(
        "an angle is taken within half a turn at a time of a run",
        "RunModes.at",
        "turned_to(drives.elements, own)",
        "drives.elements",
        "vibration/test_run_modes.py::"
        "test_modes_past_half_a_turn_are_of_the_angle_as_it_was_counted",
    ),
    tested(
        "joints do not rub",
        "dynamics.linearise.linearise",
        "np.diag(damping) + viscous_matrix(robot)",
        "np.diag(damping)",
        MODES + "a_damped_pendulum_has_the_ratio_of_the_books",
    ),
    tested(
        "forces in a loop do not turn",
        "dynamics.linearise.linearise",
        "_turning_loop_forces(at, whole, gravity)",
        "0.0 * _turning_loop_forces(at, whole, gravity)",
        LOOPS + "a_four_bar_swings_as_its_energies_say",
    ),
    tested(
        "springs between links do not reach the pins of a loop",
        "dynamics.linearise._turning_loop_forces",
        "_needed_by_tree(at, gravity)",
        "inverse_dynamics(robot, at.q, at.qd, at.qdd, gravity)",
        LOOPS + "a_four_bar_swings_as_its_energies_say",
    ),
    tested(
        "a pose that nothing holds is called balanced",
        "dynamics.linearise.torque_needed",
        "_needed_by_tree(_1, gravity)",
        "0.0 * _needed_by_tree(_1, gravity)",
        LOOPS + "a_pose_that_nothing_holds_is_said",
    ),
    tested(
        "an equilibrium does not see what follows a free joint",
        "dynamics.StaticBalance.motions",
        "Z[passive] = -_1",
        "Z[passive] = 0.0 * _1",
        "dynamics/test_statics.py::test_a_four_bar_rests_where_its_energy_is_least",
    ),
    tested(
        "a motion's centrifugal forces do not stiffen",
        "dynamics.linearise._At.inertial_slopes",
        "displace(robot, q, small)",
        "q",
        MOVING + "a_pendulum_on_a_driven_spindle_leans_and_swings",
    ),
    tested(
        "speeds do not couple by Coriolis",
        "dynamics.linearise._At.inertial_slopes_of_speeds",
        "qd + small",
        "qd",
        MOVING + "a_free_spindle_keeps_its_momentum",
    ),
    tested(
        "what a loop allows does not turn with its motion",
        "dynamics.small_motions.motion_changes",
        "solve(-differences_along(coasting, Z, q, qd), spun)",
        "solve(-0 * differences_along(coasting, Z, q, qd), spun)",
        MOVING + "a_four_bar_that_is_driven_has_the_roots_of_its_reduced_equation",
    ),
    tested(
        "speeds of a loop do not change with its positions",
        "dynamics.small_motions.motion_changes",
        "solve(-differences_along(speed, Z, q, qd), spun)",
        "solve(-0 * differences_along(speed, Z, q, qd), spun)",
        MOVING + "a_four_bar_that_is_driven_has_the_roots_of_its_reduced_equation",
    ),
    tested(
        "a small turn of a ball is about axes that do not turn",
        "dynamics.small_motions.motion_changes",
        "MotionChanges(spun, spun, cross_balls(balls, qdd[whole], Z))",
        "MotionChanges(spun, 0 * spun, crossed(balls, qdd[whole], Z))",
        MOVING + "a_sleeping_top_nutates_as_in_the_books",
    ),
    tested(
        "a load on a loop bends it by the joints that give way alone",
        "vibration.load_step_on",
        "Z.T @ (held - needed)[loose, 0]",
        "0.999 * Z.T @ (held - needed)[loose, 0]",
        STEP + "a_load_on_a_four_bar_turns_its_crank_as_its_one_coordinate_says",
    ),
    tested(
        "a ball between samples turns by its vectors",
        "clearance.sampled_motion.SampledMotion._steps",
        "way[rows] = nearest_vectors(mean, turn)",
        "turn = nearest_vectors(mean, turn)",
        "clearance/test_sampled_motion.py::test_"
        "a_ball_turns_evenly_between_samples_through_its_half_turn",
    ),
    tested(
        "a stop that acts is as if it were not there",
        "dynamics.element_slopes.slopes_along",
        "_slopes_of(elements, one, at, Z, of, side)",
        "0.0 if one.is_sudden else _slopes_of(elements, one, at, Z, of, side)",
        MODES + "a_body_on_a_stop_bounces_as_the_law_is_steep_there",
    ),
    tested(
        "slopes are those ahead of a pose alone",
        "dynamics.element_slopes._slopes_of",
        "side in (0, sign)",
        "sign > 0",
        "dynamics/test_element_slopes.py::test_slopes_are_those_of_the_side_where_the_state_is",
    ),
    tested(
        "the axes of joints do not turn",
        "kinematics.small_change._Joints.of",
        "cross(spins[last], axes, axis=1)",
        "0 * cross(spins[last], axes, axis=1)",
        "dynamics/test_element_slopes.py::test_slopes_are_the_derivatives_of_the_torques",
    ),
    tested(
        "a load sags without what acts between links",
        "vibration.load_step._balanced_sag",
        "not isinstance(one, JointElements)",
        "False",
        "vibration/test_switching_forces.py::test_a_load_sags_by_the_springs_between_links_too",
    ),
    tested(
        "an engine's differences cross from one piece of a law to another",
        "vibration.second_answer._suited_step",
        "(beside != beside[:, :1]).any()",
        "False",
        "vibration/test_switching_forces.py::test_sides_decide_the_step_of_differences",
    ),
    tested(
        "motors of a run are left out of its modes",
        "vibration.run_modes.run_modes",
        "(*known_elements(view, carrying).elements, *motors)",
        "known_elements(view, carrying).elements",
        "vibration/test_switching_forces.py::"
        "test_a_run_has_the_slopes_and_the_torques_of_its_motors",
    ),
    tested(
        "a rigid joint gives way",
        "vibration.elastic_drives.elastic_drives",
        "has_k & (k > 0)",
        "k >= 0",
        MODES + "a_rigid_joint_takes_no_part",
    ),
    tested(
        "the second answer takes any root",
        "vibration.roots_apart",
        "np.abs(own[:, None] - other)",
        "0 * np.abs(own[:, None] - other)",
        MODES + "a_second_answer_that_differs_is_seen",
    ),
    tested(
        "a load has weight and no inertia",
        "vibration.load_step_on",
        "replace(drives, elements=elements)",
        "drives",
        STEP + "a_scale_sags_by_its_weight_and_overshoots_as_in_the_books",
    ),
    tested(
        "a response that starts at rest, and not where it was",
        "vibration._Response.of",
        "-still",
        "0 * still",
        STEP + "two_coupled_joints_follow_the_matrix_exponential",
    ),
    tested(
        "a load weighs before it is there",
        "checks.gravity_shares",
        "stages(robot, run.events, t)",
        "stages(robot, (), t)",
        "checks/test_gravity_share.py::test_a_load_weighs_from_when_it_is_there",
    ),
    tested(
        "motors that follow the state are not stiff",
        "simulation._of",
        "stiffest_mode(each, q, free, actuation)",
        "stiffest_mode(each, q, free)",
        "simulation/test_stiffness.py::test_a_run_whose_motor_is_too_stiff_is_refused",
    ),
    tested(
        "explicit steps go to the end of their stability",
        "dynamics.with_suited_steps",
        "CALM / decay",
        "piece.longest_step",
        "decks/test_stiff_decks.py::"
        "test_the_engine_s_rounding_is_not_amplified_by_its_stiffness[0.002-0.0001]",
    ),
    tested(
        "machine code lets a held joint take no share of the others' accelerations",
        "kernels.solve_states",
        "effort[k, i] += M[max(i, j), min(i, j)] * qdd[k, j]",
        "effort[k, i] += 0.0",
        "dynamics/test_hybrid.py::"
        "test_a_held_cart_carries_its_pendulum_as_the_textbook_says[by_kernels]",
    ),
    tested(
        "machine code takes steps that pass a blow",
        "kernels._is_seen",
        "h * unseen <= FARTHER * h * seen + LOOSE * scale",
        "True",
        "dynamics/test_explicit_steps.py::test_a_block_bounces_on_a_hard_plate_in_machine_code",
    ),
    tested(
        "a solver takes steps that pass a blow",
        "dynamics.explicit_steps.ExplicitSteps._estimate_error_norm",
        "not is_seen(K, h, scale)",
        "False",
        "dynamics/test_explicit_steps.py::"
        "test_a_step_whose_error_does_not_count_a_blow_is_not_taken",
    ),
    tested(
        "rates of a step that is tried again are asked for one by one",
        "dynamics.explicit_steps.ExplicitSteps._estimate_error_norm",
        "SAFETY * norm**self.error_exponent",
        "SAFETY",
        "dynamics/test_explicit_steps.py::test_"
        "it_is_said_when_rates_are_asked_for_of_steps_that_are_tried_again_too",
    ),
    tested(
        "nothing follows within a blow",
        "checks.state_differences.StateDifferences._differences",
        "stage.lacking(q + dq, qd + dqd)",
        "stage.lacking(q, qd)",
        STATES_APART + "two_motions_1e_9_m_apart_agree_within_a_blow_too",
    ),
    tested(
        "a blow excuses what does not follow",
        "checks.RunView.beyond",
        "error - apart(channel)",
        "0.0 * error",
        STATES_APART + "a_wrong_law_or_mass_fails_by_a_millionth[wrong0]",
    ),
    tested(
        "much follows from a position that is wrong",
        "checks.state_differences.StateDifferences._state_difference",
        "is_within.all(axis=0)",
        "True",
        STATES_APART + "nothing_follows_from_a_position_that_fails_by_itself",
    ),
    tested(
        "a speed that a blow has given stays whatever positions show",
        "checks.state_differences.StateDifferences._velocity",
        "np.minimum(shown, most)",
        "most",
        STATES_APART + "a_wrong_number_fails_by_a_millionth[velocity-qd.JOINT_2-2.8e-06-125]",
    ),
    tested(
        "whether a motion has become stiff is not looked at",
        "dynamics.integration._gets_stiff",
        "with_suited_steps(replace(piece, begin=now), modes, y).is_stiff",
        "False",
        "decks/test_stiff_decks.py::test_"
        "a_block_that_comes_to_lie_on_a_hard_plate_is_solved_by_implicit_steps",
    ),
    tested(
        "machine code does not look whether a motion has become stiff",
        "dynamics.integration._march.gets_stiff",
        "left > WORTH_IT",
        "False",
        "dynamics/test_explicit_steps.py::test_"
        "machine_code_leaves_a_block_that_has_come_to_lie_on_a_hard_damper",
    ),
    tested(
        "what has decayed is followed to the end",
        "dynamics.stiff_motion.implicit_steps",
        "np.minimum(span, _1)",
        "span",
        "dynamics/test_stiff_motion.py::test_what_decays_is_followed_until_it_is_gone",
    ),
    tested(
        "one Jacobian for all points of an implicit step",
        "dynamics.ImplicitSteps._stages",
        "jacobian(self.nearby, t, y + z, m)",
        "jacobian(self.nearby, self.t, y, m)",
        "dynamics/test_implicit_steps.py::test_what_decays_at_once_does_not_shorten_its_steps[5.0]",
    ),
    tested(
        "samples within an implicit step are its polynomial's",
        "dynamics.ImplicitSteps.settle",
        "np.linalg.solve(J - still, left)",
        "0.0",
        "dynamics/test_implicit_steps.py::"
        "test_between_its_points_a_stiff_force_feels_no_polynomial",
    ),
    tested(
        "forces on links leave no noise in accelerations",
        "checks.stiff_noise",
        "_of_forces(robot, q, qd, on_links)",
        "0.0 * q",
        "checks/test_stiff_joints.py::"
        "test_a_force_on_a_link_is_felt_as_one_in_the_joint_and_a_contact_is_not",
    ),
    tested(
        "torques held between samples are stiff",
        "simulation._slopes_of_motors",
        "actuation is None or actuation.hold is not None",
        "actuation is None",
        "simulation/test_stiffness.py::"
        "test_a_motor_that_follows_the_state_is_a_spring_and_a_damper",
    ),
)

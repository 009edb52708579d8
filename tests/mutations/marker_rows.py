"""Functions of the state and forces between markers: closed forms and Pinocchio see a wrong one."""

from tests.mutations.mutation import Mutation, tested

READING = "kinematics/test_state_reading.py::"
FORCES = "test_marker_forces.py::"
PINOCCHIO = READING + "test_displacements_and_velocities_are_those_of_pinocchio"
DISTANCE = READING + "test_distance_and_its_rate"
TURNS = READING + "test_hinges_along_z_count_whole_turns"
SINGLE = FORCES + "test_single_forces_do_the_power_of_their_line_or_their_axis"
VECTOR = FORCES + "test_a_vector_force_has_its_components_along_a_marker_and_its_reaction_at_i"
BUSHING = FORCES + "test_a_bushing_is_the_slope_of_its_energy_by_pinocchios_logarithm_and_a_damper"
SPRING = FORCES + "test_two_bodies_on_a_spring_move_as_the_closed_form_says"
COUNTED = "dynamics/test_counted_angle.py::"
OTHER = FORCES + "test_a_function_reads_the_force_of_another"
BY_LAW = FORCES + "test_a_force_that_is_not_its_law_fails_in_the_table_that_has_it"


def _row(name: str, place: str, old: str, new: str, test: str) -> Mutation:
    return tested(name, place, old, new, test)


ROWS = (
    _row("a marker does not move about the hinges before it", "kinematics.Kinematics._moving",
         "cross(turns, levers).sum(axis=1)", "0.0 * p", PINOCCHIO),
    _row("a marker does not move along slides", "kinematics.Kinematics._moving",
         "v + (along - turns).sum(axis=1)", "v",
         FORCES + "test_a_motor_follows_its_own_joint_by_a_string_of_the_state"),
    _row("a velocity is seen from the world", "kinematics.seen_velocity",
         "v - cross(seen_from.w, d)", "v", PINOCCHIO),
    _row("a displacement along another marker's axes", "kinematics._axis",
         "k.R[:, axis]", "k.R[axis]", PINOCCHIO),
    _row("VR is the speed", "kinematics.state_reading.distance",
         "np.sum(d * v, axis=0) / np.where(coincide, 1.0, length)",
         "np.sqrt(np.sum(v * v, axis=0))", DISTANCE),
    _row("a switch does not see where a displacement goes", "kinematics.state_reading.dot",
         "np.sum(a[1] * b[0] + a[0] * b[1], axis=0)", "0.0 * np.sum(a[1] * b[0], axis=0)",
         READING + "test_a_switch_takes_the_side_that_the_state_goes_to"),
    _row("angular velocities are not less that of the other", "kinematics._turning",
         "i.w - j.w", "i.w", READING + "test_angular_velocities_are_the_rate_of_the_rotation"),
    _row("AX turns the other way", "kinematics.projected_angle",
         "-dot(z, _axis(j, 1))", "dot(z, _axis(j, 1))",
         READING + "test_a_projected_angle_is_that_about_its_axis_whatever_the_tilt"),
    _row("hinges of the other marker turn it too", "kinematics.hinges_about",
         "sense * np.sign(along)", "np.sign(along)", TURNS),
    _row("the angle at zero is left out", "kinematics.hinges_about",
         "float(at_zero.value[0])", "0.0", TURNS),
    _row("an angle has no turns beyond those of its hinges", "kinematics.StateReading._angle",
         "whole_turns(counted - angle.value)", "0.0 * counted",
         COUNTED + "test_a_torsion_spring_winds_a_loose_body_through_many_turns"),
    _row("the turns of an angle are not counted", "dynamics.CountedAngle.rate",
         "_angle(self.angle, at.kinematics)[1]", "0.0 * at.t",
         COUNTED + "test_a_body_that_tumbles_keeps_the_turn_nearest_to_the_last"),
    _row("a motor's string reads angles that nothing counts", "build_problem._angles_read",
         "isinstance(motors, TorqueOfState)", "False",
         COUNTED + "test_the_string_of_a_motor_winds_up_by_many_turns"),
    _row("machine code takes a motor's angle within half a turn", "kernels._with_turns",
         "np.rint((counted[which - 1] - angle) / (2.0 * np.pi))", "0.0",
         COUNTED + "test_the_string_of_a_motor_winds_up_by_many_turns"),
    _row("machine code has the reaction at the other place", "kernels.add_marker_forces",
         "add(moment, cross(d, force))", "moment",
         "dynamics/test_marker_loads.py::test_each_force_is_as_by_numpy[bushing]"),
    _row("a sampled law forgets the turns of its angles", "StringLaw._turn",
         "one.along(times, kinematics)[0][1]", "one.at_start",
         "control/test_laws.py::"
         "test_strings_count_the_turns_of_angles_from_sample_to_sample"),
    _row("a loop has one turn more", "kinematics.FunctionRow._turns",
         "-np.round(f / step)", "1 - np.round(f / step)",
         "kinematics/test_loop_rows.py::"
         "test_a_closed_loop_says_the_turns_of_an_angle_that_no_hinges_count"),
    _row("the reaction has no moment", "dynamics.MarkerForce._reaction",
         "-torque - cross(arm, force)", "-torque", VECTOR),
    _row("a force along a line pulls together", "dynamics.MarkerForce.along_line",
         "size / length * apart", "-size / length * apart", SINGLE),
    _row("a torque about x of j", "dynamics.SForce.components_on_i",
         "(none, none, force, none, none, torque)", "(none, none, force, torque, none, none)",
         SINGLE),
    _row("what acts alone has a reaction", "dynamics.SForce.has_reaction",
         "not self.action_only", "True", SINGLE),
    _row("components along i", "dynamics.MarkerForce.on_i",
         "kinematics.marker(law.along).R", "kinematics.marker(self.i).R", VECTOR),
    _row("a bushing of large angles by its small ones", "dynamics.Bushing.components",
         'np.einsum("baN,bN->aN", inverse_left_jacobian(phi), slope)', "slope", BUSHING),
    _row("a bushing's damper sees the world's velocity", "dynamics.Bushing.components",
         "seen_velocity(i, j, j)", "seen_velocity(i, j)", BUSHING),
    _row("a bushing stores its turning twice", "dynamics.Bushing.stored_energy",
         "[*self.stiffness, *self.turning_stiffness]",
         "[*self.stiffness, *(2 * x for x in self.turning_stiffness)]", BUSHING),
    _row("the damper of a spring between points pushes", "dynamics.Spring.components_on_i",
         'f"-({self.damping!r}) * VR(i, j)"', 'f"+({self.damping!r}) * VR(i, j)"', SPRING),
    _row("a spring's law takes the length", "dynamics.Spring.components_on_i",
         "self.parse_law(x, damping)", 'self.parse_law("DM(i, j)", damping)', SPRING),
    _row("a spring stores the other sign of its law's work", "dynamics.Spring.stored_energy",
         "work.value(0.0) - work.value(x)", "work.value(x) - work.value(0.0)", SPRING),
    _row("SFORCE takes the next component", "kinematics.StateReading._force",
         "(component - 1) % 4", "component % 4", OTHER),
    _row("a torque of the state is not its motor's", "motion.TorqueOfState.__call__",
         "_value(law.expression, t, read)", "0.5 * _value(law.expression, t, read)",
         FORCES + "test_a_motor_follows_its_own_joint_by_a_string_of_the_state"),
    _row("a force is not held against its law", "checks.forces_by_law.forces_by_law",
         "np.abs([column(table, name) for name in names] - found)", "0.0 * found", BY_LAW),
)  # fmt: skip

"""MuJoCo's engine: its reader of the text, its masses, questions, steps and energies."""

from tests.mutations.mutation import Fails, Refuses, code, tested

ARM, STEPPED = "arm_mujoco ideal", "arm_mujoco stepped"
BARS = "bars_mujoco ideal"
SWING, SOLVED_SWING = "swing_mujoco stepped", "swing_mujoco adaptive"

READER = (
    code(
        "MuJoCo's reader turns about moving axes",
        "engines._frame",
        'mujoco.mju_euler2Quat(quat, _numbers(origin, "rpy"), "XYZ")',
        'mujoco.mju_euler2Quat(quat, _numbers(origin, "rpy"), "xyz")',
        ARM,
        Refuses("MuJoCo read"),
    ),
    code(
        "MuJoCo's reader leaves the turn of a mass centre out",
        "engines._body",
        "mujoco.mju_mulQuat(quat, frame.quat, turn)",
        "quat[:] = turn",
        ARM,
        Refuses("inertia [kg·m²]"),
    ),
    code(
        "MuJoCo's reader reads masses 1e-9 larger",
        "engines._body",
        'float(mass.get("value", "0"))',
        '1.000000001 * float(mass.get("value", "0"))',
        ARM,
        Refuses("mass [kg]"),
    ),
    code(
        "MuJoCo's reader finds left-handed principal axes",
        "engines.principal",
        "np.cross(axes[:, 0], axes[:, 1])",
        "-np.cross(axes[:, 0], axes[:, 1])",
        ARM,
        Refuses("inertia [kg·m²]"),
    ),
    code(
        "MuJoCo's reader takes every joint for a hinge",
        "engines.mujoco._join",
        "kinds.mjJNT_SLIDE if joint.kind in SLIDES else kinds.mjJNT_HINGE",
        "kinds.mjJNT_HINGE",
        ARM,
        Refuses("axis"),
    ),
    code(
        "MuJoCo's robot stands at the origin",
        "engines._compile",
        "robot.T_0b[:3, 3]",
        "robot.T_0b[:3, 3] + 0.1",
        ARM,
        Fails("potential energy", "pe"),
    ),
    code(
        "MuJoCo takes mass centres near a link's origin for it",
        "engines.MujocoModel.set_mass",
        "self.model.body_sameframe[:] = self.model.site_sameframe[:] = 0",
        "self.model.body_sameframe[:] = 1",
        ARM,
        Refuses("mass centre [m]"),
    ),
    code(
        "MuJoCo's joints in the other order",
        "engines.MujocoModel.__init__",
        "[self.model.joint(JOINT + joint.name) for joint in robot.tree_joints]",
        "[self.model.joint(JOINT + joint.name) for joint in robot.tree_joints[::-1]]",
        ARM,
        Refuses("MuJoCo read joint"),
    ),
)

ANSWERS = (
    code(
        "MuJoCo has standard gravity",
        "engines.MujocoModel.__init__",
        "self.model.opt.gravity[:] = self.gravity",
        "self.model.opt.gravity[:] = (0.0, 0.0, -9.81)",
        ARM,
        Fails("torque", "tau.lift"),
    ),
    code(
        "MuJoCo carries a payload from the start and for ever",
        "engines.MujocoModel.set_mass",
        "body.mass if has_mass else 0.0",
        "body.mass",
        ARM,
        Fails("torque", "tau.lift"),
    ),
    code(
        "a payload in MuJoCo has no moments of inertia",
        "engines.MujocoModel.set_mass",
        "body.moments if has_mass else 0.0",
        "0.0 if 'payload' in link else body.moments",
        ARM,
        Refuses("inertia [kg·m²]"),
    ),
    code(
        "MuJoCo is asked for another acceleration",
        "engines.mujoco.forward_inverse.forward_inverse",
        "data.qacc[order] = qdd\nmujoco.mj_inverse(model, data)",
        "data.qacc[order] = 1.000001 * qdd\nmujoco.mj_inverse(model, data)",
        ARM,
        Fails("torque"),
    ),
    code(
        "MuJoCo is not told what wrenches do",
        "engines.mujoco.forward_inverse.forward_inverse",
        "efforts if pushed is None else efforts - pushed",
        "efforts",
        ARM,
        Fails("torque", "tau.lift"),
    ),
    code(
        "MuJoCo's wrenches act at the link's origin",
        "engines.pushes.push",
        "plant.evaluation.xmat[body].reshape(3, 3) @ point",
        "plant.evaluation.xmat[body].reshape(3, 3) @ (0 * point)",
        ARM,
        Fails("torque"),
    ),
    code(
        "loose joints in MuJoCo do not feel held ones",
        "engines._loose",
        "lacking - M[:, held] @ qdd[held]",
        "lacking",
        SOLVED_SWING,
        Fails("acceleration", "qdd.hinge"),
    ),
    code(
        "loose joints in MuJoCo do not feel gravity",
        "engines._loose",
        "effort - data.qfrc_bias[order]",
        "effort + 0 * data.qfrc_bias[order]",
        SOLVED_SWING,
        Fails("acceleration", "qdd.hinge"),
    ),
    code(
        "MuJoCo's steps 1e-6 longer than said",
        "engines.march_through",
        "model.opt.timestep = march.h",
        "model.opt.timestep = 1.000001 * march.h",
        STEPPED,
        Fails("position", "q.turn"),
    ),
    code(
        "MuJoCo's motors push free joints a little",
        "engines._drive_some.drive",
        "np.where(driven, effort, given)",
        "np.where(driven, effort, given + 0.01)",
        SWING,
        Refuses("in joint 'slide' at t ="),
    ),
    code(
        "MuJoCo's motors tell a thousandth more than they give",
        "engines._drive_some.drive",
        "np.where(driven, effort, 0.0)",
        "np.where(driven, 1.001 * effort, 0.0)",
        STEPPED,
        Fails("torque", "tau.lift"),
    ),
    code(
        "velocities of mass centres in MuJoCo are those of another point",
        "engines.survey_of.velocity",
        "point - about",
        "about - point",
        ARM,
        Fails("kinetic energy"),
    ),
    code(
        "moments in MuJoCo along the link's axes",
        "engines.survey_of",
        'np.einsum("Nlba,Nlb->Nla", R, w[:, own])',
        "w[:, own]",
        ARM,
        Fails("kinetic energy"),
    ),
)

REACTIONS = (
    code(
        "moments in MuJoCo's joints about another point",
        "engines.reactions_of",
        'about - rows["xpos"]',
        'rows["xpos"] - about',
        ARM,
        Fails("reaction", "reaction.lift.m?"),
    ),
    code(
        "MuJoCo's joints carry no wrenches",
        "engines.reactions_of",
        "np.concatenate([force, moment])",
        "0 * np.concatenate([force, moment])",
        ARM,
        Fails("reaction", "reaction.lift.f?"),
    ),
    code(
        "MuJoCo's joints do not feel what loops do to them",
        "simulation.engine_answer.engine_reaction",
        "here += pin_wrenches(robot, moving.q, rods[..., part])",
        "pass",
        BARS,
        Fails("reaction", "reaction.crank_joint.f?"),
    ),
    code(
        "forces of MuJoCo's loops with the other sign",
        "engines._gradient",
        "return -data_rows",
        "return data_rows",
        BARS,
        Fails("loop closure force"),
    ),
    code(
        "MuJoCo's loops are asked at another place",
        "engines._constraints",
        "data.site_xpos[b] - data.xpos[body]",
        "data.site_xpos[b]",
        BARS,
        Fails("torque", "tau.crank_joint"),
    ),
)

MJCF = "robots/mjcf/test_read_mjcf.py::test_"
OWN_MODEL = "watching/test_own_model.py::test_"
FREE_BASE = "watching/test_free_base.py::test_"

FILES = (
    tested(
        "numbers of a second process that failed",
        "engines.second_process.second_process",
        "found if status == 0 else compute()",
        "found",
        "engines/test_second_process.py::"
        "test_what_fails_there_is_computed_here_and_an_error_is_raised_here",
    ),
    tested(
        "a slide's ref the other way",
        "body_links._BodyWriter._add_chain",
        "place - ref * (R @ axis)",
        "place + ref * (R @ axis)",
        MJCF + "bodies_fall_as_in_mujoco",
    ),
    tested(
        "MJCF joints stand at the bodies' origins",
        "body_links._BodyWriter._add_chain",
        "xyz + R @ (anchor - reached)",
        "xyz",
        MJCF + "bodies_fall_as_in_mujoco",
    ),
    tested(
        "meshes of MJCF are drawn as if MuJoCo had not moved their points",
        "body_links._BodyWriter._add_shape",
        "xyz - R @ model.mesh_pos[mesh]",
        "xyz",
        MJCF + "a_mesh_is_drawn_where_mujoco_has_it",
    ),
    tested(
        "a joint of MJCF follows another about zero, not about the file's positions",
        "equalities._follow",
        "y0 + powers[0] - powers[1] * x0",
        "powers[0]",
        MJCF + "equalities_become_loops_and_followers",
    ),
    tested(
        "the gravity of an MJCF file is passed by without a word",
        "read_mjcf._options",
        "if (other := gravity_left_out('MJCF', gravity)) is not None: ...",
        "if (other := None) is not None: ...",
        MJCF + "mass_matrix_bias_and_passive_force_are_those_of_mujoco",
    ),
    tested(
        "the rotor of a watched joint is counted as the gear's torque",
        "watching.writing._recorded",
        "tau - train - problem.robot.rotor_inertia[:, None] * motion.qdd",
        "tau - train",
        OWN_MODEL + "a_right_loop_passes",
    ),
    tested(
        "shared damping acts at the begin of a step",
        "mujoco_within_step._alone",
        "alone.dof_damping[v] != loop.evidence.held.damping",
        "alone.dof_damping[v] != 0",
        OWN_MODEL + "damping_that_the_file_has_too_is_no_error_of_the_integrator",
    ),
    tested(
        "positions of RK4 are those of one step with the last velocity",
        "stepping._has_stages",
        'e.held.settings.get("integrator") == "RK4"',
        'e.held.settings.get("integrator") == "rk4"',
        OWN_MODEL + "a_right_loop_without_damping_passes_by_every_integrator",
    ),
    tested(
        "a base that moves is taken for a fixed one",
        "mujoco_evidence._moving_base",
        "if moved > EXACT: ...",
        "if moved < 0: ...",
        OWN_MODEL + "a_base_that_the_robot_does_not_have_is_named",
    ),
    tested(
        "links of a watched model stand at the origins of their bodies",
        "mujoco_readback._base",
        "scratch.xpos[body] + R @ link_offset(model, body)",
        "scratch.xpos[body]",
        OWN_MODEL + "a_right_loop_passes",
    ),
    tested(
        "a free base turns about the origin of its link",
        "watching.free_base.on_free_base",
        "-np.asarray(at)",
        "np.zeros(3)",
        FREE_BASE + "a_planted_mistake_in_pybullet_is_named",
    ),
    tested(
        "a joint is held at its limit by a torque that pushes it out",
        "watching.explaining._is_held",
        "rest * e.at_ends > 0",
        "rest * e.at_ends < 0",
        "watching/test_public_robots.py::test_joints_that_start_outside_their_ranges_are_named",
    ),
    tested(
        "dry friction of the model's own file is an error of the loop",
        "watching.differences._not_simulated",
        "e.shares_friction[row] and what == DRY_FRICTION",
        "False",
        OWN_MODEL + "friction_rotors_and_gravity_of_the_models_own_robot_are_no_errors",
    ),
    tested(
        "contacts that carry a robot pull at it",
        "bullet_contacts.Contacts.cause",
        "-_torque(robot, names, q, points)",
        "_torque(robot, names, q, points)",
        FREE_BASE + "contacts_that_carry_a_free_body_are_counted_in",
    ),
)

ROWS = (*READER, *ANSWERS, *REACTIONS, *FILES)

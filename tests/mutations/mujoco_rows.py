"""MuJoCo's engine: its reader of the text, its masses, questions, steps and energies."""

from tests.mutations.mutation import Fails, Refuses, code

ARM, STEPPED = "arm_mujoco ideal", "arm_mujoco stepped"
BARS = "bars_mujoco ideal"
SWING, SOLVED_SWING = "swing_mujoco stepped", "swing_mujoco adaptive"

READER = (
    code(
        "MuJoCo's reader turns about moving axes",
        "engines/mujoco/urdf_reader.py",
        '"XYZ")',
        '"xyz")',
        ARM,
        Refuses("MuJoCo read"),
    ),
    code(
        "MuJoCo's reader leaves the turn of a mass centre out",
        "engines/mujoco/urdf_reader.py",
        "mujoco.mju_mulQuat(quat, frame.quat, turn)",
        "quat[:] = turn",
        ARM,
        Refuses("inertia [kg·m²]"),
    ),
    code(
        "MuJoCo's reader reads masses 1e-9 larger",
        "engines/mujoco/urdf_reader.py",
        'float(mass.get("value", "0"))',
        '1.000000001 * float(mass.get("value", "0"))',
        ARM,
        Refuses("mass [kg]"),
    ),
    code(
        "MuJoCo's reader finds left-handed principal axes",
        "engines/mujoco/urdf_reader.py",
        "axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])",
        "axes[:, 2] = -np.cross(axes[:, 0], axes[:, 1])",
        ARM,
        Refuses("inertia [kg·m²]"),
    ),
    code(
        "MuJoCo's reader takes every joint for a hinge",
        "engines/mujoco/plant.py",
        "kinds.mjJNT_SLIDE if joint.kind in SLIDES else kinds.mjJNT_HINGE",
        "kinds.mjJNT_HINGE",
        ARM,
        Refuses("axis"),
    ),
    code(
        "MuJoCo's robot stands at the origin",
        "engines/mujoco/plant.py",
        "root.pos, root.quat = robot.T_0b[:3, 3], quat",
        "root.pos, root.quat = robot.T_0b[:3, 3] + 0.1, quat",
        ARM,
        Fails("potential energy", "pe"),
    ),
    code(
        "MuJoCo's joints in the other order",
        "engines/mujoco/plant.py",
        "for j in robot.tree_joints]",
        "for j in robot.tree_joints[::-1]]",
        ARM,
        Refuses("MuJoCo read joint"),
    ),
)

ANSWERS = (
    code(
        "MuJoCo has standard gravity",
        "engines/mujoco/plant.py",
        "self.model.opt.gravity[:] = self.gravity",
        "self.model.opt.gravity[:] = (0.0, 0.0, -9.81)",
        ARM,
        Fails("torque", "tau.lift"),
    ),
    code(
        "MuJoCo carries a payload from the start and for ever",
        "engines/mujoco/plant.py",
        "body.mass if has_mass else 0.0",
        "body.mass",
        ARM,
        Fails("torque", "tau.lift"),
    ),
    code(
        "a payload in MuJoCo has no moments of inertia",
        "engines/mujoco/plant.py",
        "body.moments if has_mass else 0.0",
        "0.0 if 'payload' in link else body.moments",
        ARM,
        Refuses("inertia [kg·m²]"),
    ),
    code(
        "MuJoCo is asked for another acceleration",
        "engines/mujoco/completing.py",
        "        data.qacc[order] = qdd\n        mujoco.mj_inverse(",
        "        data.qacc[order] = 1.000001 * qdd\n        mujoco.mj_inverse(",
        ARM,
        Fails("torque"),
    ),
    code(
        "MuJoCo is not told what wrenches do",
        "engines/mujoco/completing.py",
        "efforts if pushed is None else efforts - pushed",
        "efforts",
        ARM,
        Fails("torque", "tau.lift"),
    ),
    code(
        "MuJoCo's wrenches act at the link's origin",
        "engines/mujoco/completing.py",
        ".reshape(3, 3) @ point",
        ".reshape(3, 3) @ (0 * point)",
        ARM,
        Fails("torque"),
    ),
    code(
        "loose joints in MuJoCo do not feel held ones",
        "engines/mujoco/completing.py",
        "lacking - M[:, held] @ qdd[held]",
        "lacking",
        SOLVED_SWING,
        Fails("acceleration", "qdd.hinge"),
    ),
    code(
        "loose joints in MuJoCo do not feel gravity",
        "engines/mujoco/completing.py",
        "lacking = effort - data.qfrc_bias[order]",
        "lacking = effort + 0 * data.qfrc_bias[order]",
        SOLVED_SWING,
        Fails("acceleration", "qdd.hinge"),
    ),
    code(
        "MuJoCo's steps 1e-6 longer than said",
        "engines/mujoco/marching.py",
        "model.opt.timestep = march.h",
        "model.opt.timestep = 1.000001 * march.h",
        STEPPED,
        Fails("position", "q.turn"),
    ),
    code(
        "MuJoCo's motors push free joints a little",
        "engines/mujoco/marching.py",
        "applied = np.where(driven, effort, given)",
        "applied = np.where(driven, effort, given + 0.01)",
        SWING,
        Refuses("in joint 'slide' at t ="),
    ),
    code(
        "MuJoCo's motors tell a thousandth more than they give",
        "engines/mujoco/marching.py",
        "motor = np.where(driven, effort, 0.0)",
        "motor = np.where(driven, 1.001 * effort, 0.0)",
        STEPPED,
        Fails("torque", "tau.lift"),
    ),
    code(
        "velocities of mass centres in MuJoCo are those of another point",
        "engines/mujoco/surveying.py",
        "np.cross(w, point - about)",
        "np.cross(w, about - point)",
        ARM,
        Fails("kinetic energy"),
    ),
    code(
        "moments in MuJoCo along the link's axes",
        "engines/mujoco/surveying.py",
        'np.einsum("Nlba,Nlb->Nla", R, w[:, own])',
        "w[:, own]",
        ARM,
        Fails("kinetic energy"),
    ),
)

REACTIONS = (
    code(
        "moments in MuJoCo's joints about another point",
        "engines/mujoco/reacting.py",
        'np.cross(about - rows["xpos"], force)',
        'np.cross(rows["xpos"] - about, force)',
        ARM,
        Fails("reaction", "reaction.lift.m?"),
    ),
    code(
        "MuJoCo's joints carry no wrenches",
        "engines/mujoco/reacting.py",
        "data.xfrc_applied[body] += np",
        "data.xfrc_applied[body] += 0 * np",
        ARM,
        Fails("reaction", "reaction.lift.f?"),
    ),
    code(
        "MuJoCo's joints do not feel what loops do to them",
        "simulation/engine_reaction.py",
        "here += pin_wrenches(robot, moving.q, rods[..., part])",
        "pass",
        BARS,
        Fails("reaction", "reaction.crank_joint.f?"),
    ),
    code(
        "forces of MuJoCo's loops with the other sign",
        "engines/mujoco/closing.py",
        "return -data_rows",
        "return data_rows",
        BARS,
        Fails("force in a loop"),
    ),
    code(
        "MuJoCo's loops are asked at another place",
        "engines/mujoco/closing.py",
        "from_a = data.site_xpos[b] - data.xpos[body]",
        "from_a = data.site_xpos[b]",
        BARS,
        Fails("torque", "tau.crank_joint"),
    ),
)

ROWS = (*READER, *ANSWERS, *REACTIONS)

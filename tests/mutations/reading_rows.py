"""How other programs read a file, and the torque that is at stake."""

from tests.mutations.mutation import tested

TORQUES = "audit/test_reading_torques.py::test_"
SDF_READINGS = "audit/test_sdf_readings.py::test_"
MJCF_READINGS = "audit/test_mjcf_readings.py::test_"
FACTS = "audit/test_reading_facts.py::test_"

ROWS = (
    tested(
        "a leader does not carry its followers",
        "audit.reading_torques._off_by_leaders",
        "robot.coupling[0].T @ tau",
        "tau[leaders]",
        TORQUES + "a_leader_lacks_its_follower_in_all_programs",
    ),
    tested(
        "friction stays where damping is judged",
        "audit.reading_torques._Question.text",
        '{"damping": "friction", "friction": "damping"}[kept]',
        "kept",
        TORQUES + "a_feature_changes_the_torque_of_the_hinge_as_in_closed_form",
    ),
    tested(
        "all programs read a feature as most do",
        "audit.reading_facts._features",
        'readings.get(program) or readings["all"]',
        'readings.get("all") or readings[program]',
        FACTS + "programs_read_each_feature_as_the_table_has_it",
    ),
    tested(
        "the quaternion of a ball begins with x in MuJoCo",
        "audit.other_programs.at_mjcf_states",
        "np.roll(quaternions_of_vectors(q[rows]), 1, axis=0)",
        "quaternions_of_vectors(q[rows])",
        "audit/test_other_programs.py::"
        "test_balls_and_free_joints_of_an_mjcf_file_are_those_of_mujoco",
    ),
    tested(
        "a law of MJCF is at stake for programs that read it",
        "audit.mjcf_readings._differences",
        "has not in (by_program[OWN], REFUSED)",
        "has in (by_program[OWN], REFUSED)",
        MJCF_READINGS + "a_law_that_a_program_lacks_is_its_torque_in_closed_form",
    ),
    tested(
        "the spring of an SDF is at stake from zero",
        "audit.sdf_readings._of_joints",
        "states.q[row]",
        "0 * states.q[row]",
        SDF_READINGS + "a_law_that_pybullet_lacks_is_its_torque_in_closed_form",
    ),
    tested(
        "a frame that carries a body weighs nothing",
        "audit.file_features._Tree.is_massless",
        "if name in self.heavy: return False",
        "if not name: return False",
        FACTS + "a_frame_that_carries_a_body_is_no_joint_without_mass",
    ),
)

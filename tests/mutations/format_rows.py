"""Robot files of other formats than URDF, and conversions into them."""

from tests.mutations.mutation import tested

SDF = "robots/sdf/test_read_sdf.py::test_"
CONVERTED = "conversion/test_converting.py::test_"

ROWS = (
    tested(
        "a joint of SDF that leads backwards turns the other way",
        "read_sdf._Reader._add_axes",
        "-1.0 if branch.is_reversed else 1.0",
        "1.0",
        SDF + "torques_are_those_of_drake",
    ),
    tested(
        "an axis of SDF stands in its own joint whatever expressed_in says",
        "sdf_joints._direction",
        "frames.find(scope, expressed, axis)",
        "joint",
        SDF + "torques_are_those_of_drake",
    ),
    tested(
        "the reference of a joint that follows is forgotten",
        "sdf_joints._leader",
        'number(mimic, "offset", 0.0) - _1',
        'number(mimic, "offset", 0.0)',
        SDF + "what_acts_in_joints_is_read",
    ),
    tested(
        "an included model is placed by its own frame",
        "Frames.pose",
        "inverse_pose(self._inside(place.placement, one))",
        "pose()",
        SDF + "models_in_models_and_included_ones",
    ),
    tested(
        "joints of one body of MJCF stand at its origin",
        "write_mjcf._Writer._add_body",
        "_joint(joint, inverse_pose(T_joint))",
        "_joint(joint, pose())",
        CONVERTED + "a_certificate_by_all_programs",
    ),
    tested(
        "a screw of SDF has the pitch of the other hand",
        "sdf_pairs.pitch_of",
        "mimic.multiplier * along",
        "-mimic.multiplier * along",
        CONVERTED + "all_that_a_format_has_is_written",
    ),
    tested(
        "products of inertia of MJCF are in the order of URDF",
        "write_mjcf._inertial",
        "inertia.tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]",
        "inertia.tensor[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]",
        CONVERTED + "robots_come_back_as_they_were",
    ),
    tested(
        "a certificate judges by the median joint",
        "comparison.TorqueComparison.worst",
        "np.max(self.errors, initial=0.0)",
        "np.median(self.errors)",
        CONVERTED + "another_robot_is_not_certified",
    ),
    tested(
        "a preload is forgotten",
        "written.spring_of",
        "spring.free_position + spring.preload / spring.stiffness",
        "spring.free_position",
        CONVERTED + "all_that_a_format_has_is_written",
    ),
)

"""Robot files of other formats than URDF, and conversions into them."""

from tests.mutations.mutation import tested

SDF = "robots/sdf/test_read_sdf.py::test_"

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
)

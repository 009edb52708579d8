"""Masses from geometry, and what a body within its shapes can be."""

from tests.mutations.mutation import tested

MASS, SHAPES = "shapes/test_mass_properties.py::test_", "audit/test_against_shapes.py::test_"

ROWS = (
    tested(
        "the second moment of a tetrahedron is half of itself",
        "shapes.volume_moments",
        "_outer_sum(det, (s, a, b, c)) / 120",
        "_outer_sum(det, (s, a, b, c)) / 240",
        MASS + "a_box_is_exact_and_its_centre_where_it_is",
    ),
    tested(
        "tetrahedra start at the origin and not near the mesh",
        "shapes._about_the_mean",
        "mesh.vertices.mean(axis=0)",
        "np.zeros(3)",
        MASS + "one_kilometre_from_the_origin_nothing_is_lost",
    ),
    tested(
        "a tensor is about the origin",
        "shapes.volume_moments",
        "second - volume * np.outer(centre, centre)",
        "second",
        MASS + "trimesh_and_mujoco_find_the_same_of_a_skew_body",
    ),
    tested(
        "what bodies share counts twice",
        "shapes.mesh_union.unite",
        "not _boxes_overlap(mesh.bodies)",
        "True",
        MASS + "what_bodies_share_counts_once",
    ),
    tested(
        "a cavity is filled",
        "shapes._union",
        "solids[host] - parts[k]",
        "solids[host]",
        MASS + "a_cavity_is_taken_out_and_a_body_in_it_is_not",
    ),
    tested(
        "an edge bends by its angle and not by the tangent of half of it",
        "shapes.closed_bodies.ClosedMesh.bend",
        "np.tan(np.clip(angle, -SHARPEST, SHARPEST) / 2)",
        "np.clip(angle, -SHARPEST, SHARPEST)",
        MASS + "a_shell_says_how_much_too_heavy_it_is",
    ),
    tested(
        "a body may spread over the hull's whole length",
        "audit.against_shapes.LinkShape.largest_spread",
        "max(0.0, above) * max(0.0, below)",
        "(above + below) ** 2",
        SHAPES + "no_masses_within_the_hull_spread_further_and_two_at_its_ends_do",
    ),
    tested(
        "a volume is at most that of the hull",
        "audit.against_shapes.shape_of",
        "hull.volume",
        "2 * hull.volume",
        SHAPES + "a_density_is_doubted_only_where_the_bodies_cannot_overlap_into_a_sound_one",
    ),
    tested(
        "a kept audit of a mesh that has changed",
        "audit.kept_audit.audit_for_page",
        "[robot.text.encode(), placed, meshes, _program()]",
        "[robot.text.encode(), placed, _program()]",
        "audit/test_kept_audit.py::"
        "test_an_audit_is_kept_until_a_mesh_the_file_or_the_program_changes",
    ),
    tested(
        "what a joint moves rests, if its parent does",
        "audit.at_rest._still",
        'joint.get("type") != "fixed"',
        "False",
        "audit/test_at_rest.py::test_a_placeholder_in_a_scene_is_a_note_and_on_an_arm_a_warning",
    ),
)

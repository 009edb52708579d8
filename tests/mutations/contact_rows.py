"""Contacts of shapes: laws, friction, guard, depth and decks."""

from tests.mutations.mutation import Fails, code, tested

SHAPES = "dynamics/test_shape_contact.py::test_"
MESHES = "dynamics/test_mesh_contact.py::test_"
DECKS = "decks/test_deck_contacts.py::test_"

ROWS = [
    tested(
        "a step passes over a short blow",
        "dynamics.touch_guard.TouchGuard.cut",
        "(first.t, None, first.step)",
        "(end, changed, None)",
        SHAPES + "a_short_blow_between_long_steps_is_felt",
    ),
    tested(
        "the march goes on where shapes may touch",
        "dynamics.kernels.marching.march",
        "min(before, left) <= FASTER * h",
        "min(before, left) < 0.0",
        SHAPES + "what_is_apart_moves_in_machine_code_up_to_the_next_touch",
    ),
    tested(
        "the k of Hertz's energy instead of that of the force",
        "dynamics.contact_law.ContactLaw.hertz",
        "4.0 / 3.0 / math.sqrt(curvature)",
        "16.0 / 15.0 / math.sqrt(curvature)",
        SHAPES + "a_steel_ball_touches_for_the_time_of_hertz_and_flies_back",
    ),
    tested(
        "a restitution at another speed",
        "dynamics.contact_law.ContactLaw.bouncing",
        "_damping(restitution) / speed",
        "_damping(restitution)",
        SHAPES + "a_ball_bounces_with_the_restitution_that_was_asked_for",
    ),
    tested(
        "a push without its exponent",
        "kernels.push_of",
        "k * depth**e + c * rate * smooth_step(depth, 0.0, 0.0, full, 1.0)",
        "k * depth + c * rate * smooth_step(depth, 0.0, 0.0, full, 1.0)",
        SHAPES + "a_ground_contact_is_a_sphere_on_a_plane",
    ),
    tested(
        "two cylinders are never parted across both rims",
        "kernels.closest_of_cylinders",
        "_part_rims(a, b, distance, normal)",
        "distance, normal",
        "dynamics/test_closest.py::test_"
        "two_cylinders_overlap_as_far_as_the_best_of_many_directions",
    ),
    tested(
        "a cylinder on the half of another carries all",
        "kernels._lens",
        "area / (math.pi * r * r)",
        "1.0",
        SHAPES + "a_cylinder_stands_on_another_by_the_common_part_of_their_faces",
    ),
    tested(
        "a corner of a mesh carries a face",
        "kernels.touch_by_corners",
        "hulls.shares[k]",
        "1.0",
        MESHES + "a_box_as_a_mesh_touches_as_the_box",
    ),
    tested(
        "two meshes are never parted across their edges",
        "kernels.closest_of_meshes",
        "_part_edges(a, b, best, normal)",
        "best, normal",
        MESHES + "distances_of_a_mesh_are_proved_and_those_of_coal",
    ),
    code(
        "contacts record twice their depth",
        "dynamics.shape_contact.channel_rows",
        "rows[10]",
        "2 * rows[10]",
        "arm ideal",
        Fails("depth by its certificate", "contact.hand.depth"),
    ),
    tested(
        "the stiffness of a deck by length instead of by its power",
        "decks.deck_contacts._law",
        "units.force / units.length**e",
        "units.force / units.length",
        DECKS + "an_impact_in_si_units",
    ),
    tested(
        "contacts record twice their force",
        "dynamics.shape_contact.channel_rows",
        "push, friction, rows[10], *rows[:6], *place",
        "push, friction, rows[10], *(2 * rows[:6]), *place",
        "checks/test_contact_impulses.py::test_what_is_on_record_changes_the_momentum",
    ),
    tested(
        "a request reads the first pair of a CONTACT alone",
        "decks.contact_reads.force_of_pairs",
        "trees.add(*(trees.call('SFORCE', name, *others) for name in names))",
        "trees.call('SFORCE', names[0], *others)",
        DECKS + "requests_record_the_force_of_a_contact_and_of_all_its_pairs",
    ),
    tested(
        "a CONTACT is written with the stiffness by length instead of by its power",
        "reports.exports.adams_contacts.write_contact",
        "length**law.exponent",
        "length",
        "reports/exports/test_adams_model.py::test_contacts_come_back",
    ),
    tested(
        "a cylinder of a deck about its bottom",
        "decks.deck_contacts._cylinder",
        "_at(z=half)",
        "_at(z=0 * half)",
        DECKS + "pictures_become_shapes_in_metres_about_their_middle",
    ),
]

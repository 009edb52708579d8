"""ADAMS decks: masses, joints, units and functions."""

from tests.mutations.mutation import tested

GEOMETRY, RUNS = "decks/test_deck_geometry.py::test_", "decks/test_deck_runs.py::test_"
COUPLED = "decks/test_coupled_joints.py::test_"
SCRIPT = "decks/test_converted_decks.py::test_"
FRICTION = "decks/test_deck_friction.py::test_"
EXPORT = "reports/exports/test_adams_model.py::test_"

ROWS = (
    tested(
        "products of inertia of a deck are entries of the tensor",
        "decks.deck._part",
        "[[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]]",
        "[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]",
        GEOMETRY + "masses_by_points",
    ),
    tested(
        "IP of a deck is about the mass centre whatever IM is",
        "decks.deck._part",
        "T[:3, :3] @ along @ T[:3, :3].T - steiner",
        "T[:3, :3] @ along @ T[:3, :3].T",
        GEOMETRY + "masses_by_points",
    ),
    tested(
        "the angles of a deck are about fixed axes",
        "decks.deck._rotation_313",
        "one @ rotation_from_rpy((second, 0, 0)) @ other",
        "other @ rotation_from_rpy((second, 0, 0)) @ one",
        GEOMETRY + "coordinates_are_those_of_i_in_j",
    ),
    tested(
        "a joint from I to J takes its steps in the order from J to I",
        "decks.deck_joints.steps_of",
        "reversed(steps)",
        "steps",
        GEOMETRY + "coordinates_are_those_of_i_in_j",
    ),
    tested(
        "a joint from I to J counts the other way",
        "decks.deck_joints.Step.back",
        "Step(self.move, -self.axis, self.start)",
        "Step(self.move, self.axis, self.start)",
        GEOMETRY + "coordinates_are_those_of_i_in_j",
    ),
    tested(
        "a HOOKE turns about the axes of a UNIVERSAL",
        "decks.deck_joints._cross",
        "CROSSES[kind]",
        "(2, 2)",
        GEOMETRY + "a_cross_keeps_its_two_axes_square",
    ),
    tested(
        "a stiffness of a deck is in its force for each metre",
        "decks.deck_forces._spring",
        'one.number("K") * units.force / units.length',
        'one.number("K") * units.force',
        RUNS + "two_bodies_on_a_spring_in_the_units_of_the_deck",
    ),
    tested(
        "a function of a deck reads metres",
        "decks.deck_functions.DeckFunctions._in_si",
        "one = units.length",
        "one = 1.0",
        RUNS + "two_bodies_on_a_spring_in_the_units_of_the_deck",
    ),
    tested(
        "TIME of a deck is in seconds",
        "decks.deck_functions.DeckFunctions._in_si",
        'f"(TIME/{units.time!r})"',
        '"TIME"',
        SCRIPT + "starts_and_drives_are_in_si_units",
    ),
    tested(
        "a pinion turns as if its rack were on the other side",
        "decks.couplings._rack_and_pinion",
        "np.sign(beside) * diameter / 2",
        "-np.sign(beside) * diameter / 2",
        COUPLED + "a_falling_rack_turns_its_pinion",
    ),
    tested(
        "a coupler's scales are for metres in a deck in millimetres",
        "decks.couplings._coupler",
        "r1 / _unit(a, deck), r2 / _unit(b, deck)",
        "r1, r2",
        COUPLED + "a_falling_rack_turns_its_pinion",
    ),
    tested(
        "teeth of a gear turn both wheels the same way",
        "decks.couplings._gear",
        "(speed_a, -speed_b)",
        "(speed_a, speed_b)",
        COUPLED + "wheels_follow_the_driven_one",
    ),
    tested(
        "the carrier of a gear is always the part nearer to the ground",
        "decks.couplings._tooth_speed",
        "sign * float(moved @ along)",
        "float(moved @ along)",
        COUPLED + "a_planet_turns_once_more_for_each_round",
    ),
    tested(
        "the stiction velocity of a deck is in metres a second",
        "decks.deck_friction._law",
        'units.speed * one.number("STICTION_TRANSITION_VELOCITY", VELOCITY)',
        'one.number("STICTION_TRANSITION_VELOCITY", VELOCITY)',
        FRICTION + "a_block_slides_to_rest_by_its_weight_and_preload",
    ),
    tested(
        "products of inertia of an exported part are entries of the tensor",
        "reports.exports.adams_parts._part",
        "[0.0 - xy, 0.0 - xz, 0.0 - yz]",
        "[xy, xz, yz]",
        EXPORT + "every_statement_of_a_small_arm_is_what_a_hand_writes",
    ),
    tested(
        "an exported tensor in a model in millimetres is in kg·m²",
        "reports.exports.adams_parts._part",
        "(length**2 * inertia.tensor)",
        "(inertia.tensor)",
        EXPORT + "every_statement_of_a_small_arm_is_what_a_hand_writes",
    ),
    tested(
        "exported angles are in the order of fixed axes",
        "reports.exports.adams_frames.angles_313",
        "return a, b, c",
        "return c, b, a",
        EXPORT + "every_statement_of_a_small_arm_is_what_a_hand_writes",
    ),
    tested(
        "an exported loop is a line along the x axis of its marker",
        "reports.exports.adams_joints.AdamsJoints.loop_statements",
        "pose(R, loop.point_a)",
        "pose(None, loop.point_a)",
        EXPORT + "markers_of_joints_and_loops_meet_at_the_start",
    ),
    tested(
        "an exported follower turns the other way",
        "reports.exports.adams_joints.AdamsJoints._coupler",
        "-joint.mimic.multiplier",
        "joint.mimic.multiplier",
        EXPORT + "a_coupler_says_the_ratio_in_the_units_of_the_model",
    ),
    tested(
        "exported functions of a model in millimetres read metres",
        "reports.exports.adams_functions.AdamsNames._reading",
        "scale = 1.0 / self.length if one.name in LENGTHS else 1.0",
        "scale = 1.0",
        EXPORT + "a_machine_with_every_force_comes_back",
    ),
)

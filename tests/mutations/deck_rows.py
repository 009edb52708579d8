"""ADAMS decks: masses, joints, units and functions."""

from tests.mutations.mutation import tested

GEOMETRY, RUNS = "decks/test_deck_geometry.py::test_", "decks/test_deck_runs.py::test_"
REQUESTS, CHANNELS = "dynamics/test_requests.py::test_", "decks/test_deck_requests.py::test_"
RUBS, INPUTS = "decks/test_deck_friction.py::test_", "decks/test_deck_inputs.py::test_"
KINDS = "reference/test_curve_kinds.py::test_"
COUPLED = "decks/test_coupled_joints.py::test_"
SCRIPT = "decks/test_converted_decks.py::test_"

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
        "decks.deck_calls.scale_of_call",
        "units.length",
        "1.0",
        RUNS + "two_bodies_on_a_spring_in_the_units_of_the_deck",
    ),
    tested(
        "TIME of a deck is in seconds",
        "decks.deck_functions.DeckFunctions.in_si",
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
        "an observer that turns sees no Coriolis acceleration",
        "dynamics.request_reading.RequestReading._relative_acceleration",
        "apart[:3] - cross(dw, d) - 2 * cross(w, v) + cross(w, cross(w, d))",
        "apart[:3] - cross(dw, d) - cross(w, v)",
        REQUESTS + "accelerations_are_second_derivatives_as_the_observer_sees_them",
    ),
    tested(
        "a marker off its link's origin has that one's acceleration",
        "dynamics.request_reading.RequestReading._acceleration",
        "of_link[:3] + cross(turning, arm) + cross(w, cross(w, arm))",
        "of_link[:3] + cross(turning, arm)",
        REQUESTS + "accelerations_are_second_derivatives_as_the_observer_sees_them",
    ),
    tested(
        "an observer that turns sees angular accelerations of the world",
        "dynamics.request_reading.RequestReading._relative_acceleration",
        "apart[3:] - cross(w, one.w - other.w)",
        "apart[3:]",
        REQUESTS + "turning_accelerations_are_rates_of_the_angular_velocity",
    ),
    tested(
        "PITCH is the second angle itself",
        "dynamics.request_reading.RequestReading._orientation",
        '(-1.0 if reading.name == "PITCH" else 1.0)',
        "1.0",
        REQUESTS + "orientations_give_the_rotation_back",
    ),
    tested(
        "JOINT has what goes along the joint's freedoms",
        "dynamics.request_reading.RequestReading._held",
        "whole - self._along_freedoms(ends, side, whole)",
        "whole",
        REQUESTS + "forces_of_joints_are_those_of_pinocchio",
    ),
    tested(
        "the moment of JOINT is about the child's origin, wherever I is",
        "dynamics.request_reading.RequestReading._whole",
        "moment + cross(arm, force)",
        "moment",
        REQUESTS + "forces_of_joints_are_those_of_pinocchio",
    ),
    tested(
        "JOINT on the parent is that on the child",
        "dynamics.request_reading.RequestReading._sign",
        "1.0 if _1 == _2 else -1.0",
        "1.0",
        REQUESTS + "forces_of_joints_are_those_of_pinocchio",
    ),
    tested(
        "an angle at half a turn is on the side that rounding chooses",
        "dynamics.request_reading._angle",
        "np.where(found <= FLICKER - np.pi, found + 2 * np.pi, found)",
        "found",
        REQUESTS + "a_half_turn_is_not_torn_by_rounding",
    ),
    tested(
        "a request of a deck is in the deck's units",
        "decks.deck_requests.scale_text",
        'f"({text})*{scale!r}"',
        "text",
        CHANNELS + "requests_are_in_si_units_whatever_the_deck_is_in",
    ),
    tested(
        "ADAMS's default of a friction arm is a metre in a deck in millimetres",
        "decks.deck_friction._law",
        "units.length * one.number(key, 1.0)",
        "one.number(key, 1.0)",
        RUBS + "what_is_not_typed_is_adams_s_default_in_the_deck_s_units",
    ),
    tested(
        "a hinge's friction has the preload of a slide",
        "decks.deck_friction._law",
        '("FRICTION_TORQUE_PRELOAD", units.torque)',
        '("FRICTION_TORQUE_PRELOAD", units.force)',
        RUBS + "what_rubs_slows_down_by_its_load",
    ),
    tested(
        "an input of a plant stays as the deck types it",
        "decks.deck_functions.DeckFunctions._variable_text",
        "id in self.inputs",
        "False",
        INPUTS + "a_table_drives_a_deck",
    ),
    tested(
        "PINVAL counts from nought",
        "decks.deck_functions.DeckFunctions._plant_input",
        "listed(plant)[int(match[2]) - 1]",
        "listed(plant)[int(match[2]) % 2]",
        INPUTS + "a_table_drives_a_deck",
    ),
    tested(
        "R2 of a request file is its first angle",
        "reference.curve_kinds._by_request",
        "three[_OF_FILE[component]]",
        "three[_OF_FILE[component] - 1]",
        KINDS + "columns_are_taken_by_their_request",
    ),
)

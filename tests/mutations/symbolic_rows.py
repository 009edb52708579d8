"""Equations as symbols: their derivation, their proof, and what is written."""

from tests.mutations.mutation import tested

EQUATIONS = "symbolic/test_equations.py::test_"

ROWS = (
    tested(
        "inertia without the part of the first moments",
        "symbolic.derive",
        "(w.T * H * v).T",
        "0 * M",
        EQUATIONS + "the_double_pendulum_is_that_of_the_books",
    ),
    tested(
        "an arm of a group turns by the body's own angle",
        "symbolic.BodyMotion.velocity",
        "_about_z(arm.angle - self.angle)",
        "_about_z(-self.angle)",
        EQUATIONS + "the_double_pendulum_is_that_of_the_books",
    ),
    tested(
        "antiparallel axes add",
        "symbolic._turned_over",
        "-group.angle",
        "group.angle",
        EQUATIONS + "antiparallel_axes_turn_by_a_difference",
    ),
    tested(
        "a follower goes as its leader",
        "symbolic.joint_symbols",
        "body.weights.tolist()",
        "(1.0 * (body.weights != 0)).tolist()",
        EQUATIONS + "a_gear_counts_its_ratio_twice",
    ),
    tested(
        "one of Christoffel's symbols with the other sign",
        "symbolic._christoffel",
        "M[j, k].diff(q[i])",
        "-M[j, k].diff(q[i])",
        EQUATIONS + "the_double_pendulum_is_that_of_the_books",
    ),
    tested(
        "what fails its proof is handed out",
        "symbolic.prove",
        "not proof.holds",
        "False",
        EQUATIONS + "a_wrong_sign_is_not_handed_out",
    ),
    tested(
        "C code with its matrices transposed",
        "symbolic._body",
        "(f'[{int(one) - 1}]' for one in place)",
        "(f'[{int(one) - 1}]' for one in reversed(place))",
        EQUATIONS + "the_c_code_is_compiled_and_gives_the_numbers",
    ),
)

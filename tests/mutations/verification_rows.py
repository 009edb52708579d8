"""Physics that a case of the verification manual must name, and the manual's own judgement."""

from tests.mutations.mutation import tested

CASE = "verification/test_cases.py::test_a_case_is_within_its_tolerances_by_every_method[{}]"
VERDICT = "verification/test_verdict.py::test_"

ROWS = (
    tested(
        "half of Coriolis' acceleration along a slide on a turning rod",
        "dynamics._slide",
        "2 * X[3] * qd",
        "1 * X[3] * qd",
        CASE.format("rotating_slide"),
    ),
    tested(
        "the gyroscopic moment of a wheel with the other sign",
        "dynamics.torques",
        "mass.tensor @ alpha_b + cross(w_b, mass.tensor @ w_b)",
        "mass.tensor @ alpha_b - cross(w_b, mass.tensor @ w_b)",
        CASE.format("pinocchio_ur10"),
    ),
    tested(
        "a rotor of the PUMA counts with its ratio once",
        "robots.reflected_inertia",
        "self.ratio**2 * self.rotor_inertia",
        "abs(self.ratio) * self.rotor_inertia",
        CASE.format("puma_inertia"),
    ),
    tested(
        "a STEP with another cubic",
        "functions.impact.step",
        "z * z * (3.0 - 2.0 * z)",
        "z * z * (2.0 - 1.0 * z)",
        CASE.format("impact_and_bistop"),
    ),
    tested(
        "the second component of a cross product has the other sign",
        "maths.cross",
        "a[2] * b[0] - a[0] * b[2]",
        "a[0] * b[2] - a[2] * b[0]",
        CASE.format("gyroscopic_wheel"),
    ),
    tested(
        "no answer is near enough",
        "verification.CaseReading.ok",
        "self.share <= 1.0",
        "True",
        VERDICT + "the_worst_error_is_a_share_of_the_tolerance",
    ),
    tested(
        "a missing oracle passes",
        "verification._missing",
        "importlib.util.find_spec(package) is not None",
        "True",
        VERDICT + "what_is_not_there_is_skipped_by_its_name",
    ),
    tested(
        "a case of infinite error counts as within",
        "verification._reading",
        "error = math.inf",
        "error = 0.0",
        VERDICT + "what_is_no_number_or_of_another_shape_fails",
    ),
)

"""Mutations of the window's script and preview."""

from __future__ import annotations

from tests.mutations.mutation import tested

SCRIPT = "studio/test_read_script.py::test_"
MODEL = SCRIPT + "ten_models_have_the_scenario_of_their_script[ur10]"

ROWS = (
    tested(
        "a text with quotes becomes code",
        "studio.write_script.quoted",
        "return repr(text)",
        "return f'\"{text}\"'",
        SCRIPT + "what_is_written_is_read_and_no_string_becomes_code",
    ),
    tested(
        "the preview has no friction",
        "studio.robot_source._equip",
        "robot.with_friction(laws) if laws else robot",
        "robot",
        MODEL,
    ),
    tested(
        "the preview starts at zero",
        "studio.preview._start",
        "setup.positions or _1",
        "None",
        MODEL,
    ),
    tested(
        "a script with a further statement is the forms'",
        "studio.read_script.read_script",
        "_tokens(again) == _tokens(text)",
        "True",
        SCRIPT + "every_shipped_scenario_is_a_person_s_and_shows_its_parameters",
    ),
    tested(
        "two threads load and compute at once",
        "studio.replies._WORKER",
        "ThreadPoolExecutor(1, 'studio')",
        "ThreadPoolExecutor(4, 'studio')",
        "studio/test_replies.py::test_no_two_functions_overlap",
    ),
    tested(
        "a template that was dropped reads any file",
        "robots.confinement._require_reading",
        "not any(_1)",
        "False",
        "robots/test_confinement.py::test_a_file_is_below_a_folder_and_not_only_named_alike",
    ),
    tested(
        "an arc turns the other way",
        "studio.tool_paths._circle",
        "np.cross(normal, u) / _1",
        "-np.cross(normal, u) / _1",
        "studio/test_tool_paths.py::test_an_arc_is_on_the_circle_through_its_points_and_passes_them_in_order",
    ),
    tested(
        "the preview's springs have half the stiffness",
        "studio.preview._spring",
        "stiffness=one.stiffness",
        "stiffness=one.stiffness / 2",
        "studio/test_forms_forces.py::test_a_spring_gives_the_slope_of_its_energy",
    ),
    tested(
        "a study's words may name a file",
        "studio.studies._require_words",
        "not _RESPONSE.fullmatch(text)",
        "False",
        "studio/test_studies.py::test_no_word_becomes_an_option_or_a_file",
    ),
    tested(
        "braces of a function become code beside its parameters",
        "studio.parameters._escape",
        "text.replace('{', '{{').replace('}', '}}')",
        "text",
        SCRIPT + "braces_beside_a_parameter_stay_text",
    ),
)

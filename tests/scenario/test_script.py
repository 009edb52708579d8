import json
import sys
from pathlib import Path

import msgspec
import pytest

from sim.errors import ExpressionError, ModelError, ScenarioError
from sim.scenario.scenario import Scenario
from sim.scenario.script import load_script, script_of
from sim.shipped import scenario_names

BODY = """\
    robot = sim.load_robot("ur10")
    return sim.Scenario(robot, sim.JointMotion.displacement({}), duration=1.0)
"""


def written(folder, signature, body=BODY, name="mine.py", before=""):
    path = folder / name
    title = '"""A script of mine.\n\nMore."""'
    text = f"{title}\nimport sim\n{before}\ndef scenario({signature}):\n{body}"
    path.write_text(text, encoding="utf-8")
    return path


def built(folder, signature, **settings):
    return load_script(str(written(folder, signature))).build(settings)[1]


def refused(act):
    with pytest.raises(ScenarioError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Parameters


@pytest.mark.parametrize("signature", ["n: int = 1", "n: float = 1.0"])
@pytest.mark.parametrize("text", ["1_0", "١٢", "1０"])
def test_numbers_are_typed_in_plain_digits(tmp_path, signature, text):
    words = refused(lambda: built(tmp_path, signature, n=text))
    assert "in the digits 0 to 9" in words
    assert repr(text) in words


@pytest.mark.parametrize(
    ("signature", "text", "value"),
    [
        ("x: float = 1.0", "2", 2.0),
        ("x: float = 1.0", "-2.5e-3", -2.5e-3),
        ("x=1.0", " 7 ", 7.0),
        ("x: int = 1", "-2", -2),
        ("x: bool = False", "true", True),
        ("x: bool = True", "No", False),
        ("x=True", "0", False),
        ("x=False", "1", True),
        ("x: str = 'a'", "b c", "b c"),
        ("x: str = 'a'", "", ""),
        ("x: str = 'a'", "12", "12"),
        ("x: str | None = None", "b", "b"),
        ("*, x: float = 1.0", "3", 3.0),
        ("x: float", "3", 3.0),
        ("x: float = 2", "0.5", 0.5),
        ("x: 'float' = 2", "3", 3.0),
        ("x: 'int'", "3", 3),
        ("x: bool", "yes", True),
        ("x", "3", "3"),
    ],
)
def test_text_is_read_as_the_type_of_the_parameter(tmp_path, signature, text, value):
    chosen = built(tmp_path, signature, x=text)["x"]
    assert chosen == value
    assert type(chosen) is type(value)


@pytest.mark.parametrize(
    ("signature", "text", "said"),
    [
        ("x: float = 1.0", "heavy", "Parameter 'x' is a number, got 'heavy'"),
        ("x: float = 1.0", "", "Parameter 'x' is a number, got ''"),
        ("x: float = 1.0", "1,5", "Parameter 'x' is a number, got '1,5'"),
        ("x: float", "heavy", "Parameter 'x' is a number, got 'heavy'"),
        ("x: int = 1", "1.5", "Parameter 'x' is a whole number, got '1.5'"),
        ("x: bool = True", "2", "Parameter 'x' is true or false, got '2'"),
        ("x: float = 1.0", "nan", "Parameter 'x' must be a finite number, got nan"),
        ("x: float = 1.0", "-inf", "Parameter 'x' must be a finite number, got -inf"),
        ("x: float = 1.0", "1e999", "Parameter 'x' must be a finite number, got 1e999"),
        ("x=(0, 1)", "1", "Parameter 'x' is 2 values with commas between, got '1'"),
        ("x=(0.0, 1.0)", "1,two", "Parameter 'x' is a number, got 'two'"),
        ("x=[0, 1]", "1 2", "Parameter 'x' is a list, which cannot be given as text"),
    ],
)
def test_text_that_is_no_such_value_is_refused(tmp_path, signature, text, said):
    assert refused(lambda: built(tmp_path, signature, x=text)) == said


def test_a_tuple_is_given_with_commas_between(tmp_path):
    assert built(tmp_path, "x=(0.0, 1)", x="2.5, 3") == {"x": [2.5, 3]}


def test_values_that_are_no_text_are_taken_as_they_are_but_must_be_finite(tmp_path):
    assert built(tmp_path, "x=1.0, q=(0, 1)", x=3, q=(1, 2)) == {"x": 3, "q": [1, 2]}
    with pytest.raises(ScenarioError, match="must be a finite number"):
        built(tmp_path, "x=1.0", x=float("nan"))


def test_the_parameters_used_are_reported_with_their_defaults_as_plain_data(tmp_path):
    script = load_script(str(written(tmp_path, "a=1.5, b='x', c=True, d=None, e=(1,), **rest")))
    assert script.parameters == {"a": 1.5, "b": "x", "c": True, "d": None, "e": (1,)}
    scenario, used = script.build({"a": "2"})
    assert isinstance(scenario, Scenario)
    assert used == {"a": 2.0, "b": "x", "c": True, "d": None, "e": [1]}
    assert json.loads(json.dumps(used)) == used


SEEN = "    seen.append(x)\n" + BODY


@pytest.mark.parametrize(
    ("signature", "setting"),
    [
        ("x: float = 1.0", "0.1"),
        ("x: float = 1.0", "-0.0"),
        ("x: float = 1.0", "5e-324"),
        ("x: float = 1.0", "1e22"),
        ("x: float = 1.0", "3"),
        ("x: int = 1", "7"),
        ("x: bool = False", "yes"),
        ("x: str = 'a'", "12"),
        ("x: str = 'a'", ""),
        ("x: str = 'a'", "nan"),
        ("x: str | None = None", "true"),
        ("x: str | None = None", "1.0"),
        ("x: float", "2"),
        ("x", "2"),
        ("x=(1.0, 'a', True)", "2.5, 1, no"),
        ("x=(0.1, 0.2)", None),
        ("x=((1, 2), (0.5, None))", None),
        ("x: float = 0.1 + 0.2", None),
        ("x: float = float('nan')", None),
        ("x: float = float('-inf')", None),
        ("x=(float('nan'), 1.0)", None),
        ("x=(float('nan'), 1.0)", "2, 3"),
        ("x=None", None),
        ("x: bool = True", None),
        ("x=[1, 2]", None),
        ("x={'a': 1}", None),
        ("x=Path('there')", None),
        ("x=np.float32(0.1)", None),
        ("x=np.float64(0.1)", None),
        ("x=np.int64(3)", None),
        ("x=np.ones(3)", None),
        ("x=lambda t: t", None),
    ],
)
def test_parameters_come_back_from_a_description_as_they_were(tmp_path, signature, setting):
    before = "from pathlib import Path\nimport numpy as np\nseen = []\n"
    path = written(tmp_path, signature, SEEN, before=before)
    script = load_script(str(path))
    _, used = script.build({} if setting is None else {"x": setting})
    held = json.loads(plain_of(used))
    again = load_script(str(path))  # a process of its own has other defaults
    again.build(again.settings_of(held))
    (first,), (second,) = (one.function.__globals__["seen"] for one in (script, again))
    assert type(first) is type(second)
    assert "0x" in repr(first) or repr(first) == repr(second)  # nan, -0.0, 1 and True apart


def plain_of(parameters):
    """The parameters as a description writes them."""
    return msgspec.json.encode(parameters, enc_hook=lambda value: value.item())


def test_a_parameter_that_the_script_has_no_longer_is_refused(tmp_path):
    script = load_script(str(written(tmp_path, "y: float = 1.0")))
    assert "no parameter 'x'" in refused(lambda: script.build(script.settings_of({"x": 1.0})))


def test_an_unknown_parameter_is_refused_with_the_nearest_and_all_that_there_are(tmp_path):
    text = refused(lambda: built(tmp_path, "payload=10.0, start='upright'", paylaod="5"))
    assert text == (
        "Scenario 'mine' has no parameter 'paylaod' (did you mean 'payload'?); "
        "parameters: payload=10.0, start=upright"
    )
    assert "mean" not in refused(lambda: built(tmp_path, "payload=10.0", friction="5"))
    assert refused(lambda: built(tmp_path, "", x="5")).endswith("parameters: none")


def test_a_parameter_without_a_default_is_asked_for(tmp_path):
    text = refused(lambda: built(tmp_path, "load: float, start='up'"))
    assert text == "Scenario 'mine' needs a value for 'load': --set load=..."


# Finding scripts


def test_the_shipped_scenarios_are_found_by_name():
    assert {"two_link", "ur10_step"} <= set(scenario_names())
    assert list(scenario_names()) == sorted(scenario_names())
    script = load_script("ur10_step")
    assert (script.name, script.path.name) == ("ur10_step", "ur10_step.py")
    assert script.parameters == {"payload": 10.0, "start": "upright"}
    assert script.title.startswith("UR10: six velocity STEP drives")


def test_an_unknown_scenario_is_refused_with_the_nearest_and_all_that_ship():
    text = refused(lambda: load_script("ur10_stp"))
    assert text.startswith("There is no scenario 'ur10_stp' (did you mean 'ur10_step'?); shipped: ")
    for name in scenario_names():
        assert name in text
    assert "mean" not in refused(lambda: load_script("qqqq"))


@pytest.mark.parametrize("name", ["", "../scenarios/ur10_step", "ur10_step.urdf"])
def test_what_is_neither_a_name_nor_a_python_file_is_unknown(name):
    assert refused(lambda: load_script(name)).startswith(f"There is no scenario {name!r}")


def test_a_file_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "mine.py"
    assert refused(lambda: load_script(str(path))) == f"{path} does not exist"
    path.mkdir()
    assert refused(lambda: load_script(str(path))) == f"{path} does not exist"


def test_a_script_gets_its_name_and_title_from_its_file(tmp_path):
    script = load_script(str(written(tmp_path, "", name="my arm.py")))
    assert (script.name, script.title) == ("my arm", "A script of mine.")
    assert script.path.is_absolute()


def test_a_script_may_import_a_module_beside_it_even_late(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = list(sys.path)
    (tmp_path / "early_neighbour_of_mine.py").write_text("DURATION = 2.0")
    (tmp_path / "late_neighbour_of_mine.py").write_text("DT = 0.5")
    body = BODY.replace("duration=1.0", "duration=DURATION, dt=DT")
    body = "    from late_neighbour_of_mine import DT\n" + body
    path = written(tmp_path, "", body, before="from early_neighbour_of_mine import DURATION")
    scenario, _ = load_script(str(path)).build({})
    assert (scenario.duration, scenario.dt) == (2.0, 0.5)
    assert sys.path == before


# Scripts that do not work


def test_a_script_without_a_scenario_is_refused(tmp_path):
    path = tmp_path / "mine.py"
    for text in ("", "scenario = 3"):
        path.write_text(text)
        said = refused(lambda: load_script(str(path)))
        assert said.startswith(f"{path} defines no function `scenario`")


@pytest.mark.parametrize("value", ["None", "3", "'a'", "sim.Scenario"])
def test_a_scenario_function_that_returns_something_else_is_refused(tmp_path, value):
    path = written(tmp_path, "", f"    return {value}\n")
    said = refused(lambda: load_script(str(path)).build({}))
    assert said.startswith(f"scenario() in {path} must return a sim.Scenario, got ")


def test_a_syntax_error_is_told_with_its_line_and_without_repetition(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("import sim\n\ndef scenario(:\n")
    said = refused(lambda: load_script(str(path)))
    assert said.startswith(f"{path}, line 3: SyntaxError: ")
    assert said.count("line 3") == said.count("mine.py") == 1


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "mine.py"
    path.write_bytes(b"\x7fELF\xff\xfe\x00\x01")
    assert refused(lambda: load_script(str(path))).startswith(str(path))


@pytest.mark.parametrize("relative", [False, True])
def test_an_error_while_a_script_is_read_names_the_line_of_the_script(
    tmp_path, monkeypatch, relative
):
    path = tmp_path / "mine.py"
    path.write_text("import sim\n\nimport no_such_module_anywhere\n")
    monkeypatch.chdir(tmp_path)
    given = Path(path.name) if relative else path
    said = refused(lambda: load_script(str(given)))
    assert said == (
        f"{given}, line 3: ModuleNotFoundError: No module named 'no_such_module_anywhere'"
    )


@pytest.mark.parametrize("relative", [False, True])
def test_an_error_in_the_scenario_function_names_the_line_of_the_script(
    tmp_path, monkeypatch, relative
):
    body = "    import json\n    return json.loads('{')\n"
    path = written(tmp_path, "", body)
    lines = path.read_text().splitlines()
    line = 1 + next(k for k, text in enumerate(lines) if "json.loads" in text)
    monkeypatch.chdir(tmp_path)
    script = load_script(path.name if relative else str(path))
    said = refused(lambda: script.build({}))
    assert said.startswith(f"{path}, line {line}: JSONDecodeError: Expecting property name")


def test_the_line_is_found_behind_a_link_too(tmp_path):
    path = written(tmp_path, "", "    raise KeyError('x')\n")
    (tmp_path / "link.py").symlink_to(path)
    line = 1 + path.read_text().splitlines().index("    raise KeyError('x')")
    script = load_script(str(tmp_path / "link.py"))
    assert f", line {line}: KeyError: 'x'" in refused(lambda: script.build({}))


def test_a_message_of_several_lines_becomes_one(tmp_path):
    path = written(tmp_path, "", "    raise ValueError('first\\n\\n  second')\n")
    assert refused(lambda: load_script(str(path)).build({})).endswith("ValueError: first second")


def test_errors_of_this_package_come_through_unchanged(tmp_path):
    path = written(tmp_path, "", "    return sim.load_robot('ur11')\n")
    with pytest.raises(ModelError, match="Robot 'ur11' does not ship"):
        load_script(str(path)).build({})
    path = written(tmp_path, "", before="sim.expression('STEP(')", name="other.py")
    with pytest.raises(ExpressionError):
        load_script(str(path))


def test_a_function_becomes_a_script_of_its_file(tmp_path):
    def scenario():
        """Never called."""

    script = script_of(scenario, tmp_path / "x" / ".." / "y.py")
    assert (script.name, script.path) == ("y", tmp_path / "y.py")
    with pytest.raises(ScenarioError, match="defines no function `scenario`"):
        script_of("not a function", tmp_path / "y.py")


def test_units_are_those_that_the_docstring_of_the_function_names(tmp_path):
    said = "Lift `load` [kg] by lift [m] from `pose`; a `stranger` [s], and a load [lb]."
    body = f'    """{said}"""\n{BODY}'
    script = load_script(str(written(tmp_path, 'load=1.0, lift=0.1, pose="up"', body)))
    assert script.units == {"load": "kg", "lift": "m"}
    assert load_script(str(written(tmp_path, "load=1.0", name="plain.py"))).units == {}

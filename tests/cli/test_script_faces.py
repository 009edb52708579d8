"""What a script's text says of it, against what Python itself makes of the script."""

import inspect
import subprocess
import sys

import pytest

from sim import shipped
from sim.cli.script_summary import script_summary
from sim.errors import ScenarioError
from sim.scenario.script import load_script


@pytest.mark.parametrize("name", shipped.scenario_names())
def test_a_script_that_is_not_run_says_what_it_says_when_it_is(name):
    script = load_script(name)
    face = script_summary(script.path)
    assert (face.name, face.title, face.parameters) == (name, script.title, script.parameters)


@pytest.mark.parametrize(
    ("text", "defaults"),
    [
        ("def scenario(a=-1.5, b='x', *, c=(1, 2.0), d=None): ...", [-1.5, "x", (1, 2.0), None]),
        ("import math\ndef scenario(a=2 * math.pi / 3): ...", [2.0943951023931953]),
        ("N = 4\ndef scenario(a=N, b=1): ...", [4, 1]),  # this one has to be run
        ("def scenario(a=len('abc')): ...", [3]),
        ("def scenario(a): ...", [inspect.Parameter.empty]),
        ("def scenario(a=1): ...\ndef scenario(b=2): ...", [2]),
        ("scenario = lambda a=7: None", [7]),
        ("def scenario(*rest, **more): ...", []),
    ],
)
def test_defaults_are_those_of_the_function(tmp_path, text, defaults):
    path = tmp_path / "mine.py"
    path.write_text(f'"""Mine.\n\nMore."""\n{text}\n', encoding="utf-8")
    face = script_summary(path)
    assert face.title == "Mine."
    assert list(face.parameters.values()) == defaults
    assert face.parameters == load_script(str(path)).parameters


def test_a_script_without_a_scenario_is_refused(tmp_path):
    path = tmp_path / "empty.py"
    path.write_text("", encoding="utf-8")
    with pytest.raises(ScenarioError, match="defines no function `scenario`"):
        script_summary(path)


def test_a_list_loads_no_numpy():
    code = (
        "import sys\nfrom sim.cli.command import status\nassert status(['list']) == 0\n"
        "sys.exit(sorted({'numpy', 'pandas', 'sim.robots'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
